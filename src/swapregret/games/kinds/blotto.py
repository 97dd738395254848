r"""Colonel Blotto: two colonels share out their troops among battlefields; the larger force takes a field.

In compact coordinates an action marks (field, troops). The payoff of putting a troops on a field is its value times the
chance to win it less the chance to lose it, which is linear in the other's compact action.
"""

from collections.abc import Sequence
from typing import Any

import numpy as np
import numpy.typing as npt
import scipy

from swapregret.actions.paths.partitions import Coordinates, Partitions
from swapregret.arguments import checked
from swapregret.arrays import Action, Matrix, Vector, as_integer, frozen
from swapregret.counts import check_name, shown
from swapregret.errors import InvalidInput
from swapregret.games.bilinear import pair_rule
from swapregret.games.payoffs import RuledGame, read_numbers, spec_of

TIES = ("split", "first", "second")


class BlottoGame(RuledGame):
    """Colonel Blotto, zero-sum: a field taken pays its value, a field lost costs it.

    Parameters
    ----------
    troops : (int, int)
        What each colonel has; all of it must be used.
    values : int or sequence of float
        What the fields are worth; a number of fields stands for as many of value 1/fields.
    ties : {"split", "first", "second"}
        Who takes a field with equal forces: nobody, or one of the colonels.
    coordinates : {"compact", "path"}
        Of the sets (see :class:`~swapregret.actions.paths.partitions.Partitions`); the game is the same.

    Examples
    --------
    >>> game = BlottoGame((3, 2), 2)
    >>> first, second = game.action_sets
    >>> game.payoffs([first.action_from_amounts([1, 2]), second.action_from_amounts([2, 0])])
    array([0., 0.])
    >>> BlottoGame((30, 30), 10).action_sets[0].n_actions
    211915132
    """

    @checked
    def __init__(
        self,
        troops: Sequence[int],
        values: int | Sequence[float],
        *,
        ties: str = "split",
        coordinates: Coordinates = "compact",
    ) -> None:
        if isinstance(values, int):
            n_fields = as_integer(values, "values", 1, 10**6)
            worth = np.full(n_fields, 1.0 / n_fields)
        else:
            worth = read_numbers(values)
        if worth.ndim != 1 or len(worth) == 0 or not np.isfinite(worth).all() or (worth < 0).any():
            raise InvalidInput(
                "`values` must be a number of fields, or non-negative numbers, one per field",
                shown(values),
                "Check them.",
            )
        check_name(ties, TIES, "ties")
        if len(troops) != 2:
            raise InvalidInput("`troops` must be two numbers", shown(troops), "Give one per colonel.")
        sets = [Partitions(own, len(worth), coordinates=coordinates) for own in troops]
        super().__init__(sets, ["first colonel", "second colonel"])
        self.values: Vector = frozen(worth)
        mine, other = (np.arange(each.total + 1) for each in sets)
        sign = np.sign(mine[:, None] - other[None, :]).astype(np.float64)
        sign[sign == 0.0] = {"split": 0.0, "first": 1.0, "second": -1.0}[ties]
        self._wins: tuple[Matrix, Matrix] = (frozen(sign), frozen(np.ascontiguousarray(-sign.T)))
        self._places = tuple(_compact_places(each) for each in sets)
        tables = [scipy.sparse.block_diag([value * wins for value in worth]) for wins in self._wins]
        self.rule = pair_rule(self._places, tables)
        owned = [each.total for each in sets]
        self.spec = spec_of("blotto", troops=owned, values=worth, ties=ties, coordinates=coordinates)

    def deployment(self, player: int, marginals: npt.ArrayLike) -> Matrix:
        """Return how likely each number of troops is on each field: one row per field."""
        own: Any = self.action_sets[player]
        table = np.zeros(own.parts * (own.total + 1))
        np.add.at(table, self._places[player], np.asarray(marginals, dtype=np.float64))
        return table.reshape(own.parts, own.total + 1)

    def payoff_bounds(self, player: int) -> tuple[Vector, Vector]:
        """Return the worst and the best each number of troops can do on each field."""
        wins = self._wins[player]
        low, high = np.outer(self.values, wins.min(axis=1)), np.outer(self.values, wins.max(axis=1))
        return low.ravel()[self._places[player]], high.ravel()[self._places[player]]

    def describe(self, player: int, action: Action) -> str:
        """Return the troops on each field."""
        own: Any = self.action_sets[player]
        return "(" + ", ".join(map(str, own.amounts(action))) + ")"


def _compact_places(plans: Partitions) -> npt.NDArray[np.int64]:
    """Return the compact coordinate behind each coordinate of a set."""
    if plans.is_compact:
        return frozen(np.arange(plans.dimension))
    labels: Any = plans.labels
    return frozen(np.array([part * (plans.total + 1) + after - before for part, before, after in labels]))
