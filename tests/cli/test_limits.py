"""What no machine can do is refused before it is begun: one sentence, status 2."""

import re
from pathlib import Path

import pytest
from typer.testing import CliRunner

from swapregret.cli import app
from swapregret.counts import LARGEST_FILE, MOST_RUNS

runner = CliRunner()
LONG = "9" * 5000
MANY = list(range(2000))
SPEC = """
horizons = [60]
replications = 2
sets = ["msets 5 2"]
environments = ["iid"]
players = ["uniform"]
"""


def refused(arguments: list[str]) -> str:
    """Return the sentence of a refusal."""
    result = runner.invoke(app, arguments)
    assert result.exit_code == 2, result.output
    assert "Traceback" not in result.output
    assert len(result.output) < 1200
    return " ".join(result.output.split())


@pytest.mark.parametrize("number", [LONG, "1e400", str(2**63), "-1", "0", "2.5", "nan", "x", ""])
@pytest.mark.parametrize(
    "arguments",
    [
        ["plan", "--set", "msets 5 2", "--horizon"],
        ["demo", "--horizon"],
        ["demo", "--dimension"],
        ["warm", "--set", "msets 5 2", "--horizon"],
        ["counterexample", "--replications"],
        ["counterexample", "--length"],
        ["table1", "--horizon"],
        ["table1", "--jobs"],
        ["game", "x.toml", "--rounds"],
        ["run", "x.toml", "--jobs"],
        ["audit", "x.csv", "--set", "msets 5 2", "--capacity"],
    ],
)
def test_a_count_is_a_count(arguments: list[str], number: str) -> None:
    """Wherever a count is asked for, what is none is refused by name, and numbers of any length are shown in short."""
    sentence = refused([*arguments, number])
    assert f"`{arguments[-1].removeprefix('--')}` must be a whole number" in sentence


@pytest.mark.parametrize(
    "arguments",
    [
        ["plan", "--set", "msets 6e0 2", "--horizon", "1e4", "--seconds", "0", "--json"],
        ["run", "SPEC", "--dry", "--jobs", "1e0"],
    ],
)
def test_1e4_is_a_count(arguments: list[str], tmp_path: Path) -> None:
    """An exponent is accepted wherever a count is."""
    spec = tmp_path / "spec.toml"
    spec.write_text(SPEC.replace("[60]", "[6e1, 1e4]").replace("= 2", "= 2e0"), encoding="utf-8")
    result = runner.invoke(app, [str(spec) if each == "SPEC" else each for each in arguments])
    assert result.exit_code == 0, result.output


@pytest.mark.parametrize("arguments", [["plan", "--set", "msets 5 2", "--horizon"], ["game", "x.toml", "--rounds"]])
def test_a_horizon_beyond_reason_is_told_what_it_takes(arguments: list[str]) -> None:
    """10¹⁸ days are 31,688 years of a fast machine."""
    assert "A million rounds per second would take 31,688 years for it." in refused([*arguments, "1e18"])


@pytest.mark.parametrize(
    "text", [f"msets {LONG} 3", "msets 1000000000000 3", "msets 5 1e30", f"permutations {LONG}", "partitions 1e400 2"]
)
def test_a_set_beyond_reason_is_refused(text: str) -> None:
    """Numbers of a set are bounded before anything is made of them."""
    told = refused(["plan", "--set", text, "--horizon", "100"])
    assert re.search(rf"`\w+ of {text.split()[0]}` must be a whole number", told)


@pytest.mark.parametrize(
    ("change", "words"),
    [
        (("[60]", "[9223372036854775808]"), "below 2⁶³"),
        (("[60]", "[9223372036854775807]"), "1..1000000000000000: got 9223372036854775807."),
        (("[60]", "[1e300]"), "got 10³⁰⁰. Choose a value in that range."),
        (("[60]", f"[{LONG}]"), "must be TOML"),
        (("= 2", "= 1000000000"), "`replications` must be a whole number, 1..100000"),
        (("= 2", f"= {LONG}"), "must be TOML"),
        (("[60]", "[" * 300 + "60" + "]" * 300), "levels of lists and tables"),
        (("[60]", "[" * 40 + "60" + "]" * 40), "at most 32 levels"),
        (('"uniform"', "{a = " * 300 + "1" + "}" * 300), "levels of lists and tables"),
        (('"uniform"', f"{{kind = 'swap_combcp', exploration = {MANY}, predictor_step = {MANY}}}"), "combinations"),
        (("[60]", f"{list(range(1, 1000))}\nseed=3"), f"at most {MOST_RUNS:,} runs"),
    ],
)
def test_a_spec_beyond_reason_is_refused(change: tuple[str, str], words: str, tmp_path: Path) -> None:
    """Horizons, replications, grids, digits and depth have limits that the sentence states."""
    spec = tmp_path / "spec.toml"
    text = SPEC.replace(*change)
    if "runs" in words:
        text = text.replace("= 2", "= 100000")
    spec.write_text(text, encoding="utf-8")
    assert words in refused(["run", str(spec), "--dry"])


