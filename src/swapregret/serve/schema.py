"""The tables, and how a database is brought to this version of them."""

from collections.abc import Callable

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
    SmallInteger,
    Table,
    Text,
    UniqueConstraint,
    insert,
    inspect,
    select,
    update,
)
from sqlalchemy.exc import IntegrityError, OperationalError, ProgrammingError

from swapregret.errors import InvalidInput

__all__ = ["answers", "events", "keys", "migrate", "problems", "snapshots"]

metadata = MetaData()

version = Table("schema_version", metadata, Column("one", Integer, primary_key=True), Column("version", Integer))

problems = Table(
    "problems",
    metadata,
    Column("id", Text, primary_key=True),
    Column("name", Text, nullable=False),
    Column("spec", Text, nullable=False),
    Column("state", Text, nullable=False),
    Column("created", Float(53), nullable=False),
    Column("owner", Text),  # the lease: who serves the problem, where, and a count that rises while it lives
    Column("address", Text),
    Column("beat", BigInteger, nullable=False),
    Column("seq", BigInteger, nullable=False),
    Column("n_decisions", BigInteger, nullable=False),
    Column("n_rewards", BigInteger, nullable=False),
    Column("n_defaults", BigInteger, nullable=False),
    Column("n_skips", BigInteger, nullable=False),
    Column("reward_sum", Float(53), nullable=False),
)

events = Table(
    "events",
    metadata,
    Column("problem", Text, nullable=False),
    Column("seq", BigInteger, nullable=False),
    Column("kind", Text, nullable=False),
    Column("day", BigInteger, nullable=False),
    Column("closes", SmallInteger, nullable=False),  # 0 a decision is made, 1 it is closed: each once
    Column("at", Float(53), nullable=False),
    Column("value", Text),
    PrimaryKeyConstraint("problem", "seq"),
    UniqueConstraint("problem", "day", "closes"),
    sqlite_with_rowid=False,
)

snapshots = Table(
    "snapshots",
    metadata,
    Column("problem", Text, primary_key=True),
    Column("seq", BigInteger, nullable=False),
    Column("session", LargeBinary, nullable=False),
    Column("history", LargeBinary, nullable=False),
)

answers = Table(
    "answers",
    metadata,
    Column("key", Text, primary_key=True),
    Column("request", Text, nullable=False),
    Column("status", Integer, nullable=False),
    Column("body", LargeBinary, nullable=False),
    Column("at", Float(53), nullable=False),
    Index("answers_at", "at"),
)

keys = Table(
    "keys",
    metadata,
    Column("id", Text, primary_key=True),
    Column("name", Text, nullable=False),
    Column("scope", Text, nullable=False),
    Column("digest", Text, nullable=False),
    Column("created", Float(53), nullable=False),
    Column("revoked", Float(53)),
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
        assert inspect(connection).has_table("problems")
    return len(MIGRATIONS)
