"""``swapregret plan``: what to expect before the first day."""

import json
from pathlib import Path

import pytest
from typer.testing import CliRunner

import swapregret as sr
from swapregret.cli import app

runner = CliRunner()


def plan(*args: str) -> str:
    """Run the command without timing, and return what it prints."""
    result = runner.invoke(app, ["plan", "--seconds", "0", *args])
    assert result.exit_code == 0, result.output
    return result.stdout


def test_the_example_of_the_help_says_everything() -> None:
    """Schedule, calendar, theory, measurements, memory and a warning are there."""
    output = " ".join(plan("--set", "msets 20 5", "--horizon", "1e6").split())
    for words in (
        "15,504 actions",
        "T = 1,000,000",
        "scale 1 updates every",
        "R a restart",
        "Policies: rank 20 for base windows of",
        "theorem's bound on swap regret / T",
        "vacuous",
        "7.3·10²²",
        "in the cyclic world",
        "Which one? Reward / swap regret per day",
        "lin_ucb(A, T",
        "measured at T = 1,000,000",
        "memory: state of the player",
        "warning: The theorem's bound is vacuous here",
    ):
        assert words in output, words


def test_json_has_the_numbers_of_the_table() -> None:
    """Machines get windows, theory, expectation, memory and warnings under names."""
    numbers = json.loads(plan("--set", "msets 10 3", "--horizon", "100_000", "--json"))
    assert numbers["horizon"] == 100_000
    assert numbers["windows"] == [12, 396, 1584, 6336, 25344, 101376]
    assert numbers["scales"][1] == {"scale": 2, "update_every": 396, "restart_every": 1584}
    assert numbers["policies"] == sr.swap_combcp(sr.MSets(10, 3), 100_000).learner.plan.reason
    assert numbers["theorem"]["is_vacuous"] is True
    assert numbers["expected_swap_regret_per_round"]["is_measured"] is True
    assert numbers["rounds_per_second"] is None
    answer = numbers["which_one"]["bandit"]["stands still"]
    assert numbers["which_one"]["bandit"]["measured_sets"] == ["10,3"]
    assert answer["reward"] >= answer["default_reward"] - 0.01
    assert numbers["memory_bytes"]["peak_of_this_process"] > 10**7


def test_rounds_are_timed_unless_told_not_to() -> None:
    """With time given, rounds a second are positive numbers."""
    result = runner.invoke(app, ["plan", "--set", "msets 6 2", "--horizon", "1e3", "--seconds", ".01", "--json"])
    assert json.loads(result.stdout)["rounds_per_second"]["playing"] > 0


def test_a_set_without_measurement_is_told_so() -> None:
    """Where nothing near was measured no number is made up."""
    output = plan("--set", "truncated 3 7", "--horizon", "1e4")
    assert "no measurement near" in output
    assert (
        json.loads(plan("--set", "truncated 3 7", "--horizon", "1e4", "--json"))["expected_swap_regret_per_round"]
        is None
    )


@pytest.mark.parametrize("horizon", ["abc", "1.5", "-3", "1", "nan", "inf", "1e16", ""])
def test_a_bad_horizon_gets_one_sentence(horizon: str) -> None:
    """Whatever is not a whole number of days in range is refused with status 2, without a traceback."""
    result = runner.invoke(app, ["plan", "--set", "msets 6 2", f"--horizon={horizon}"])
    assert result.exit_code == 2
    assert "`horizon` must be a whole number, 2..10¹⁵: got" in " ".join(result.output.split())
    assert "Traceback" not in result.output


def test_a_bad_set_preset_or_time_gets_one_sentence(tmp_path: Path) -> None:
    """A set that cannot be read, a preset that does not exist and a negative time are refused with status 2."""
    for args, words in (
        (["--set", "sets 6 2"], "Did you mean 'msets'?"),
        (["--set", f"trees {tmp_path}/none.csv"], "must be a file that can be read"),
        (["--set", "msets 6 2", "--preset", "fast"], "`preset` must be one of"),
        (["--set", "msets 6 2", "--seconds", "-1"], "`seconds` must be a number"),
    ):
        result = runner.invoke(app, ["plan", "--horizon", "1e3", *args])
        assert result.exit_code == 2
        assert words in " ".join(result.output.split())
