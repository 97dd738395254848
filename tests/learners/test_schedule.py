"""Schedules: the practical rule, the theorems' constants, chains, and the drawing of the calendar."""

import math
import re
from itertools import pairwise

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from swapregret.errors import InvalidInput, InvalidSchedule
from swapregret.learners.schedule import Schedule, count_ending


@pytest.mark.parametrize(
    ("horizon", "rank", "size", "windows"),
    [
        (100_000, 10, 3, (12, 396, 1584, 6336, 25344, 101376)),
        (10_000, 6, 2, (4, 160, 640, 2560, 10240)),
        (100_000, 20, 5, (32, 1568, 6272, 25088, 100352)),
        (1, 10, 3, (1, 1, 4, 16)),
        (480 * 64, 6, 2, (15, 480, 1920, 7680, 30720)),
    ],
)
def test_practical_rule_by_hand(horizon: int, rank: int, size: int, windows: tuple[int, ...]) -> None:
    """The rule n, L0, B gives the windows worked out by hand, also exactly at a power of four."""
    assert Schedule.practical(horizon, rank=rank, size=size).windows == windows


@settings(deadline=None, max_examples=200)
@given(horizon=st.integers(1, 10**12), rank=st.integers(1, 500), size=st.integers(1, 50))
def test_practical_rule_keeps_its_promises(horizon: int, rank: int, size: int) -> None:
    """Windows grow H-fold and cover the horizon; the bottom interval is at most 40·r·m days, or T/H² if that is less."""
    windows = Schedule.practical(horizon, rank=rank, size=size).windows
    base, bottom = windows[0], windows[1]
    ratio = max(4, round(math.log2(horizon) ** 0.5))
    assert all(longer == ratio * shorter for shorter, longer in pairwise(windows[1:]))
    assert windows[-1] >= horizon
    assert windows[-1] - horizon < ratio ** (len(windows) - 2) * base
    assert 1 <= base <= 32
    assert base <= 4 or 32 * base <= bottom
    assert base == 1 or 8 * base <= bottom
    assert bottom - base < max(40 * rank * size, horizon / ratio**2)
    n_levels = len(windows) - 2
    assert n_levels == 2 or horizon > 40 * rank * size * ratio ** (n_levels - 1)


