r"""Congestion games: players share resources, and what a resource costs depends on how many use it.

Player i who uses the elements of :math:`M_i` pays :math:`\sum_{e \in M_i} c_e(1 + \#\{j \ne i : e \in M_j\})`; its payoff is minus
that. Given independent laws, the number of others on a resource is a sum of independent coins, so expected costs are exact
for any cost table: O(n) vector operations a player.
"""

from collections.abc import Sequence
from typing import Any

import numpy as np
import numpy.typing as npt

from swapregret.actions.base import ActionSet
from swapregret.arrays import Action, Matrix, Vector, frozen, real_numbers
from swapregret.errors import InvalidInput
from swapregret.games.base import Game

__all__ = ["CongestionGame"]


class CongestionGame(Game):
    """A congestion game on any action sets.

    Parameters
    ----------
    action_sets : sequence of ActionSet
        One a player.
    costs : array_like, shape (n_resources, n_players)
        ``costs[e, k - 1]`` is what each of k users of resource e pays.
    resources : sequence of int sequences, optional
        For each player the resource behind each of its coordinates; its own coordinates in order if not given.
    names : sequence of str, optional

    Examples
    --------
    >>> from swapregret.actions.m_sets.m_sets import MSets
    >>> game = CongestionGame([MSets(2, 1)] * 2, [[1., 3.], [2., 2.]])
    >>> game.payoffs([[1, 0], [1, 0]]), game.payoff_range(0)
    (array([-3., -3.]), (-3.0, -1.0))
    """

    def __init__(
        self,
        action_sets: Sequence[ActionSet],
        costs: npt.ArrayLike,
        resources: Sequence[Sequence[int]] | None = None,
        names: Sequence[str] | None = None,
    ) -> None:
        super().__init__(action_sets, names)
        try:
            table = real_numbers(costs)
        except (TypeError, ValueError):
            table = np.empty(0)
        if table.ndim != 2 or table.shape[1] < self.n_players or not np.isfinite(table).all():
            raise InvalidInput(
                f"`costs` must be a table of finite numbers, a row a resource, {self.n_players} columns",
                f"shape {table.shape}",
                "Give the cost for 1, 2, ... users.",
            )
        self.costs: Matrix = frozen(np.ascontiguousarray(table[:, : self.n_players]))
        n = len(table)
        given = [range(actions.dimension) for actions in self.action_sets] if resources is None else resources
        self.resources = tuple(frozen(np.array(list(each), dtype=np.int64)) for each in given)
        for name, actions, places in zip(self.names, self.action_sets, self.resources, strict=True):
            if places.shape != (actions.dimension,) or places.min() < 0 or places.max() >= n:
                raise InvalidInput(
                    f"`resources` of {name} must be {actions.dimension} numbers in 0..{n - 1}",
                    f"{len(places)} numbers",
                    "Say which resource each coordinate stands for.",
                )
            if len(np.unique(places)) != len(places):
                raise InvalidInput(
                    f"`resources` of {name} must be different for different coordinates", "one twice", "Merge the two."
                )
        steps = np.diff(self.costs, axis=1)
        self._slope = steps[:, 0] if self.n_players > 1 else np.zeros(n)
        self._is_affine = bool(np.allclose(steps, self._slope[:, None], rtol=1e-13, atol=0.0))
        self.spec: dict[str, Any] | None = None

    def loads(self, marginals: Sequence[Any]) -> Vector:
        """Return the (expected) number of users of each resource."""
        total = np.zeros(len(self.costs))
        for places, values in zip(self.resources, marginals, strict=True):
            total[places] += values
        return total

    def payoff_vector(self, player: int, actions: Sequence[Action]) -> Vector:
        """Return minus the cost of each resource if the player joins its users."""
        own = self.resources[player]
        others = self.loads(actions)[own].astype(np.int64) - actions[player]
        return np.asarray(-self.costs[own, others])

    def expected_payoff_vector(self, player: int, marginals: Sequence[Vector]) -> Vector:
        """Return minus the expected cost, from the law of the number of others on each resource."""
        own = self.resources[player]
        if self._is_affine:
            mean = self.loads(marginals)[own] - marginals[player]
            return np.asarray(-(self.costs[own, 0] + self._slope[own] * mean))
        law = np.zeros((len(self.costs), self.n_players))  # probability of k others
        law[:, 0] = 1.0
        for other, (places, values) in enumerate(zip(self.resources, marginals, strict=True)):
            if other != player:
                chance = np.zeros(len(self.costs))
                chance[places] = values
                law[:, 1:] = law[:, 1:] * (1.0 - chance)[:, None] + law[:, :-1] * chance[:, None]
                law[:, 0] *= 1.0 - chance
        return np.asarray(-(law * self.costs).sum(axis=1)[own])

    def payoff_bounds(self, player: int) -> tuple[Vector, Vector]:
        """Return minus the largest and the least cost of each resource."""
        own = self.resources[player]
        return -self.costs[own].max(axis=1), -self.costs[own].min(axis=1)
