"""The shell blocks of the tutorial, run in order from an empty folder, with an experiment made small."""

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest
from typer.testing import CliRunner

from swapregret.cli import app
from swapregret.results import load_experiment

runner = CliRunner()

PAGE = Path(__file__).parents[2] / "docs" / "tutorial.md"
_NOT_HERE = ("make ", "source ", "swapregret --install-completion", "swapregret plan")
"""Lines that set up a machine, and one that times it: tests/cli/test_plan.py has that command."""
_SMALL = (
    "sed -i 's/^horizons = .*/horizons = [200]/; s/^replications = .*/replications = 2/; s/^phases = .*/phases = 7/;"
    ' s/^preset = .*/preset = "multiscale"/\' spec.toml'
)
"""Applied to what `init` wrote."""


def lines_of(page: str) -> list[str]:
    """Return the shell lines of the page."""
    blocks = [part.partition("\n```")[0] for part in page.split("```bash\n")[1:]]
    return [line for block in blocks for line in block.splitlines() if line and not line.startswith(_NOT_HERE)]


def test_the_starter_has_the_runs_the_tutorial_counts(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The number of runs in the text is that of the spec `init` writes."""
    monkeypatch.chdir(tmp_path)
    assert runner.invoke(app, ["init", "spec.toml"]).exit_code == 0
    told = json.loads(runner.invoke(app, ["run", "spec.toml", "--dry", "--json"]).stdout)["runs"]
    assert f"are {told} runs" in " ".join(PAGE.read_text(encoding="utf-8").split())


def test_the_commands_of_the_tutorial_lead_to_a_report(tmp_path: Path) -> None:
    """From `init` to `report`, every line works as printed, and there is a report in the end."""
    lines = lines_of(PAGE.read_text(encoding="utf-8"))
    assert [line.split()[1] for line in lines if line.startswith("swapregret")] == [
        "init",
        "run",
        "run",
        "results",
        "report",
    ]
    begin = lines.index("swapregret init spec.toml")
    script = [
        "set -euo pipefail",
        f'python() {{ {sys.executable} "$@"; }}',
        "swapregret() { python -c 'from swapregret.cli import app; app()' \"$@\"; }",
        *lines[: begin + 1],
        _SMALL,
        *lines[begin + 1 :],
    ]
    done = subprocess.run(
        ["bash", "-c", "\n".join(script)],
        cwd=tmp_path,
        env=os.environ | {"COLUMNS": "120"},
        capture_output=True,
        text=True,
        timeout=900,
        check=False,
    )
    assert done.returncode == 0, done.stdout + done.stderr
    experiment = load_experiment(tmp_path / "tutorial" / "campaign")
    assert len(experiment.finished) == len(experiment.runs) > 0
    assert "single learner" in done.stdout
    page = (tmp_path / "tutorial" / "report.html").read_text(encoding="utf-8")
    assert "<html" in page
    assert "msets 6 2" in page
