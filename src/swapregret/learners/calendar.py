"""Which scale updates and restarts at the end of which day.

Days count from 0 here and everywhere in the code; this file alone knows the paper's 1-based formulas. Meta-day h of
interval l of scale k, days (l−1)H^k + (h−1)H^{k−1} + 1 … (l−1)H^k + hH^{k−1} in the paper, is a run of L_{k−1} days here.

"""

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np
import numpy.typing as npt

from swapregret.compiled.kernel import kernel
from swapregret.learners.schedule import Schedule


@kernel
def count_ending(windows: npt.NDArray[np.int64], position: int) -> int:
    """Return how many of the windows L_0, L_1, … end after so many days: the shortest ones, for each divides the next."""
    count = 0
    while count < windows.size and position % windows[count] == 0:
        count += 1
    return count


def draw_offset(windows: Sequence[int], rng: np.random.Generator) -> int:
    """Draw with which day of its longest window a calendar starts: the first of a base window (D20)."""
    return windows[0] * int(rng.integers(windows[-1] // windows[0]))


@dataclass(frozen=True)
class Calendar:
    """A schedule laid over days, shifted by ``offset``.

    The windows are a chain of multiples, so at the end of a day the windows that end are the shortest ones,
    L_0 … L_{c−1}. Then scales 1..c−1 restart and scale c (if it exists) updates; the update a restarting scale would
    make is never seen (deviation D4) and is not computed.

    Parameters
    ----------
    schedule : Schedule
    offset : int
        Day 0 is day ``offset`` of the first windows, so that windows do not start in step with the world.

    Examples
    --------
    >>> calendar = Calendar(Schedule([1, 3, 9]))
    >>> [calendar.n_ending(day) for day in range(9)]
    [1, 1, 2, 1, 1, 2, 1, 1, 3]
    >>> calendar.meta_day(5, scale=2), calendar.interval(5, scale=1)
    (1, 1)
    """

    schedule: Schedule
    offset: int = 0

    def n_ending(self, day: int) -> int:
        """Return how many of the windows L_0, L_1, … end with this day."""
        return int(count_ending(self._windows, day + 1 + self.offset))

    @cached_property
    def _windows(self) -> npt.NDArray[np.int64]:
        return np.array(self.schedule.windows, dtype=np.int64)

    def days_left(self, day: int, window: int | None = None) -> int:
        """Return how many days, this one included, are left of a window, the base window if none is given."""
        length = self.schedule.windows[0] if window is None else window
        return length - (day + self.offset) % length

    def updating(self, day: int) -> int | None:
        """Return the scale that updates after this day, if one does."""
        count = self.n_ending(day)
        return count if 1 <= count <= self.schedule.n_scales else None

    def restarting(self, day: int) -> range:
        """Return the scales that restart after this day."""
        return range(1, min(self.n_ending(day) - 1, self.schedule.n_scales) + 1)

    def meta_day(self, day: int, scale: int) -> int:
        """Return the number of the meta-day of this scale, counted from 0 over all intervals."""
        return (day + self.offset) // self.schedule.update_every(scale)

    def interval(self, day: int, scale: int) -> int:
        """Return the number of the interval of this scale, counted from 0."""
        return (day + self.offset) // self.schedule.restart_every(scale)
