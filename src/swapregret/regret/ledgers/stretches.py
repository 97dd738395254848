"""What was played, as ledgers take it: each policy with Σ w_t R_t and Σ w_t over its days, from policies or from a tape.

A mixture changes whenever one of its components does, but most components stay. Each is followed, by its identity or by its slot
on the tape, and handed on once, when it leaves.
"""

from collections.abc import Callable, Iterator
from typing import NamedTuple

import numpy as np

from swapregret.arrays import Actions, Floats, Integers, Matrix, Vector, summed
from swapregret.compiled.kernel import kernel
from swapregret.policy import Mixture, Policy
from swapregret.policy.tape import Tape
from swapregret.regret.ledgers.action_rows import ActionRows
from swapregret.regret.ledgers.row_sums import PieceLog, append_policy

_MOST_PRODUCTS = 512

Left = tuple[Policy, Vector, float]
"""A component, Σ w_t R_t and Σ w_t over its days."""


def empty_products(dimension: int) -> Matrix | None:
    """Return room for Σ R xᵀ; none for more than 512 elements, where the linear program would be too large."""
    return np.zeros((dimension, dimension)) if dimension <= _MOST_PRODUCTS else None


def add_products(products: Matrix | None, vectors: Vector | Matrix, points: Vector | Matrix | Actions) -> None:
    """Add R xᵀ of reward vectors and points, one of each or one per row."""
    if products is not None:
        products += np.atleast_2d(vectors).T @ np.atleast_2d(points)


class Stretches:
    """Adds up Σ_t w_t R_t for every component while it is part of the policy; each call returns those that have left."""

    def __init__(self, dimension: int) -> None:
        self._policy: Policy | None = None
        self._weights: dict[int, float] = {}
        self._held: dict[int, Left] = {}  # up to the day the current policy came
        self._since, self.open_days = np.zeros(dimension), 0  # from that day on

    def record(self, policy: Policy, rewards: Matrix, n_days: int) -> list[Left]:
        """Add days played with one policy; the rows of ``rewards`` add up to Σ R of these days."""
        left = [] if policy is self._policy else self._change(policy)
        self._since = summed(self._since, rewards)
        self.open_days += n_days
        return left

    def so_far(self) -> list[Left]:
        """Return every component of the current policy as if it left now."""
        return [
            (part, vector + self._weights[key] * self._since, days + self._weights[key] * self.open_days)
            for key, (part, vector, days) in self._held.items()
        ]

    def flush(self) -> list[Left]:
        """Let every component leave."""
        return self._change(None)

    def _change(self, policy: Policy | None) -> list[Left]:
        """Return the components that leave, begin those that come; the ones that stay keep what they hold."""
        before = {id(left[0]): left for left in self.so_far()}
        parts: list[tuple[Policy, float]] = [(policy, 1.0)] if policy is not None else []
        if isinstance(policy, Mixture):
            parts = list(zip(policy.components, policy.component_weights.tolist(), strict=True))
        self._policy, self._weights, self._held = policy, {}, {}
        self._since, self.open_days = np.zeros(len(self._since)), 0
        for part, weight in parts:
            key = id(part)
            if key not in self._held:
                self._held[key] = before.pop(key, (part, np.zeros(len(self._since)), 0.0))
            self._weights[key] = self._weights.get(key, 0.0) + weight
        return list(before.values())


class Window(NamedTuple):
    """Days ``first`` to ``last`` − 1 of a tape, on which slot s was played with ``shares[s]`` and had ``marginals[s]``."""

    first: int
    last: int
    shares: Vector
    marginals: Matrix


