"""The database, SQLite in a file or PostgreSQL: its tables, and every statement of the service but those of ``keys``."""

import contextlib
import json
import logging
import os
import sqlite3
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from typing import Any, NamedTuple

from sqlalchemy import (
    BigInteger,
    Column,
    Connection,
    Engine,
    Float,
    Index,
    Integer,
    LargeBinary,
    MetaData,
    PrimaryKeyConstraint,
    Row,
    Table,
    Text,
    create_engine,
    delete,
    event,
    insert,
    or_,
    select,
    text,
    update,
)
from sqlalchemy.engine import make_url
from sqlalchemy.exc import (
    ArgumentError,
    DBAPIError,
    IntegrityError,
    NoSuchModuleError,
    OperationalError,
    ProgrammingError,
    SQLAlchemyError,
)
from sqlalchemy.schema import SchemaItem

from swapregret.errors import InvalidInput
from swapregret.serve.refusals import HeldElsewhere, NotFound, Unavailable

_log = logging.getLogger("swapregret.serve")
_BUSY_SECONDS = 10
_CHUNK = 5_000
_INSERT = "INSERT INTO events (problem, seq, kind, day, at, value) "
_INSERT_ROWS = _INSERT + "VALUES (?, ?, ?, ?, ?, ?)"
_INSERT_ARRAYS = text(
    _INSERT + "SELECT :problem, * FROM unnest(CAST(:seq AS bigint[]), CAST(:kind AS text[]), CAST(:day AS bigint[]), "
    "CAST(:at AS double precision[]), CAST(:value AS text[]))"
)
metadata = MetaData()


def _table(name: str, *parts: SchemaItem, needed: dict[str, Any], **options: Any) -> Table:
    """Return a table with columns that are never empty, by name and type, and further parts."""
    columns = (Column(each, kind, nullable=False) for each, kind in needed.items())
    return Table(name, metadata, *columns, *parts, **options)


closes = text("kind <> 'act'")
"""Events that close a decision: one at most."""
_TIME, _COUNT, _COUNTS = Float(53), BigInteger, ("beat", "seq", "n_decisions", "n_rewards", "n_defaults", "n_skips")

version = Table("schema_version", metadata, Column("one", Integer, primary_key=True), Column("version", Integer))
problems = _table(
    "problems",
    Column("owner", Text),  # the lease: who serves the problem, where, and in `beat` a count that rises while it lives
    Column("address", Text),
    *(Column(name, _COUNT, nullable=False, default=0) for name in _COUNTS),
    Column("reward_sum", _TIME, nullable=False, default=0.0),
    PrimaryKeyConstraint("id"),
    needed={"id": Text, "name": Text, "spec": Text, "state": Text, "created": _TIME},
)
events = _table(
    "events",
    Column("value", Text),
    PrimaryKeyConstraint("problem", "seq"),
    Index("events_closing", "problem", "day", unique=True, sqlite_where=closes, postgresql_where=closes),
    needed={"problem": Text, "seq": _COUNT, "kind": Text, "day": _COUNT, "at": _TIME},
    sqlite_with_rowid=False,
)
snapshots = _table(
    "snapshots",
    PrimaryKeyConstraint("problem"),
    needed={"problem": Text, "seq": _COUNT, "session": LargeBinary, "history": LargeBinary},
)
answers = _table(
    "answers",
    PrimaryKeyConstraint("key"),
    Index("answers_at", "at"),
    needed={"key": Text, "request": Text, "status": Integer, "body": LargeBinary, "at": _TIME},
)
keys = _table(
    "keys",
    Column("revoked", _TIME),
    PrimaryKeyConstraint("id"),
    needed={"id": Text, "name": Text, "scope": Text, "digest": Text, "created": _TIME},
)


def _first(connection: Connection) -> None:
    metadata.create_all(connection, tables=[problems, events, snapshots, answers, keys])


MIGRATIONS: tuple[Callable[[Connection], None], ...] = (_first,)
"""One step for each version; a step that was released is never changed, a new one is added."""


def migrate(engine: Engine) -> int:
    """Bring a database to the newest version, in one transaction, and return that version."""
    try:
        with engine.begin() as connection:
            version.create(connection, checkfirst=True)
            connection.execute(insert(version).values(one=1, version=0))
    except (IntegrityError, ProgrammingError, OperationalError):  # it is there; a database that is away says so below
        pass
    with engine.begin() as connection:
        connection.execute(update(version).values(one=1))  # whoever else migrates waits here
        found = int(connection.execute(select(version.c.version)).scalar_one())
        if found > len(MIGRATIONS):
            raise InvalidInput(
                f"the database must have version {len(MIGRATIONS)} or older",
                f"version {found}",
                "Start the version of the library that wrote it, or a newer one.",
            )
        for step in MIGRATIONS[found:]:
            step(connection)
        connection.execute(update(version).values(version=len(MIGRATIONS)))
    return len(MIGRATIONS)


