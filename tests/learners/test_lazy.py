"""Lazy learners: how they are configured, and one meta-day of each through the master, against the formula."""

from typing import Any

import numpy as np
import pytest

from swapregret.actions.m_sets.m_sets import MSets
from swapregret.actions.own_sets.explicit import Explicit
from swapregret.actions.own_sets.oracle_set import OracleSet
from swapregret.errors import InvalidInput, Unsupported
from swapregret.learners.lazy import AdaptiveRate, FixedRate, LazyComBand, LazyComBCP
from swapregret.learners.player import Decision
from swapregret.learners.policy_plan import plan_policies
from swapregret.learners.presets import swap_comband, swap_combcp
from swapregret.learners.schedule import Schedule

SETS = MSets(6, 2)
UNEVEN = Explicit([[1, 1], [1, 0], [0, 1]])


def played(factory: Any, actions: Any, vectors: np.ndarray, **options: Any) -> Any:
    """Show a player with one scale, which updates daily and sees everything, some reward vectors; return its learners."""
    player = factory(
        actions, 100, preset="multiscale", feedback="full", schedule=Schedule([1, 1000]), random_offset=False, **options
    )
    state = player.start(np.random.default_rng(0))
    for day, vector in enumerate(vectors):
        action = player.act(state, np.random.default_rng(day))
        player.observe(state, Decision(day, action, actions, player.hold(state)), vector)
    return state.state.learners


@pytest.mark.parametrize("rate", [FixedRate(0.3), AdaptiveRate(3.0)], ids=str)
def test_comband_is_algorithm_three(rate: Any) -> None:
    """Marginals are those of p̃(M) ∝ exp(η ΣX̃·M), η fixed or 3√(log N / (V̄ + Σv)) with v = Var(X̃·M), over all actions."""
    rows = SETS.enumerate()
    vectors = np.random.default_rng(1).random((6, 6)) / 2
    p, score, memory = np.full(len(rows), 1.0 / len(rows)), np.zeros(6), []
    for X in vectors:
        totals = rows @ X
        memory.append(float(p @ totals**2 - (p @ totals) ** 2))
        score = score + X
        eta = 0.3 if isinstance(rate, FixedRate) else 3.0 * np.sqrt(np.log(15) / (np.mean(memory) + np.sum(memory)))
        p = np.exp(eta * (rows @ (score - score.mean())))
        p /= p.sum()
    learners = played(swap_comband, SETS, vectors, rate=rate)
    assert learners.n_updates[0] == 6
    assert np.allclose(learners.points[0], p @ rows, rtol=0.0, atol=1e-9)


@pytest.mark.parametrize("factory", [swap_combcp, swap_comband])
def test_a_constant_changes_nothing_where_sizes_are_equal(factory: Any) -> None:
    """X̃ + c gives the same point, and keeps the digits that c leaves in X̃ itself."""
    vectors = np.random.default_rng(2).random((3, 6)) / 4
    plain, moved = (played(factory, SETS, vectors + constant).points[0] for constant in (0.0, 0.25))
    assert np.allclose(plain, moved, rtol=0.0, atol=1e-9)


def test_sets_of_different_sizes_learn() -> None:
    """Where sizes differ the step uses the largest divergence of an action from the start; m log(d/m) would be 0 here."""
    learner = LazyComBCP(UNEVEN, 0.1, (AdaptiveRate(),), plan_policies(UNEVEN, 1, "bandit"))
    first, rows = learner.first[0], UNEVEN.enumerate()
    divergences = np.where(rows > 0, -np.log(first), 0.0).sum(axis=1) - rows.sum(axis=1) + first.sum()
    assert learner.diameter == pytest.approx(divergences.max())
    assert learner.diameter > 0.5


def test_spanner_is_the_papers_exploration() -> None:
    """Line 1: μ is uniform over r spanner elements."""
    policy = LazyComBCP(SETS, 0.1, (FixedRate(0.1),), plan_policies(SETS, 1, "bandit"), "spanner").mu.finite()
    assert len(policy.weights) == SETS.rank
    assert np.allclose(policy.weights, 1.0 / SETS.rank)


@pytest.mark.parametrize("exploration", [-0.1, 1.0, float("nan")])
def test_exploration_out_of_range_is_refused(exploration: float) -> None:
    """γ lies in [0, 1)."""
    for kind in (LazyComBCP, LazyComBand):
        with pytest.raises(InvalidInput, match="exploration"):
            kind(SETS, exploration, (FixedRate(0.1),), plan_policies(SETS, 1, "bandit"))


@pytest.mark.parametrize("rate", [0.0, -1.0, float("inf"), float("nan")])
def test_steps_must_be_positive(rate: float) -> None:
    """η and c are positive finite numbers."""
    with pytest.raises(InvalidInput):
        FixedRate(rate)
    with pytest.raises(InvalidInput):
        AdaptiveRate(rate)


def test_sets_without_a_gibbs_policy_are_refused() -> None:
    """An oracle alone gives no Gibbs policy."""
    oracle = OracleSet(3, lambda weights: (np.arange(3) == np.argmax(weights)).astype(np.int64))
    with pytest.raises(Unsupported, match="swap_combcp"):
        LazyComBand(oracle, 0.1, (FixedRate(0.1),), plan_policies(oracle, 1, "bandit", is_gibbs=True))
