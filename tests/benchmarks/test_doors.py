"""The doors of `make bench-speed`: a few rounds each; no seconds are asserted."""

from pathlib import Path

import numpy as np
import pytest
from speed import timing as starts
from speed.doors import DOORS, Door, PlayOnce, Seen, time_door


def door(name: str) -> Door:
    """Return a door by its name."""
    return next(door for door in DOORS if door.name == name)


@pytest.mark.parametrize("door", DOORS, ids=lambda door: door.name)
def test_every_door_can_be_made(door: Door) -> None:
    """Its sets, players and worlds can be made for any horizon."""
    assert callable(door.start(50))
    assert door.unmeasured is None or callable(door.unmeasured(50))


def test_names_are_different_and_short() -> None:
    """A name says which door it is, in a table of eighty columns."""
    names = [door.name for door in DOORS]
    assert len(set(names)) == len(names)
    assert max(map(len, names)) <= 36


@pytest.mark.parametrize("name", ["session, m-sets (10, 3)", "session, m-sets (10, 3), journal"])
def test_a_session_shows_its_steps(name: str) -> None:
    """The mean lies below the slowest step, and so does the slowest of a hundred."""
    row = time_door(door(name), 1e5, 2e-4)
    assert row.rounds == 20
    assert row.p99 is not None
    assert row.slowest is not None
    assert 0.0 < row.microseconds < row.slowest
    assert row.p99 <= row.slowest
    assert row.in_exp3 == pytest.approx(row.microseconds * 1e-6 * 1e5)


def test_an_own_set_counts_its_questions() -> None:
    """A day asks the oracle at least now and then."""
    row = time_door(door("OracleSet, d = 8, multiscale"), 1e5, 0.005)
    assert row.calls is not None
    assert row.calls * row.rounds == pytest.approx(round(row.calls * row.rounds))
    assert row.calls > 0.0


def test_a_game_and_a_measured_play_are_timed() -> None:
    """A measured play says how much longer it took than an unmeasured one."""
    for name in ("3×3 game, multiscale", "bound, m-sets (10, 3), multiscale"):
        row = time_door(door(name), 1e5, 2e-4)
        assert row.microseconds > 0.0
        assert (row.over is not None) == name.startswith("bound")


def test_time_is_divided_and_the_short_play_is_not_counted(monkeypatch: pytest.MonkeyPatch) -> None:
    """A round of ten players is a tenth each, the faster of two plays counts, and what is played first is a tenth as long."""
    played: list[int] = []
    clock = iter([0.0, 5.0, 10.0, 14.0])
    monkeypatch.setattr("speed.doors.time.process_time", lambda: next(clock))

    def start(rounds: int) -> PlayOnce:
        def run() -> Seen:
            played.append(rounds)
            return Seen()

        return run

    row = time_door(Door("x", 1000, start, players=10), 100.0)
    assert played == [100, 1000, 1000]
    assert row.microseconds == pytest.approx(1e6 * 4.0 / 10_000)
    assert row.in_exp3 == pytest.approx(4.0 / 10_000 * 100.0)


def test_steps_of_a_session_are_summed() -> None:
    """The mean of a session is that of its steps."""
    row = time_door(Door("x", 100, lambda rounds: lambda: Seen(steps=np.full(rounds, 3e-6))), 1e5)
    assert (row.microseconds, row.p99, row.slowest) == pytest.approx((3.0, 3.0, 3.0))


def test_a_start_is_timed_in_a_process_with_an_empty_folder(tmp_path: Path) -> None:
    """What is run finds the folder it may compile into, and its output comes back; the steps of a session are timed."""
    code = "import os; print(os.environ['NUMBA_CACHE_DIR'])"
    seconds, said = starts._run(code, str(tmp_path))
    assert said.strip() == str(tmp_path)
    assert seconds > 0.0
    with pytest.raises(RuntimeError, match="ZeroDivisionError"):
        starts._run("1 / 0", str(tmp_path))
    made, slowest = starts.first_steps(20)
    assert made > 0.0
    assert slowest > 0.0
