"""What a tape says to whoever measures a run: sums by policy, and windows one by one."""

from collections.abc import Callable, Iterator
from dataclasses import dataclass

import numpy as np

from swapregret.arrays import Matrix, Vector
from swapregret.policy import Policy
from swapregret.policy.tape import Tape
from swapregret.regret.ledgers.action_rows import ActionRows
from swapregret.regret.ledgers.kernels.tape_sums import append_laws, law_vectors

__all__ = ["TapeReader", "Window"]


@dataclass(frozen=True, eq=False)
class Window:
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
        ``rebuild(marginals, exponents)`` makes a policy that is no list.
    """

    def __init__(
        self, tape: Tape, rewards: Matrix, explorer: Policy, rebuild: Callable[[Vector, Vector], Policy]
    ) -> None:
        self.tape, self.explorer = tape, explorer
        self.n_laws = int(tape.n_laws[0])
        self.n_days = len(rewards)
        self._rebuild = rebuild
        self.vectors, self.days, self.total, last = law_vectors(tape, np.require(rewards, np.float64, ["C", "W"]))
        self.last = last.astype(np.int64)

    @property
    def earned(self) -> float:
        """Return what the policies earned."""
        inner = (self.vectors[:-1] * self.tape.marginals[: self.n_laws]).sum()
        return float(inner + self.vectors[-1] @ self.explorer.marginals())

    def enter(self, table: ActionRows) -> None:
        """Add every policy that is a list to a table, with the rewards of its days."""
        starts, done = self.tape.starts, 0
        while (done := append_laws(table.log, self.tape, self.vectors, self.days, done)) < self.n_laws:
            table.make_room(int(starts[done + 1] - starts[done]), 1)

    def unlisted(self) -> Iterator[tuple[Policy, Vector, float]]:
        """Return the policies that are no lists, exploration among them, with the rewards of their days."""
        tape, n = self.tape, self.n_laws
        for e in np.flatnonzero((tape.starts[:n] == tape.starts[1 : n + 1]) & (self.days[:n] > 0.0)):
            yield self._rebuild(tape.marginals[e], tape.exponents[e]), self.vectors[e].copy(), float(self.days[e])
        if self.days[-1] > 0.0:
            yield self.explorer, self.vectors[-1].copy(), float(self.days[-1])

    def windows(self) -> Iterator[Window]:
        """Return the windows one by one."""
        tape, law, first = self.tape, 0, 0
        marginals = np.zeros((tape.shares.shape[1], tape.marginals.shape[1]))
        marginals[-1] = self.explorer.marginals()
        for t in range(int(tape.n_windows[0])):
            while law < self.n_laws and tape.begins[law] <= t:
                marginals[tape.slots[law]] = tape.marginals[law]
                law += 1
            last = int(tape.stops[t])
            yield Window(first, last, tape.shares[t], marginals.copy())
            first = last
