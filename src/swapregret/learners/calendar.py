"""Which scale updates and restarts at the end of which day.

Days count from 0 here and everywhere in the code; this file alone knows the paper's 1-based formulas. Meta-day h of
interval l of scale k, days (l−1)H^k + (h−1)H^{k−1} + 1 … (l−1)H^k + hH^{k−1} in the paper, is a run of L_{k−1} days here.

The windows are a chain of multiples, so at the end of a day the windows that end are the shortest ones, L_0 … L_{c−1}. Then
scales 1..c−1 restart and scale c (if it exists) updates; the update a restarting scale would make is never seen
(deviation D4) and is not computed.
"""

from collections.abc import Sequence

import numpy as np

from swapregret.arrays import Integers
from swapregret.compiled.kernel import kernel


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
