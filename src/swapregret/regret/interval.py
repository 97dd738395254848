r"""External regret window by window.

.. math:: \mathrm{Reg}_{[a, b)} = \max_{M} \sum_{a \le t < b} R_t\cdot M - \mathbb E\Big[\sum_{a \le t < b} R_t\cdot M_t\Big]

for consecutive windows of one length; their sum is the regret against the best sequence that may change its action once
per window. Windows of one day give dynamic regret, against the best action of every day; no rule "whenever you chose M, choose
φ(M)" can gain more, so swap regret lies below it.
"""

import math
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from swapregret.actions.action_set import ActionSet
from swapregret.arrays import Integers, Matrix, NamedArrays, Vector, as_integer, frozen, summed
from swapregret.errors import InvalidInput
from swapregret.regret.measure import Regret, standard_error


@dataclass(frozen=True, eq=False)
class Intervals:
    """What the best fixed action of each window would have earned, and what was earned."""

    window: int  # days per window; the last one may be shorter
    best: Vector
    earned: Vector
    n_days: int
    offset: int = 0  # day 0 is day ``offset`` of the first window, so that one may be shorter too

    @property
    def starts(self) -> Integers:
        """Return the first day of each window."""
        return np.maximum(0, self.window * np.arange(len(self.best)) - self.offset % self.window)

    @property
    def regrets(self) -> Vector:
        """Return the external regret of each window."""
        return np.asarray(self.best - self.earned)

    @property
    def each(self) -> tuple[Regret, ...]:
        """Return the same as regrets, each with its days."""
        words = "external regret of one window: its best fixed action in hindsight minus what was received"
        days = np.diff([*self.starts, self.n_days]).tolist()
        listed = zip(self.regrets.tolist(), days, strict=True)
        return tuple(Regret.point(value, math.nan, n_days, words) for value, n_days in listed)


class IntervalLedger:
    """Gathers the windows of a run; day 0 is day ``offset`` of the first."""

    def __init__(self, actions: ActionSet, window: int, offset: int = 0) -> None:
        self._actions = actions
        self._window = as_integer(window, "window", 1)
        self._offset = as_integer(offset, "offset", 0)
        self._best: list[float] = []
        self._earned: list[float] = []
        self._sum, self._got = np.zeros(actions.dimension), 0.0  # of the open window
        self._n_days = 0

    def record(self, marginals: Vector, rewards: Matrix) -> None:
        """Add days, one reward vector per row, on which the policy had these marginals; how they are cut up makes no difference."""
        earned, start = np.cumsum(rewards * marginals, axis=1)[:, -1], 0
        while start < len(rewards):
            stop = start + self._left
            self._sum = summed(self._sum, rewards[start:stop])
            self._got = float(summed(np.array([self._got]), earned[start:stop, None])[0])
            self._n_days += len(rewards[start:stop])
            start = stop
            if self._left == self._window:
                self._best.append(self._reach())
                self._earned.append(self._got)
                self._sum, self._got = np.zeros(self._actions.dimension), 0.0

    @property
    def _left(self) -> int:
        return self._window - (self._n_days + self._offset) % self._window

    def close(self) -> Intervals:
        """Return the windows so far, the last as if it ended here; recording may go on."""
        best, earned = self._best, self._earned
        if self._n_days and self._left < self._window:
            best, earned = [*best, self._reach()], [*earned, self._got]
        return Intervals(self._window, frozen(np.array(best)), frozen(np.array(earned)), self._n_days, self._offset)

    def dump(self) -> NamedArrays:
        """Write the ledger as named arrays; an open window stays open."""
        numbers = np.array([self._got, float(self._n_days)])
        return {"best": np.array(self._best), "earned": np.array(self._earned), "sum": self._sum, "numbers": numbers}

    def restore(self, arrays: NamedArrays) -> None:
        """Fill an empty ledger with what ``dump`` wrote; both must have the same window."""
        self._best, self._earned = arrays["best"].tolist(), arrays["earned"].tolist()
        self._sum, numbers = np.array(arrays["sum"]), arrays["numbers"].tolist()
        self._got, self._n_days = numbers[0], int(numbers[1])

    def _reach(self) -> float:
        return float(self._sum @ self._actions.argmax(self._sum))


def interval_regret(intervals: Sequence[Intervals]) -> Regret:
    """Return the sum over windows of the external regret, the mean of several replications if there are.

    The best action of a window is that of each replication; with mean rewards in the ledger it is the same in all.
    """
    parts = list(intervals)
    kinds = {(part.window, part.n_days) for part in parts}
    if len(kinds) != 1:
        raise InvalidInput(
            "`intervals` must be of runs with the same days and windows",
            f"{len(kinds)} different kinds",
            "Pass one or more runs of one play.",
        )
    each = [float(part.regrets.sum()) for part in parts]
    window = parts[0].window
    what = (
        "dynamic regret: best action of every day in hindsight minus expected reward"
        if window == 1
        else f"interval regret: best fixed action of every window of {window:,} days minus expected reward, added up"
    )
    return Regret.point(float(np.mean(each)), standard_error(each), parts[0].n_days, what)


def windows_of(actions: ActionSet, rewards: Matrix, earned: npt.ArrayLike, window: int) -> Intervals:
    """Return the windows of a run given as arrays: reward vectors and what was earned, one row per day."""
    length = as_integer(window, "window", 1)
    got = np.asarray(earned, dtype=np.float64)
    edges = np.arange(0, len(rewards), length)
    sums = np.add.reduceat(rewards, edges, axis=0)
    best = np.array([float(row @ actions.argmax(row)) for row in sums])
    return Intervals(length, frozen(best), frozen(np.add.reduceat(got, edges)), len(rewards))
