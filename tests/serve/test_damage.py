"""Databases that are not as they were written, that are copied, and that forget what is old."""

import json
import random
import shutil
import sqlite3
import subprocess
import zlib
from collections.abc import Callable
from contextlib import closing
from pathlib import Path
from typing import Any

import pytest
from sqlalchemy import select, text, update
from typer.testing import CliRunner

from swapregret.cli import app
from swapregret.errors import SwapRegretError
from swapregret.serve.data.schema import answers, checksum, events, problems, snapshots
from swapregret.serve.data.upkeep import check, retire
from swapregret.serve.database import Store, open_store
from swapregret.sessions.events import Event

pytestmark = pytest.mark.serve
Served = Any


def play(server: Served, problem: str, count: int) -> list[Any]:
    """Decide and reward one after another, and return the elements."""
    found = []
    for decision in server.decide(problem, count):
        assert server.post(f"/decisions/{decision['id']}/reward", {"reward": 0.5}).status_code == 200
        found.append(decision["elements"])
    return found


def path_of(server: Served) -> Path:
    """Return the file of a server's database."""
    return Path(server.database.removeprefix("sqlite:///"))


def test_damaged_rows_are_named(serve: Callable[..., Served]) -> None:
    """A changed reward, a missing event or another description is found; that problem is refused, the others go on."""
    server = serve()
    made = [server.make() for _ in range(4)]
    for each in made:
        play(server, each, 5)
    server.stop()
    store = open_store(server.database)
    assert check(store) == []
    with store.transaction() as connection:
        connection.execute(
            update(events).where(events.c.problem == made[0], events.c.kind == "reward").values(value="0.75")
        )
        connection.execute(text("DELETE FROM events WHERE problem = :id AND seq = 3"), {"id": made[1]})
        connection.execute(update(problems).where(problems.c.id == made[2]).values(spec="{"))
    assert {each.problem for each in check(store)} == set(made[:3])
    store.close()
    done = CliRunner().invoke(app, ["serve", "check", "--database", server.database, "--json"])
    assert done.exit_code == 1
    assert {each["problem"] for each in json.loads(done.stdout)["faults"]} == set(made[:3])
    server.start()
    for each in made[:3]:
        for path in ("", "/view"):
            refused = server.http.get(f"/problems/{each}{path}")
            assert refused.json()["error"]["type"] == "Damaged", refused.text
    assert [each["id"] for each in server.http.get("/problems").json()] == made[3:]
    assert len(play(server, made[3], 3)) == 3


def test_a_damaged_snapshot_is_not_needed(serve: Callable[..., Served]) -> None:
    """A snapshot that cannot be read, or that is another one, is made good by the events; decisions stay the same."""
    server = serve(snapshot_every=5)
    whole, cut, other = (server.make() for _ in range(3))
    for each in (whole, cut, other):
        play(server, each, 20)
    server.stop()
    store = open_store(server.database)
    with store.transaction() as connection:
        connection.execute(update(snapshots).where(snapshots.c.problem == cut).values(session=b"x"))
        earlier = zlib.compress(b'{"totals": {}}\n')
        connection.execute(update(snapshots).where(snapshots.c.problem == other).values(history=earlier))
    assert check(store) == []
    store.close()
    server.start()
    assert play(server, cut, 10) == play(server, other, 10) == play(server, whole, 10)


