"""Upkeep of a database: is it as it was written, and what is no longer kept."""

import json
import logging
import os
import zlib
from collections.abc import Iterator
from typing import Any, NamedTuple

import sqlalchemy as sa

from swapregret.errors import InvalidInput
from swapregret.files.storage import from_bytes
from swapregret.serve.data.schema import answers, checksum, checksum_of, events, problems, snapshots
from swapregret.serve.database import Store
from swapregret.sessions.events import Event

_log = logging.getLogger("swapregret.serve")
_CHUNK = 10_000
_FEW, _SOME = 10, 500
"""Rows that are read at once: those that may have a megabyte, and others."""
_COUNTED = ("n_decisions", "n_rewards", "n_defaults", "n_skips")


class Fault(NamedTuple):
    """What is not as it was written, and of which problem; "" is the database as a whole."""

    problem: str
    what: str


def check(store: Store) -> list[Fault]:
    """Read everything and return what is damaged, the first fault of each problem.

    SQLite checks its own pages; checksums and numbers of events are compared with what was written. Actions are checked when a
    problem is opened, because then its events are played again.
    """
    found: dict[str, Fault] = {}
    for part in (_pages, _problems, _events, _snapshots, _answers):
        try:
            for fault in part(store):
                found.setdefault(fault.problem, fault)
        except Exception as error:  # whatever a reader makes of damaged bytes
            found.setdefault("", Fault("", f"{part.__name__.strip('_')}: {type(error).__name__}"))
    return list(found.values())


def _pages(store: Store) -> Iterator[Fault]:
    if store.engine.dialect.name == "sqlite":
        with store.transaction() as connection:
            for (told,) in connection.exec_driver_sql("PRAGMA quick_check(3)"):
                if told != "ok":
                    yield Fault("", f"pages: {told}")


def _problems(store: Store) -> Iterator[Fault]:
    for row in store.some(sa.select(problems), _FEW):
        if row.checksum != checksum_of("problems", row):
            yield Fault(row.id, "a description with another checksum")


def _events(store: Store) -> Iterator[Fault]:
    known = store.read(sa.select(problems.c.id, problems.c.compacted, problems.c.seq))
    last = {row.id: row.compacted for row in known}
    columns: list[Any] = [events.c[name] for name in ("problem", *Event._fields, "checksum")]
    in_order = sa.select(*columns).order_by(events.c.problem, events.c.seq)
    for row in store.some(in_order, _SOME):
        written, found = row[:-1], row.checksum
        id, seq = row.problem, row.seq
        before = last.get(id, seq)
        if seq > before:  # else it is no longer kept, and about to go
            if seq != before + 1 or found != checksum(*written):
                yield Fault(id, f"event {before + 1} is missing, or has another checksum")
            last[id] = seq
    for row in known:
        if last[row.id] < row.seq:  # a server may have written more meanwhile
            yield Fault(row.id, f"{row.seq} events were written, and the last one there is {last[row.id]}")


def _snapshots(store: Store) -> Iterator[Fault]:
    for row in store.read(
        sa.select(snapshots.c.problem, problems.c.compacted).join(problems, problems.c.id == snapshots.c.problem)
    ):
        if row.compacted and not _is_whole(store.snapshot(row.problem)):  # else all events are played again
            yield Fault(row.problem, "a damaged snapshot, and the events before it are no longer kept")


def _is_whole(snapshot: tuple[int, bytes, bytes] | None) -> bool:
    """Tell whether a snapshot can be read, and has counted the events that it follows."""
    try:
        assert snapshot is not None
        seq, session, history = snapshot
        head, _, figures = zlib.decompress(history).partition(b"\n")
        from_bytes("session", zlib.decompress(session), "a snapshot")
        from_bytes("history", figures, "a snapshot")
        return bool(seq == sum(json.loads(head)["totals"][name] for name in _COUNTED))
    except Exception:  # whatever a reader makes of damaged bytes
        return False


