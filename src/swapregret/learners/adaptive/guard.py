r"""When to stop trusting the adaptive part: an estimate of its swap regret that is never too small on average.

.. math:: \widehat S = \sum_b \max_{M'} U[b]\cdot(M' - b), \qquad U[b] = \sum P_{\text{adaptive}}(\text{play } b)\,\widetilde R

R̃ is unbiased and the maximum is convex, so E Ŝ is at least the swap regret of the adaptive part (Jensen). Once Ŝ exceeds
2T/K, only the floor is played from then on (``docs/guarantee.md``).

May touch: ``arrays``, ``actions.base``, ``learners.adaptive.vectors``.
"""

from dataclasses import dataclass, replace

import numpy as np
import numpy.typing as npt

from swapregret.actions.base import ActionSet
from swapregret.arrays import Vector
from swapregret.kernels.swap_filter import gain_of_answers
from swapregret.learners.adaptive.vectors import ActionVectors

__all__ = ["Guard"]

Words = npt.NDArray[np.uint64]


@dataclass(frozen=True, eq=False)
class Guard:
    """What the guard has seen, a value.

    Attributes
    ----------
    played : ActionVectors
        U[b] for every action the adaptive part played; past its capacity the least played are settled into ``split``.
    split : float
        Gains of actions that were dropped from the table, each answered on its own.
    estimate : float
        Ŝ at the last check.
    threshold : float
        Ŝ above which the guard trips; infinite where it is switched off.
    has_tripped : bool
    """

    played: ActionVectors
    split: float
    estimate: float
    threshold: float
    has_tripped: bool

    @classmethod
    def start(cls, dimension: int, capacity: int, threshold: float) -> "Guard":
        """Return a guard that has seen nothing."""
        return cls(ActionVectors.start(dimension, capacity), 0.0, 0.0, threshold, False)

    def add(self, actions: ActionSet, words: Words, weights: Vector, vector: Vector) -> "Guard":
        """Return a guard that has also seen what came while a law was played with Σ π X = ``vector``."""
        return self.copy().enter(actions, words, weights, vector)

    def copy(self) -> "Guard":
        """Return a guard with a table of its own."""
        return replace(self, played=self.played.copy())

    def enter(self, actions: ActionSet, words: Words, weights: Vector, vector: Vector) -> "Guard":
        """Do the same in the table of this guard: for whoever holds it alone."""
        table, split, most = self.played, self.split, self.played.capacity
        if len(words) > most:
            guard = self
            for first in range(0, len(words), most):
                part = slice(first, first + most)
                guard = guard.enter(actions, words[part], weights[part], vector)
            return guard
        if table.n_rows + len(words) > table.capacity:
            split += _gain(actions, table)
            table = table.emptied()
        return Guard(table.enter(words, weights, vector, 1.0), split, self.estimate, self.threshold, self.has_tripped)

    def check(self, actions: ActionSet) -> "Guard":
        """Evaluate Ŝ, and trip if it is above the threshold."""
        estimate = self.split + _gain(actions, self.played)
        return Guard(self.played, self.split, estimate, self.threshold, self.has_tripped or estimate > self.threshold)


def _gain(actions: ActionSet, table: ActionVectors) -> float:
    """Return Σ_b max_{M'} U[b]·(M' − b)."""
    n = table.n_rows
    if n == 0:
        return 0.0
    return gain_of_answers(table.keys, n, table.values, actions.argmax_many(table.values[:n]))