def test_destroyed_pages_are_noticed(serve: Callable[..., Served], tmp_path: Path) -> None:
    """Whichever of twelve pages of the file is overwritten, the check finds it, or the database does not open."""
    server = serve(snapshot_every=40)
    for _ in range(3):
        problem = server.make()
        for place in range(4):
            play(server, problem, 30)
            assert server.post(
                f"/problems/{problem}/decisions", {"count": 30}, idempotency_key=f"{problem}{place}"
            ).is_success
    server.stop()
    data, size = path_of(server).read_bytes(), 4096
    with closing(sqlite3.connect(path_of(server))) as connection:
        (free,) = connection.execute("PRAGMA freelist_count").fetchone()
    draw, missed = random.Random(3), 0
    pages = draw.sample(range(1, len(data) // size), 12)
    for page in pages:
        copy = tmp_path / "copy.db"
        for old in tmp_path.glob("copy.db*"):
            old.unlink()
        copy.write_bytes(data[: page * size] + draw.randbytes(size) + data[(page + 1) * size :])
        try:
            store = open_store(f"sqlite:///{copy}")
        except SwapRegretError:
            continue
        missed += not check(store)
        store.close()
    assert missed <= free, "a page that is in use can be destroyed unnoticed"
    (tmp_path / "copy.db").unlink(missing_ok=True)
    copy.write_bytes(data[: 3 * size] + b"\0" * size + data[4 * size :])
    done = CliRunner().invoke(app, ["serve", "--port", "0", "--database", f"sqlite:///{copy}"])
    assert done.exit_code == 2
    assert "must be" in " ".join(done.output.split())


def test_old_events_and_archived_problems_are_dropped(serve: Callable[..., Served]) -> None:
    """What a snapshot holds need not be kept: play goes on bit for bit; archived problems vanish when they are old."""
    server = serve(snapshot_every=10)
    whole, short, done = (server.make() for _ in range(3))
    for each in (whole, short, done):
        play(server, each, 30)
    first = server.decide(short)[0]["id"]
    server.decide(whole)
    assert server.post(f"/problems/{done}/archive").status_code == 200
    server.stop()
    store = open_store(server.database)
    now = store.problem(done).archived + 1000.0
    with store.transaction() as connection:  # only one of the problems is old
        for row in connection.execute(select(events).where(events.c.problem == whole)).all():
            new = Event(*(getattr(row, name) for name in Event._fields))._replace(at=now)
            here = (events.c.problem == whole, events.c.seq == new.seq)
            connection.execute(update(events).where(*here).values(at=now, checksum=checksum(whole, *new)))
    dropped = retire(store, now, 500.0, 500.0)
    assert dropped["problems"] == 1
    assert dropped["events"] > 50
    assert check(store) == []
    store.close()
    compacted = CliRunner().invoke(app, ["serve", "compact", "--database", server.database])
    assert compacted.exit_code == 0, compacted.output
    server.start()
    assert server.http.get(f"/problems/{done}").status_code == 404
    assert play(server, short, 10) == play(server, whole, 10)
    assert server.post(f"/decisions/{first}/reward", {"reward": 0.5}).status_code == 200
    late = server.post(f"/decisions/{short}.0/reward", {"reward": 0.5})
    assert late.status_code == 409
    assert "no longer kept" in late.json()["error"]["came"]
    refused = server.http.get(f"/problems/{short}/log")
    assert refused.status_code == 409
    assert "no longer kept" in refused.json()["error"]["came"]


@pytest.mark.parametrize("damage", [{"session": b"x"}, {"history": zlib.compress(b'{"totals": {}}\n')}, {"seq": 39}])
def test_events_outlive_a_damaged_snapshot(serve: Callable[..., Served], damage: dict[str, Any]) -> None:
    """Events are dropped only after the snapshot that is to stand for them was read: else they are the only good copy."""
    server = serve(snapshot_every=10)
    whole, other = server.make(), server.make()
    for each in (whole, other):
        play(server, each, 20)
    server.stop()
    store = open_store(server.database)
    with store.transaction() as connection:
        connection.execute(update(snapshots).where(snapshots.c.problem == other).values(**damage))
    assert retire(store, 1e12, 1.0, 0.0)["events"] == 40
    assert len(list(store.events(other))) == 40
    assert check(store) == []
    store.close()
    server.start()
    assert play(server, other, 10) == play(server, whole, 10)


def test_an_answer_that_changed_is_not_given(serve: Callable[..., Served]) -> None:
    """A remembered answer with another checksum is refused, and nothing is done twice."""
    server = serve()
    problem = server.make()
    assert server.post(f"/problems/{problem}/decisions", idempotency_key="k").status_code == 201
    store = open_store(server.database)
    with store.transaction() as connection:
        connection.execute(update(answers).values(body=b"{}"))
    store.close()
    refused = server.post(f"/problems/{problem}/decisions", idempotency_key="k")
    assert refused.status_code == 500
    assert refused.json()["error"]["type"] == "Damaged"


def test_backup_and_restore_of_sqlite(serve: Callable[..., Served], tmp_path: Path) -> None:
    """A copy made while the server runs is a database like any other, for its owner alone, and goes on bit for bit."""
    server = serve(snapshot_every=7)
    problem = server.make()
    play(server, problem, 20)
    copy = tmp_path / "copy.db"
    runner, where = CliRunner(), ["--database", server.database]
    assert runner.invoke(app, ["serve", "backup", str(copy), *where]).exit_code == 0
    assert runner.invoke(app, ["serve", "backup", str(copy), *where]).exit_code == 2
    assert copy.stat().st_mode & 0o077 == 0
    restored = serve(f"sqlite:///{copy}")
    shutil.copy(copy, tmp_path / "again.db")
    _same(server, restored, problem)


def test_a_database_that_is_not_there_is_not_made(tmp_path: Path) -> None:
    """A name that is mistyped is refused: upkeep of an empty new file would say that all is well."""
    where = ["--database", f"sqlite:///{tmp_path}/none.db"]
    for command in (
        ["check"],
        ["compact"],
        ["backup", str(tmp_path / "copy.db")],
        ["key", "list"],
        ["key", "revoke", "x"],
    ):
        done = CliRunner().invoke(app, ["serve", *command, *where])
        assert (done.exit_code, list(tmp_path.iterdir())) == (2, [])
        assert "must be there" in done.output


@pytest.mark.postgres
def test_backup_and_restore_of_postgres(serve: Callable[..., Served], postgres: Any) -> None:
    """A dump made while the server runs goes into another database and goes on bit for bit."""
    server = serve(postgres.url, snapshot_every=7)
    problem = server.make()
    play(server, problem, 20)
    dump = [str(postgres.programs / "pg_dump"), "--format=custom", f"--dbname={postgres.url}"]
    data = subprocess.run(dump, capture_output=True, check=True, timeout=60).stdout
    store = open_store(postgres.url)
    with store.engine.connect().execution_options(isolation_level="AUTOCOMMIT") as connection:
        connection.execute(text("CREATE DATABASE restored"))
    store.close()
    other = postgres.url.rpartition("/")[0] + "/restored"
    restore = [str(postgres.programs / "pg_restore"), f"--dbname={other}"]
    subprocess.run(restore, input=data, check=True, timeout=60)
    _same(server, serve(other, lease_seconds=0.5), problem)


def _same(server: Served, restored: Served, problem: str) -> None:
    """Compare what two servers of one history do next; the copy first waits for the lease that it has copied."""
    server.stop()
    found = open_store(restored.database)
    assert isinstance(found, Store)
    assert check(found) == []
    found.close()
    mine = play(restored, problem, 10)
    restored.stop()
    server.start()
    assert play(server, problem, 10) == mine
