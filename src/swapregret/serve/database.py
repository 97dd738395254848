"""The database, SQLite in a file or PostgreSQL: its tables, and every statement of the service but those of ``keys``."""

import contextlib
import json
import logging
import os
import sqlite3
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from typing import Any, NamedTuple

import sqlalchemy as sa

from swapregret.errors import InvalidInput
from swapregret.serve.refusals import HeldElsewhere, NotFound, NotWritten, Unavailable

_log = logging.getLogger("swapregret.serve")
_BUSY_SECONDS = 10
_CHUNK = 5_000
_PROBE_BYTES = 65_536
_INSERT = "INSERT INTO events (problem, seq, kind, day, at, value) "
_INSERT_ROWS = _INSERT + "VALUES (?, ?, ?, ?, ?, ?)"
_INSERT_ARRAYS = sa.text(
    _INSERT + "SELECT :problem, * FROM unnest(CAST(:seq AS bigint[]), CAST(:kind AS text[]), CAST(:day AS bigint[]), "
    "CAST(:at AS double precision[]), CAST(:value AS text[]))"
)
metadata = sa.MetaData()


def _table(name: str, *parts: sa.schema.SchemaItem, needed: dict[str, Any], **options: Any) -> sa.Table:
    """Return a table with columns that are never empty, by name and type, and further parts."""
    columns = (sa.Column(each, kind, nullable=False) for each, kind in needed.items())
    return sa.Table(name, metadata, *columns, *parts, **options)


closes = sa.text("kind <> 'act'")
"""Events that close a decision: one at most."""
_TIME, _COUNT = sa.Float(53), sa.BigInteger
_COUNTS = ("beat", "seq", "n_decisions", "n_rewards", "n_defaults", "n_skips")

version = sa.Table(
    "schema_version", metadata, sa.Column("one", sa.Integer, primary_key=True), sa.Column("version", sa.Integer)
)
problems = _table(
    "problems",
    # the lease: who serves the problem, where, and in `beat` a count that rises while it lives
    sa.Column("owner", sa.Text),
    sa.Column("address", sa.Text),
    *(sa.Column(name, _COUNT, nullable=False, default=0) for name in _COUNTS),
    sa.Column("due", _TIME),  # when the next deadline passes
    sa.Column("reward_sum", _TIME, nullable=False, default=0.0),
    sa.PrimaryKeyConstraint("id"),
    needed={"id": sa.Text, "name": sa.Text, "spec": sa.Text, "state": sa.Text, "created": _TIME},
)
events = _table(
    "events",
    sa.Column("value", sa.Text),
    sa.PrimaryKeyConstraint("problem", "seq"),
    sa.Index("events_closing", "problem", "day", unique=True, sqlite_where=closes, postgresql_where=closes),
    needed={"problem": sa.Text, "seq": _COUNT, "kind": sa.Text, "day": _COUNT, "at": _TIME},
    sqlite_with_rowid=False,
)
snapshots = _table(
    "snapshots",
    sa.PrimaryKeyConstraint("problem"),
    needed={"problem": sa.Text, "seq": _COUNT, "session": sa.LargeBinary, "history": sa.LargeBinary},
)
answers = _table(
    "answers",
    sa.PrimaryKeyConstraint("key"),
    sa.Index("answers_at", "at"),
    needed={"key": sa.Text, "request": sa.Text, "status": sa.Integer, "body": sa.LargeBinary, "at": _TIME},
)
keys = _table(
    "keys",
    sa.Column("revoked", _TIME),
    sa.PrimaryKeyConstraint("id"),
    needed={"id": sa.Text, "name": sa.Text, "scope": sa.Text, "digest": sa.Text, "created": _TIME},
)


def _first(connection: sa.Connection) -> None:
    metadata.create_all(connection, tables=[problems, events, snapshots, answers, keys])


MIGRATIONS: tuple[Callable[[sa.Connection], None], ...] = (_first,)
"""One step for each version; a step that was released is never changed, a new one is added."""


