"""A journal that is taken away from under an open session: noticed before the next event is written where nobody reads it."""

import os
import shutil
from collections.abc import Callable
from pathlib import Path

import pytest

import swapregret as sr
from swapregret.errors import StorageError

Spoil = Callable[[Path], object]
SPOILS: dict[str, Spoil] = {
    "renamed": lambda path: path.rename(path.with_suffix(".old")),
    "removed": lambda path: path.unlink(),
    "cut": lambda path: os.truncate(path, path.stat().st_size - 5),
    "emptied": lambda path: path.write_bytes(b""),
    "zeroed": lambda path: path.write_bytes(bytes(path.stat().st_size)),
    "longer": lambda path: path.write_bytes(path.read_bytes() + b"x"),
    "replaced": lambda path: os.replace(shutil.copy(path, path.with_suffix(".copy")), path),
}


def step(session: "sr.Session[object]", days: int) -> None:
    """Play some days."""
    for _ in range(days):
        session.act()
        session.observe(0.5)


@pytest.mark.parametrize("how", SPOILS)
@pytest.mark.parametrize("call", ["act", "observe", "skip"])
def test_a_journal_that_is_not_there_any_more(how: str, call: str, tmp_path: Path) -> None:
    """The call is refused with the reason, the session is as it was and can be saved; put back, the journal goes on."""
    path = tmp_path / "x.journal"
    session: sr.Session[object] = sr.Session(sr.baselines.uniform(sr.MSets(4, 2)), rng=1, journal=path)
    step(session, 3)
    if call != "act":
        session.act()
    before, kept = session.snapshot(), tmp_path / "kept"
    os.link(path, kept)  # the file itself, under another name
    data = path.read_bytes()
    SPOILS[how](path)
    for _ in range(2):
        with pytest.raises(StorageError, match="must stay as its session left it"):
            session.observe(0.5) if call == "observe" else getattr(session, call)()
    session.save(tmp_path / "x.session")
    assert session.snapshot() == before == sr.Session.load(tmp_path / "x.session").snapshot()
    os.truncate(kept, len(data))
    with open(kept, "r+b") as file:
        file.write(data)
    path.unlink(missing_ok=True)
    os.link(kept, path)
    step(session, 3) if call == "act" else session.skip()
    session.close()
    assert sr.Session.load(path).snapshot() == session.snapshot()


def test_a_journal_that_was_only_touched(tmp_path: Path) -> None:
    """A newer time alone is no damage: the file is read once, and the session goes on."""
    path = tmp_path / "x.journal"
    session: sr.Session[object] = sr.Session(sr.baselines.uniform(sr.MSets(4, 2)), rng=1, journal=path)
    step(session, 3)
    os.utime(path)
    step(session, 3)
    session.close()
    assert sr.Session.load(path).day == 6


def test_another_working_folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A path that was relative means the same file when the process has gone to another folder."""
    monkeypatch.chdir(tmp_path)
    session: sr.Session[object] = sr.Session(sr.baselines.uniform(sr.MSets(4, 2)), rng=1, journal="x.journal")
    step(session, 2)
    monkeypatch.chdir("/")
    step(session, 2)
    session.close()
    assert sr.Session.load(tmp_path / "x.journal").day == 4
