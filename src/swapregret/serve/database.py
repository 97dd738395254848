"""The database, SQLite in a file or PostgreSQL: and every statement of the service but those of ``keys`` and ``upkeep``."""

import contextlib
import json
import logging
import os
import sqlite3
from collections.abc import Generator, Iterator, Sequence
from contextlib import closing, contextmanager
from functools import cache
from typing import Any

import sqlalchemy as sa

from swapregret.errors import InvalidInput
from swapregret.files.storage import Json
from swapregret.serve.data.schema import (
    CHECKED,
    Row,
    answers,
    checksum,
    checksum_of,
    closes,
    events,
    migrate,
    problems,
    snapshots,
)
from swapregret.serve.refusals import Damaged, HeldElsewhere, NotFound, NotWritten, Unavailable
from swapregret.sessions.events import Event

_log = logging.getLogger("swapregret.serve")
_BUSY_SECONDS = 10
_POSTGRES = {
    "connect_timeout": 5,
    "keepalives_idle": 10,
    "keepalives_interval": 5,
    "keepalives_count": 3,
    "tcp_user_timeout": 25_000,
}
"""A database whose machine or network is gone without a word is noticed within half a minute."""
_CHUNK, _CHUNK_BYTES, _ROWS = 5_000, 2**23, 50
_LONGEST_LISTED = 2_000
_PROBE_BYTES = 65_536
_INSERT = f"INSERT INTO events (problem, {', '.join(Event._fields)}, checksum) "
_INSERT_ROWS = _INSERT + "VALUES (?, ?, ?, ?, ?, ?, ?)"
_INSERT_ARRAYS = sa.text(
    _INSERT + "SELECT :problem, * FROM unnest(CAST(:kind AS text[]), CAST(:day AS bigint[]), CAST(:value AS text[]), "
    "CAST(:at AS double precision[]), CAST(:seq AS bigint[]), CAST(:checksum AS bigint[]))"
)
_EVENT = [events.c[name] for name in Event._fields]
_ANSWERS = sa.select(answers).where(answers.c.key.in_(sa.bindparam("wanted", expanding=True)))


@cache
def _fenced(*names: str) -> sa.Update:
    """Return what sets these columns of a problem if the lease is still ours; made once, which saves most of its time."""
    ours = (problems.c.id == sa.bindparam("of_problem"), problems.c.owner == sa.bindparam("of_owner"))
    return sa.update(problems).where(*ours).values(beat=problems.c.beat + 1, **{n: sa.bindparam(n) for n in names})


def open_store(database: str, *, may_be_new: bool = True) -> "Store":
    """Open a database by its URL, make or migrate its tables, and say in a sentence if that cannot be done."""
    try:
        url = sa.make_url(database)
        if url.drivername in ("postgresql", "postgres"):
            url = url.set(drivername="postgresql+psycopg")
        is_sqlite = url.get_backend_name() == "sqlite"
        if not is_sqlite and url.get_backend_name() != "postgresql":
            raise sa.exc.ArgumentError("another kind of database")
        options: Json = {"timeout": _BUSY_SECONDS} if is_sqlite else _POSTGRES
        engine = sa.create_engine(url, connect_args=options, pool_pre_ping=not is_sqlite)
    except (sa.exc.ArgumentError, sa.exc.NoSuchModuleError, ImportError) as error:
        raise InvalidInput(
            "`--database` must be sqlite:///FILE or postgresql://USER@HOST/NAME",
            type(error).__name__,  # never the URL, which may hold a password
            "Correct it; PostgreSQL needs pip install 'swapregret[serve,postgres]'.",
        ) from None
    if is_sqlite:
        if url.database and not os.path.exists(url.database):
            if not may_be_new:
                raise InvalidInput(
                    "`--database` must be there", f"no file {url.database!r}", "Name the server's database."
                )
            with contextlib.suppress(OSError):  # what cannot be made is said below
                os.close(os.open(url.database, os.O_CREAT | os.O_RDWR, 0o600))  # nobody else's business
        _prepare_sqlite(engine)
    try:
        migrate(engine)
    except sa.exc.SQLAlchemyError as error:
        must = "`--database` must be a database that can be opened and written"
        raise InvalidInput(must, _away(error).came, "Check its path or address, and that it is up.") from None
    return Store(engine)