def test_practical_rule_grows_in_both_directions() -> None:
    """The ratio of windows and the number of scales both grow without bound: swap regret per day cannot vanish otherwise."""
    found = [Schedule.practical(10**power, rank=6, size=2) for power in (4, 8, 16, 32, 64)]
    ratios = [schedule.windows[-1] // schedule.windows[-2] for schedule in found]
    assert ratios == [4, 5, 7, 10, 15]
    assert [schedule.n_scales for schedule in found] == sorted({schedule.n_scales for schedule in found})


def test_practical_rule_takes_horizons_beyond_floats() -> None:
    """A horizon of 10⁴⁰⁰ has a schedule too: the rule is in integers."""
    assert Schedule.practical(10**400, rank=10, size=3).windows[-1] >= 10**400


@pytest.mark.parametrize(
    "windows", [[], [1], [2, 3], [1, 4, 6], [3, 1], [1, 0], [1, -2], [1, 2.5], ["a", "b"], 7, None]
)
def test_windows_that_are_no_chain_are_refused(windows: object) -> None:
    """Anything but two or more whole numbers, each a multiple of the one before, is refused in one sentence."""
    with pytest.raises(InvalidInput, match="`windows`"):
        Schedule(windows)  # type: ignore[arg-type]


def test_a_broken_chain_names_the_next_multiple() -> None:
    """The sentence says what to round up to."""
    with pytest.raises(InvalidSchedule, match=r"4 followed by 10.*Round it up to 12"):
        Schedule([1, 4, 10])


def test_accessors() -> None:
    """Scale k updates every L_{k−1} and restarts every L_k days."""
    schedule = Schedule(windows=[2, 6, 6, 24])
    assert schedule.n_scales == 3
    assert [schedule.update_every(k) for k in (1, 2, 3)] == [2, 6, 6]
    assert [schedule.restart_every(k) for k in (1, 2, 3)] == [6, 6, 24]


def test_uniform_and_single() -> None:
    """The paper's powers of H; and one scale that does not restart before the horizon."""
    assert Schedule.uniform(10, 3).windows == (1, 10, 100, 1000)
    assert Schedule.single(1000).windows == (1, 1000)
    assert Schedule.single(1000, base=7).windows == (7, 1001)
    with pytest.raises(InvalidInput, match="branching"):
        Schedule.uniform(1, 3)
    with pytest.raises(InvalidInput, match="n_scales"):
        Schedule.uniform(2, 0)


def test_theorem_constants() -> None:
    """H is ⌈27⌊log T⌋³d⁹m^{9/2}log³d⌉, or ⌈⌊log T⌋³g³⌉ with the proof's g, and K = ⌊log_H T⌋."""
    horizon = 10**40
    logarithm = math.floor(math.log(horizon))
    exact = 27 * logarithm**3 * 3**9 * 2**4.5 * math.log(3) ** 3
    schedule = Schedule.from_theorem(horizon, dimension=3, size=2)
    assert schedule.windows[1] == pytest.approx(exact, rel=1e-12)
    assert schedule.n_scales == math.floor(math.log(horizon) / math.log(exact))
    g = 2 * 3 + 2**2 * math.ceil(math.log(3)) / 0.25 + 2
    other = Schedule.from_theorem(horizon, dimension=3, size=2, smallest_eigenvalue=0.25)
    assert other.windows[1] == pytest.approx(logarithm**3 * g**3, rel=1e-12)
    assert other.n_scales == math.floor(math.log(horizon) / math.log(logarithm**3 * g**3))


@pytest.mark.parametrize("eigenvalue", [None, 0.5, 0.01])
@pytest.mark.parametrize(("d", "m"), [(2, 1), (5, 2), (10, 3), (40, 10)])
def test_refusal_names_the_smallest_horizon_it_accepts(d: int, m: int, eigenvalue: float | None) -> None:
    """The refusal names H, K = 0 and a T* that is accepted, while T* − 1 and everything tried below is refused."""
    with pytest.raises(InvalidSchedule, match=r"H = .*K = 0") as caught:
        Schedule.from_theorem(1000, dimension=d, size=m, smallest_eigenvalue=eigenvalue)
    found = re.search(r"smallest horizon it accepts is (\d+)", str(caught.value))
    assert found is not None
    smallest = int(found[1])
    assert Schedule.from_theorem(smallest, dimension=d, size=m, smallest_eigenvalue=eigenvalue).n_scales == 1
    for horizon in (1, 2, 3, smallest // 10, smallest // 2, smallest - 1):
        with pytest.raises(InvalidSchedule, match=str(smallest)):
            Schedule.from_theorem(horizon, dimension=d, size=m, smallest_eigenvalue=eigenvalue)


def test_theorem_at_one_million() -> None:
    """At d = 5, m = 2, T = 10⁶ the theorem asks for H = 1.1·10¹³."""
    with pytest.raises(InvalidSchedule, match=re.escape("H = 1.1·10¹³ at d=5, m=2, T=1,000,000")):
        Schedule.from_theorem(10**6, dimension=5, size=2)


def test_theorem_refuses_a_policy_that_does_not_explore() -> None:
    """Without a positive eigenvalue there is no g."""
    with pytest.raises(InvalidSchedule, match="smallest_eigenvalue"):
        Schedule.from_theorem(10**30, dimension=3, size=1, smallest_eigenvalue=0.0)


@pytest.mark.parametrize("windows", [(1, 3, 9), (2, 4, 8, 16), (1, 1, 5)])
def test_the_drawing_is_the_calendar(windows: tuple[int, ...]) -> None:
    """With a column a day, R stands where a scale has just restarted and | where it has just updated."""
    schedule = Schedule(windows)
    width = 2 * windows[-1]
    head, *rows = schedule.draw(width=width).splitlines()
    assert head == "one column = 1 day"
    for scale, row in zip(range(schedule.n_scales, 0, -1), rows, strict=True):
        cells = row[-width:]
        assert row.startswith(f"scale {scale}  updates every {windows[scale - 1]}")
        for day in range(1, width):
            n_ending = count_ending(np.array(windows), day)
            if scale < n_ending:
                assert cells[day] == "R"
            elif scale == n_ending:
                assert cells[day] == "|"
            else:
                assert cells[day] in "·"
        assert cells[0] == "R"


def test_long_schedules_are_drawn_in_few_columns() -> None:
    """A column stands for many days where it must; printing shows windows and drawing."""
    text = str(Schedule.practical(10**6, rank=10, size=3))
    lines = text.splitlines()
    assert lines[0].startswith("Schedule with 6 scales, windows (")
    assert re.fullmatch(r"one column = [\d,]+ days", lines[1])
    assert all(len(line.rsplit(" ", 1)[-1]) == 64 for line in lines[2:])
    with pytest.raises(InvalidInput, match="width"):
        Schedule([1, 2]).draw(width=0)
