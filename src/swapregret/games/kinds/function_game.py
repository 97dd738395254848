"""A game of one's own: the sets and one function."""

from collections.abc import Callable, Sequence

import numpy as np
import numpy.typing as npt

from swapregret.actions.action_set import ActionSet
from swapregret.arrays import Action, Vector, as_vector
from swapregret.errors import InvalidReward
from swapregret.games.kinds.normal_form import PROFILE_LIMIT, check_profiles, profiles
from swapregret.games.payoffs import Game
from swapregret.units import read_range

Payoffs = Callable[[int, Sequence[Action]], npt.ArrayLike]
Expected = Callable[[int, Sequence[Vector]], npt.ArrayLike]
_SLACK = 1e-9


class FunctionGame(Game):
    """A game whose payoffs a function tells.

    Parameters
    ----------
    action_sets : sequence of ActionSet
    payoffs : callable
        ``payoffs(player, actions)`` returns what each element pays the player, given the actions of all others; its own entry
        of ``actions`` must not matter.
    ranges : sequence of (low, high), optional
        The least and the largest total each player can get; every payoff vector is checked against it. If not given, it is
        derived by listing all profiles of the others, which must be few.
    expected : callable, optional
        ``expected(player, marginals)``, the mean of ``payoffs`` when all play independently with these marginals. Without it
        gaps are measured from drawn actions, or by listing supports.
    names : sequence of str, optional

    Examples
    --------
    >>> from swapregret import MSets
    >>> game = FunctionGame([MSets(3, 1)] * 2, lambda player, actions: actions[1 - player])
    >>> game.payoff_range(0), game.payoffs([[1, 0, 0], [1, 0, 0]])
    ((0.0, 1.0), array([1., 1.]))
    """

    def __init__(
        self,
        action_sets: Sequence[ActionSet],
        payoffs: Payoffs,
        *,
        ranges: Sequence[tuple[float, float]] | None = None,
        expected: Expected | None = None,
        names: Sequence[str] | None = None,
    ) -> None:
        super().__init__(action_sets, names)
        self._payoffs, self._expected = payoffs, expected
        self.has_expectation = expected is not None
        self._declared = None if ranges is None else tuple(read_range(each) for each in ranges)
        if self._declared is not None and len(self._declared) != self.n_players:
            raise InvalidReward(
                f"`ranges` must be {self.n_players} pairs", str(len(self._declared)), "Give one per player, or none."
            )

    def payoff_vector(self, player: int, actions: Sequence[Action]) -> Vector:
        """Ask the function, and check what it says against the declared range."""
        vector = as_vector(self._payoffs(player, actions), self.action_sets[player].dimension, "payoffs")
        if self._declared is not None:
            low, high = self._declared[player]
            own, slack = self.action_sets[player], _SLACK * max(1.0, *map(abs, self._declared[player]))
            least, largest = float(vector @ own.argmax(-vector)), float(vector @ own.argmax(vector))
            if least < low - slack or largest > high + slack:
                raise InvalidReward(
                    f"payoffs of {self.names[player]} must lie in [{low:g}, {high:g}]",
                    f"[{least:g}, {largest:g}]",
                    "Declare the true range.",
                )
        return vector

    def expected_payoff_vector(self, player: int, marginals: Sequence[Vector]) -> Vector:
        """Ask the function for the mean."""
        if self._expected is None:
            return super().expected_payoff_vector(player, marginals)
        return as_vector(self._expected(player, marginals), self.action_sets[player].dimension, "expected payoffs")

    def payoff_bounds(self, player: int) -> tuple[Vector, Vector]:
        """Return entry-wise bounds over all profiles of the others, which must be few enough to be listed."""
        others = [
            own.argmax(np.zeros(own.dimension))[None, :] if index == player else own.enumerate(PROFILE_LIMIT)
            for index, own in enumerate(self.action_sets)
        ]
        check_profiles(others, "Give the game `ranges`, so that nothing needs to be listed.")
        vectors = np.array([self.payoff_vector(player, each) for _, each in profiles(others)])
        return vectors.min(axis=0), vectors.max(axis=0)

    def _find_range(self, player: int) -> tuple[float, float]:
        return super()._find_range(player) if self._declared is None else self._declared[player]
