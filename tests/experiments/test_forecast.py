"""What is said before the first day."""

import inspect
import math

import pytest

import swapregret as sr
from swapregret.cli.plan_commands import plan as plan_command
from swapregret.counts import LONGEST_HORIZON
from swapregret.errors import InvalidInput, InvalidSchedule
from swapregret.experiments.forecast import make_plan, useful_from
from swapregret.regret.bounds import swap_combcp_bound


@pytest.mark.parametrize("preset", ["multiscale", "adaptive", "paper"])
def test_the_schedule_is_the_one_the_player_would_have(preset: str) -> None:
    """The plan shows the windows of the very player it plans for."""
    actions = sr.MSets(8, 3)
    plan = make_plan(actions, 30_000, preset=preset, seconds=0)
    assert plan.schedule == sr.swap_combcp(actions, 30_000, preset=preset).schedule
    assert plan.speed is None


def test_the_default_is_the_default_of_the_library() -> None:
    """Who names no preset plans for the player that swap_combcp makes of a horizon: without one it makes the ladder."""
    made = {name: type(sr.swap_combcp(sr.MSets(4, 2), 1000, preset=name)) for name in ("adaptive", "multiscale")}
    (wanted,) = [name for name, kind in made.items() if kind is type(sr.swap_combcp(sr.MSets(4, 2), 1000))]
    assert inspect.signature(make_plan).parameters["preset"].default == wanted
    assert inspect.signature(plan_command).parameters["preset"].default == wanted


@pytest.mark.parametrize(("d", "m"), [(2, 1), (5, 2), (20, 5)])
def test_the_least_horizon_of_the_theorem_is_the_least(d: int, m: int) -> None:
    """The theorem's schedule exists at the horizon named, and not one day earlier."""
    least = make_plan(sr.MSets(d, m), 100, seconds=0).theorem_horizon
    assert least is not None
    assert sr.Schedule.from_theorem(least, dimension=d, size=m).n_scales >= 1
    with pytest.raises(InvalidSchedule):
        sr.Schedule.from_theorem(least - 1, dimension=d, size=m)


@pytest.mark.parametrize("d", [2, 10, 20, 1000])
def test_the_bound_turns_useful_where_the_plan_says(d: int) -> None:
    """The bound divided by T is above 1 a little before the power of ten named, and below 1 a little after."""
    exponent = useful_from(d)
    assert swap_combcp_bound(d, 10 ** math.floor(exponent)).per_round > 1.0
    assert swap_combcp_bound(d, 10 ** math.ceil(exponent)).per_round < 1.0


def test_warnings_are_given_where_they_are_due() -> None:
    """Vacuous theory is always warned of at practical horizons; short horizons and missing measurements where they are."""
    usual = make_plan(sr.MSets(10, 3), 100_000, seconds=0)
    assert [words for words in usual.warnings if "vacuous" in words]
    assert not [words for words in usual.warnings if "short" in words or "No measurement" in words]
    short = make_plan(sr.Permutations(8), 200, seconds=0)
    assert [words for words in short.warnings if "short for this set" in words]
    assert [words for words in short.warnings if "No measurement near" in words]


def test_rounds_are_timed_and_memory_is_counted() -> None:
    """A timed plan has positive rates; the ledger is bounded by the number of actions where that is small."""
    plan = make_plan(sr.MSets(6, 2), 1_000, seconds=0.01)
    assert plan.speed is not None
    assert plan.speed.playing > 0
    assert plan.speed.measuring > 0
    assert plan.speed.rounds >= 32
    assert plan.state_bytes > 0
    assert plan.ledger_bytes == int(3.0 * 15 * 6 * 8)


@pytest.mark.parametrize("horizon", [1, LONGEST_HORIZON + 1])
def test_horizons_out_of_range_are_refused(horizon: int) -> None:
    """One day is no horizon, and windows must fit the compiled counters."""
    with pytest.raises(InvalidInput, match="`horizon` must be a whole number"):
        make_plan(sr.MSets(6, 2), horizon, seconds=0)


def test_the_longest_horizon_is_played() -> None:
    """At the longest horizon accepted a player still plays."""
    assert make_plan(sr.MSets(6, 2), LONGEST_HORIZON, seconds=0.01).speed is not None
