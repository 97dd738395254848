"""Help: there for -h and --help, whole at every width, and without waiting for the library."""

import re
import subprocess
import sys
from collections.abc import Iterator
from typing import Any

import pytest
import typer
from rich.text import Text
from typer.testing import CliRunner

import swapregret
from swapregret.cli import COMMANDS, app
from swapregret.cli.options import PRESET_NAMES
from swapregret.cli.paper_commands import WORLD_NAMES
from swapregret.experiments.paper_table1 import WORLDS
from swapregret.learners.ingredients import PRESETS

runner = CliRunner()
_FRAMES = re.compile(r"[│╭╮╰╯─]")


def words(text: str) -> list[str]:
    """Return the words of a printed help, without frames."""
    return _FRAMES.sub(" ", text).split()


@pytest.mark.parametrize("command", [(), *((name,) for name in COMMANDS)], ids=lambda each: " ".join(each) or "all")
@pytest.mark.parametrize("width", [60, 80, 120])
def test_help_fits_every_width(command: tuple[str, ...], width: int) -> None:
    """No line is longer than the terminal, and every word of a very wide help is there, in whatever order it wraps."""
    shown = runner.invoke(app, [*command, "-h"], env={"COLUMNS": str(width)})
    whole = runner.invoke(app, [*command, "--help"], env={"COLUMNS": "400"})
    assert (shown.exit_code, whole.exit_code) == (0, 0)
    assert max(map(len, shown.output.splitlines())) <= width
    assert "…" not in set(words(shown.output)) - set(words(whole.output))
    assert sorted("".join(words(shown.output))) == sorted("".join(words(whole.output)))


def texts_of(command: Any) -> Iterator[str]:
    """Yield every help text of a command, of its options and of its own commands."""
    yield from filter(None, [command.help, *(getattr(parameter, "help", None) for parameter in command.params)])
    for each in getattr(command, "commands", {}).values():
        yield from texts_of(each)


@pytest.mark.parametrize("name", COMMANDS)
def test_no_word_of_a_help_is_taken_for_markup(name: str) -> None:
    """Text in square brackets would be read as a style and disappear: what is written is what is shown."""
    group: Any = typer.main.get_command(app)
    for text in texts_of(group.get_command(None, name)):
        assert Text.from_markup(text).plain == text


def test_a_paragraph_wraps_where_the_terminal_ends() -> None:
    """Not where the source did."""
    shown = runner.invoke(app, ["run", "-h"], env={"COLUMNS": "400"}).output
    assert "unless `capacity` says otherwise. Add what its player keeps" in shown


def test_the_version_is_told() -> None:
    """--version prints one line."""
    result = runner.invoke(app, ["--version"])
    assert (result.exit_code, result.output) == (0, f"swapregret {swapregret.__version__}\n")


@pytest.mark.parametrize("arguments", ["['--help']", *(f"['{name}', '--help']" for name in COMMANDS)])
def test_help_loads_no_library(arguments: str) -> None:
    """Neither NumPy nor anything that needs it: what is loaded is what takes the time."""
    heavy = ["numpy", "scipy", "numba", "polars", "plotly", "pydantic", "joblib", "distributed", "swapregret.public"]
    code = (
        "import sys; from typer.testing import CliRunner; from swapregret.cli import app;"
        f"assert CliRunner().invoke(app, {arguments}).exit_code == 0;"
        f"print([name for name in {heavy!r} if name in sys.modules])"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "[]"


def test_the_words_of_the_help_are_those_of_the_library() -> None:
    """The help names them without loading the library."""
    assert (
        tuple(sorted(set(PRESETS) - {"ladder"})) == PRESET_NAMES
    )  # which needs no horizon, so nothing is planned for it
    assert tuple(sorted(WORLDS)) == WORLD_NAMES


@pytest.mark.parametrize(
    ("arguments", "meant"),
    [
        (["dmo"], "demo"),
        (["reslts"], "results"),
        (["journal", "chek", "x.journal"], "check"),
        (["plan", "--set", "mset 5 2", "--horizon", "100"], "msets"),
        (["warm", "--set", "permutation 4"], "permutations"),
        (["audit", "x.csv", "--set", "path x.csv s t"], "paths"),
        (["plan", "--set", "msets 5 2", "--horizon", "100", "--preset", "adaptve"], "adaptive"),
        (["warm", "--set", "msets 5 2", "--feedback", "semibandit"], "semi-bandit"),
    ],
)
def test_a_misspelt_word_gets_the_one_that_was_meant(arguments: list[str], meant: str) -> None:
    """Commands, sets, presets, feedbacks and options: status 2 and a suggestion."""
    result = runner.invoke(app, arguments)
    assert result.exit_code == 2
    assert f"Did you mean '{meant}'?" in " ".join(result.output.split())


def test_a_misspelt_option_gets_the_one_that_was_meant() -> None:
    """Options too."""
    assert "--horizon" in runner.invoke(app, ["plan", "--horzon", "100"]).output.partition("Usage")[0]
