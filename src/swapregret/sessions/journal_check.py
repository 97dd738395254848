"""What a journal holds, sound or not, and the longest part of it that is exact."""

import os
from typing import NamedTuple

from swapregret.errors import SwapRegretError, Unsupported
from swapregret.files.storage import from_bytes, reading
from swapregret.sessions.events import ACT, CHOSEN, GENERATOR, SKIP, Event
from swapregret.sessions.journal import JournalScan, scan_journal, write_journal
from swapregret.sessions.session import Session
from swapregret.sessions.session_file import AnySession, SessionHeader, read_header, replay, restore

Path_ = str | os.PathLike[str]


class JournalReport(NamedTuple):
    """What a journal holds."""

    snapshot_day: int  # where the last snapshot stands
    snapshot_bytes: int
    n_events: int  # whole events after it
    n_days: int  # days closed after them
    n_skipped: int  # how many of those without feedback
    open_days: tuple[int, ...]  # decisions that wait for their reward
    tail: int  # bytes after the last whole record
    damage: str | None  # what is wrong with them; None: nothing, or a record that was never finished
    replay: str  # whether the events lead to the decisions they record


def check_journal(path: Path_) -> JournalReport:
    """Say what a journal holds, without changing it; only a file without a snapshot that is sound is refused."""
    found, header = _scan(path)
    n_good, reason = _count_exact(found, os.fspath(path))
    if n_good == len(found.events):
        return _report(found, header, found.events, found.damage, reason)
    damage = found.damage or f"event {n_good} does not replay"
    return _report(found, header, found.events, damage, f"exact for {n_good:,} events; then {reason}")


def repair_journal(path: Path_, target: Path_) -> JournalReport:
    """Write the longest exact part of a journal to a new file, and say what it holds."""
    found, header = _scan(path)
    n_good, reason = _count_exact(found, os.fspath(path))
    events = found.events[:n_good]
    write_journal(target, found.snapshot, events)
    return _report(found, header, events, found.damage, reason if n_good == len(found.events) else "exact")


def renew_journal(path: Path_, target: Path_) -> JournalReport:
    """Write a journal that begins where another ends, with nothing to play again, to a new file, and say what it holds."""
    session: AnySession = Session.load(path)
    write_journal(target, session.snapshot(), [])
    return check_journal(target)


def _scan(path: Path_) -> tuple[JournalScan, SessionHeader]:
    found, source = scan_journal(path), f"journal {os.fspath(path)!r}"
    metadata, arrays = from_bytes("session", found.snapshot, source)
    with reading(source):
        return found, read_header(metadata, arrays)


def _count_exact(found: JournalScan, name: str) -> tuple[int, str]:
    """Return how many events can be kept, and why the next does not replay: all if they are exact, or cannot be tried."""
    try:
        session: AnySession = restore(Session, found.snapshot, None, name)
    except Unsupported as error:
        return len(found.events), f"not tried: {error}"
    for index, event in enumerate(found.events):
        try:
            replay(session, [event], name)
        except SwapRegretError as error:
            return index, str(error)
    return len(found.events), "exact"


def _report(
    found: JournalScan, header: SessionHeader, events: list[Event], damage: str | None, replay: str
) -> JournalReport:
    waiting = dict.fromkeys(header.open)
    _, n_before, n_skipped = header.counts
    n_days = n_before
    for event in events:
        if event.kind in (ACT, CHOSEN):
            waiting[event.day] = None
        elif event.kind != GENERATOR:
            waiting.pop(event.day, None)
            n_days += 1
            n_skipped += event.kind == SKIP
    return JournalReport(
        n_before, len(found.snapshot), len(events), n_days, n_skipped, tuple(waiting), found.tail, damage, replay
    )