class TapeReader:
    """A tape beside the reward vectors of its days.

    Parameters
    ----------
    tape : Tape
    rewards : Matrix
        Reward vectors, one row per day of the tape.
    explorer : Policy
        The policy in the last slot.
    rebuild : callable
        ``rebuild(marginals, exponents)`` makes a policy that is not kept as a list.
    """

    def __init__(
        self, tape: Tape, rewards: Matrix, explorer: Policy, rebuild: Callable[[Vector, Vector], Policy]
    ) -> None:
        self.tape, self.explorer = tape, explorer
        self.n_policies = int(tape.n_policies[0])
        self.n_days = len(rewards)
        self._rebuild = rebuild
        given = np.require(rewards, np.float64, ["C", "W"])
        self.vectors, self.days, self.total, self.last = policy_vectors(tape, given)

    @property
    def earned(self) -> float:
        """Return what the policies earned."""
        inner = (self.vectors[:-1] * self.tape.marginals[: self.n_policies]).sum()
        return float(inner + self.vectors[-1] @ self.explorer.marginals())

    def add_products(self, products: Matrix | None) -> None:
        """Add Σ R xᵀ of all policies."""
        add_products(products, self.vectors[:-1], self.tape.marginals[: self.n_policies])
        add_products(products, self.vectors[-1], self.explorer.marginals())

    def enter(self, table: ActionRows) -> None:
        """Add every policy that is kept as a list to a table, with the rewards of its days."""
        starts, done = self.tape.starts, 0
        while (done := append_policies(table.log, self.tape, self.vectors, self.days, done)) < self.n_policies:
            table.make_room(int(starts[done + 1] - starts[done]), 1)

    def unlisted(self) -> Iterator[tuple[Policy, Vector, float]]:
        """Yield the policies that are not kept as lists, exploration too, each with its Σ w_t R_t and Σ w_t."""
        tape, n = self.tape, self.n_policies
        for e in np.flatnonzero((tape.starts[:n] == tape.starts[1 : n + 1]) & (self.days[:n] > 0.0)):
            yield self._rebuild(tape.marginals[e], tape.exponents[e]), self.vectors[e].copy(), float(self.days[e])
        if self.days[-1] > 0.0:
            yield self.explorer, self.vectors[-1].copy(), float(self.days[-1])

    def windows(self) -> Iterator[Window]:
        """Return the windows one by one."""
        tape, policy, first = self.tape, 0, 0
        marginals = np.zeros((tape.shares.shape[1], tape.marginals.shape[1]))
        marginals[-1] = self.explorer.marginals()
        for t in range(int(tape.n_windows[0])):
            while policy < self.n_policies and tape.begins[policy] <= t:
                marginals[tape.slots[policy]] = tape.marginals[policy]
                policy += 1
            last = int(tape.stops[t])
            yield Window(first, last, tape.shares[t], marginals.copy())
            first = last


@kernel
def policy_vectors(tape: Tape, rewards: Floats) -> tuple[Floats, Floats, Floats, Integers]:
    """Return Σ w_t R_t and Σ w_t of every policy of a tape, and last of exploration; Σ R_t; and the last policy of each slot.

    Row t of ``rewards`` is the reward vector of day t of the tape.
    """
    n_policies, n_windows = tape.n_policies[0], tape.n_windows[0]
    n_slots, d = tape.shares.shape[1], rewards.shape[1]
    vectors, days = np.zeros((n_policies + 1, d)), np.zeros(n_policies + 1)
    total, sums = np.zeros(d), np.empty(d)
    current = np.full(n_slots, -1)
    policy, day = 0, 0
    for t in range(n_windows):
        while policy < n_policies and tape.begins[policy] <= t:
            current[tape.slots[policy]] = policy
            policy += 1
        for i in range(d):
            sums[i] = 0.0
        first = day
        while day < tape.stops[t]:
            row = rewards[day]
            for i in range(d):
                sums[i] += row[i]
            day += 1
        for i in range(d):
            total[i] += sums[i]
        for s in range(n_slots):
            share = tape.shares[t, s]
            if share == 0.0:
                continue
            e = n_policies if s == n_slots - 1 else current[s]
            line = vectors[e]
            for i in range(d):
                line[i] += share * sums[i]
            days[e] += share * (day - first)
    while policy < n_policies:  # what begins with the tape that comes next
        current[tape.slots[policy]] = policy
        policy += 1
    return vectors, days, total, current


@kernel
def append_policies(log: PieceLog, tape: Tape, vectors: Floats, held: Floats, n_done: int) -> int:
    """Add policies ``n_done``.. with the rewards of their days to a log, until it may have no room for another.

    Returns the number of policies done. Policies that are not kept as lists are left out.
    """
    for e in range(n_done, tape.n_policies[0]):
        first, last, place = tape.starts[e], tape.starts[e + 1], tape.places[e]
        n = last - first
        if held[e] == 0.0 or n == 0:
            continue
        if log.counts[0] + n > log.at.size or log.counts[1] == log.vector_days.size:
            return e
        append_policy(log, tape.words[place : place + n], tape.chances[first:last], vectors[e], held[e])
    return int(tape.n_policies[0])
