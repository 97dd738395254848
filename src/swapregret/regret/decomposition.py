r"""Both sides of the decomposition lemma, evaluated on a run, scale by scale and window by window.

For a master that plays the uniform mixture of K scales, scale k keeping its policy for windows of :math:`L_{k-1}` days
and restarting after windows of :math:`L_k` days, on every path and for every φ (Lemma "Swap Regret Decomposition under
Bandit Feedback"; the proof needs only the chain of windows, deviation D3):

.. math:: \mathrm{SwapReg} \le \frac1K\sum_{k=1}^K (D_{k-1} - E_k)
    = \frac1K\Big[\sum_{k=1}^{K-1} \mathrm{Reg}_k + D_0 - E_K\Big] \le \frac1K\sum_{k=1}^{K-1}\mathrm{Reg}_k + \frac TK

with :math:`D_j` the sum over windows of :math:`L_j` days of what their best fixed action earns, :math:`E_k` what scale k
earns, and :math:`\mathrm{Reg}_k = D_k - E_k` the external regrets of scale k, added up over its intervals. The middle is
the laziness bound; the last step needs rewards in [0, 1].

The ladder plays its levels with weights :math:`W_k` that are fixed on blocks of :math:`w_k` days, as their policies are, and other
policies, exploration and what experts play instead, with a share :math:`e_t` of day t. So, with :math:`r_k` what level k earns,

.. math:: \mathrm{SwapReg} \le \sum_k \sum_B W_k(B)\,\Big[\max_M \sum_{t \in B} R_t\cdot M - r_k(B)\Big] + 2 \sum_t e_t.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import pairwise

import numpy as np
import numpy.typing as npt

from swapregret.actions.action_set import ActionSet
from swapregret.arrays import Matrix, NamedArrays, Vector, as_integer, below, frozen, under
from swapregret.errors import InvalidInput
from swapregret.regret.interval import IntervalLedger, Intervals
from swapregret.regret.measure import Regret

_SLACK = 1e-7


@dataclass(frozen=True, eq=False)
class ScaleShare:
    """What one scale contributes."""

    scale: int  # k = 1..K
    update_every: int  # L_{k−1}
    restart_every: int  # L_k
    meta_best: float  # D_{k−1}: what the best fixed action of each of its meta-days earns, added up
    interval_best: float  # D_k: the same for its intervals
    earned: float  # E_k: what its policies earn
    starts: npt.NDArray[np.int64]  # first day of each interval
    regrets: Vector  # external regret of each interval

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
    """Gathers the terms of the lemma; memory grows with the number of windows only.

    Parameters
    ----------
    actions : ActionSet
    windows : sequence of int
        L_0, …, L_K, each a multiple of the one before.
    offset : int
        Day 0 is day ``offset`` of the first windows.
    """

    def __init__(self, actions: ActionSet, windows: Sequence[int], offset: int = 0) -> None:
        lengths = [as_integer(window, "windows", 1) for window in windows]
        if len(lengths) < 2 or any(longer % shorter for shorter, longer in pairwise(lengths)):
            raise InvalidInput(
                "`windows` must be at least two numbers, each a multiple of the one before",
                repr(list(windows)),
                "Pass the windows of the schedule.",
            )
        self._levels = [IntervalLedger(actions, window, offset) for window in lengths]

    def record(self, marginals: Matrix, days: Matrix) -> None:
        """Add days on which no scale changed; how they are cut up makes no difference.

        Parameters
        ----------
        marginals : Matrix, shape (K, dimension)
            Of the policy of each scale.
        days : Matrix, shape (n, dimension)
            Reward vectors, one row per day.
        """
        # window L_k is the interval of scale k; of L_0 only what its best actions earn is wanted
        for level, own in zip(self._levels, [marginals[0], *marginals], strict=True):
            level.record(own, days)

    def close(self) -> Decomposition:
        """Return the terms of all days so far, with windows that are still open cut off here; recording may go on."""
        levels = [level.close() for level in self._levels]
        shares = [
            ScaleShare(
                scale=k,
                update_every=meta_days.window,
                restart_every=intervals.window,
                meta_best=float(meta_days.best.sum()),
                interval_best=float(intervals.best.sum()),
                earned=float(intervals.earned.sum()),
                starts=frozen(intervals.starts),
                regrets=frozen(intervals.regrets),
            )
            for k, (meta_days, intervals) in enumerate(pairwise(levels), start=1)
        ]
        return Decomposition(tuple(shares), levels[0].n_days)

    def dump(self) -> NamedArrays:
        """Write the ledger as named arrays; open windows stay open."""
        parts = [under(f"level{index}", level.dump()) for index, level in enumerate(self._levels)]
        return {name: array for part in parts for name, array in part.items()}

    def restore(self, arrays: NamedArrays) -> None:
        """Fill an empty ledger with what ``dump`` wrote; both must have the same windows."""
        for index, level in enumerate(self._levels):
            level.restore(below(arrays, f"level{index}"))


@dataclass(frozen=True, eq=False)
class LadderDecomposition:
    """The right-hand side of the lemma on a run of the ladder.

    Attributes
    ----------
    levels : tuple of Intervals
        For each level what the best actions of its blocks earn, and its policies, both times its weight.
    others : float
        Σ e, the share of what is no level, added up over days.
    n_days : int
    """

    levels: tuple[Intervals, ...]
    others: float
    n_days: int

    @property
    def laziness(self) -> float:
        """Return what rules could gain of the levels."""
        return sum(float(level.regrets.sum()) for level in self.levels)

    @property
    def bound(self) -> float:
        """Return the whole right-hand side."""
        return self.laziness + 2.0 * self.others

    @property
    def contributions(self) -> Vector:
        """Return what each level adds to the bound, and last all else: they sum to ``bound``."""
        return np.array([*(level.regrets.sum() for level in self.levels), 2.0 * self.others])

    def holds_for(self, swap_regret: Regret) -> bool:
        """Tell whether a measured swap regret obeys the lemma: lower end ≤ bound."""
        return swap_regret.lower <= self.bound + _SLACK * (1.0 + self.n_days)


class LadderLedger:
    """Gathers the terms of the lemma for a ladder with blocks of these lengths.

    Examples
    --------
    Two levels, with blocks of one day and of two; the second has a weight of .25:

    >>> from swapregret import MSets
    >>> ledger = LadderLedger(MSets(2, 1), [1, 2])
    >>> ledger.record(np.array([.75, .25]), np.array([[.75, 0.], [.125, .125]]), 0.1, np.array([[1., 0.], [0., 1.]]))
    >>> result = ledger.close()
    >>> result.contributions.tolist(), result.bound
    ([0.75, 0.0, 0.4], 1.15)
    """

    def __init__(self, actions: ActionSet, windows: Sequence[int], offset: int = 0) -> None:
        self._levels = [IntervalLedger(actions, window, offset) for window in windows]
        self._others, self._n_days = 0.0, 0

    def record(self, weights: Vector, points: Matrix, others: float, days: Matrix) -> None:
        """Add days on which nothing changed: the weights of the levels, their marginals times these, e, and rewards by day."""
        for level, weight, point in zip(self._levels, weights.tolist(), points, strict=True):
            level.record(point / weight if weight > 0.0 else point, weight * days)
        self._others += others * len(days)
        self._n_days += len(days)

    def close(self) -> LadderDecomposition:
        """Return the terms of all days so far; recording may go on."""
        return LadderDecomposition(tuple(level.close() for level in self._levels), self._others, self._n_days)

    def dump(self) -> NamedArrays:
        """Write the ledger as named arrays; open blocks stay open."""
        parts = [under(f"level{index}", level.dump()) for index, level in enumerate(self._levels)]
        sums = {"others": np.array(self._others), "n_days": np.array(self._n_days)}
        return sums | {name: array for part in parts for name, array in part.items()}

    def restore(self, arrays: NamedArrays) -> None:
        """Fill an empty ledger with what ``dump`` wrote; both must have the same windows."""
        self._others, self._n_days = float(arrays["others"]), int(arrays["n_days"])
        for index, level in enumerate(self._levels):
            level.restore(below(arrays, f"level{index}"))
