"""The command line as a whole: what it lists, what it loads."""

import subprocess
import sys

import pytest
from typer.testing import CliRunner

from swapregret.cli import COMMANDS, app

runner = CliRunner()
PLAN = ["plan", "--set", "msets 4 2", "--horizon", "100"]


def test_every_command_is_listed_and_explains_itself() -> None:
    """The help lists every command, and each has a help of its own with an example."""
    listed = runner.invoke(app, ["--help"]).output
    for name in COMMANDS:
        assert f" {name} " in listed
        result = runner.invoke(app, [name, "--help"])
        assert result.exit_code == 0
        assert "Example" in result.output, name


def test_an_unknown_command_is_refused() -> None:
    """A command that does not exist ends with status 2 and names it."""
    result = runner.invoke(app, ["dmo"])
    assert result.exit_code == 2
    assert "dmo" in result.output


def test_one_command_does_not_load_what_another_needs() -> None:
    """Asking for the help of the demo loads neither Numba nor the modules of other commands."""
    code = (
        "import sys; from typer.testing import CliRunner; from swapregret.cli import app;"
        "assert CliRunner().invoke(app, ['demo', '--help']).exit_code == 0;"
        "print([name for name in ('numba', 'scipy.stats', 'polars', 'swapregret.cli.log_commands') if name in sys.modules])"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "[]"


@pytest.mark.parametrize("words", [["--help"], PLAN, [*PLAN, "--json"]])
def test_a_closed_pipe_ends_a_command_quietly(words: list[str]) -> None:
    """Where nobody reads what is printed, help, tables and JSON end with the status of a closed pipe and say nothing of it."""
    program = [sys.executable, "-m", "swapregret", *words]
    with subprocess.Popen(program, stdout=subprocess.PIPE, stderr=subprocess.PIPE) as running:
        assert running.stdout is not None
        assert running.stderr is not None
        running.stdout.close()
        said = running.stderr.read()
        assert running.wait() == 141
    assert not [word for word in (b"rror", b"Traceback", b"ipe") if word in said], said
