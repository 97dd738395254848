"""``swapregret journal``: what a journal holds, and how the exact part of a damaged one is saved."""

import json
from pathlib import Path
from typing import Any

import pytest
from typer.testing import CliRunner

import swapregret as sr
from swapregret.cli import app
from swapregret.sessions import journal as journal_module
from swapregret.sessions.events import ACT, Event

RUN = CliRunner()


def player() -> Any:
    """Return a player without compiled code."""
    return sr.baselines.uniform(sr.MSets(4, 2))


@pytest.fixture
def path(tmp_path: Path) -> Path:
    """Write a journal of six days, one of them skipped, and two open decisions."""
    found = tmp_path / "j"
    session = sr.Session(player(), rng=3, journal=found, max_open=3)
    for day in range(6):
        session.act()
        if day == 4:
            session.skip()
        else:
            session.observe(0.5)
    session.act()
    session.act()
    session.close()
    return found


def check(path: Path) -> tuple[int, dict[str, object]]:
    """Return the exit status and the report."""
    done = RUN.invoke(app, ["journal", "check", str(path), "--json"])
    return done.exit_code, json.loads(done.stdout) if done.stdout else {}


def starts(data: bytes) -> list[int]:
    """Return where each record begins."""
    found = [data.index(b"\n") + 1]
    while found[-1] < len(data):
        found.append(found[-1] + 12 + int.from_bytes(data[found[-1] : found[-1] + 4], "little"))
    return found


def test_a_sound_journal(path: Path) -> None:
    """Days, open decisions and the snapshot are told, in words and as JSON, and the file is left alone."""
    before = path.read_bytes()
    status, told = check(path)
    assert status == 0
    wanted = {"n_events": 14, "n_days": 6, "n_skipped": 1, "open_days": [6, 7], "snapshot_day": 0, "tail": 0}
    assert wanted.items() <= told.items()
    assert (told["damage"], told["replay"]) == (None, "exact")
    done = RUN.invoke(app, ["journal", "check", str(path)])
    assert done.exit_code == 0
    assert "6, 1 of them skipped" in done.stdout
    assert "day 6, day 7" in done.stdout
    assert path.read_bytes() == before


def test_a_torn_tail_is_no_damage(path: Path) -> None:
    """The beginning of a record is told as a torn tail; repair leaves it out."""
    data = path.read_bytes()
    path.write_bytes(data[:-5])
    status, told = check(path)
    assert (status, told["n_events"], told["open_days"], told["damage"]) == (0, 13, [6], None)
    assert told["tail"] == len(data) - 5 - starts(data)[-2]


def test_repair_saves_what_comes_before_the_damage(path: Path) -> None:
    """A flipped bit in the middle: check says where, with status 1; repair writes the events before it, which go on."""
    data = bytearray(path.read_bytes())
    place = starts(data)[8]
    data[place + 14] ^= 1
    path.write_bytes(data)
    status, told = check(path)
    assert status == 1
    assert told["damage"] == f"an altered record at byte {place}"
    done = RUN.invoke(app, ["journal", "repair", str(path)])
    assert done.exit_code == 0, done.output
    mended = path.with_name("j.repaired")
    assert mended.read_bytes() == data[:place]
    assert path.read_bytes() == data
    session = sr.Session(player(), journal=mended, max_open=3)
    assert (session.day, len(session.open_decisions)) == (3, 1)
    session.close()
    again = RUN.invoke(app, ["journal", "repair", str(path)])
    assert again.exit_code == 2
    assert "new file" in again.stderr


def test_renewing_leaves_nothing_to_play_again(path: Path) -> None:
    """A renewed journal begins with a snapshot of the end of the old one, and goes on as that would, bit for bit."""
    done = RUN.invoke(app, ["journal", "renew", str(path)])
    assert done.exit_code == 0, done.output
    renewed = path.with_name("j.renewed")
    assert "j.renewed" in done.stdout
    status, told = check(renewed)
    assert (status, told["n_events"], told["snapshot_day"], told["open_days"]) == (0, 0, 6, [6, 7])
    with (
        sr.Session(player(), journal=path, max_open=3) as old,
        sr.Session(player(), journal=renewed, max_open=3) as new,
    ):
        assert new.snapshot() == old.snapshot()
        assert new.act().elements == old.act().elements


def test_events_that_do_not_replay_are_left_out(path: Path, tmp_path: Path) -> None:
    """Records that are whole but lead elsewhere end the exact part."""
    found = journal_module.scan_journal(path)
    assert found.snapshot is not None
    wrong = [*found.events[:6], Event(ACT, 3, "00"), *found.events[7:]]
    journal_module.write_journal(tmp_path / "wrong", found.snapshot, wrong)
    status, told = check(tmp_path / "wrong")
    assert status == 1
    assert told["damage"] == "event 6 does not replay"
    assert (
        RUN.invoke(app, ["journal", "repair", str(tmp_path / "wrong"), "--out", str(tmp_path / "new")]).exit_code == 0
    )
    assert sr.Session.load(tmp_path / "new").day == 3


@pytest.mark.parametrize("content", [b"", b"my notes", b"swapregret journal 3\n", b"swapregret journal 4\nxxxx"])
def test_what_is_no_journal_is_refused(tmp_path: Path, content: bytes) -> None:
    """An empty file, another file, one without a snapshot, a later version: one sentence and status 2."""
    (tmp_path / "j").write_bytes(content)
    for what in ("check", "repair", "renew"):
        done = RUN.invoke(app, ["journal", what, str(tmp_path / "j")])
        assert done.exit_code == 2
        assert "must" in done.stderr
        assert "Traceback" not in done.output
    assert [each.name for each in tmp_path.iterdir()] == ["j"]


@pytest.mark.parametrize("words", [["burn", "x"], ["check", "nowhere"], ["check", "x", "--out", "y"]])
def test_wrong_calls(words: list[str]) -> None:
    """A word that is neither, a path that is not there, an option that belongs to the other."""
    assert RUN.invoke(app, ["journal", *words]).exit_code == 2
