r"""How often each scale updates and restarts.

A schedule is a chain of windows :math:`L_0 \mid L_1 \mid \dots \mid L_K`, each a multiple of the one below. Scale
k = 1..K updates its policy every :math:`L_{k-1}` days and restarts every :math:`L_k` days. The paper's Algorithm 1 has
:math:`L_k = H^k`; the decomposition lemma needs only the chain (deviation D3).

May touch: ``errors``, ``arrays``.
"""

import math
from dataclasses import dataclass
from itertools import pairwise

from swapregret.arrays import as_integer
from swapregret.errors import InvalidSchedule

__all__ = ["Schedule"]

_RATIO = 4
_DAYS_PER_PARAMETER = 40
_LONGEST_BASE = 32


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
        windows = tuple(as_integer(window, "windows", 1) for window in self.windows)
        object.__setattr__(self, "windows", windows)
        if len(windows) < 2:
            raise InvalidSchedule(
                "`windows` must have at least two entries, (update, restart)",
                repr(windows),
                "One scale that updates daily and never restarts is (1, horizon).",
            )
        for shorter, longer in pairwise(windows):
            if longer % shorter:
                raise InvalidSchedule(
                    "each of `windows` must be a multiple of the one before",
                    f"{shorter} followed by {longer}",
                    f"Round it up to {shorter * -(-longer // shorter)}.",
                )

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
    def uniform(cls, branching: int, n_scales: int) -> "Schedule":
        """Return the paper's windows H⁰, H¹, …, H^K.

        Examples
        --------
        >>> Schedule.uniform(branching=3, n_scales=2).windows
        (1, 3, 9)
        """
        h = as_integer(branching, "branching", 2)
        return cls(tuple(h**k for k in range(as_integer(n_scales, "n_scales", 1) + 1)))

    @classmethod
    def practical(cls, horizon: int, *, rank: int, size: int) -> "Schedule":
        """Return windows that learn from bandit feedback at horizons people have.

        The bottom interval is long enough to estimate ``rank`` parameters from rewards of actions of ``size``
        elements, 40·rank·size days or a little less, and windows grow fourfold from there to the horizon:
        n = max(2, ⌈log₄(T / (40 r m))⌉) and K = n + 1 scales. The base window, within which nothing changes, is at
        most 32 days and at most 1/32 of the bottom interval.

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
        days = as_integer(horizon, "horizon", 1)
        per_interval = _DAYS_PER_PARAMETER * as_integer(rank, "rank", 1) * as_integer(size, "size", 1)
        levels = max(2, math.ceil(math.log(days / per_interval, _RATIO)))
        shrink = _RATIO**levels
        base = max(1, min(_LONGEST_BASE, days // shrink // _LONGEST_BASE))
        bottom = base * -(-days // (shrink * base))
        return cls((base, *(bottom * _RATIO**level for level in range(levels + 1))))

    @classmethod
    def single(cls, horizon: int, *, base: int = 1) -> "Schedule":
        """Return one scale that updates every ``base`` days and does not restart before the horizon.

        Examples
        --------
        >>> Schedule.single(100, base=12).windows
        (12, 108)
        """
        days, step = as_integer(horizon, "horizon", 1), as_integer(base, "base", 1)
        return cls((step, step * -(-days // step)))
