"""The page on adding an action set does what it says: its code runs, its command passes, and finds a fault."""

import re
import shlex
import subprocess
import sys
from pathlib import Path

import pytest

PAGE = Path(__file__).parents[2] / "docs" / "how_to" / "add_an_action_set.md"


def _blocks(language: str) -> list[str]:
    return re.findall(rf"^```{language}\n(.*?)^```$", PAGE.read_text(encoding="utf-8"), flags=re.MULTILINE | re.DOTALL)


def _run(command: list[str], where: Path) -> subprocess.CompletedProcess[str]:
    return subprocess.run(command, cwd=where, capture_output=True, text=True, check=False)


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """Return a folder with the set of the page saved under the name it gives."""
    skeleton = _blocks("python")[0]
    assert len(skeleton.strip().splitlines()) <= 26
    (tmp_path / "shifts.py").write_text(skeleton, encoding="utf-8")
    return tmp_path


def _command() -> list[str]:
    (line,) = _blocks("bash")
    words = shlex.split(line)
    assert words[0] == "python"
    return [sys.executable, *words[1:]]


def test_the_one_command_passes(folder: Path) -> None:
    """The command of the page, as printed, reports the checks it made on the set of the page."""
    done = _run(_command(), folder)
    assert done.returncode == 0, done.stderr
    assert "checks passed" in done.stdout
    assert "projection" in done.stdout


def test_the_one_command_finds_a_fault(folder: Path) -> None:
    """The same command on a set that breaks its own rule fails with one sentence of three parts."""
    skeleton = (folder / "shifts.py").read_text(encoding="utf-8")
    broken = skeleton.replace("action[list(best)] = 1", "action[[best[0], best[0] + 1]] = 1")
    assert broken != skeleton
    (folder / "shifts.py").write_text(broken, encoding="utf-8")
    done = _run(_command(), folder)
    assert done.returncode == 1
    assert re.search(r"ConformanceError: .* must .*: got .*\. ", done.stderr)


def test_the_other_blocks_run(folder: Path) -> None:
    """The test and the session of the page run as printed."""
    _, test, session, *_ = _blocks("python")
    code = f"{test}\ntest_shifts()\n{session}"
    done = _run([sys.executable, "-c", code], folder)
    assert done.returncode == 0, done.stderr
