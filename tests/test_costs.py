"""Costs: the same decisions as rewards turned around, and regrets in the user's units and sign."""

from pathlib import Path

import numpy as np
import pytest

import swapregret as sr
from swapregret.errors import InvalidInput, InvalidReward
from swapregret.testing import check_environment
from swapregret.units import Units, read_units

ROADS = [("s", "a"), ("a", "t"), ("s", "t"), ("a", "b"), ("b", "t")]
ROUTES = sr.DagPaths(ROADS, source="s", sink="t")
"""Routes of one, two and three roads."""


def minutes(days: int, high: float = 15.0) -> np.ndarray:
    """Return travel times of every road on every day."""
    return np.random.default_rng(2).uniform(0.0, high, (days, len(ROADS)))


def test_a_cost_is_a_reward_turned_around() -> None:
    """A session told costs makes the decisions of one told minus the costs."""
    player = sr.swap_combcp(ROUTES, 200)
    one, other = sr.Session(player, rng=1, cost_range=(0, 45)), sr.Session(player, rng=1, reward_range=(-45, 0))
    for times in minutes(40):
        first, second = one.act(), other.act()
        assert first.choice == second.choice
        one.observe(float(times @ first.action))
        other.observe(-float(times @ second.action))
    assert (one.cost_range, other.cost_range, one.reward_range) == ((0.0, 45.0), None, (-45.0, 0.0))


@pytest.mark.parametrize("feedback", ["semi-bandit", "full"])
def test_elements_may_have_costs_where_actions_differ_in_size(feedback: str) -> None:
    """The times of single roads can be told too, although routes differ in length."""
    session = sr.Session(sr.swap_combcp(ROUTES, 200, feedback=feedback), rng=1, cost_range=(0, 45))
    for times in minutes(20):
        decision = session.act()
        session.observe(times if feedback == "full" else times[decision.action > 0])
    assert session.day == 20


def test_a_cost_out_of_range_is_refused_in_its_own_words() -> None:
    """The refusal speaks of costs, shows the value given, and names the argument."""
    session = sr.Session(sr.swap_combcp(ROUTES, 200), rng=1, cost_range=(0, 45))
    session.act()
    with pytest.raises(InvalidReward, match=r"total cost of an action must be .* in \[0, 45\]: got 50\.0.*cost_range="):
        session.observe(50.0)
    with pytest.raises(InvalidInput, match="must not both be given"):
        sr.Session(sr.swap_combcp(ROUTES, 200), reward_range=(0, 1), cost_range=(0, 1))
    with pytest.raises(InvalidInput, match="`cost_range` must be two finite numbers"):
        sr.environments.replay(ROUTES, minutes(3), cost_range=(3, 1))


def test_files_and_journals_know_that_they_count_costs(tmp_path: Path) -> None:
    """A saved session goes on counting costs; a journal of costs is not continued with rewards of the same numbers."""
    player = sr.swap_combcp(ROUTES, 200)
    with sr.Session(player, rng=1, cost_range=(0, 45), journal=tmp_path / "j") as session:
        session.act()
        session.observe(31.5, day=0)
        session.save(tmp_path / "s")
    assert sr.Session.load(tmp_path / "s").cost_range == (0.0, 45.0)
    with sr.Session(player, cost_range=(0, 45), journal=tmp_path / "j") as session:
        assert session.day == 1
    with pytest.raises(
        InvalidInput, match=r"`cost_range`, `max_open`, `baseline` and `holdout` must be those of journal"
    ):
        sr.Session(player, reward_range=(-45, 0), journal=tmp_path / "j")


def test_a_play_reports_minutes() -> None:
    """Replayed costs give regrets in minutes: those of an audit of the same days, whatever the lengths of the routes."""
    times = minutes(300)
    world = sr.environments.replay(ROUTES, times, cost_range=(0, 15))
    check_environment(world)
    result = sr.play(sr.baselines.uniform(ROUTES), world, rng=0)
    share = ROUTES.uniform_policy().marginals()
    paid = float((times @ share).sum())
    best = min(float(times.sum(axis=0) @ action) for action in ROUTES.enumerate())
    assert result.external_regret.value == pytest.approx(paid - best)
    assert 0.0 < result.cost < 45.0
    assert result.reward == -result.cost
    assert "in units of costs" in result.swap_regret.definition
    assert "would have saved" in str(result.best_swap().exchanges[0])