def migrate(engine: sa.Engine) -> int:
    """Bring a database to the newest version, in one transaction, and return that version."""
    try:
        with engine.begin() as connection:
            version.create(connection, checkfirst=True)
            connection.execute(sa.insert(version).values(one=1, version=0))
    except sa.exc.DBAPIError:  # it is there; a database that is away says so below
        pass
    with engine.begin() as connection:
        connection.execute(sa.update(version).values(one=1))  # whoever else migrates waits here
        found = int(connection.execute(sa.select(version.c.version)).scalar_one())
        if found > len(MIGRATIONS):
            raise InvalidInput(
                f"the database must have version {len(MIGRATIONS)} or older",
                f"version {found}",
                "Start the version of the library that wrote it, or a newer one.",
            )
        for step in MIGRATIONS[found:]:
            step(connection)
        connection.execute(sa.update(version).values(version=len(MIGRATIONS)))
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
        url = sa.make_url(database)
        if url.drivername in ("postgresql", "postgres"):
            url = url.set(drivername="postgresql+psycopg")
        is_sqlite = url.get_backend_name() == "sqlite"
        if not is_sqlite and url.get_backend_name() != "postgresql":
            raise sa.exc.ArgumentError("another kind of database")
        options: dict[str, Any] = {"timeout": _BUSY_SECONDS} if is_sqlite else {"connect_timeout": 5}
        engine = sa.create_engine(url, connect_args=options, pool_pre_ping=not is_sqlite)
    except (sa.exc.ArgumentError, sa.exc.NoSuchModuleError, ImportError) as error:
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
    except sa.exc.SQLAlchemyError as error:
        must = "`--database` must be a database that can be opened and written"
        raise InvalidInput(must, _away(error).came, "Check its path or address, and that it is up.") from None
    return Store(engine)


def _prepare_sqlite(engine: sa.Engine) -> None:
    @sa.event.listens_for(engine, "connect")
    def configure(connection: Any, _: Any) -> None:
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

    def read(self, statement: sa.Select[Any]) -> Sequence[sa.Row[Any]]:
        """Return the rows of a statement, in a transaction of its own."""
        with self.transaction() as connection:
            return connection.execute(statement).all()

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

    def add_problem(self, connection: sa.Connection, problem: str, name: str, spec: dict[str, Any], now: float) -> None:
        """Write a new problem, owned by nobody."""
        row = {"id": problem, "name": name, "spec": json.dumps(spec), "state": "open", "created": now}
        connection.execute(sa.insert(problems), row)

    def problems(self) -> Sequence[sa.Row[Any]]:
        """Return the rows of all problems, newest first."""
        return self.read(sa.select(problems).order_by(problems.c.created.desc(), problems.c.id))

    def problem(self, problem: str) -> sa.Row[Any]:
        """Return the row of a problem, or say that there is none."""
        known = problem if problem.isascii() and problem.isalnum() else ""  # nothing else was ever an id
        for row in self.read(sa.select(problems).where(problems.c.id == known)):
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

    def due(self, now: float) -> Sequence[sa.Row[Any]]:
        """Return the rows of problems that have a decision whose deadline has passed."""
        return self.read(sa.select(problems).where(problems.c.due <= now))

    # ---- events --------------------------------------------------------------------------------------------------

    def append(
        self, connection: sa.Connection, problem: str, owner: str, new: list[Event], totals: dict[str, Any]
    ) -> None:
        """Write events and totals of a problem, if the lease is still ours."""
        fenced = sa.update(problems).where(problems.c.id == problem, problems.c.owner == owner)
        if connection.execute(fenced.values(beat=problems.c.beat + 1, **totals)).rowcount != 1:
            must = f"problem {problem} must be served by one process at a time"
            raise HeldElsewhere(must, "another process that took it over", "Send the request there, or again.")
        if new and connection.dialect.name == "postgresql":  # one statement for all rows: several times faster there
            columns = dict(zip(Event._fields, map(list, zip(*new, strict=True)), strict=True))
            connection.execute(_INSERT_ARRAYS, {"problem": problem, **columns})
        elif new:  # as the driver takes it: twice as fast
            connection.exec_driver_sql(_INSERT_ROWS, [(problem, *each) for each in new])

    def some_events(self, problem: str, after: int) -> list[Event]:
        """Return the next events of a problem in order, some thousands at most."""
        here = sa.select(*_EVENT).where(events.c.problem == problem, events.c.seq > after)
        return [Event._make(row) for row in self.read(here.order_by(events.c.seq).limit(_CHUNK))]

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

    def answers(self, wanted: list[str]) -> Sequence[sa.Row[Any]]:
        """Return the remembered answers among these keys."""
        return self.read(sa.select(answers).where(answers.c.key.in_(wanted)))

    def remember(self, connection: sa.Connection, rows: list[dict[str, Any]]) -> None:
        """Write answers to requests that had a key."""
        connection.execute(sa.insert(answers), rows)

    def probe(self, connection: sa.Connection, key: str, now: float) -> None:
        """Write more than a page or two of new bytes, in place of those written before."""
        connection.execute(sa.delete(answers).where(answers.c.key == key))
        self.remember(
            connection, [{"key": key, "request": "", "status": 0, "body": os.urandom(_PROBE_BYTES), "at": now}]
        )

    def forget(self, before: float) -> None:
        """Drop answers that are older."""
        self.change(sa.delete(answers).where(answers.c.at < before))
