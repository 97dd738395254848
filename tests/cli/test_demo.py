"""``swapregret demo``: what a newcomer sees first."""

import json
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest
from typer.testing import CliRunner

import swapregret as sr
from swapregret.cli import app, play_commands

runner = CliRunner()


@pytest.fixture(scope="module")
def demo() -> dict[str, object]:
    """Run the demo at its own size and horizon, as JSON."""
    result = runner.invoke(app, ["demo", "--json", "--seed", "3"])
    assert result.exit_code == 0, result.output
    numbers: dict[str, object] = json.loads(result.stdout)
    return numbers


def test_the_claims_of_the_demo_hold(demo: dict[str, object]) -> None:
    """Ours stays under .065 a day where the single learner pays more than .22; the theorem's bound is vacuous."""
    players = {row["player"]: row for row in demo["players"]}  # type: ignore[attr-defined]
    assert players["Swap-ComBCP (ours)"]["swap_regret_per_round"] < 0.065
    assert players["single Lazy-ComBCP"]["swap_regret_per_round"] > 0.22
    assert players["single Lazy-ComBCP"]["external_regret_per_round"] < 0.02
    assert demo["theorem_bound_is_vacuous"] is True
    assert "outside the expectation" in str(demo["definition"])


def test_the_table_says_what_the_reader_is_looking_at() -> None:
    """The table names the definition, marks the vacuous bound and ends with a sentence on what is seen."""
    result = runner.invoke(app, ["demo", "--horizon", "1500"])
    assert result.exit_code == 0, result.output
    for words in ("Swap-ComBCP", "uniform play", "vacuous", "outside the expectation", "What you see"):
        assert words in " ".join(result.output.split())


def test_a_later_run_compiles_nothing(demo: dict[str, object]) -> None:
    """What one run has compiled the next one loads, without processes that look for something to compile."""
    result = runner.invoke(app, ["demo", "--horizon", "1000"])
    assert "Loading the compiled" in result.output
    assert "Compiling" not in result.output


def test_all_that_a_first_run_compiles_is_counted_once(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The world is made where compiling is watched: else its functions have a message of their own, inside the other's."""
    order = []
    watch, cyclic = play_commands.watch_compiling, sr.environments.cyclic

    @contextmanager
    def watched() -> Iterator[None]:
        with watch():
            order.append("watch")
            yield
            order.append("end")

    def made(*given: Any, **options: Any) -> Any:
        order.append("world")
        return cyclic(*given, **options)

    monkeypatch.setattr(play_commands, "_mark", lambda: tmp_path / "cache" / "mark")
    monkeypatch.setattr(play_commands, "watch_compiling", watched)
    monkeypatch.setattr(sr.environments, "cyclic", made)
    assert runner.invoke(app, ["demo", "--json", "--horizon", "1000"]).exit_code == 0
    assert order == ["watch", "world", "world", "end"]
    assert (tmp_path / "cache" / "mark").is_file()


def test_same_seed_same_numbers() -> None:
    """Two runs with one seed print the same numbers but for the seconds; another seed prints others."""

    def numbers(seed: str) -> list[float]:
        result = runner.invoke(app, ["demo", "--json", "--horizon", "1000", "--seed", seed])
        return [row["swap_regret_per_round"] for row in json.loads(result.stdout)["players"]]

    assert numbers("1") == numbers("1")
    assert numbers("1") != numbers("2")


def test_bad_sizes_get_one_sentence_and_status_2() -> None:
    """A size above the dimension is refused in one sentence, without a traceback."""
    result = runner.invoke(app, ["demo", "--dimension", "3", "--size", "5"])
    assert result.exit_code == 2
    assert "`size` must be a whole number, 1..3: got 5." in result.output
    assert "Traceback" not in result.output
