r"""How often each scale updates and restarts, and which does at the end of which day.

A schedule is a chain of windows :math:`L_0 \mid L_1 \mid \dots \mid L_K`, each a multiple of the one below. Scale
k = 1..K updates its policy every :math:`L_{k-1}` days and restarts every :math:`L_k` days. The paper's Algorithm 1 has
:math:`L_k = H^k`; the decomposition lemma needs only the chain (deviation D3).

Days count from 0 here and everywhere in the code; this file alone knows the paper's 1-based formulas. Meta-day h of
interval l of scale k, days (l−1)H^k + (h−1)H^{k−1} + 1 … (l−1)H^k + hH^{k−1} in the paper, is a run of L_{k−1} days here.
At the end of a day the windows that end are the shortest ones, L_0 … L_{c−1}. Then scales 1..c−1 restart and scale c (if it
exists) updates; the update a restarting scale would make is never seen (deviation D4) and is not computed.
"""

import math
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import pairwise

import numpy as np

from swapregret.arguments import checked
from swapregret.arrays import Integers, as_integer
from swapregret.compiled.kernel import kernel
from swapregret.counts import count_in_words, shown
from swapregret.errors import InvalidSchedule

_LEAST_RATIO = 4
_DAYS_PER_PARAMETER = 40
_MOST_SCALES = 1000
_LONGEST_BASE, _SHORTEST_BASE = 32, 4
_LONGEST_PLAY = 10**9
_FEWEST_BASES = 8
"""Base windows in an interval where the shortest are too long for it."""


