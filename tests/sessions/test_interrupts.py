"""A signal at any line of a session leaves it before the event, after it, or refusing to go on and saying how to reopen."""

import sys
from functools import partial
from pathlib import Path
from types import FrameType
from typing import Any

import numpy as np
import pytest

import swapregret as sr
from swapregret.errors import ProtocolError

FILES = ("session.py", "journal.py", "running.py", "player.py", "storage.py")
PLAYER = sr.swap_combcp(sr.MSets(6, 2), 1000, preset="multiscale")


class Interrupt(BaseException):
    """What a signal handler raises."""


def interrupted_at(count: int, call: Any) -> bool:
    """Run a call and raise at its ``count``-th line in the session's files; tell whether there was one."""
    seen = 0

    def trace(frame: FrameType, event: str, arg: object) -> Any:
        nonlocal seen
        if not frame.f_code.co_filename.endswith(FILES):
            return None
        if event == "line":
            seen += 1
            if seen == count:
                raise Interrupt
        return trace

    sys.settrace(trace)
    try:
        call()
    except Interrupt:
        return True
    finally:
        sys.settrace(None)
    return False


def steps(session: sr.Session[Any]) -> int:
    """Return how many calls a session has taken."""
    return 2 * session.day + len(session.open_decisions)


@pytest.mark.parametrize("call", ["act", "observe", "skip"])
def test_a_signal_at_any_line_leaves_a_session_whole_or_closed(call: str, tmp_path: Path) -> None:
    """After the interrupt the session goes on as if it had been before or after the event, or refuses and its journal goes on."""
    count, refused = 0, 0
    while True:
        count += 1
        path = tmp_path / f"{call}{count}.journal"
        session = sr.Session(PLAYER, rng=3, journal=path)
        for _ in range(4):
            session.act()
            session.observe(0.3)
        if call != "act":
            session.act()
        before = steps(session)
        run = {"act": session.act, "observe": partial(session.observe, 0.7), "skip": session.skip}[call]
        was = interrupted_at(count, run)
        if session.is_torn:
            with pytest.raises(ProtocolError, match=r"Session\(journal="):
                session.act()
            refused += 1
        else:
            if not session.open_decisions:
                session.act()
            session.observe(0.5)
        session.close()
        again = sr.Session(PLAYER, rng=3, journal=path)
        assert steps(again) >= before
        plain = sr.Session(PLAYER, rng=3)
        drawn = []
        for _ in range(again.day + len(again.open_decisions)):
            drawn.append(plain.act().action)
            if len(drawn) <= 4:
                plain.observe(0.3)
            elif plain.open_decisions and len(drawn) <= again.day:
                plain.skip()
        for decision in again.open_decisions:
            assert np.array_equal(decision.action, drawn[decision.day]) or decision.day > 4
        again.close()
        if not was:
            break
    assert count > 10
    assert refused > 0


def test_a_signal_at_any_line_of_save_leaves_the_old_file_or_the_new(tmp_path: Path) -> None:
    """The file on disk is whole after an interrupt at any line of ``save``, the session goes on, and nothing is left beside it."""
    path, count, held = tmp_path / "x.session", 0, set()
    session = sr.Session(PLAYER, rng=3)
    session.act()
    session.save(path)
    old = path.read_bytes()
    session.observe(0.3)
    new = session.snapshot()
    while True:
        count += 1
        path.write_bytes(old)
        was = interrupted_at(count, partial(session.save, path))
        held.add(path.read_bytes())
        sr.Session.load(path)
        assert not session.is_torn
        assert session.snapshot() == new
        if not was:
            break
    assert held == {old, new}
    assert count > 30
    assert [each.name for each in tmp_path.iterdir()] == ["x.session"]
