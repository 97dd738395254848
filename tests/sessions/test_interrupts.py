"""An exception out of a signal handler, at any point where Python lets one in, leaves a session before or after the event."""

import dis
import os
import sys
from collections.abc import Callable, Iterator
from functools import cache, partial
from pathlib import Path
from threading import Thread
from types import CodeType, FrameType
from typing import Any

import pytest
from tests.late import Late

import swapregret as sr
from swapregret.errors import ProtocolError

FOLDERS = tuple(
    f"/swapregret/{name}"
    for name in (
        "sessions/",
        "files/",
        "logs/",
        "units",
        "learners/player",
        "learners/known_days",
        "learners/round/running.",
    )
)
ENDING = 3
"""The day of the four that ends a window."""


class Interrupt(BaseException):
    """What Ctrl-C raises, under another name."""


class Ordinary(Exception):
    """What a handler of one's own raises."""


KINDS = (Interrupt, Ordinary, TimeoutError, ValueError)
IS_THOROUGH = "SWAPREGRET_FUZZ_CALLS" in os.environ
STEP = 1 if IS_THOROUGH else 5
"""``make test-fuzz`` takes every point and every kind of exception, other runs some."""
ALWAYS = [("multiscale", True, TimeoutError), ("asked", True, Interrupt), ("listed", False, Ordinary)]
ALWAYS += [("anytime", True, ValueError), ("beside", True, Ordinary)]
BESIDE = {"baseline": [0, 1], "holdout": 0.4}
SAID: dict[str, dict[str, Any]] = {"beside": {"context": "mobile", "id": "order", "without": [5]}}
"""What is said of the day that is interrupted; the session then has a hold-out too."""


@cache
def signal_points(code: CodeType) -> frozenset[int]:
    """Return where Python looks for signals inside a function: after each call, and where a loop begins again.

    What is raised in a call is handled by what guards the call. A tracer raises at the instruction after it: left out are those
    that another handler guards, such as the release of a lock.
    """
    read: Any = dis.Bytecode(code)

    def handler(offset: int) -> int | None:
        return next((each.target for each in read.exception_entries if each.start <= offset < each.end), None)

    found, last = set(), None
    for each in read:
        if last is not None and handler(last) == handler(each.offset):
            found.add(each.offset)
        last = each.offset if each.opname.startswith("CALL") or each.opname == "RESUME" else None
        if each.opname.startswith("JUMP_BACKWARD"):
            found.add(each.offset)
    return frozenset(found)


def interrupted_at(count: int, call: Callable[[], object], kind: type[BaseException]) -> bool:
    """Run a call and raise at its ``count``-th line, or point where signals come in; tell whether it was reached."""
    seen = 0

    def trace(frame: FrameType, event: str, arg: object) -> Any:
        nonlocal seen
        if not any(each in frame.f_code.co_filename for each in FOLDERS):
            return None
        frame.f_trace_opcodes = True
        if event == "line" or (event == "opcode" and frame.f_lasti in signal_points(frame.f_code)):
            seen += 1
            if seen == count:
                raise kind("now")
        return trace

    before = sys.gettrace()  # of `make coverage`, which goes on afterwards
    sys.settrace(trace)
    try:
        call()
    except kind:
        return True
    finally:
        sys.settrace(before)
    return seen >= count


def every_point(call: Callable[[], Callable[[], object]], kind: type[BaseException]) -> Iterator[int]:
    """Interrupt what ``call`` makes ready at each point in turn."""
    count = 1
    while interrupted_at(count, call(), kind):
        yield count
        count += STEP


def calls_of(session: sr.Session[Any], **said: Any) -> dict[str, Callable[[], object]]:
    """Return the calls that change a session."""
    return {"act": partial(session.act, **said), "observe": partial(session.observe, 0.7), "skip": session.skip}


def prepared(player: Any, n_days: int, *, is_open: bool, **given: Any) -> sr.Session[Any]:
    """Return a session after some days."""
    session: sr.Session[Any] = sr.Session(player, rng=3, warm=False, **given)
    for day in range(n_days):
        session.act(context=["desk", "mobile"][day % 2] if "holdout" in given else None)
        session.observe(0.3)
    if is_open:
        session.act()
    return session


def in_a_thread(call: Callable[[], object]) -> None:
    """Call from another thread, which must not wait for ever."""
    thread = Thread(target=call, daemon=True)
    thread.start()
    thread.join(20)
    assert not thread.is_alive(), "a lock is still held"


PLAYERS = Late[Any](
    {
        "multiscale": lambda: sr.swap_combcp(sr.MSets(6, 2), 1000, preset="multiscale"),  # a window of 4 days
        "asked": lambda: sr.swap_combcp(sr.OracleSet(6, sr.MSets(6, 2).argmax), 1000, preset="multiscale"),
        "apprentice": lambda: sr.swap_combcp(sr.MSets(6, 2), 1000),
        "beside": lambda: sr.swap_combcp(sr.MSets(6, 2), 1000, preset="multiscale"),
        "listed": lambda: sr.baselines.exp3(sr.MSets(4, 2), 1000),
        "anytime": lambda: sr.anytime(sr.swap_combcp, sr.MSets(6, 2), preset="multiscale"),
    }
)


CASES = [
    (name, has_journal, kind)
    for kind in KINDS
    for name in ("multiscale", "asked", "beside", "listed", "anytime")
    for has_journal in (True, False)
    if IS_THOROUGH or (name, has_journal, kind) in ALWAYS
]