@dataclass(frozen=True)
class Schedule:
    """A chain of windows, shortest first.

    Parameters
    ----------
    windows : sequence of int
        (L_0, …, L_K), at least two, each a multiple of the one before.

    Examples
    --------
    >>> schedule = Schedule([1, 3, 9])
    >>> schedule.n_scales, schedule.update_every(2), schedule.restart_every(2)
    (2, 3, 9)
    """

    windows: tuple[int, ...]

    def __post_init__(self) -> None:
        try:
            given = tuple(self.windows)
        except TypeError:
            raise InvalidSchedule(
                "`windows` must be a list of whole numbers", shown(self.windows), "Pass e.g. [1, 10, 100]."
            ) from None
        windows = tuple(as_integer(window, "windows", 1, math.inf) for window in given)
        object.__setattr__(self, "windows", windows)
        if len(windows) < 2:
            raise InvalidSchedule(
                "`windows` must have at least two entries, (update, restart)",
                shown(windows),
                "One scale that updates daily and never restarts is (1, horizon).",
            )
        for shorter, longer in pairwise(windows):
            if longer % shorter:
                raise InvalidSchedule(
                    "each of `windows` must be a multiple of the one before",
                    f"{shown(shorter)} followed by {shown(longer)}",
                    f"Round it up to {shown(shorter * -(-longer // shorter))}.",
                )

    @checked
    def draw(self, *, width: int = 64) -> str:
        """Draw the calendar: one row per scale, ``·`` a kept policy, ``|`` an update, ``R`` a restart.

        A column is as many days as it takes to show two intervals of the coarsest scale in ``width`` columns; where more
        than one event falls into a column the rarest is shown.

        Examples
        --------
        >>> print(Schedule([1, 3, 9]).draw(width=18))
        one column = 1 day
        scale 2  updates every 3, restarts every 9  R··|··|··R··|··|··
        scale 1  updates every 1, restarts every 3  R||R||R||R||R||R||
        """
        days = -(-2 * self.windows[-1] // as_integer(width, "width", 1))
        rows = []
        for scale in range(self.n_scales, 0, -1):
            update, restart = self.windows[scale - 1 : scale + 1]
            cells = []
            for column in range(-(-2 * self.windows[-1] // days)):
                start, stop = column * days, (column + 1) * days
                if -(-start // restart) * restart < stop:
                    cells.append("R")
                elif -(-start // update) * update < stop:
                    cells.append("|")
                else:
                    cells.append("·")
            rows.append((f"scale {scale}  updates every {update:,}, restarts every {restart:,}", "".join(cells)))
        pad = max(len(label) for label, _ in rows)
        head = f"one column = {days:,} day{'s' if days > 1 else ''}"
        return "\n".join([head, *(f"{label:<{pad}}  {cells}" for label, cells in rows)])

    def __str__(self) -> str:
        return f"Schedule with {self.n_scales} scales, windows {self.windows}\n{self.draw()}"

    @property
    def n_scales(self) -> int:
        """Return K."""
        return len(self.windows) - 1

    def update_every(self, scale: int) -> int:
        """Return how many days scale k = 1..K keeps a policy: its meta-day."""
        return self.windows[scale - 1]

    def restart_every(self, scale: int) -> int:
        """Return how many days scale k = 1..K remembers: its interval."""
        return self.windows[scale]

    @classmethod
    @checked
    def uniform(cls, branching: int, n_scales: int) -> "Schedule":
        """Return the paper's windows H⁰, H¹, …, H^K.

        Examples
        --------
        >>> Schedule.uniform(branching=3, n_scales=2).windows
        (1, 3, 9)
        """
        h = as_integer(branching, "branching", 2, math.inf)
        return cls(tuple(h**k for k in range(as_integer(n_scales, "n_scales", 1, _MOST_SCALES) + 1)))

    @classmethod
    @checked
    def practical(cls, horizon: int, *, rank: int, size: int) -> "Schedule":
        """Return windows that learn from bandit feedback at horizons people have.

        The bottom interval is long enough to estimate ``rank`` parameters from rewards of actions of ``size`` elements: 10 to
        40 times rank·size days, or T/H² where T is below 40·H²·rank·size. Windows grow H-fold from there to the horizon, H
        the square root of log₂ T, rounded, and at least 4 (so 4 up to a million days):
        n = max(2, ⌈log_H(T / (40 r m))⌉) and K = n + 1 scales. Both H and K grow without bound, which the theorem needs. The
        base window, within which nothing changes, is 1/32 of the bottom interval; but 4 to 32 days, or 1/8 of an interval
        below 32 days.

        Parameters
        ----------
        horizon : int
            T, the number of days to play.
        rank, size : int
            Of the action set; ``rank`` is the number of unknowns and equals the dimension on m-sets.

        Examples
        --------
        >>> Schedule.practical(100_000, rank=10, size=3).windows
        (12, 396, 1584, 6336, 25344, 101376)
        """
        days = as_integer(horizon, "horizon", 1, math.inf)
        per_interval = _DAYS_PER_PARAMETER * as_integer(rank, "rank", 1) * as_integer(size, "size", 1)
        ratio = _ratio_at(days)
        levels = 2
        while per_interval * ratio**levels < days:
            levels += 1
        shrink = ratio**levels
        shortest = max(1, min(_SHORTEST_BASE, days // shrink // _FEWEST_BASES))
        base = min(_LONGEST_BASE, max(shortest, days // shrink // _LONGEST_BASE))
        bottom = base * -(-days // (shrink * base))
        return cls((base, *(bottom * ratio**level for level in range(levels + 1))))

    @classmethod
    @checked
    def ladder(cls, horizon: int | None = None, *, rank: int, size: int) -> "Schedule":
        """Return windows that grow about fourfold from a few days, as the preset "ladder" has them.

        The shortest is the largest power of four up to √(rank·size)/2: a day on small sets. Levels are there up to T/log₂ T days,
        without a horizon for 10⁹ days. Those that are too long for the day wait, so days are played in the same way whatever the
        horizon. Beyond a million days the ratio grows as that of :meth:`practical`.

        Examples
        --------
        >>> Schedule.ladder(10_000, rank=10, size=3).windows
        (1, 4, 16, 64, 256, 1024)
        """
        days = _LONGEST_PLAY if horizon is None else as_integer(horizon, "horizon", 1, math.inf)
        scale = as_integer(rank, "rank", 1) * as_integer(size, "size", 1)
        windows = [4 ** (max(0, math.isqrt(scale // 4).bit_length() - 1) // 2)]
        while len(windows) < 2 or windows[-1] * math.log2(days + 2) <= days:
            windows.append(windows[-1] * _ratio_at(windows[-1]))
        return cls(tuple(windows))

    @classmethod
    @checked
    def from_theorem(
        cls, horizon: int, *, dimension: int, size: int, smallest_eigenvalue: float | None = None
    ) -> "Schedule":
        """Return the schedule of the no-swap-regret theorems, H and K with their exact constants.

        H = ⌈27 ⌊log T⌋³ d⁹ m^{9/2} log³ d⌉ for Swap-ComBCP, and H = ⌈⌊log T⌋³ g³⌉ with
        g = md + m²⌈log d⌉/λ_min + 2 for Swap-ComBand (the g of the proof, deviation D10) when ``smallest_eigenvalue``
        is given; K = ⌊log_H T⌋.

        Parameters
        ----------
        horizon, dimension, size : int
            T, d, m.
        smallest_eigenvalue : float, optional
            λ_min of the exploration policy; selects the theorem of Swap-ComBand.

        Raises
        ------
        InvalidSchedule
            If K would be 0, which is the case at every horizon people have (deviation D2), or H = 0 (T ≤ 2, where
            ⌊log T⌋ = 0); the sentence names H, K and the smallest horizon that would do.

        Examples
        --------
        >>> Schedule.from_theorem(10**20, dimension=2, size=1).n_scales
        2
        """
        days = as_integer(horizon, "horizon", 1, math.inf)
        d = as_integer(dimension, "dimension", 2)
        m = as_integer(size, "size", 1, d)
        constant = _theorem_constant(d, m, smallest_eigenvalue)
        branching = _theorem_branching(days, constant)
        scales = 0
        while 0 < branching ** (scales + 1) <= days:
            scales += 1
        if scales == 0:
            raise InvalidSchedule(
                "`horizon` of Schedule.from_theorem must be at least the branching H it leads to",
                f"H = {count_in_words(branching)} at d={d}, m={m}, T={count_in_words(days)}, which leaves K = 0 scales",
                f"The smallest horizon it accepts is {_smallest_horizon(constant)}; "
                "use Schedule.practical(...), or give `branching` and `n_scales` to Schedule.uniform.",
            )
        return cls.uniform(branching, scales)

    @staticmethod
    def smallest_theorem_horizon(*, dimension: int, size: int, smallest_eigenvalue: float | None = None) -> int:
        """Return the least T at which :meth:`from_theorem` gives a schedule, with the same arguments.

        Examples
        --------
        >>> f"{Schedule.smallest_theorem_horizon(dimension=20, size=5):.1e}"
        '7.3e+22'
        """
        d = as_integer(dimension, "dimension", 2)
        return _smallest_horizon(_theorem_constant(d, as_integer(size, "size", 1, d), smallest_eigenvalue))

    @classmethod
    @checked
    def single(cls, horizon: int, *, base: int = 1) -> "Schedule":
        """Return one scale that updates every ``base`` days and does not restart before the horizon.

        Examples
        --------
        >>> Schedule.single(100, base=12).windows
        (12, 108)
        """
        days, step = as_integer(horizon, "horizon", 1, math.inf), as_integer(base, "base", 1)
        return cls((step, step * -(-days // step)))


def _ratio_at(days: int) -> int:
    """Return H for so many days: it grows without bound, and very slowly."""
    return max(_LEAST_RATIO, round(math.sqrt(math.log2(days))))


def _theorem_constant(dimension: int, size: int, smallest_eigenvalue: float | None) -> float:
    """Return g, with H = ⌊log T⌋³ g³."""
    if smallest_eigenvalue is None:
        return 3.0 * dimension**3 * math.pow(size, 1.5) * math.log(dimension)
    if not smallest_eigenvalue > 0.0:
        raise InvalidSchedule(
            "`smallest_eigenvalue` must be positive",
            shown(smallest_eigenvalue),
            "Compute it: geometry.solve.smallest_eigenvalue(policy, actions.span).",
        )
    return size * dimension + size**2 * math.ceil(math.log(dimension)) / smallest_eigenvalue + 2.0


def _theorem_branching(horizon: int, constant: float) -> int:
    return math.ceil(math.floor(math.log(horizon)) ** 3 * constant**3)


def _smallest_horizon(constant: float) -> int:
    """Return the least T with H(T) ≤ T; H is constant while ⌊log T⌋ is."""
    level = 1
    while True:
        first = max(math.ceil(math.exp(level)), 3)
        candidate = max(first, _theorem_branching(first, constant))
        if math.log(candidate) < level + 1 and _theorem_branching(candidate, constant) <= candidate:
            return candidate
        level += 1


@kernel
def count_ending(windows: Integers, position: int) -> int:
    """Return how many of the windows L_0, L_1, … end after so many days.

    Examples
    --------
    >>> [count_ending(np.array([1, 3, 9]), days) for days in range(1, 10)]
    [1, 1, 2, 1, 1, 2, 1, 1, 3]
    """
    count = 0
    while count < windows.size and position % windows[count] == 0:
        count += 1
    return count


def draw_offset(windows: Sequence[int], rng: np.random.Generator) -> int:
    """Draw with which day of its longest window a calendar starts: the first of a base window (D20).

    So windows do not start in step with the world.
    """
    return windows[0] * int(rng.integers(windows[-1] // windows[0]))
