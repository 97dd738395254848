"""The tables of the database, what a row looks like, its checksum, and how older databases become new ones."""

import zlib
from collections.abc import Callable
from typing import Any

import sqlalchemy as sa

from swapregret.errors import InvalidInput
from swapregret.files.storage import Json
from swapregret.sessions.events import Event

Row = sa.Row[Any]
"""A row of a table: its columns are its attributes."""
metadata = sa.MetaData()


def _table(name: str, *parts: sa.schema.SchemaItem, needed: Json, sqlite_with_rowid: bool = True) -> sa.Table:
    """Return a table with columns that are never empty, by name and type, and further parts."""
    columns = (sa.Column(each, kind, nullable=False) for each, kind in needed.items())
    return sa.Table(name, metadata, *columns, *parts, sqlite_with_rowid=sqlite_with_rowid)


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
    sa.Column("archived", _TIME),
    sa.Column(
        "compacted", _COUNT, nullable=False, default=0, server_default="0"
    ),  # events up to this one are no longer kept
    sa.Column("checksum", _COUNT),
    sa.Column("reward_sum", _TIME, nullable=False, default=0.0),
    sa.PrimaryKeyConstraint("id"),
    needed={"id": sa.Text, "name": sa.Text, "spec": sa.Text, "state": sa.Text, "created": _TIME},
)
events = _table(
    "events",
    sa.Column("value", sa.Text),
    sa.Column("checksum", _COUNT),
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
    sa.Column("checksum", _COUNT),
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


CHECKED = {
    "problems": ("id", "name", "spec", "created"),
    "events": ("problem", *Event._fields),
    "answers": ("key", "request", "status", "body", "at"),
}
"""The columns that never change once they are written: a checksum covers them."""


def checksum(*values: object) -> int:
    """Return a checksum of the columns of a row."""
    return zlib.crc32(repr(values).encode("utf-8", "surrogatepass"))


def checksum_of(table: str, row: Row) -> int:
    """Return what the checksum of a row must be."""
    return checksum(*(getattr(row, name) for name in CHECKED[table]))


def _first(connection: sa.Connection) -> None:
    metadata.create_all(connection, tables=[problems, events, snapshots, answers, keys])


def _second(connection: sa.Connection) -> None:
    """Add checksums, and when problems are due and were archived; a new database has them."""
    new = {"problems": ("due", "archived", "compacted", "checksum"), "events": ("checksum",), "answers": ("checksum",)}
    for name, columns in new.items():
        known = {each["name"] for each in sa.inspect(connection).get_columns(name)}
        for column in (metadata.tables[name].c[each] for each in columns if each not in known):
            kind = column.type.compile(connection.dialect)
            default = "" if column.nullable else " NOT NULL DEFAULT 0"
            connection.execute(sa.text(f"ALTER TABLE {name} ADD COLUMN {column.name} {kind}{default}"))
    for table, keys_of in ((problems, ("id",)), (events, ("problem", "seq")), (answers, ("key",))):
        chosen = [table.c[each] for each in keys_of]
        fill = sa.update(table).where(*(each == sa.bindparam(f"k_{each.name}") for each in chosen))
        rows = connection.execute(sa.select(table).where(table.c.checksum.is_(None))).all()
        for row in rows:
            given = {f"k_{each.name}": getattr(row, each.name) for each in chosen}
            connection.execute(fill.values(checksum=checksum_of(table.name, row)), given)


MIGRATIONS: tuple[Callable[[sa.Connection], None], ...] = (_first, _second)
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
