r"""Both sides of the decomposition lemma, evaluated on a run, scale by scale and window by window.

For a master that plays the uniform mixture of K scales, scale k keeping its policy for windows of :math:`L_{k-1}` days
and restarting after windows of :math:`L_k` days, on every path and for every φ (Lemma "Swap Regret Decomposition under
Bandit Feedback"; the proof needs only the chain of windows, deviation D3):

.. math:: \mathrm{SwapReg} \le \frac1K\sum_{k=1}^K (D_{k-1} - E_k)
    = \frac1K\Big[\sum_{k=1}^{K-1} \mathrm{Reg}_k + D_0 - E_K\Big] \le \frac1K\sum_{k=1}^{K-1}\mathrm{Reg}_k + \frac TK

with :math:`D_j` the sum over windows of :math:`L_j` days of what their best fixed action earns, :math:`E_k` what scale k
earns, and :math:`\mathrm{Reg}_k = D_k - E_k` the external regrets of scale k, added up over its intervals. The middle is
the laziness bound; the last step needs rewards in [0, 1].
"""

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import pairwise

import numpy as np
import numpy.typing as npt

from swapregret.actions.action_set import ActionSet
from swapregret.arrays import Matrix, NamedArrays, Vector, as_integer, frozen, summed
from swapregret.errors import InvalidInput
from swapregret.regret.measure import Regret

_SLACK = 1e-7


@dataclass(frozen=True, eq=False)
class ScaleShare:
    """What one scale contributes.

    Attributes
    ----------
    scale : int
        k = 1..K.
    update_every, restart_every : int
        L_{k−1} and L_k.
    meta_best : float
        D_{k−1}: what the best fixed action of each of its meta-days earns, added up.
    interval_best : float
        D_k: the same for its intervals.
    earned : float
        E_k: what its policies earn.
    starts : int64 array, shape (n,)
        First day of each interval.
    regrets : Vector, shape (n,)
        External regret of each interval.
    """

    scale: int
    update_every: int
    restart_every: int
    meta_best: float
    interval_best: float
    earned: float
    starts: npt.NDArray[np.int64]
    regrets: Vector

    @property
    def external_regret(self) -> float:
        """Return Reg_k, the external regrets of all intervals added up."""
        return self.interval_best - self.earned


@dataclass(frozen=True, eq=False)
class Decomposition:
    """The right-hand sides of the lemma on one run.

    Attributes
    ----------
    scales : tuple of ScaleShare
        k = 1..K.
    n_days : int
    """

    scales: tuple[ScaleShare, ...]
    n_days: int

    @property
    def n_scales(self) -> int:
        """Return K."""
        return len(self.scales)

    @property
    def laziness(self) -> float:
        """Return (1/K) Σ (D_{k−1} − E_k), the laziness bound."""
        return sum(share.meta_best - share.earned for share in self.scales) / self.n_scales

    @property
    def bound(self) -> float:
        """Return the lemma's right-hand side, (1/K) Σ_{k<K} Reg_k + T/K."""
        return (sum(share.external_regret for share in self.scales[:-1]) + self.n_days) / self.n_scales

    @property
    def contributions(self) -> Vector:
        """Return what each scale k < K adds to the bound, Reg_k / K, and last T/K: they sum to ``bound``."""
        parts = [share.external_regret / self.n_scales for share in self.scales[:-1]]
        return np.array([*parts, self.n_days / self.n_scales])

    def holds_for(self, swap_regret: Regret) -> bool:
        """Tell whether a measured swap regret obeys the lemma: lower end ≤ laziness ≤ bound."""
        room = _SLACK * (1.0 + self.n_days)
        return swap_regret.lower <= self.laziness + room and self.laziness <= self.bound + room


