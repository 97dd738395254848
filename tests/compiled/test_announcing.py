"""Compiling is never silent: a line when it begins, a line when it ends, and counts that are true."""

import io
import os
import subprocess
import sys
from pathlib import Path
from types import SimpleNamespace

import pytest

from swapregret.compiled import announcing
from swapregret.compiled.announcing import Announcer

_SCRIPT = """
import logging
import sys
import numpy as np
from swapregret.actions.m_sets.kernels import subsets
from swapregret.compiled import announcing
announcing._PATIENCE = 0.01
announcing._EVERY = 0.02
if sys.argv[1] == "info":
    logging.basicConfig(level=logging.INFO, stream=sys.stdout)
    announcing.announcer.is_shown_elsewhere = True
subsets.round_to_units(np.array([0.5, 0.5]), 1)
"""


def _told(cache: Path, kind: str = "plain") -> subprocess.CompletedProcess[str]:
    environment = os.environ | {"NUMBA_CACHE_DIR": str(cache)}
    run = [sys.executable, "-c", _SCRIPT, kind]
    return subprocess.run(run, env=environment, capture_output=True, text=True, check=True, timeout=120)


def test_a_program_without_a_terminal_says_what_it_waits_for(tmp_path: Path) -> None:
    """Two lines on standard error the first time, the second with the number of files there are; none the second time."""
    began, ended = _told(tmp_path).stderr.splitlines()
    n_compiled = len(list(tmp_path.rglob("*.nbc")))
    assert n_compiled > 0
    assert began == "compiling, once on this machine: this can take a minute"
    assert ended.startswith(f"{n_compiled} functions compiled in ")
    assert _told(tmp_path).stderr == ""


def test_where_another_shows_it_the_log_still_has_it(tmp_path: Path) -> None:
    """The two lines are there at the level INFO."""
    told = _told(tmp_path, "info")
    assert [line.split(":")[:2] for line in told.stdout.splitlines()] == [["INFO", "swapregret.compiled"]] * 2
    assert told.stderr == ""


@pytest.mark.parametrize("where", ["terminal", "notebook"])
def test_on_terminals_and_in_notebooks_a_line_counts(where: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """What others compile is not counted; the line is wiped when all is compiled, and the log has no warning."""
    screen = io.StringIO()
    monkeypatch.setattr(screen, "isatty", lambda: where == "terminal")
    if where == "notebook":
        monkeypatch.setitem(sys.modules, "ipykernel", None)
    monkeypatch.setattr(sys, "stderr", screen)
    monkeypatch.setattr(announcing, "_PATIENCE", 0.0)
    monkeypatch.setattr(announcing, "_EVERY", 0.01)
    made = Announcer()
    ours, theirs = (SimpleNamespace(data={"dispatcher": SimpleNamespace(is_kernel=own)}) for own in (True, False))
    made.on_start(theirs)
    assert made._watcher is None
    for each in (ours, ours, theirs):
        made.on_start(each)
    made.on_end(ours)
    while "1 functions" not in screen.getvalue():
        pass
    made.on_end(ours)
    made.finish()
    assert made.n_done == 2
    assert "\rCompiling, once: 1 functions in 0 s" in screen.getvalue()
    assert screen.getvalue().endswith(" \r")


def test_warm_takes_a_set_or_all() -> None:
    """Neither and both are refused; all are the sets of every kind that has a word."""
    from typer.testing import CliRunner

    from swapregret.cli import app
    from swapregret.experiments.forecast import every_kind_of_set
    from swapregret.registry import FORMS

    for arguments, came in ((["warm"], "neither"), (["warm", "--set", "msets 4 2", "--all"], "both")):
        result = CliRunner().invoke(app, arguments)
        assert result.exit_code != 0
        assert f"warm must be given a set or --all: got {came}" in " ".join(result.stderr.split())
    assert {name for name, _ in FORMS.values()} <= {type(each).__name__ for each in every_kind_of_set()}