def _prepare_sqlite(engine: sa.Engine) -> None:
    @sa.event.listens_for(engine, "connect")
    def configure(connection: Any, _: object) -> None:
        connection.isolation_level = None  # transactions begin below, not when the driver guesses
        for pragma in ("journal_mode=WAL", "synchronous=FULL"):
            connection.execute(f"PRAGMA {pragma}")

    @sa.event.listens_for(engine, "begin")
    def begin(connection: sa.Connection) -> None:
        connection.exec_driver_sql("BEGIN")


def _away(error: sa.exc.SQLAlchemyError) -> Unavailable:
    """Say what kind of trouble it is; only SQLite's words are safe to repeat, PostgreSQL's name users and addresses."""
    cause = str(error.orig).strip() if isinstance(error, sa.exc.DBAPIError) else ""
    _log.warning("the database: %s", cause.splitlines()[0] if cause else type(error).__name__)
    is_sqlite = isinstance(error, sa.exc.DBAPIError) and isinstance(error.orig, sqlite3.Error)
    is_odd = isinstance(error, sa.exc.DataError | sa.exc.IntegrityError | sa.exc.ProgrammingError)
    return (NotWritten if is_odd else Unavailable)(
        "the database must be there and take what is written",
        f"{type(error).__name__} {cause.splitlines()[0] if is_sqlite and cause else ''}".strip(),
        "Nothing that was not answered is kept for sure. Send the request again, with the same Idempotency-Key.",
    )


def damaged(what: str, came: str) -> Damaged:
    """Say that the database is not as it was written."""
    return Damaged(f"{what} must be as it was written", came, "See: swapregret serve check. Restore a backup.")