class Event(NamedTuple):
    """A decision was made (kind ``act``) or closed (``reward``, ``default``, ``skip``, ``expire``)."""

    seq: int
    kind: str
    day: int
    at: float
    value: str | None


_EVENT = [events.c[name] for name in Event._fields]


def open_store(database: str) -> "Store":
    """Open a database by its URL, make or migrate its tables, and say in a sentence if that cannot be done."""
    try:
        url = make_url(database)
        if url.drivername in ("postgresql", "postgres"):
            url = url.set(drivername="postgresql+psycopg")
        is_sqlite = url.get_backend_name() == "sqlite"
        if not is_sqlite and url.get_backend_name() != "postgresql":
            raise ArgumentError("another kind of database")
        options: dict[str, Any] = {"timeout": _BUSY_SECONDS} if is_sqlite else {"connect_timeout": 5}
        engine = create_engine(url, connect_args=options, pool_pre_ping=not is_sqlite)
    except (ArgumentError, NoSuchModuleError, ImportError) as error:
        raise InvalidInput(
            "`--database` must be sqlite:///FILE or postgresql://USER@HOST/NAME",
            type(error).__name__,  # never the URL, which may hold a password
            "Correct it; PostgreSQL needs pip install 'swapregret[serve,postgres]'.",
        ) from None
    if is_sqlite:
        if url.database and not os.path.exists(url.database):
            with contextlib.suppress(OSError):  # what cannot be made is said below
                os.close(os.open(url.database, os.O_CREAT | os.O_RDWR, 0o600))  # nobody else's business
        _prepare_sqlite(engine)
    try:
        migrate(engine)
    except SQLAlchemyError as error:
        raise _away(error) from None
    return Store(engine)


def _prepare_sqlite(engine: Engine) -> None:
    @event.listens_for(engine, "connect")
    def configure(connection: Any, _: Any) -> None:
        connection.isolation_level = None  # transactions begin below, not when the driver guesses
        for pragma in ("journal_mode=WAL", "synchronous=FULL"):
            connection.execute(f"PRAGMA {pragma}")

    @event.listens_for(engine, "begin")
    def begin(connection: Connection) -> None:
        connection.exec_driver_sql("BEGIN")


def _away(error: SQLAlchemyError) -> Unavailable:
    """Say what kind of trouble it is; only SQLite's words are safe to repeat, PostgreSQL's name users and addresses."""
    cause = str(error.orig).strip() if isinstance(error, DBAPIError) else ""
    _log.warning("the database: %s", cause.splitlines()[0] if cause else type(error).__name__)
    is_sqlite = isinstance(error, DBAPIError) and isinstance(error.orig, sqlite3.Error)
    return Unavailable(
        "the database must be there and take what is written",
        f"{type(error).__name__} {cause.splitlines()[0] if is_sqlite and cause else ''}".strip(),
        "Nothing that was not answered is kept for sure. Send the request again, with the same Idempotency-Key.",
    )


