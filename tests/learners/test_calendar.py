"""The calendar against the paper's 1-based formulas, by brute force."""

import numpy as np
from hypothesis import given, settings
from hypothesis import strategies as st

from swapregret.learners.schedule import Schedule, count_ending


@st.composite
def chains(draw: st.DrawFn) -> list[int]:
    """Draw a short chain of windows."""
    windows = [draw(st.integers(1, 4))]
    for ratio in draw(st.lists(st.integers(1, 4), min_size=1, max_size=3)):
        windows.append(windows[-1] * ratio)
    return windows


@settings(deadline=None, max_examples=80)
@given(windows=chains(), offset=st.integers(0, 256))
def test_calendar_against_window_numbers(windows: list[int], offset: int) -> None:
    """A scale restarts where its interval number grows, and updates where only its meta-day number does."""
    for today in range(offset, offset + 2 * windows[-1] + 3):
        grows = [(today + 1) // window > today // window for window in windows]
        count = count_ending(np.array(windows), today + 1)
        assert grows == [True] * count + [False] * (len(windows) - count)
        for k in range(1, len(windows)):
            assert (k < count) == grows[k]
            assert (k == count) == (grows[k - 1] and not grows[k])


@settings(deadline=None, max_examples=30)
@given(branching=st.integers(2, 4), n_scales=st.integers(1, 3))
def test_calendar_against_the_paper(branching: int, n_scales: int) -> None:
    """Meta-day h of interval l of scale k ends with the paper's day (l−1)H^k + hH^{k−1}, and the interval with day lH^k."""
    windows = np.array(Schedule.uniform(branching, n_scales).windows)
    days = range(1, 2 * branching**n_scales + 2)
    for k in range(1, n_scales + 1):
        lasting, meta_day = branching**k, branching ** (k - 1)
        intervals = range(1, days[-1] // lasting + 2)
        ends = {(each - 1) * lasting + h * meta_day for each in intervals for h in range(1, branching + 1)}
        for t in days:
            assert (count_ending(windows, t) >= k) == (t in ends)
            assert (count_ending(windows, t) > k) == (t in {each * lasting for each in intervals})