class Store:
    """One database; safe to use from several threads."""

    def __init__(self, engine: sa.Engine) -> None:
        self.engine = engine

    @contextmanager
    def transaction(self) -> Iterator[sa.Connection]:
        """Run statements together; an error of the database becomes the refusal that clients see."""
        try:
            with self.engine.begin() as connection:
                yield connection
        except sa.exc.SQLAlchemyError as error:
            raise _away(error) from error

    def read(self, statement: sa.Select[Any], **given: object) -> Sequence[Row]:
        """Return the rows of a statement, in a transaction of its own."""
        with self._reading() as connection:
            return connection.execute(statement, given).all()

    def some(self, statement: sa.Select[Any], count: int) -> Generator[Row]:
        """Yield the rows of a statement, so many in memory at once."""
        with self._reading() as connection:
            yield from connection.execution_options(yield_per=count).execute(statement)

    @contextmanager
    def _reading(self) -> Iterator[sa.Connection]:
        try:
            with self.transaction() as connection:
                yield connection
        except (TypeError, ValueError, OverflowError) as error:  # a column holds what it cannot
            raise damaged("the rows of the database", type(error).__name__) from None

    def change(self, statement: sa.Update | sa.Delete | sa.Insert) -> int:
        """Run a statement in a transaction of its own, and return how many rows it changed."""
        with self.transaction() as connection:
            return connection.execute(statement).rowcount

    def ping(self) -> None:
        """Ask the database for a sign of life."""
        self.read(sa.select(1))

    def close(self) -> None:
        """Give all connections back."""
        self.engine.dispose()

    # ---- problems ------------------------------------------------------------------------------------------------

    def add_problem(self, connection: sa.Connection, problem: str, name: str, spec: Json, now: float) -> None:
        """Write a new problem, owned by nobody."""
        text = json.dumps(spec)
        row = {
            "id": problem,
            "name": name,
            "spec": text,
            "created": now,
            "checksum": checksum(problem, name, text, now),
        }
        connection.execute(sa.insert(problems), row | {"state": "open"})

    def problems(self, state: str | None, since: float, limit: int) -> Sequence[Row]:
        """Return the rows of problems made since a time, newest first; descriptions that are long are left out."""
        spec = sa.case((sa.func.length(problems.c.spec) <= _LONGEST_LISTED, problems.c.spec)).label("spec")
        rows = sa.select(*(each for each in problems.c if each.name != "spec"), spec).where(problems.c.created >= since)
        chosen = rows if state is None else rows.where(problems.c.state == state)
        return self.read(chosen.order_by(problems.c.created.desc(), problems.c.id).limit(limit))

    def problem(self, problem: str) -> Row:
        """Return the row of a problem, or say that there is none."""
        known = problem if problem.isascii() and problem.isalnum() else ""  # nothing else was ever an id
        for row in self.read(sa.select(problems).where(problems.c.id == known)):
            if row.checksum != checksum_of("problems", row):
                raise damaged(f"problem {problem}", "a description with another checksum")
            return row
        raise NotFound("the problem must exist", repr(problem[:40]), "GET /problems lists them.")

    # ---- the lease -----------------------------------------------------------------------------------------------

    def take(self, problem: str, owner: str, address: str, stale: tuple[str, int] | None) -> bool:
        """Take the lease of a problem: free, our own, or ``stale``, last seen with that owner and that beat."""
        free = sa.or_(problems.c.owner.is_(None), problems.c.owner == owner)
        if stale is not None:
            free = sa.or_(free, (problems.c.owner == stale[0]) & (problems.c.beat == stale[1]))
        taken = sa.update(problems).where(problems.c.id == problem, free)
        return self.change(taken.values(owner=owner, address=address, beat=problems.c.beat + 1)) == 1

    def beat(self, owner: str) -> set[str]:
        """Give a sign of life for all problems of an owner, and return which they are."""
        alive = sa.update(problems).where(problems.c.owner == owner).values(beat=problems.c.beat + 1)
        with self.transaction() as connection:
            return set(connection.execute(alive.returning(problems.c.id)).scalars())

    def release(self, owner: str, problem: str | None = None) -> None:
        """Let a problem of an owner go, or all of them."""
        which = (
            problems.c.owner == owner if problem is None else (problems.c.owner == owner) & (problems.c.id == problem)
        )
        self.change(sa.update(problems).where(which).values(owner=None, address=None))

    def due(self, now: float) -> Sequence[Row]:
        """Return the leases of problems that have a decision whose deadline has passed."""
        return self.read(
            sa.select(*(problems.c[each] for each in ("id", "owner", "beat"))).where(problems.c.due <= now)
        )

    # ---- events --------------------------------------------------------------------------------------------------

    def append(self, connection: sa.Connection, problem: str, owner: str, new: list[Event], totals: Json) -> None:
        """Write events and totals of a problem, if the lease is still ours."""
        given = totals | {"of_problem": problem, "of_owner": owner}
        if connection.execute(_fenced(*totals), given).rowcount != 1:
            must = f"problem {problem} must be served by one process at a time"
            raise HeldElsewhere(must, "another process that took it over", "Send the request there, or again.")
        if new and connection.dialect.name == "postgresql":  # one statement for all rows: several times faster there
            columns = dict(zip(Event._fields, map(list, zip(*new, strict=True)), strict=True))
            columns["checksum"] = [checksum(problem, *each) for each in new]
            connection.execute(_INSERT_ARRAYS, {"problem": problem, **columns})
        elif new:  # as the driver takes it: twice as fast
            connection.exec_driver_sql(_INSERT_ROWS, [(problem, *each, checksum(problem, *each)) for each in new])

    def some_events(self, problem: str, after: int) -> list[Event]:
        """Return the next events of a problem in order, some thousands or megabytes; they must be those that were written."""
        here = sa.select(*_EVENT, events.c.checksum).where(events.c.problem == problem, events.c.seq > after)
        found, size = list[Event](), 0
        with closing(self.some(here.order_by(events.c.seq).limit(_CHUNK), _ROWS)) as rows:
            for wanted, row in enumerate(rows, start=after + 1):
                event = Event._make(row[:-1])
                if event.seq != wanted:
                    raise damaged(f"problem {problem}", f"event {event.seq} where {wanted} belongs")
                if row.checksum != checksum(problem, *event):
                    raise damaged(f"problem {problem}", f"event {wanted} with another checksum")
                found.append(event)
                size += len(event.value or "")
                if size > _CHUNK_BYTES:
                    break
        return found

    def events(self, problem: str) -> Iterator[Event]:
        """Yield all events of a problem in order."""
        after = 0
        while found := self.some_events(problem, after):
            yield from found
            after = found[-1].seq

    def closing(self, problem: str, day: int) -> Event | None:
        """Return how a decision was closed, if it was."""
        of_day = (events.c.problem == problem, events.c.day == day, closes)
        return next((Event._make(row) for row in self.read(sa.select(*_EVENT).where(*of_day))), None)

    # ---- snapshots and answers -----------------------------------------------------------------------------------

    def snapshot(self, problem: str) -> tuple[int, bytes, bytes] | None:
        """Return the newest snapshot of a problem: after which event, the session, the history."""
        found = self.read(sa.select(snapshots).where(snapshots.c.problem == problem))
        return next(((row.seq, row.session, row.history) for row in found), None)

    def keep_snapshot(self, connection: sa.Connection, problem: str, seq: int, session: bytes, history: bytes) -> None:
        """Replace the snapshot of a problem."""
        connection.execute(sa.delete(snapshots).where(snapshots.c.problem == problem))
        row = {"problem": problem, "seq": seq, "session": session, "history": history}
        connection.execute(sa.insert(snapshots), row)

    def answers(self, wanted: list[str]) -> Sequence[Row]:
        """Return the remembered answers among these keys."""
        rows = self.read(_ANSWERS, wanted=wanted)
        if any(row.checksum != checksum_of("answers", row) for row in rows):
            raise damaged("an answer that was kept", "one with another checksum")
        return rows

    def remember(self, connection: sa.Connection, rows: list[Json]) -> None:
        """Write answers to requests that had a key."""
        sums = [checksum(*(row[name] for name in CHECKED["answers"])) for row in rows]
        connection.execute(
            sa.insert(answers), [{**row, "checksum": each} for row, each in zip(rows, sums, strict=True)]
        )

    def probe(self, connection: sa.Connection, key: str, now: float) -> None:
        """Write more than a page or two of new bytes, in place of those written before."""
        connection.execute(sa.delete(answers).where(answers.c.key == key))
        self.remember(
            connection, [{"key": key, "request": "", "status": 0, "body": os.urandom(_PROBE_BYTES), "at": now}]
        )

    def forget(self, before: float) -> None:
        """Drop answers that are older."""
        self.change(sa.delete(answers).where(answers.c.at < before))

    def cut_answers(self, key: str, most: int) -> None:
        """Drop the oldest answers to an API key, so that their bodies have at most so many bytes."""
        name: Any = answers.c.key
        if self.engine.dialect.name == "postgresql":
            name = sa.collate(name, "C")  # in the order of bytes, as SQLite has it
        ours = (name > f"{key}:", name < f"{key};")  # as names of answers begin
        sizes = sa.func.sum(sa.func.length(answers.c.body)).over(order_by=answers.c.at.desc()).label("size")
        newest = sa.select(answers.c.at, sizes).where(*ours).subquery()
        last = sa.select(sa.func.max(newest.c.at)).where(newest.c.size > most).scalar_subquery()
        self.change(sa.delete(answers).where(*ours, answers.c.at <= last))
