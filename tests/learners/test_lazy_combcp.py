"""Lazy-ComBCP against Algorithm 2 written down plainly: a list of actions, weights as numbers, a projection by search."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.optimize import brentq, minimize

from swapregret.actions.base import ActionSet
from swapregret.actions.explicit import Explicit
from swapregret.actions.m_sets import MSets
from swapregret.errors import InvalidInput
from swapregret.learners.lazy import AdaptiveRate, FixedRate
from swapregret.learners.lazy_combcp import LazyComBCP

PAIRS = Explicit([[1, 1, 0, 0], [0, 1, 1, 0], [0, 0, 1, 1], [1, 0, 0, 1], [1, 0, 1, 0]])
UNEVEN = Explicit([[1, 1], [1, 0], [0, 1]])


def project_capped(weights: np.ndarray, size: int) -> np.ndarray:
    """Solve Σ min(1, c·w) = m for c by root finding: the KL projection onto the capped simplex."""
    high = 1.0 / weights.min()
    scale = brentq(lambda c: np.minimum(1.0, c * weights).sum() - size, 0.0, high, xtol=1e-300, rtol=1e-15)
    return np.minimum(1.0, scale * weights)


def project_listed(weights: np.ndarray, rows: np.ndarray) -> np.ndarray:
    """Minimise Σ x log(x/w) − x + w over convex combinations x of the rows, by a general solver."""

    def divergence(p: np.ndarray) -> tuple[float, np.ndarray]:
        x = np.maximum(p @ rows, 1e-300)
        return float((x * np.log(x / weights) - x + weights).sum()), rows @ np.log(x / weights)

    found = minimize(
        divergence,
        np.full(len(rows), 1.0 / len(rows)),
        jac=True,
        method="SLSQP",
        bounds=[(0.0, 1.0)] * len(rows),
        constraints={"type": "eq", "fun": lambda p: p.sum() - 1.0, "jac": np.ones_like},
        options={"ftol": 1e-15, "maxiter": 500},
    )
    return found.x @ rows


@settings(deadline=None, max_examples=25)
@given(d=st.integers(2, 7), data=st.data(), seed=st.integers(0, 10**6), rate=st.sampled_from([0.01, 0.3, 2.0]))
def test_fixed_rate_on_m_sets_is_algorithm_two(d: int, data: st.DataObject, seed: int, rate: float) -> None:
    """Five updates q̃ = q·exp(ηX̃) and projections agree with the plain formula to 1e-9."""
    m = data.draw(st.integers(1, d - 1))
    learner = LazyComBCP(MSets(d, m), exploration=0.1, rate=FixedRate(rate), variants=1)
    state = learner.start()
    x = np.full(d, m / d)
    rng = np.random.default_rng(seed)
    for h in range(5):
        assert np.abs(state.point - x).max() <= 1e-9
        assert state.n_updates == h
        X = rng.normal(size=d)
        state = learner.update(state, X)
        x = project_capped(x * np.exp(rate * X), m)


def test_fixed_rate_on_a_list_is_algorithm_two() -> None:
    """On a list of actions the projection is that of a general convex solver, over three updates."""
    learner = LazyComBCP(PAIRS, exploration=0.2, rate=FixedRate(0.4), variants=1)
    state = learner.start()
    rows = PAIRS.enumerate()
    x = project_listed(np.ones(4), rows)
    rng = np.random.default_rng(2)
    for _ in range(4):
        assert np.abs(state.point - x).max() <= 1e-5
        X = rng.normal(size=4)
        state = learner.update(state, X)
        x = project_listed(x * np.exp(0.4 * X), rows)


@pytest.mark.parametrize("actions", [MSets(5, 2), PAIRS, UNEVEN], ids=repr)
@pytest.mark.parametrize("variants", [1, 3])
def test_policy_is_the_mixture_of_a_decomposition(actions: ActionSet, variants: int) -> None:
    """Lines 5 and 6: Σ p̃(M)M = mq over actions of the set, and p = (1−γ)p̃ + γμ, γ in total."""
    learner = LazyComBCP(actions, exploration=0.15, rate=FixedRate(0.5), variants=variants)
    state = learner.update(learner.start(), np.linspace(-1.0, 1.0, actions.dimension))
    exploit = state.exploit.finite()
    assert all(atom in actions for atom in exploit.atoms)
    assert np.allclose(exploit.weights @ exploit.atoms, state.point, rtol=0.0, atol=1e-9)
    mixed = 0.85 * state.exploit.cooccurrence() + 0.15 * learner.mu.cooccurrence()
    assert np.allclose(state.policy.cooccurrence(), mixed, rtol=0.0, atol=1e-12)
    assert np.allclose(state.policy.marginals(), 0.85 * state.point + 0.15 * learner.mu.marginals(), atol=1e-9)


def test_spanner_is_the_papers_exploration() -> None:
    """Line 1: μ is uniform over r spanner elements."""
    learner = LazyComBCP(PAIRS, exploration=0.1, rate=FixedRate(0.1), exploration_law="spanner")
    law = learner.mu.finite()
    assert len(law.weights) == PAIRS.rank
    assert np.allclose(law.weights, 1.0 / PAIRS.rank)


def test_adaptive_rate_by_hand() -> None:
    """Point h+1 is the projection of exp(η ΣX̃) with η = 3√(m log(d/m) / (V̄ + Σv)), v = x·(X − x̄·X)²."""
    d, m = 5, 2
    learner = LazyComBCP(MSets(d, m), exploration=0.1, rate=AdaptiveRate(3.0))
    state = learner.start()
    rng = np.random.default_rng(0)
    score, variation, memory = np.zeros(d), 0.0, []
    for _ in range(4):
        X = rng.normal(size=d)
        v = float(state.point @ (X - state.point @ X / m) ** 2)
        score, variation = score + X, variation + v
        memory.append(v)
        eta = 3.0 * np.sqrt(m * np.log(d / m) / (np.mean(memory) + variation))
        state = learner.update(state, X)
        assert np.abs(state.point - project_capped(np.exp(eta * score), m)).max() <= 1e-9
    again = learner.start(state)
    assert (again.memory_sum, again.memory_count) == (state.memory_sum, state.memory_count)
    assert (again.n_updates, again.variation) == (0, 0.0)
    assert np.array_equal(again.point, learner.start().point)


@pytest.mark.parametrize("rate", [FixedRate(0.5), AdaptiveRate()])
@pytest.mark.parametrize("actions", [MSets(5, 2), PAIRS, MSets(3, 3)], ids=repr)
def test_an_aggregate_of_zero_changes_no_point(actions: ActionSet, rate: FixedRate | AdaptiveRate) -> None:
    """Nothing seen, nothing learnt."""
    learner = LazyComBCP(actions, exploration=0.1, rate=rate)
    state = learner.start()
    after = learner.update(state, np.zeros(actions.dimension))
    assert np.allclose(after.point, state.point, rtol=0.0, atol=1e-9)


@pytest.mark.parametrize("rate", [FixedRate(0.5), AdaptiveRate()])
def test_a_constant_changes_nothing_where_sizes_are_equal(rate: FixedRate | AdaptiveRate) -> None:
    """X̃ + c gives the same point: with c = 10⁹ it keeps the digits that c leaves in X̃ itself."""
    learner = LazyComBCP(MSets(6, 2), exploration=0.1, rate=rate)
    X = np.array([0.5, -0.25, 0.0, 1.0, -2.0, 0.125])
    for constant in (1.0, 1e9):
        plain, moved = learner.update(learner.start(), X), learner.update(learner.start(), X + constant)
        assert np.allclose(plain.point, moved.point, rtol=0.0, atol=1e-6)
        assert abs(moved.point.sum() - 2.0) <= 1e-12


def test_a_tiny_spread_on_a_large_constant_keeps_its_digits() -> None:
    """A step of 10⁹ on a score of 10³ gives a point of the set, and the one that the differences alone give."""
    learner = LazyComBCP(MSets(10, 3), exploration=0.02, rate=AdaptiveRate())
    differences = 2.0**-30 * np.array([3.0, -7.0, 1.0, 0.0, 5.0, -2.0, 4.0, -1.0, 6.0, -9.0])
    plain, moved = (learner.update(learner.start(), X) for X in (differences, 1024.0 + differences))
    assert np.abs(plain.point - moved.point).max() <= 1e-6
    assert abs(moved.point.sum() - 3.0) <= 1e-12
    assert np.isfinite(moved.log_weights).all()


@settings(deadline=None, max_examples=20)
@given(seed=st.integers(0, 10**6), adaptive=st.booleans(), variants=st.sampled_from([1, 4]))
def test_relabelling_permutes_the_point(seed: int, adaptive: bool, variants: int) -> None:
    """Permuted aggregates give permuted points and marginals; the law itself is permuted only if its orders are."""
    rng = np.random.default_rng(seed)
    order = rng.permutation(6)
    learner = LazyComBCP(
        MSets(6, 2), exploration=0.1, rate=AdaptiveRate() if adaptive else FixedRate(0.7), variants=variants
    )
    here, there = learner.start(), learner.start()
    for _ in range(3):
        X = rng.normal(size=6)
        here, there = learner.update(here, X), learner.update(there, X[order])
    assert np.allclose(here.point[order], there.point, rtol=0.0, atol=1e-11)
    assert np.allclose(here.policy.marginals()[order], there.policy.marginals(), rtol=0.0, atol=1e-11)


def test_an_element_pressed_to_nothing_recovers() -> None:
    """Log-weights remember what the numbers cannot: e^{-2000} comes back after as much reward (D14)."""
    learner = LazyComBCP(MSets(4, 2), exploration=0.1, rate=FixedRate(1.0))
    down = learner.update(learner.start(), np.array([-2000.0, 0.0, 0.0, 0.0]))
    assert down.point[0] == 0.0
    up = learner.update(down, np.array([2000.0, 0.0, 0.0, 0.0]))
    assert np.allclose(up.point, 0.5)


def test_sets_of_different_sizes_learn() -> None:
    """Where sizes differ the step uses the largest divergence of an action from the start; m log(d/m) would be 0 here."""
    learner = LazyComBCP(UNEVEN, exploration=0.1, rate=AdaptiveRate())
    first = learner.start().point
    rows = UNEVEN.enumerate()
    with np.errstate(divide="ignore", invalid="ignore"):
        divergences = np.where(rows > 0, -np.log(first), 0.0).sum(axis=1) - rows.sum(axis=1) + first.sum()
    assert learner.diameter == pytest.approx(divergences.max())
    assert learner.diameter > 0.5
    state = learner.start()
    for _ in range(50):
        state = learner.update(state, np.array([-1.0, 1.0]))
    assert state.point[1] > 0.9
    assert state.point[0] < 0.1


def test_warm_start_is_a_point_of_its_own_or_the_first() -> None:
    """A prior becomes the start of the interval; one that is the uniform start gives the shared first law."""
    learner = LazyComBCP(MSets(4, 2), exploration=0.1, rate=FixedRate(0.1))
    first = learner.start()
    prior = np.array([0.9, 0.6, 0.3, 0.2])
    warm = learner.start(first, prior)
    assert np.allclose(warm.point, prior)
    assert np.allclose(warm.origin, np.log(prior))
    same = learner.start(first, first.point)
    assert same.exploit is first.exploit
    assert np.allclose(learner.start(first, np.array([1.0, 1.0, 0.0, 0.0])).point, [1.0, 1.0, 0.0, 0.0])


@pytest.mark.parametrize("actions", [MSets(5, 2), PAIRS], ids=repr)
def test_resume_rebuilds_the_same_laws(actions: ActionSet) -> None:
    """From the numbers of a state come the same policies, bit for bit; fresh states share one law."""
    learner = LazyComBCP(actions, exploration=0.1, rate=AdaptiveRate())
    state = learner.update(learner.start(), np.linspace(0.0, 1.0, actions.dimension))
    resumed = learner.resume(state)
    assert np.array_equal(resumed.policy.cooccurrence(), state.policy.cooccurrence())
    assert np.array_equal(resumed.policy.marginals(), state.policy.marginals())
    assert learner.resume(learner.start()).exploit is learner.start().exploit


@pytest.mark.parametrize("exploration", [-0.1, 1.0, float("nan")])
def test_exploration_out_of_range_is_refused(exploration: float) -> None:
    """γ lies in [0, 1)."""
    with pytest.raises(InvalidInput, match="exploration"):
        LazyComBCP(MSets(4, 2), exploration=exploration, rate=FixedRate(0.1))


@pytest.mark.parametrize("rate", [0.0, -1.0, float("inf"), float("nan")])
def test_steps_must_be_positive(rate: float) -> None:
    """η and c are positive finite numbers."""
    with pytest.raises(InvalidInput):
        FixedRate(rate)
    with pytest.raises(InvalidInput):
        AdaptiveRate(rate)
