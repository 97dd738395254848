"""The calendar against the paper's 1-based formulas, by brute force."""

import math

from hypothesis import given, settings
from hypothesis import strategies as st

from swapregret.learners.calendar import Calendar
from swapregret.learners.schedule import Schedule


@st.composite
def calendars(draw: st.DrawFn) -> Calendar:
    """Draw a short chain and an offset."""
    ratios = draw(st.lists(st.integers(1, 4), min_size=1, max_size=3))
    windows = [draw(st.integers(1, 4))]
    for ratio in ratios:
        windows.append(windows[-1] * ratio)
    return Calendar(Schedule(windows), draw(st.integers(0, windows[-1])))


@settings(deadline=None, max_examples=80)
@given(calendar=calendars())
def test_calendar_against_window_numbers(calendar: Calendar) -> None:
    """A scale restarts where its interval number grows, and updates where only its meta-day number does."""
    windows, offset = calendar.schedule.windows, calendar.offset
    n_scales = len(windows) - 1
    for day in range(2 * windows[-1] + 3):
        today, tomorrow = day + offset, day + 1 + offset
        ended = [window for window in windows if today // window != tomorrow // window]
        assert calendar.n_ending(day) == len(ended)
        assert ended == list(windows[: len(ended)])
        restarting, updating = [], []
        for k in range(1, n_scales + 1):
            meta, interval = windows[k - 1], windows[k]
            assert calendar.meta_day(day, k) == math.floor(today / meta)
            assert calendar.interval(day, k) == math.floor(today / interval)
            if calendar.interval(day + 1, k) > calendar.interval(day, k):
                restarting.append(k)
            elif calendar.meta_day(day + 1, k) > calendar.meta_day(day, k):
                updating.append(k)
        assert list(calendar.restarting(day)) == restarting
        assert [calendar.updating(day)] == (updating or [None])
        left = next(n for n in range(1, windows[0] + 1) if (today + n) % windows[0] == 0)
        assert calendar.days_left(day) == left


@settings(deadline=None, max_examples=30)
@given(branching=st.integers(2, 4), n_scales=st.integers(1, 3))
def test_calendar_against_the_paper(branching: int, n_scales: int) -> None:
    """Day t of the paper lies in meta-day h of interval l with (l−1)H^k + (h−1)H^{k−1} < t ≤ (l−1)H^k + hH^{k−1}."""
    calendar = Calendar(Schedule.uniform(branching, n_scales))
    for t in range(1, branching**n_scales + 2):
        for k in range(1, n_scales + 1):
            interval = calendar.interval(t - 1, k) + 1
            meta_day = calendar.meta_day(t - 1, k) + 1 - (interval - 1) * branching
            start = (interval - 1) * branching**k + (meta_day - 1) * branching ** (k - 1)
            assert 1 <= meta_day <= branching
            assert start + 1 <= t <= start + branching ** (k - 1)
