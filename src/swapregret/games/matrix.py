r"""Games in normal form: one table of payoffs a player, actions as one-hot vectors.

Player i's payoff vector is its table with the others' choices put in; under independent laws it is the table contracted
with the others' marginals, so expectations are exact for any number of players.
"""

from collections.abc import Sequence
from typing import Any

import numpy as np
import numpy.typing as npt

from swapregret.actions.m_sets.m_sets import MSets
from swapregret.arrays import Action, Label, Vector, frozen, real_numbers
from swapregret.errors import InvalidInput
from swapregret.games.base import Game

__all__ = ["MatrixGame"]


class MatrixGame(Game):
    """A finite game given by its payoff tables.

    Parameters
    ----------
    tables : sequence of array_like, each of shape (k_1, ..., k_n)
        What player i is paid when player j chooses its action a_j, for all j.
    labels : sequence of sequences, optional
        For each player the names of its actions; whole numbers from 0 if not given.
    names : sequence of str, optional
        What the players are called.

    Examples
    --------
    >>> game = MatrixGame([[[6, 2], [7, 0]], [[6, 7], [2, 0]]], labels=[["dare not", "dare"]] * 2)
    >>> game.payoff_range(0), game.payoffs([[0, 1], [1, 0]])
    ((0.0, 7.0), array([7., 2.]))
    """

    def __init__(
        self,
        tables: Sequence[npt.ArrayLike],
        labels: Sequence[Sequence[Label]] | None = None,
        names: Sequence[str] | None = None,
    ) -> None:
        try:
            read = np.array([real_numbers(table) for table in tables])
        except (TypeError, ValueError):
            read = np.empty(0)
        if read.ndim < 2 or read.ndim != len(read) + 1 or min(read.shape) < 1 or not np.isfinite(read).all():
            raise InvalidInput(
                "`tables` must be n arrays of finite numbers with n axes each, one axis a player, all of one shape",
                f"something of shape {read.shape}" if read.size else "something else",
                "Give one payoff table a player.",
            )
        counts = read.shape[1:]
        given: list[list[Label]] = [list(range(count)) for count in counts]
        if labels is not None:
            given = [list(each) for each in labels]
        if len(given) != len(counts):
            raise InvalidInput(f"`labels` must be {len(counts)} lists", f"{len(given)}", "Give one list a player.")
        super().__init__([MSets(count, 1, labels=own) for count, own in zip(counts, given, strict=True)], names)
        self.tables = frozen(read)
        own_first = [np.moveaxis(read[player], player, 0) for player in range(self.n_players)]
        self._own_first = [frozen(np.ascontiguousarray(table)) for table in own_first]
        self.spec: dict[str, Any] = {
            "kind": "matrix",
            "payoffs": read.tolist(),
            "labels": [[_plain(name) for name in each] for each in given],
            "names": list(self.names),
        }

    def payoff_vector(self, player: int, actions: Sequence[Action]) -> Vector:
        """Return the row of the table that the others' choices single out."""
        chosen: list[Any] = [int(np.argmax(action)) for other, action in enumerate(actions) if other != player]
        return np.asarray(self._own_first[player][(slice(None), *chosen)])

    def expected_payoff_vector(self, player: int, marginals: Sequence[Vector]) -> Vector:
        """Return the table contracted with the marginals of all others."""
        table: Any = self._own_first[player]
        for other in reversed([index for index in range(self.n_players) if index != player]):
            table = table @ marginals[other]
        return np.asarray(table)

    def payoff_bounds(self, player: int) -> tuple[Vector, Vector]:
        """Return the least and the largest payoff of each action."""
        rows = self._own_first[player].reshape(len(self._own_first[player]), -1)
        return rows.min(axis=1), rows.max(axis=1)

    def describe(self, player: int, action: Action) -> str:
        """Return the name of the one action chosen."""
        return str(self.action_sets[player].elements(action)[0])


def _plain(name: Label) -> Any:
    return name if isinstance(name, str | int | float) else str(name)
