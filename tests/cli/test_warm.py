"""``swapregret warm``: what it compiles is not compiled again."""

import io
import json
import os
import subprocess
import sys
import time
from pathlib import Path

import pytest
from typer.testing import CliRunner

import swapregret as sr
from swapregret.cli import app
from swapregret.cli.console import status_console, watch_compiling
from swapregret.compiled import cache_place
from swapregret.experiments.forecast import warm_up

runner = CliRunner()


@pytest.mark.parametrize("feedback", ["bandit", "semi-bandit", "full"])
def test_every_feedback_can_be_warmed(feedback: str) -> None:
    """The days of warming are ones that the player accepts."""
    warm_up(sr.swap_combcp(sr.MSets(6, 2), 1000, preset="multiscale", feedback=feedback), days=20)


def test_what_was_warmed_is_loaded(tmp_path: Path) -> None:
    """With a cache of its own, the first process compiles and counts; the second compiles nothing."""
    code = (
        "import swapregret as sr; from swapregret.cli.console import watch_compiling;"
        "from swapregret.experiments.forecast import warm_up\n"
        "with watch_compiling() as n_new: warm_up(sr.baselines.uniform(sr.MSets(4, 2)), days=10); print(n_new())"
    )
    settings = os.environ | {"NUMBA_CACHE_DIR": str(tmp_path)}
    counts = []
    for _ in range(2):
        done = subprocess.run([sys.executable, "-c", code], env=settings, capture_output=True, text=True, check=True)
        counts.append(int(done.stdout))
        assert f"{counts[-1]} functions compiled in " in done.stderr
    assert counts[0] == len(list(tmp_path.rglob("*.nbc"))) > 0
    assert counts[1] == 0


def test_a_sentence_says_what_is_ready() -> None:
    """Set, preset, feedback, functions, seconds and folder."""
    arguments = ["warm", "--set", "msets 5 2", "--preset", "multiscale", "--horizon", "1e3"]
    result = runner.invoke(app, arguments)
    assert result.exit_code == 0, result.output
    assert "msets 5 2, multiscale, bandit feedback: " in result.stdout
    told = json.loads(runner.invoke(app, [*arguments, "--json"]).stdout)
    assert set(told) == {"compiled", "seconds", "folder"}
    assert told["compiled"] == 0


def test_progress_says_how_many(monkeypatch: pytest.MonkeyPatch) -> None:
    """On a terminal a line counts what was compiled."""
    screen, done = io.StringIO(), {"before"}
    monkeypatch.setattr(cache_place, "compiled_files", lambda: set(done))
    monkeypatch.setattr(status_console, "_file", screen)
    monkeypatch.setattr(status_console, "_force_terminal", True)
    monkeypatch.setattr("swapregret.cli.console._COUNT_SECONDS", 0.01)
    monkeypatch.setattr(status_console, "is_interactive", True)
    monkeypatch.setenv("TERM", "xterm")
    monkeypatch.setenv("COLUMNS", "100")
    with watch_compiling() as n_new:
        for name in "abcde":
            done.add(name)
            deadline = time.monotonic() + 10.0
            while f"{len(done) - 1} functions" not in screen.getvalue() and time.monotonic() < deadline:
                time.sleep(0.01)
        assert n_new() == 5
    shown = screen.getvalue()
    assert "4 functions" in shown
    assert "5 functions compiled in " in shown