class Store:
    """One database; safe to use from several threads."""

    def __init__(self, engine: Engine) -> None:
        self.engine = engine

    @contextmanager
    def transaction(self) -> Iterator[Connection]:
        """Run statements together; an error of the database becomes the refusal that clients see."""
        try:
            with self.engine.begin() as connection:
                yield connection
        except SQLAlchemyError as error:
            raise _away(error) from error

    def ping(self) -> None:
        """Ask the database for a sign of life."""
        with self.transaction() as connection:
            connection.execute(select(1))

    def close(self) -> None:
        """Give all connections back."""
        self.engine.dispose()

    # ---- problems ------------------------------------------------------------------------------------------------

    def add_problem(self, connection: Connection, problem: str, name: str, spec: dict[str, Any], now: float) -> None:
        """Write a new problem, owned by nobody."""
        row = {"id": problem, "name": name, "spec": json.dumps(spec), "state": "open", "created": now}
        connection.execute(insert(problems), row)

    def problems(self) -> Sequence[Row[Any]]:
        """Return the rows of all problems, newest first."""
        with self.transaction() as connection:
            return connection.execute(select(problems).order_by(problems.c.created.desc(), problems.c.id)).all()

    def problem(self, problem: str) -> Row[Any]:
        """Return the row of a problem, or say that there is none."""
        with self.transaction() as connection:
            known = problem if problem.isascii() and problem.isalnum() else ""  # nothing else was ever an id
            row = connection.execute(select(problems).where(problems.c.id == known)).one_or_none()
        if row is None:
            raise NotFound("the problem must exist", repr(problem[:40]), "GET /problems lists them.")
        return row

    # ---- the lease -----------------------------------------------------------------------------------------------

    def take(self, problem: str, owner: str, address: str, stale: tuple[str, int] | None) -> bool:
        """Take the lease of a problem: free, our own, or ``stale``, last seen with that owner and that beat."""
        free = or_(problems.c.owner.is_(None), problems.c.owner == owner)
        if stale is not None:
            free = or_(free, (problems.c.owner == stale[0]) & (problems.c.beat == stale[1]))
        with self.transaction() as connection:
            taken = update(problems).where(problems.c.id == problem, free)
            return (
                connection.execute(taken.values(owner=owner, address=address, beat=problems.c.beat + 1)).rowcount == 1
            )

    def beat(self, owner: str) -> set[str]:
        """Give a sign of life for all problems of an owner, and return which they are."""
        with self.transaction() as connection:
            connection.execute(update(problems).where(problems.c.owner == owner).values(beat=problems.c.beat + 1))
            return set(connection.execute(select(problems.c.id).where(problems.c.owner == owner)).scalars())

    def release(self, owner: str) -> None:
        """Let all problems of an owner go."""
        with self.transaction() as connection:
            connection.execute(update(problems).where(problems.c.owner == owner).values(owner=None, address=None))

    # ---- events --------------------------------------------------------------------------------------------------

    def append(
        self, connection: Connection, problem: str, owner: str, new: list[Event], totals: dict[str, Any]
    ) -> None:
        """Write events and totals of a problem, if the lease is still ours."""
        fenced = update(problems).where(problems.c.id == problem, problems.c.owner == owner)
        if connection.execute(fenced.values(beat=problems.c.beat + 1, **totals)).rowcount != 1:
            raise HeldElsewhere(
                f"problem {problem} must be served by one process at a time",
                "another process that took it over",
                "Send the request there, or again.",
            )
        if new and connection.dialect.name == "postgresql":  # one statement for all rows: several times faster there
            columns = dict(zip(Event._fields, map(list, zip(*new, strict=True)), strict=True))
            connection.execute(_INSERT_ARRAYS, {"problem": problem, **columns})
        elif new:  # as the driver takes it: twice as fast
            connection.exec_driver_sql(_INSERT_ROWS, [(problem, *each) for each in new])

    def events(self, problem: str, after: int = 0) -> Iterator[Event]:
        """Yield the events of a problem in order, some thousands at a time."""
        while True:
            here = select(*_EVENT).where(events.c.problem == problem, events.c.seq > after)
            with self.transaction() as connection:
                rows = connection.execute(here.order_by(events.c.seq).limit(_CHUNK)).all()
            yield from (Event(*row) for row in rows)
            if len(rows) < _CHUNK:
                return
            after = rows[-1].seq

    def closing(self, problem: str, day: int) -> Event | None:
        """Return how a decision was closed, if it was."""
        with self.transaction() as connection:
            of_day = (events.c.problem == problem, events.c.day == day, closes)
            row = connection.execute(select(*_EVENT).where(*of_day)).one_or_none()
        return None if row is None else Event(*row)

    # ---- snapshots and answers -----------------------------------------------------------------------------------

    def snapshot(self, problem: str) -> tuple[int, bytes, bytes] | None:
        """Return the newest snapshot of a problem: after which event, the session, the history."""
        with self.transaction() as connection:
            row = connection.execute(select(snapshots).where(snapshots.c.problem == problem)).one_or_none()
        return None if row is None else (row.seq, row.session, row.history)

    def keep_snapshot(self, connection: Connection, problem: str, seq: int, session: bytes, history: bytes) -> None:
        """Replace the snapshot of a problem."""
        connection.execute(delete(snapshots).where(snapshots.c.problem == problem))
        row = {"problem": problem, "seq": seq, "session": session, "history": history}
        connection.execute(insert(snapshots), row)

    def answers(self, connection: Connection, wanted: list[str]) -> dict[str, Row[Any]]:
        """Return the remembered answers among these keys."""
        rows = connection.execute(select(answers).where(answers.c.key.in_(wanted)))
        return {row.key: row for row in rows}

    def remember(self, connection: Connection, rows: list[dict[str, Any]]) -> None:
        """Write answers to requests that had a key."""
        connection.execute(insert(answers), rows)

    def forget(self, before: float) -> None:
        """Drop answers that are older."""
        with self.transaction() as connection:
            connection.execute(delete(answers).where(answers.c.at < before))