def _answers(store: Store) -> Iterator[Fault]:
    for row in store.some(sa.select(answers), _FEW):
        if row.checksum != checksum_of("answers", row):
            yield Fault("", f"the answer kept under {row.key[:20]} has another checksum")


def retire(store: Store, now: float, event_seconds: float, archived_seconds: float) -> dict[str, int]:
    """Drop archived problems without open decisions, and events before snapshots, that are older than so; 0 keeps all.

    Returns how many of both. Deletes some thousands of rows at a time: nobody waits for long.
    """
    n_problems = n_events = 0
    if archived_seconds > 0:
        n_closed = problems.c.n_rewards + problems.c.n_defaults + problems.c.n_skips
        old = sa.select(problems.c.id).where(problems.c.state == "archived", problems.c.n_decisions == n_closed)
        for (id,) in store.read(old.where(problems.c.archived < now - archived_seconds)):
            while count := _drop(store, id, None):
                n_events += count
            with store.transaction() as connection:
                for table, column in ((snapshots, snapshots.c.problem), (problems, problems.c.id)):
                    connection.execute(sa.delete(table).where(column == id))
            n_problems += 1
    if event_seconds > 0:
        for row in store.read(
            sa.select(problems.c.id, snapshots.c.seq).join(snapshots, snapshots.c.problem == problems.c.id)
        ):
            young = sa.select(sa.func.min(events.c.seq)).where(
                events.c.problem == row.id, events.c.at >= now - event_seconds
            )
            if not _is_whole(store.snapshot(row.id)):
                _log.warning("problem %s keeps its events: its snapshot cannot be read", row.id)
                continue
            first = store.read(young)[0][0]
            upto = row.seq if first is None else min(row.seq, first - 1)
            while count := _drop(store, row.id, upto):
                n_events += count
    return {"problems": n_problems, "events": n_events}


def _drop(store: Store, problem: str, upto: int | None) -> int:
    """Delete the oldest events of a problem, some thousands at most and none after ``upto``, and return how many."""
    of_problem = events.c.problem == problem
    first = store.read(sa.select(sa.func.min(events.c.seq)).where(of_problem))[0][0]
    if first is None or (upto is not None and first > upto):
        return 0
    last = first + _CHUNK - 1 if upto is None else min(upto, first + _CHUNK - 1)
    with store.transaction() as connection:
        gone = connection.execute(sa.delete(events).where(of_problem, events.c.seq <= last)).rowcount
        connection.execute(sa.update(problems).where(problems.c.id == problem).values(compacted=last))
    return gone


def give_back(store: Store) -> None:
    """Give the room of dropped rows back to the disk; servers that write meanwhile wait."""
    _vacuum(store, "VACUUM")


def back_up(store: Store, file: str) -> None:
    """Copy an SQLite database, which may be in use, into a new file that only its owner can read."""
    if store.engine.dialect.name != "sqlite":
        raise InvalidInput("`backup` must be given an SQLite database", "another one", "Use pg_dump for PostgreSQL.")
    try:
        os.close(os.open(file, os.O_CREAT | os.O_EXCL | os.O_WRONLY, 0o600))
    except OSError as error:
        raise InvalidInput(
            "a backup must be written to a new file", f"{file}: {error.strerror}", "Name another."
        ) from None
    _vacuum(store, "VACUUM INTO ?", file)


def _vacuum(store: Store, statement: str, *given: str) -> None:
    try:
        with store.engine.connect() as connection:
            if store.engine.dialect.name == "sqlite":
                connection.exec_driver_sql("COMMIT")
            else:
                connection.execution_options(isolation_level="AUTOCOMMIT")
            connection.exec_driver_sql(statement, given)
            if store.engine.dialect.name == "sqlite":
                connection.exec_driver_sql("BEGIN")
    except sa.exc.SQLAlchemyError as error:
        raise InvalidInput(
            "the database must be there and have room on its disk", type(error).__name__, "Try again."
        ) from None