class DecompositionLedger:
    """Gathers the terms of the lemma; memory grows with the number of intervals only.

    Parameters
    ----------
    actions : ActionSet
    windows : sequence of int
        L_0, …, L_K, each a multiple of the one before.
    offset : int
        Day 0 is day ``offset`` of the first windows.

    Examples
    --------
    One scale that keeps (½, ½) for two days, and restarts every two:

    >>> from swapregret.actions.m_sets.m_sets import MSets
    >>> ledger = DecompositionLedger(MSets(2, 1), [2, 2])
    >>> ledger.record(np.array([[.5, .5]]), np.array([[1., 0.], [1., 0.]]))
    >>> result = ledger.close()
    >>> result.laziness, result.bound, result.scales[0].regrets.tolist()
    (1.0, 2.0, [1.0])
    """

    def __init__(self, actions: ActionSet, windows: Sequence[int], offset: int = 0) -> None:
        self._actions = actions
        self._windows = [as_integer(window, "windows", 1) for window in windows]
        chain = zip(self._windows, self._windows[1:], strict=False)
        if len(self._windows) < 2 or any(longer % shorter for shorter, longer in chain):
            raise InvalidInput(
                "`windows` must be at least two numbers, each a multiple of the one before",
                repr(list(windows)),
                "Pass the windows of the schedule.",
            )
        self._offset = as_integer(offset, "offset", 0)
        n = len(self._windows)
        self._day = 0
        self._sums = np.zeros((n, actions.dimension))
        self._starts = [0] * n
        self._best = [0.0] * n
        self._earned = np.zeros(n - 1)
        self._earned_before = np.zeros(n - 1)
        self._intervals: list[list[tuple[int, float]]] = [[] for _ in range(n - 1)]

    def record(self, marginals: Matrix, days: Matrix) -> None:
        """Add days on which no scale changed; how they are cut up makes no difference.

        Parameters
        ----------
        marginals : Matrix, shape (K, dimension)
            Of the policy of each scale.
        days : Matrix, shape (n, dimension)
            Reward vectors, one row per day.
        """
        start = 0
        while start < len(days):
            left = self._windows[0] - (self._day + self._offset) % self._windows[0]
            part = days[start : start + left]
            sums = np.concatenate([self._sums[None], np.broadcast_to(part[:, None], (len(part), *self._sums.shape))])
            self._sums = np.cumsum(sums, axis=0)[-1]
            gains = np.cumsum(part[:, None, :] * marginals, axis=2)[:, :, -1]
            self._earned = summed(self._earned, gains)
            self._day += len(part)
            start += len(part)
            for level, window in enumerate(self._windows):
                if (self._day + self._offset) % window:
                    break
                self._end(level)

    def close(self) -> Decomposition:
        """Return the terms of all days so far, with windows that are still open cut off here; recording may go on."""
        cut = DecompositionLedger(self._actions, self._windows, self._offset)
        cut.restore(self.dump())
        for level in range(len(self._windows)):
            if cut._starts[level] < cut._day:
                cut._end(level)
        shares = []
        for k in range(1, len(self._windows)):
            starts, regrets = zip(*cut._intervals[k - 1], strict=True) if cut._intervals[k - 1] else ((), ())
            shares.append(
                ScaleShare(
                    scale=k,
                    update_every=self._windows[k - 1],
                    restart_every=self._windows[k],
                    meta_best=cut._best[k - 1],
                    interval_best=cut._best[k],
                    earned=float(self._earned[k - 1]),
                    starts=frozen(np.array(starts, dtype=np.int64)),
                    regrets=frozen(np.array(regrets)),
                )
            )
        return Decomposition(tuple(shares), self._day)

    def dump(self) -> NamedArrays:
        """Write the ledger as named arrays; open windows stay open."""
        return {
            "day_offset": np.array([self._day, self._offset], dtype=np.int64),
            "sums": self._sums,
            "starts": np.array(self._starts, dtype=np.int64),
            "best": np.array(self._best),
            "earned": np.stack([self._earned, self._earned_before]),
            "n_intervals": np.array([len(each) for each in self._intervals], dtype=np.int64),
            "interval_starts": np.array([start for each in self._intervals for start, _ in each], dtype=np.int64),
            "interval_regrets": np.array([regret for each in self._intervals for _, regret in each]),
        }

    def restore(self, arrays: NamedArrays) -> None:
        """Fill an empty ledger with what ``dump`` wrote; both must have the same windows."""
        self._day, self._offset = arrays["day_offset"].tolist()
        self._sums, self._starts, self._best = (
            np.array(arrays["sums"]),
            arrays["starts"].tolist(),
            arrays["best"].tolist(),
        )
        self._earned, self._earned_before = np.array(arrays["earned"][0]), np.array(arrays["earned"][1])
        rows = list(zip(arrays["interval_starts"].tolist(), arrays["interval_regrets"].tolist(), strict=True))
        edges = np.concatenate([[0], np.cumsum(arrays["n_intervals"])]).tolist()
        self._intervals = [rows[first:last] for first, last in pairwise(edges)]

    def _end(self, level: int) -> None:
        """Close the window of one level."""
        total = self._sums[level]
        best = float(total @ self._actions.argmax(total))
        self._best[level] += best
        if level > 0:
            got = float(self._earned[level - 1] - self._earned_before[level - 1])
            self._intervals[level - 1].append((self._starts[level], best - got))
            self._earned_before[level - 1] = self._earned[level - 1]
        self._sums[level] = 0.0
        self._starts[level] = self._day