def test_actions_of_different_sizes_keep_their_order() -> None:
    """Longer routes are not favoured: rewards of routes differ as their costs do."""
    times = minutes(50)
    world = sr.environments.replay(ROUTES, times, cost_range=(0, 15))
    for action in ROUTES.enumerate():
        assert world.means(0, 50) @ action == pytest.approx(1.0 - times @ action / 45.0)


def test_costs_of_actions_with_nothing_in_common_say_what_to_add() -> None:
    """Where no linear function is 1 on every action, the refusal names the element to add, and adding it works."""
    rows = np.array([[1, 0], [1, 1], [0, 1]])
    with pytest.raises(
        InvalidInput, match="Add an element that every action contains and that is worth 0: a column of ones"
    ):
        sr.environments.replay(sr.Explicit(rows), np.full((4, 2), 5.0), cost_range=(0, 10))
    actions = sr.Explicit(np.column_stack([rows, np.ones(3, dtype=int)]))
    costs = np.column_stack([np.full((4, 2), 5.0), np.zeros(4)])
    means = sr.environments.replay(actions, costs, cost_range=(0, 10)).means(0, 4)
    assert np.argmax(means[0] @ actions.enumerate().T) in (0, 2)


def test_rewards_of_a_declared_range_come_back_in_it() -> None:
    """The same holds for rewards: a play on values in [10, 30] reports in those."""
    world = sr.environments.replay(sr.MSets(3, 1), [[10, 20, 30]] * 60, reward_range=(10, 30))
    result = sr.play(sr.baselines.uniform(sr.MSets(3, 1)), world, rng=0)
    assert result.external_regret.per_round == pytest.approx(10.0)
    assert 10.0 < result.reward < 30.0
    with pytest.raises(InvalidInput, match="must count costs"):
        _ = result.cost


def test_functions_may_tell_costs() -> None:
    """An environment of a function counts costs too; all-or-nothing noise is refused where it has no meaning."""
    world = sr.environments.from_function(ROUTES, 20, lambda day: np.full(5, 5.0), cost_range=(0, 15))
    assert world.means(0, 1)[0] @ ROUTES.action_of([("s", "t")]) == pytest.approx(1.0 - 5.0 / 45.0)
    with pytest.raises(InvalidInput, match="`noise` must be 'none'"):
        sr.environments.from_function(ROUTES, 20, lambda day: np.ones(5), cost_range=(0, 15), noise="bernoulli")


def test_an_audit_of_costs_says_what_could_have_been_saved() -> None:
    """Regrets of a log of costs are the costs that could have been saved."""
    slow, fast = [(("s", "a"), ("a", "t"))], [(("s", "t"),)]
    times = [[10.0, 10.0, 8.0, 1.0, 1.0]] * 4
    report = sr.audit(ROUTES, slow * 2 + fast * 2, times, cost_range=(0, 15))
    assert report.external_regret.value == pytest.approx(2 * 20.0 + 2 * 8.0 - 4 * 8.0)
    assert report.swap_regret.value == pytest.approx(24.0)
    assert (report.cost, report.is_cost) == (14.0, True)
    assert "a cost of 14 per day" in str(report)
    assert "would have saved 12 per day" in str(report)
    with pytest.raises(InvalidReward, match=r"row 1 of `rewards` must lie in the declared range \[0, 5\]"):
        sr.audit(ROUTES, slow, times[:1], cost_range=(0, 5))


def test_units_turn_there_and_back() -> None:
    """What people count and rewards on [0, 1] are the same thing twice."""
    units = read_units(None, (5.0, 45.0))
    assert units == Units(-45.0, -5.0, is_cost=True)
    assert units.declared == (5.0, 45.0)
    for cost in (5.0, 20.0, 45.0):
        share = (units.reward(cost) - units.low) / units.scale
        assert units.amount(share) == pytest.approx(cost)


def test_worlds_of_the_same_units_keep_them_together() -> None:
    """Two replays of costs one after the other, or mixed, count the same costs; of different ranges, the scale [0, 1]."""
    one, other = (sr.environments.replay(ROUTES, minutes(20), cost_range=(0, high)) for high in (15, 20))
    for combine in (
        sr.environments.concatenation,
        lambda parts, rng: sr.environments.mixture(parts, [0.5, 0.5], rng=rng),
    ):
        assert combine([one, one], rng=0).units == one.units
        assert combine([one, other], rng=0).units == Units()
