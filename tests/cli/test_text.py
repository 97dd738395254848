"""Text from users is text: no tag, emoji or control character of theirs acts on the terminal."""

import ast
import io
import re
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from rich.progress import Progress
from rich.table import Table
from typer.testing import CliRunner

import swapregret.cli
from swapregret.cli import app, sentence_of
from swapregret.cli.console import WordsColumn, plain, status_console, styled
from swapregret.cli.console import console as results_console
from swapregret.errors import InvalidInput

runner = CliRunner()
NAMES = ["[/foo]", "[/bold] x", "[/dim]x", "swapregret[cluster]", "root:x:0", ":smile:", "[red]", "\\[x]", "a[link=b]c"]
ACTS = "\x1b]0;title\x07\x1b[31mred\r\x08\x9b2J\u202egnp"


def seen(thing: object, width: int = 60) -> str:
    """Return what the console would show of a thing."""
    made = type(results_console)()
    made.file, made.width = io.StringIO(), width
    made.print(thing)
    return made.file.getvalue()


@pytest.mark.parametrize("name", NAMES)
def test_what_is_printed_is_what_was_given(name: str) -> None:
    """In a line, a styled part, a title, a heading, a cell and a bar, a name reads as it is spelt."""
    table = Table(title=name)
    table.add_column(name)
    table.add_row(name)
    assert seen(name).strip() == name
    assert seen(styled(("error", "bold red"), f": {name}")).strip() == f"error: {name}"
    assert seen(table).count(name) == 3
    bar = Progress(WordsColumn(), WordsColumn("left"), console=results_console)
    bar.add_task(name, left=name)
    assert seen(bar.get_renderable()).count(name) == 2


@settings(max_examples=50)
@given(st.text(max_size=30))
def test_no_text_acts_on_the_terminal(text: str) -> None:
    """Whatever the characters, nothing but printable ones, tabs and line feeds come out, and plain() is at rest there."""
    shown = plain(text)
    assert not re.search("[\x00-\x08\x0b-\x1f\x7f-\x9f\u202a-\u202e\u2066-\u2069]", shown)
    assert plain(shown) == shown
    shown.encode("utf-8")
    assert not re.search("[\x00-\x08\x0b-\x1f\x7f-\x9f]", seen(text))


@pytest.mark.parametrize(
    "arguments",
    [
        ["results", "{}"],
        ["report", "{}"],
        ["run", "{}"],
        ["game", "{}"],
        ["audit", "{}", "--set", "msets 3 1"],
        ["plan", "--set", "{}", "--horizon", "100"],
        ["plan", "--set", "msets 4 2", "--horizon", "{}"],
        ["plan", "--set", "msets 4 2", "--horizon", "100", "--preset", "{}"],
        ["warm", "--set", "msets 4 2", "--feedback", "{}"],
        ["{}"],
        ["demo", "--{}"],
    ],
)
@pytest.mark.parametrize("name", ["[/foo]", "root:x:0", ACTS])
def test_every_command_survives_a_hostile_argument(arguments: list[str], name: str) -> None:
    """Status 2, the argument as it was spelt, no traceback, and no control character."""
    result = runner.invoke(app, [each.format(name) for each in arguments], env={"COLUMNS": "200"})
    assert result.exit_code == 2, result.output
    assert "Traceback" not in result.output
    assert not re.search("[\x00-\x08\x0b-\x1f\x7f-\x9f\u202e]", result.output)
    if name != ACTS:
        assert name in result.output


def test_columns_and_labels_of_a_log_are_shown_as_they_are(tmp_path: Path) -> None:
    """A CSV column and a label with tags, colons and escapes are read and printed."""
    log = tmp_path / "log.csv"
    log.write_text("action,reward:[/dim]x,reward:root:x:0,n\x1b[31m\n[/dim]x,0,1,5\n", encoding="utf-8")
    result = runner.invoke(app, ["audit", str(log), "--set", "msets 2 1 labels=[/dim]x,root:x:0"])
    assert result.exit_code == 0, result.output
    assert "when you chose {[/dim]x}, {root:x:0} would have earned +1" in " ".join(result.output.split())
    assert r"n\x1b[31m" in result.output
    assert "\x1b" not in result.output


def test_a_player_may_be_called_anything(tmp_path: Path) -> None:
    """Names of players, worlds and the experiment go through run, results and a failure."""
    spec, out = tmp_path / "spec.toml", tmp_path / "out"
    spec.write_text(
        'name = "[/x]"\nhorizons = 60\nsets = ["msets 5 2", "msets 30 10"]\nenvironments = {kind = "iid", name = ":x:"}\n'
        'players = [{kind = "uniform", name = "[/bold] x"}, {kind = "exp3", name = "\\u001b[31mred"}]\n',
        encoding="utf-8",
    )
    made = runner.invoke(app, ["run", str(spec), "--out", str(out), "--jobs", "1"], env={"COLUMNS": "200"})
    assert made.exit_code == 1, made.output
    table = runner.invoke(app, ["results", str(out)], env={"COLUMNS": "200"})
    assert table.exit_code == 0, table.output
    for output in (made.output, table.output):
        assert "\x1b" not in output
        assert r"\x1b[31mred" in output
    assert "[/bold] x" in table.output
    assert "| :x: |" in table.output


def test_the_bracket_of_an_extra_stays(monkeypatch: pytest.MonkeyPatch) -> None:
    """What must be typed to install an extra is printed whole, with status 2, also where a module is missing unforeseen."""

    def fail(*_: object, **__: object) -> None:
        raise ModuleNotFoundError(name="dask.array")

    monkeypatch.setattr("swapregret.experiments.forecast.make_plan", fail)
    result = runner.invoke(app, ["plan", "--set", "msets 4 2", "--horizon", "100"])
    assert result.exit_code == 2
    assert 'pip install "swapregret[cluster]"' in " ".join(result.output.split())


def test_what_is_nobodys_error_stays_an_error() -> None:
    """Only errors of usage, of the library, of files, memory and missing extras become a sentence."""
    assert sentence_of(ZeroDivisionError()) is None
    assert sentence_of(ModuleNotFoundError(name="nowhere")) is None
    assert sentence_of(InvalidInput("x must be there", "nothing", "Add it.")) == "x must be there: got nothing. Add it."


def test_nobody_goes_round_the_console() -> None:
    """No module of the command line parses markup, makes a console of its own or a Text from a string."""
    forbidden = {"from_markup", "markup", "Console", "TextColumn", "escape_markup"}
    for path in Path(swapregret.cli.__file__).parent.glob("*.py"):
        if path.name == "console.py":
            continue
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
            name = getattr(node, "attr", None) or getattr(node, "id", None) or getattr(node, "arg", None)
            assert name not in forbidden, f"{path.name}: {name}"
            if isinstance(node, ast.Call):
                assert getattr(node.func, "id", None) != "Text", f"{path.name}: use styled()"
    assert status_console.render_str("[b]x[/b]").plain == "[b]x[/b]"
