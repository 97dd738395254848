"""Compiled code is kept where only its owner can write."""

import os
import stat
import subprocess
import sys
import tempfile
from pathlib import Path

import pytest

from swapregret.compiled.cache_place import cache_place


@pytest.fixture
def homeless(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Be a user without a home and with a package that cannot be written to: the temporary folder is what is left."""
    monkeypatch.setenv("HOME", "/nonexistent")
    monkeypatch.delenv("XDG_CACHE_HOME", raising=False)
    monkeypatch.setattr(tempfile, "tempdir", str(tmp_path))
    real = os.access
    monkeypatch.setattr(os, "access", lambda path, mode: str(path) != "/package" and real(path, mode))
    monkeypatch.setattr(Path, "home", lambda: Path("/proc/nonexistent"))
    return tmp_path


def test_what_is_given_and_what_can_be_written_come_first(tmp_path: Path) -> None:
    """NUMBA_CACHE_DIR is taken as it is, then the folder of the package."""
    assert cache_place(tmp_path, "/somewhere") == Path("/somewhere")
    assert cache_place(tmp_path) == tmp_path / "__pycache__" / "compiled"


def test_the_cache_of_the_user(homeless: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A package that cannot be written to leaves the user's cache folder, which is made."""
    monkeypatch.setenv("XDG_CACHE_HOME", str(homeless / "cache"))
    assert cache_place(Path("/package")) == homeless / "cache" / "swapregret" / "compiled"
    assert (homeless / "cache" / "swapregret" / "compiled").is_dir()


def test_without_a_home_a_closed_folder_and_one_warning(homeless: Path) -> None:
    """The folder is the user's, mode 0700, the same the next time; the warning names NUMBA_CACHE_DIR."""
    with pytest.warns(RuntimeWarning, match="NUMBA_CACHE_DIR") as told:
        place = cache_place(Path("/package"))
    assert len(told) == 1
    assert place == homeless / f"swapregret-{os.getuid()}"
    assert stat.S_IMODE(place.stat().st_mode) == 0o700
    with pytest.warns(RuntimeWarning):
        assert cache_place(Path("/package")) == place


@pytest.mark.parametrize("kind", ["open", "link", "file"])
def test_a_folder_that_others_could_have_laid_is_not_used(homeless: Path, kind: str) -> None:
    """A folder that others can enter, a link, a file: another folder is taken, closed and new."""
    place = homeless / f"swapregret-{os.getuid()}"
    if kind == "open":
        place.mkdir()
        place.chmod(0o777)
    elif kind == "link":
        (homeless / "theirs").mkdir(mode=0o700)
        place.symlink_to(homeless / "theirs")
    else:
        place.write_text("mine")
    with pytest.warns(RuntimeWarning):
        found = cache_place(Path("/package"))
    assert found != place
    assert found.parent == homeless
    assert stat.S_IMODE(found.stat().st_mode) == 0o700


def test_a_folder_of_another_user_is_not_used(homeless: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The owner is looked at, not only the permissions."""
    place = homeless / f"swapregret-{os.getuid()}"
    place.mkdir(mode=0o700)
    owner = os.getuid()
    monkeypatch.setattr(os, "getuid", lambda: owner + 1)
    place.rename(homeless / f"swapregret-{owner + 1}")
    with pytest.warns(RuntimeWarning):
        assert cache_place(Path("/package")) != homeless / f"swapregret-{owner + 1}"


def test_kernels_ask_for_this_place(tmp_path: Path) -> None:
    """The folder of compiled code lies in NUMBA_CACHE_DIR where that is set."""
    code = "from swapregret.compiled.cache_place import cache_folder; print(cache_folder())"
    told = subprocess.run(
        [sys.executable, "-c", code],
        env=os.environ | {"NUMBA_CACHE_DIR": str(tmp_path)},
        capture_output=True,
        text=True,
        timeout=120,
        check=True,
    )
    assert told.stdout.startswith(str(tmp_path))
