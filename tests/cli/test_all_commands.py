"""What holds for every command, whoever adds one."""

import re
import sys
from pathlib import Path
from typing import Any

import pytest
import typer
from typer.testing import CliRunner

from swapregret.cli import COMMANDS, app

ROOT = Path(__file__).parents[2]
PAGE = (ROOT / "docs" / "cli.md").read_text(encoding="utf-8")
runner = CliRunner()


def plain(text: str) -> str:
    """Return a printed help without frames and breaks."""
    return " ".join(re.sub(r"[│╭╮╰╯─]", " ", text).split())


def options_of(name: str) -> set[str]:
    """Return the options that the help of a command, or of one of its own commands, shows."""
    group: Any = typer.main.get_command(app)
    found = group.get_command(None, name)
    parameters = [each for command in (found, *_inner(found)) for each in command.params]
    return {option for each in parameters if not getattr(each, "hidden", False) for option in each.opts}


def _inner(command: Any) -> list[Any]:
    inner = list(getattr(command, "commands", {}).values())
    return [*inner, *(each for one in inner for each in _inner(one))]


@pytest.mark.parametrize("name", COMMANDS)
def test_a_command_has_help_an_example_and_json(name: str) -> None:
    """The help ends well, shows an example of the command, and the numbers can be had as JSON."""
    result = runner.invoke(app, [name, "--help"])
    assert result.exit_code == 0
    assert f"Example: swapregret {name}" in plain(result.output)
    assert "--json" in options_of(name)


@pytest.mark.parametrize("name", COMMANDS)
def test_an_option_in_the_example_exists(name: str) -> None:
    """The example of a help uses only options that the command has."""
    example = plain(runner.invoke(app, [name, "--help"]).output).partition("Example: ")[2].partition(" Arguments ")[0]
    used = set(re.findall(r"(?<= )--[a-z-]+", example.partition(" Options ")[0]))
    assert used <= options_of(name)


@pytest.mark.parametrize("name", COMMANDS)
def test_an_unknown_option_ends_with_status_2(name: str) -> None:
    """What a command does not know it names, and does nothing."""
    result = runner.invoke(app, [name, "--no-such-option"])
    assert result.exit_code == 2
    assert "--no-such-option" in result.output


@pytest.mark.parametrize("name", COMMANDS)
def test_a_command_has_its_section_and_its_line(name: str) -> None:
    """docs/cli.md has a section with a call of the command, whose options exist, and a line in the list above."""
    section = PAGE.partition(f"\n## `{name}`\n")[2].partition("\n## ")[0]
    block = section.partition("```bash\n")[2].partition("```")[0]
    calls = [line for line in block.splitlines() if line.startswith(f"swapregret {name}")]
    assert calls, f"docs/cli.md has no section with a call of {name}"
    for call in calls:
        assert set(re.findall(r"(?<= )--[a-z-]+", call)) <= options_of(name), call
    assert f"`swapregret {name}`" in PAGE.partition("\n## ")[0]


@pytest.mark.parametrize("page", sorted((ROOT / "docs").rglob("*.md")), ids=lambda page: page.name)
def test_a_page_names_options_that_the_help_shows(page: Path) -> None:
    """Every call of a command on a page has options that exist today, none that is kept for old scripts alone."""
    for name, rest in re.findall(r"\bswapregret (\w+)([^\n`#]*)", page.read_text(encoding="utf-8")):
        if name in COMMANDS:
            assert set(re.findall(r"(?<= )--[a-z][a-z-]*", rest)) <= options_of(name) | {"--help"}, (name, rest)


def test_the_commands_are_those_of_the_page() -> None:
    """The page has a section for every command and for nothing else, and no command is missing."""
    promised = {"demo", "init", "run", "results", "report", "plan", "audit", "game"}
    assert set(re.findall(r"^## `(\w+)`$", PAGE, flags=re.MULTILINE)) == set(COMMANDS)
    assert promised | {"table1", "counterexample", "warm"} <= set(COMMANDS)


@pytest.mark.parametrize(
    ("typed", "offered"),
    [("swapregret pl", "plan"), ("swapregret plan --hor", "--horizon"), ("swapregret plan --preset ad", "adaptive")],
)
def test_the_shell_completes(typed: str, offered: str) -> None:
    """Commands, options and presets are completed in bash, as --install-completion sets it up."""
    asked = {"_SWAPREGRET_COMPLETE": "complete_bash", "COMP_WORDS": typed, "COMP_CWORD": str(len(typed.split()) - 1)}
    result = runner.invoke(app, [], prog_name="swapregret", env=asked)
    assert result.output.split() == [offered]


def test_a_file_that_cannot_be_written_gets_one_sentence(tmp_path: Path) -> None:
    """A path in a folder that does not exist ends with status 2 and a sentence with the path, not with a traceback."""
    log = tmp_path / "log.csv"
    log.write_text("action,reward:0,reward:1,reward:2\n0,1,0,0\n1,0,0,1\n", encoding="utf-8")
    wrong = tmp_path / "nowhere" / "gains.html"
    result = runner.invoke(app, ["audit", str(log), "--set", "msets 3 1", "--picture", str(wrong)])
    assert result.exit_code == 2
    assert "gains.html" in "".join(result.output.split())
    assert "Traceback" not in result.output


@pytest.mark.parametrize(
    ("arguments", "missing", "extra"),
    [
        (["run", "spec.toml"], "joblib", "experiments"),
        (["results", "out"], "polars", "experiments"),
        (["report", "out"], "plotly", "experiments"),
        (["run", "spec.toml", "--cluster", "local", "--out", "out"], "distributed", "cluster"),
        (["audit", "log.parquet", "--set", "msets 3 1"], "polars", "experiments"),
    ],
)
def test_a_missing_extra_is_named_with_its_bracket(
    arguments: list[str], missing: str, extra: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A command whose packages are not installed says what to type, and ends with status 2."""
    monkeypatch.chdir(tmp_path)
    Path("spec.toml").write_text('horizons = 60\nsets = "msets 5 2"\nenvironments = "iid"\nplayers = "uniform"\n')
    Path("log.parquet").touch()
    monkeypatch.setitem(sys.modules, missing, None)
    result = runner.invoke(app, arguments)
    assert result.exit_code == 2, result.output
    assert f'pip install "swapregret[{extra}]"' in " ".join(result.output.split())
    assert f"got no {missing}" in " ".join(result.output.split())