@pytest.mark.parametrize("command", ["run", "game"])
def test_a_file_of_several_megabytes_is_no_spec(command: str, tmp_path: Path) -> None:
    """It is not read to its end."""
    spec = tmp_path / "spec.toml"
    spec.write_text("#" * (LARGEST_FILE + 1), encoding="utf-8")
    assert "must be at most 4 MiB" in refused([command, str(spec)])


@pytest.mark.parametrize("rounds", ["1e300", '"many"', "[1]", str(10**18)])
def test_a_game_has_the_same_limits(rounds: str, tmp_path: Path) -> None:
    """Counts of a description are read as those of the command line."""
    spec = tmp_path / "game.toml"
    spec.write_text(f'[game]\nkind = "matrix"\nclassic = "chicken"\n[play]\nrounds = {rounds}\n', encoding="utf-8")
    assert "`play.rounds` must be a whole number" in refused(["game", str(spec)])


@pytest.mark.parametrize("port", ["-1", "65536", "99999999"])
def test_a_port_that_there_is_not_is_refused(port: str) -> None:
    """A larger number would be taken modulo 65,536, and the service would listen elsewhere."""
    assert "`port` must be a whole number, 0..65,535" in refused(["serve", "--port", port])


@pytest.mark.parametrize("number", ["-1", "nan", "inf", "soon"])
@pytest.mark.parametrize(
    "arguments",
    [["table1", "--budget"], ["plan", "--set", "msets 5 2", "--seconds"], ["serve", "--lease"]],
)
def test_seconds_are_a_number_that_can_be_waited_for(arguments: list[str], number: str) -> None:
    """What is none is refused by name, before anything is timed or served."""
    assert f"`{arguments[-1].removeprefix('--')}` must be a number of seconds" in refused([*arguments, number])


@pytest.mark.parametrize(
    "arguments",
    [
        ["table1", "--html"],
        ["counterexample", "--html"],
        ["exploit", "--html"],
        ["game", "x.toml", "--report"],
        ["audit", "x.csv", "--picture"],
    ],
)
def test_a_page_that_cannot_be_written_is_found_before_anything_is_measured(
    arguments: list[str], tmp_path: Path
) -> None:
    """A folder that is not there, or a folder in place of a file, is named at once."""
    for path in (tmp_path / "nowhere" / "page.html", tmp_path):
        assert f"`{arguments[-1]}` must be a file in a folder that is there" in refused([*arguments, str(path)])


def test_a_game_has_no_fields_that_nobody_reads(tmp_path: Path) -> None:
    """A misspelt field of [play], a misspelt kind and a misspelt learner get the word that was meant."""
    spec = tmp_path / "game.toml"
    whole = '[game]\nkind = "matrix"\nclassic = "chicken"\n[play]\nrounds = 5\n[[players]]\nlearner = "uniform"\n'
    for right, wrong in (("rounds", "roundz"), ("matrix", "matrx"), ("uniform", "unifrom")):
        spec.write_text(whole.replace(right, wrong), encoding="utf-8")
        assert f"Did you mean '{right}'?" in refused(["game", str(spec)])


def test_an_entry_of_another_kind_is_refused_once(tmp_path: Path) -> None:
    """A number in place of an environment is told in one sentence, not as no text and no table."""
    spec = tmp_path / "spec.toml"
    spec.write_text(SPEC.replace('["iid"]', "[3]"), encoding="utf-8")
    sentence = refused(["run", str(spec), "--dry"])
    assert sentence.count("`environments[0]` must be") == 1
    assert "must be a text or a dict: got 3" in sentence
