r"""Congestion games: players share resources, and what a resource costs depends on how many use it.

Player i who uses the elements of :math:`M_i` pays :math:`\sum_{e \in M_i} c_e(1 + \#\{j \ne i : e \in M_j\})`; its payoff is minus
that. Given independent policies, the number of others on a resource is a sum of independent coins, so expected costs are exact
for any cost table: O(n²) operations per resource for all n players together.
"""

from collections.abc import Sequence
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from swapregret.actions.action_set import ActionSet
from swapregret.arguments import checked
from swapregret.arrays import Floats, Integers, Matrix, Vector, frozen
from swapregret.errors import InvalidInput
from swapregret.games.payoffs import Numbers, RuledGame, expect, pay, read_numbers


class CrowdRule(NamedTuple):
    """The resource behind each coordinate of all players; [resource, player]: the coordinate, −1 if none; the costs."""

    resources: Integers
    places: Integers
    costs: Floats


class CongestionGame(RuledGame):
    """A congestion game on any action sets.

    Parameters
    ----------
    action_sets : sequence of ActionSet
        One per player.
    costs : array_like, shape (n_resources, n_players)
        ``costs[e, k - 1]`` is what each of k users of resource e pays.
    resources : sequence of int sequences, optional
        For each player the resource behind each of its coordinates; its own coordinates in order if not given.
    names : sequence of str, optional

    Examples
    --------
    >>> from swapregret import MSets
    >>> game = CongestionGame([MSets(2, 1)] * 2, [[1., 3.], [2., 2.]])
    >>> game.payoffs([[1, 0], [1, 0]]), game.payoff_range(0)
    (array([-3., -3.]), (-3.0, -1.0))
    """

    @checked
    def __init__(
        self,
        action_sets: Sequence[ActionSet],
        costs: npt.ArrayLike,
        resources: Sequence[Sequence[int]] | None = None,
        names: Sequence[str] | None = None,
    ) -> None:
        super().__init__(action_sets, names)
        table = read_numbers(costs)
        if table.ndim != 2 or table.shape[1] < self.n_players or not np.isfinite(table).all():
            raise InvalidInput(
                f"`costs` must be a table of finite numbers, one row per resource, {self.n_players} columns",
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
        places = np.full((n, self.n_players), -1, dtype=np.int64)
        for player, own in enumerate(self.resources):
            places[own, player] = self.starts[player] + np.arange(len(own))
        self.rule = CrowdRule(frozen(np.concatenate(self.resources)), frozen(places), self.costs)

    def loads(self, marginals: Sequence[Any]) -> Vector:
        """Return the (expected) number of users of each resource."""
        total = np.zeros(len(self.costs))
        for places, values in zip(self.resources, marginals, strict=True):
            total[places] += values
        return total

    def payoff_bounds(self, player: int) -> tuple[Vector, Vector]:
        """Return minus the largest and the least cost of each resource."""
        own = self.resources[player]
        return -self.costs[own].max(axis=1), -self.costs[own].min(axis=1)


@pay.of(CrowdRule)
def pay_crowd(rule: CrowdRule, profile: Numbers, starts: Integers, first: int, last: int, vectors: Floats) -> None:
    """Write minus the cost of each resource if the player joins the others who use it."""
    loads = np.zeros(rule.costs.shape[0], dtype=np.int64)
    for i in range(profile.size):
        loads[rule.resources[i]] += profile[i]
    for i in range(starts[first], starts[last]):
        resource = rule.resources[i]
        vectors[i] = -rule.costs[resource, loads[resource] - profile[i]]


@expect.of(CrowdRule)
def expect_crowd(rule: CrowdRule, profile: Numbers, starts: Integers, first: int, last: int, vectors: Floats) -> None:
    r"""Write minus the expected cost of each resource.

    With :math:`F_p(k)` the chance that k of the players before p use it, and :math:`G_p(k)` the mean cost if k others do and those
    after p are still to draw, the mean cost of p is :math:`\sum_k F_p(k)\,G_p(k)`.
    """
    n = rule.costs.shape[1]
    before, after = np.empty(n + 1), np.empty((n, n))
    for resource in range(rule.costs.shape[0]):
        for k in range(n):
            after[n - 1, k] = rule.costs[resource, k]
        for p in range(n - 1, 0, -1):
            place = rule.places[resource, p]
            chance = profile[place] if place >= 0 else 0.0
            for k in range(p):
                after[p - 1, k] = (1.0 - chance) * after[p, k] + chance * after[p, k + 1]
        before[0] = 1.0
        for p in range(n):
            place = rule.places[resource, p]
            chance = profile[place] if place >= 0 else 0.0
            if place >= 0 and first <= p < last:
                mean = 0.0
                for k in range(p + 1):
                    mean += before[k] * after[p, k]
                vectors[place] = -mean
            before[p + 1] = 0.0
            for k in range(p + 1, 0, -1):
                before[k] = before[k] * (1.0 - chance) + before[k - 1] * chance
            before[0] *= 1.0 - chance
