"""A journal that begins anew while it is used: the caller does not wait for the disk, and no event is lost."""

import threading
from pathlib import Path
from typing import Any

import pytest

import swapregret as sr
from swapregret.errors import StorageError
from swapregret.files.storage import write_beside
from swapregret.sessions import open_journal
from swapregret.sessions import session as session_module
from swapregret.sessions.journal import read_journal
from swapregret.testing.player_checks import journal_of

EVERY = 20


@pytest.fixture(autouse=True)
def _soon(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(session_module, "_SNAPSHOT_EVERY", EVERY)


def player() -> Any:
    """Return a player whose state is small."""
    return sr.baselines.exp3(sr.MSets(4, 2), 1000)


def step(session: Any, days: int) -> None:
    """Play some days."""
    for day in range(days):
        session.act()
        session.observe(0.1 * (day % 10))


def wait(session: Any) -> None:
    """Wait until the new file is written."""
    journal_of(session).settle()  # type: ignore[union-attr]


@pytest.mark.parametrize("sync", [False, True])
def test_calls_go_on_while_the_snapshot_is_written(sync: bool, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """While the disk holds the snapshot up, events go to the old file; then the new one takes its place with all of them."""
    gate, path = threading.Event(), tmp_path / "x.journal"

    def held_up(*given: Any) -> Any:
        gate.wait(20)
        return write_beside(*given)

    monkeypatch.setattr(open_journal, "write_beside", held_up)
    plain: Any = sr.Session(player(), rng=1)
    with sr.Session(player(), rng=1, journal=path, sync=sync) as session:
        for each in (plain, session):
            step(each, 15)  # a renewal begins after 10
        assert len(read_journal(path).events) == 30
        assert sr.Session.load(path).snapshot() == plain.snapshot()
        gate.set()
        wait(session)
        for each in (plain, session):
            step(each, 3)
        assert len(read_journal(path).events) == 16  # the snapshot of day 10 and the events since
        assert sr.Session.load(path).snapshot() == plain.snapshot()
    again: Any = sr.Session(player(), journal=path)
    for each in (plain, again):
        step(each, 30)
    assert again.snapshot() == plain.snapshot()
    again.close()
    assert sr.Session.load(path).snapshot() == plain.snapshot()
    assert [each.name for each in tmp_path.iterdir()] == ["x.journal"]


def test_a_disk_that_fails_leaves_the_old_file(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Where the snapshot cannot be written the journal grows longer, and holds everything."""

    def full(*given: Any) -> Any:
        raise StorageError("the disk must take it", "no room", "Make room.")

    monkeypatch.setattr(open_journal, "write_beside", full)
    path = tmp_path / "x.journal"
    with sr.Session(player(), rng=1, journal=path) as session:
        for _ in range(5):
            step(session, 10)
            wait(session)
        assert len(read_journal(path).events) == 100
        assert sr.Session.load(path).snapshot() == session.snapshot()
    assert [each.name for each in tmp_path.iterdir()] == ["x.journal"]


def test_closing_in_between_leaves_nothing_behind(tmp_path: Path) -> None:
    """A session that is closed while its journal begins anew leaves the old file, whole, and nothing beside it."""
    path = tmp_path / "x.journal"
    with sr.Session(player(), rng=1, journal=path) as session:
        step(session, 10)
        last = session.snapshot()
    assert [each.name for each in tmp_path.iterdir()] == ["x.journal"]
    assert sr.Session.load(path).snapshot() == last