@pytest.mark.parametrize(("name", "has_journal", "kind"), CASES)
def test_an_exception_at_any_point_of_a_call(
    name: str, has_journal: bool, kind: type[BaseException], tmp_path: Path
) -> None:
    """The session is bit for bit before or after the event, or refuses and says how to go on; its journal is one of the two."""
    player, path, said = PLAYERS[name], tmp_path / "x.journal", SAID.get(name, {})
    given = BESIDE if said else {}
    for call in ("act", "observe", "skip"):
        path.unlink(missing_ok=True)
        prepared(player, ENDING, is_open=call != "act", journal=path, **given).close()
        journal, n_refused, n_points, bounds = path.read_bytes(), 0, 0, []
        for is_after in (False, True):
            plain = prepared(player, ENDING, is_open=call != "act", **given)
            if is_after:
                calls_of(plain, **said)[call]()
            bounds.append(plain.snapshot())
        made: list[sr.Session[Any]] = []

        def make(
            call: str = call, journal: bytes = journal, bounds: list[bytes] = bounds, made: list[Any] = made
        ) -> Callable[[], object]:
            if has_journal:
                path.write_bytes(journal)
                made.append(sr.Session(player, journal=path, warm=False, **given))
            else:
                made.append(sr.Session.from_bytes(bounds[0], player))
            return calls_of(made[-1], **said)[call]

        for _ in every_point(make, kind):
            session, n_points = made.pop(), n_points + 1
            if session.is_torn:
                n_refused += 1
                with pytest.raises(ProtocolError, match=r"Session\(journal="):
                    session.act()
            else:
                assert session.snapshot() in bounds
            in_a_thread(session.close)
            if has_journal:
                again: sr.Session[Any] = sr.Session.load(path, player)
                assert again.snapshot() in (bounds if session.is_torn else [session.snapshot()])
        made.pop().close()
        assert n_points > 20 // STEP
        assert n_refused <= n_points // 4


def apprentice(**given: Any) -> sr.Session[Any]:
    """Return a session that was told what others chose."""
    session: sr.Session[Any] = sr.Session(PLAYERS["apprentice"], rng=3, warm=False, mode="apprentice", **given)
    for day in range(ENDING):
        session.act(choice=[day, day + 1])
        session.observe(0.3)
    return session


def several(**given: Any) -> sr.Session[Any]:
    """Return a session with open decisions of two contexts."""
    session = prepared(PLAYERS["multiscale"], ENDING, is_open=False, max_open=5, **given)
    session.act(context="desk", id=7)
    return session


def renewed(**given: Any) -> sr.Session[Any]:
    """Return a session whose next event finds its journal written anew beside it."""
    session = prepared(PLAYERS["multiscale"], ENDING, is_open=True, **given)
    if session._journal is not None:
        assert session._journal._renewal is not None
        session._journal.settle()
    return session


UNUSUAL: dict[str, tuple[Callable[..., sr.Session[Any]], Callable[[sr.Session[Any]], object]]] = {
    "what others chose": (apprentice, lambda session: session.act(choice=[2, 4])),
    "several at once": (several, lambda session: session.act(count=3, context="mobile", without=[5])),
    "one of several": (several, lambda session: session.observe(0.9, id=7)),
    "a journal written anew": (renewed, lambda session: session.observe(0.9)),
}


@pytest.mark.parametrize("kind", KINDS if IS_THOROUGH else (TimeoutError,))
@pytest.mark.parametrize("name", UNUSUAL)
def test_an_exception_at_any_point_of_rarer_calls(
    name: str, kind: type[BaseException], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Decisions of others, several at once and journals written anew happen whole or not at all, in memory and on disk."""
    before, call = UNUSUAL[name]
    if before is renewed:
        monkeypatch.setattr("swapregret.sessions.session._SNAPSHOT_EVERY", 5)
    path, bounds, made = tmp_path / "x.journal", [before().snapshot()], list[sr.Session[Any]]()
    after = before()
    call(after)
    bounds.append(after.snapshot())

    def make() -> Callable[[], object]:
        path.unlink(missing_ok=True)
        made.append(before(journal=path))
        return partial(call, made[-1])

    n_points = 0
    for _ in every_point(make, kind):
        session, n_points = made.pop(), n_points + 1
        found = bounds if session.is_torn else [session.snapshot()]
        assert found[0] in bounds
        in_a_thread(session.close)
        again: sr.Session[Any] = sr.Session.load(path, session.player)
        assert again.snapshot() in found
        assert [each.name for each in tmp_path.iterdir()] == ["x.journal"]
    made.pop().close()
    assert n_points > 20 // STEP


@pytest.mark.parametrize("kind", KINDS if IS_THOROUGH else (Interrupt, TimeoutError))
def test_an_exception_at_any_point_of_save(kind: type[BaseException], tmp_path: Path) -> None:
    """The file is the old one or the new, the exception is the caller's own, the session goes on, and nothing is left behind."""
    path, held = tmp_path / "x.session", set()
    session = prepared(PLAYERS["multiscale"], ENDING, is_open=True)
    session.save(path)
    old = path.read_bytes()
    session.observe(0.3)
    new = session.snapshot()

    def make() -> Callable[[], object]:
        path.write_bytes(old)
        return partial(session.save, path)

    n_points = 0
    for _ in every_point(make, kind):
        n_points += 1
        held.add(path.read_bytes())
        sr.Session.load(path)
        assert not session.is_torn
        assert session.snapshot() == new
        in_a_thread(session.snapshot)
    held.add(path.read_bytes())  # of the save that no exception met: few points lie behind the new file
    assert held == {old, new}
    assert n_points > 30 // STEP
    assert [each.name for each in tmp_path.iterdir()] == ["x.session"]
