"""Calm: when it ends, when it does not, what it costs, and that compiled and plain masters agree about it."""

import math

import numpy as np
import pytest
from swapregret.learners.adaptive.calm import Calm, expected_swap_regret
from swapregret.learners.adaptive.m_set_master import MSetAdaptiveMaster

import swapregret as sr
from swapregret.errors import InvalidInput
from swapregret.kernels.vectors import action_total
from swapregret.learners.player import Decision

SETS = [sr.MSets(6, 2), sr.Permutations(3), sr.SpanningTrees([(0, 1), (0, 2), (0, 3), (1, 2), (1, 3), (2, 3)])]


def _is_calm(session: sr.Session) -> bool:
    player = session.summary().player
    assert player is not None
    assert player.is_calm is not None
    return player.is_calm


def _step(session: sr.Session, rewards: np.ndarray, n_days: int) -> None:
    for _ in range(n_days):
        decision = session.act()
        session.observe(action_total(rewards, decision.action))


def test_the_width_is_the_mean_of_the_maximum_over_noise() -> None:
    """The stored width agrees with 4,000 fresh draws within four standard errors of its own 32 draws."""
    actions = sr.MSets(10, 3)
    made = Calm.for_set(actions, actions.uniform_policy(), 1000, 0.3)
    rng = np.random.default_rng(1)
    noise = rng.standard_normal((4000, 10))
    noise /= noise.std(axis=1)[:, None]
    top = np.sort(noise, axis=1)[:, -3:].sum(axis=1) - 0.3 * noise.sum(axis=1)
    assert abs(made.width - top.mean()) < 4.0 * top.std() / math.sqrt(32)


def test_the_budget_is_a_share_of_what_the_adaptive_part_costs() -> None:
    """B = share · min(.27 √N, .8 √(r m)) · √T."""
    actions = sr.MSets(20, 5)
    by_dimension = 0.8 * math.sqrt(20 * 5 * 10_000)
    assert expected_swap_regret(actions, 10_000) == pytest.approx(by_dimension)
    assert expected_swap_regret(sr.MSets(6, 2), 10_000) == pytest.approx(27.0 * math.sqrt(15))
    assert Calm.for_set(actions, actions.uniform_policy(), 10_000, 0.5).budget == pytest.approx(by_dimension / 2)


@pytest.mark.parametrize("actions", SETS, ids=repr)
def test_calm_ends_where_an_action_is_better_and_lasts_where_none_is(actions: sr.ActionSet) -> None:
    """One action that pays everything ends it; a world in which all actions pay alike never does."""
    best = actions.enumerate()[0]
    better = sr.Session(sr.swap_combcp(actions, 2000), rng=0)
    assert _is_calm(better)
    _step(better, best / actions.size, 500)
    assert not _is_calm(better)
    alike = sr.Session(sr.swap_combcp(actions, 600), rng=0)
    _step(alike, np.full(actions.dimension, 0.5 / actions.size), 600)
    assert _is_calm(alike)
    np.testing.assert_array_equal(alike.marginals(), actions.exploration_policy().marginals())


def test_calm_costs_its_budget_and_no_more() -> None:
    """With full information Ĉ is C: when calm ends, exploring has cost at most the budget, noise and one window."""
    actions = sr.MSets(6, 2)
    player = sr.swap_combcp(actions, 20_000, feedback="full")
    assert isinstance(player, MSetAdaptiveMaster)
    rule, window = player.plain.calm_rule, player.schedule.windows[0]
    rewards = np.array([0.4, 0.4, 0.1, 0.1, 0.1, 0.1])
    rng = np.random.default_rng(0)
    state, day = player.start(rng), 0
    while state.pool.clock[4]:
        law = player.policy(state)
        state = player.observe(state, Decision(day, law.sample(rng), (), law), rewards)
        day += 1
    cost = day * (0.8 - 2 * rewards.mean())
    noise = rule.width * math.sqrt(float(np.var(window * rewards)) * (day / window))
    assert cost <= rule.budget + noise + window
    assert cost > rule.budget


def test_plain_and_compiled_masters_leave_calm_on_the_same_day() -> None:
    """Fed the same days both leave calm together, after some days in it, and have the same laws before and after."""
    compiled = sr.swap_combcp(sr.MSets(6, 2), 4000, calm=0.1)
    assert isinstance(compiled, MSetAdaptiveMaster)
    plain = compiled.plain
    rewards = np.array([0.4, 0.4, 0.1, 0.1, 0.1, 0.1])
    one, two = plain.start(np.random.default_rng(0)), compiled.start(np.random.default_rng(0))
    rng = np.random.default_rng(5)
    was_calm = []
    for day in range(200):
        action = compiled.policy(two).sample(rng)
        shown = action_total(rewards, action)
        one = plain.observe(one, Decision(day, action, (), plain.policy(one)), shown)
        two = compiled.observe(two, Decision(day, action, (), compiled.policy(two)), shown)
        was_calm.append(one.is_calm)
        assert one.is_calm == bool(two.pool.clock[4])
        np.testing.assert_allclose(
            plain.policy(one).cooccurrence(), compiled.policy(two).cooccurrence(), atol=1e-9, rtol=0
        )
    assert was_calm[20]
    assert not was_calm[-1]


def test_it_can_be_switched_off() -> None:
    """Without calm the pool plays from the first day."""
    session = sr.Session(sr.swap_combcp(sr.MSets(6, 2), 1000, calm=0.0), rng=0)
    assert not _is_calm(session)


@pytest.mark.parametrize("share", [-0.1, 1.5, float("nan")])
def test_shares_outside_the_unit_interval_are_refused(share: float) -> None:
    """The share must be in [0, 1]."""
    with pytest.raises(InvalidInput, match="calm"):
        sr.swap_combcp(sr.MSets(6, 2), 1000, calm=share)
