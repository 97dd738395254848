"""Lazy-ComBand against Algorithm 3 written down plainly: a probability for every action of a list."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from swapregret.actions.base import ActionSet
from swapregret.actions.explicit import Explicit
from swapregret.actions.m_sets import MSets
from swapregret.actions.oracle_set import OracleSet
from swapregret.errors import InvalidInput, Unsupported
from swapregret.learners.lazy import AdaptiveRate, FixedRate
from swapregret.learners.lazy_comband import LazyComBand

UNEVEN = Explicit([[1, 1, 0], [1, 0, 0], [0, 0, 1], [1, 1, 1], [0, 0, 0]])


def probabilities(learner: LazyComBand, rows: np.ndarray, state: object) -> np.ndarray:
    """Return p̃ of every action."""
    return np.array([state.exploit.probability(row) for row in rows])  # type: ignore[attr-defined]


@pytest.mark.parametrize("actions", [MSets(5, 2), MSets(4, 3), UNEVEN], ids=repr)
def test_fixed_rate_is_algorithm_three(actions: ActionSet) -> None:
    """Five updates p̃(M) ∝ p̃(M)·exp(η X̃·M) agree with the plain formula, sizes equal or not."""
    learner = LazyComBand(actions, exploration=0.1, rate=FixedRate(0.3))
    state, rows = learner.start(), actions.enumerate()
    p = np.full(len(rows), 1.0 / len(rows))
    rng = np.random.default_rng(1)
    for h in range(5):
        assert np.allclose(probabilities(learner, rows, state), p, rtol=0.0, atol=1e-12)
        assert np.allclose(state.point, p @ rows, rtol=0.0, atol=1e-12)
        assert state.n_updates == h
        X = rng.normal(size=actions.dimension)
        state = learner.update(state, X)
        p = p * np.exp(0.3 * (rows @ X))
        p /= p.sum()


@pytest.mark.parametrize("actions", [MSets(5, 2), UNEVEN], ids=repr)
def test_adaptive_rate_by_hand(actions: ActionSet) -> None:
    """The law is p̃ ∝ exp(η ΣX̃·M), η = 3√(log N / (V̄ + Σv)) with v = Var_p̃(X̃·M)."""
    learner = LazyComBand(actions, exploration=0.1, rate=AdaptiveRate(3.0))
    state, rows = learner.start(), actions.enumerate()
    p = np.full(len(rows), 1.0 / len(rows))
    rng = np.random.default_rng(3)
    score, memory = np.zeros(actions.dimension), []
    for _ in range(4):
        X = rng.normal(size=actions.dimension)
        totals = rows @ X
        memory.append(float(p @ totals**2 - (p @ totals) ** 2))
        score = score + X
        eta = 3.0 * np.sqrt(np.log(len(rows)) / (np.mean(memory) + np.sum(memory)))
        p = np.exp(eta * (rows @ score))
        p /= p.sum()
        state = learner.update(state, X)
        assert np.allclose(probabilities(learner, rows, state), p, rtol=0.0, atol=1e-9)
    again = learner.start(state)
    assert (again.memory_sum, again.memory_count) == (state.memory_sum, state.memory_count)


def test_policy_is_the_mixture() -> None:
    """Line 4: p = (1−γ)p̃ + γμ."""
    learner = LazyComBand(UNEVEN, exploration=0.2, rate=FixedRate(1.0))
    state = learner.update(learner.start(), np.array([1.0, 0.0, -1.0]))
    for row in UNEVEN.enumerate():
        expected = 0.8 * state.exploit.probability(row) + 0.2 * learner.mu.probability(row)
        assert state.policy.probability(row) == pytest.approx(expected, abs=1e-14)


@settings(deadline=None, max_examples=20)
@given(seed=st.integers(0, 10**6), adaptive=st.booleans())
def test_relabelling_permutes_everything(seed: int, adaptive: bool) -> None:
    """The Gibbs law has no order of its own: permuted aggregates give the permuted law, co-occurrence and all."""
    rng = np.random.default_rng(seed)
    order = rng.permutation(6)
    learner = LazyComBand(MSets(6, 3), exploration=0.1, rate=AdaptiveRate() if adaptive else FixedRate(0.7))
    here, there = learner.start(), learner.start()
    for _ in range(3):
        X = rng.normal(size=6)
        here, there = learner.update(here, X), learner.update(there, X[order])
    permuted = here.policy.cooccurrence()[np.ix_(order, order)]
    assert np.allclose(permuted, there.policy.cooccurrence(), rtol=0.0, atol=1e-9)


@pytest.mark.parametrize("constant", [1.0, 1e3, 1e8])
def test_a_constant_changes_nothing_where_sizes_are_equal(constant: float) -> None:
    """Variance and law see differences only, so no digit is lost to a common term."""
    learner = LazyComBand(MSets(6, 2), exploration=0.1, rate=AdaptiveRate())
    X = 2.0**-10 * np.array([8.0, -4.0, 0.0, 16.0, -32.0, 2.0])
    plain, moved = learner.update(learner.start(), X), learner.update(learner.start(), X + constant)
    assert np.allclose(plain.point, moved.point, rtol=0.0, atol=1e-4 if constant == 1e8 else 1e-9)
    assert abs(moved.point.sum() - 2.0) <= 1e-12


@pytest.mark.parametrize("rate", [FixedRate(0.5), AdaptiveRate()])
@pytest.mark.parametrize("actions", [MSets(5, 2), UNEVEN, MSets(3, 3)], ids=repr)
def test_an_aggregate_of_zero_changes_nothing(actions: ActionSet, rate: FixedRate | AdaptiveRate) -> None:
    """Nothing seen, nothing learnt."""
    learner = LazyComBand(actions, exploration=0.1, rate=rate)
    state = learner.start()
    assert np.array_equal(learner.update(state, np.zeros(actions.dimension)).point, state.point)


def test_resume_rebuilds_the_same_laws() -> None:
    """From the numbers of a state come the same policies, bit for bit."""
    learner = LazyComBand(MSets(5, 2), exploration=0.1, rate=AdaptiveRate())
    state = learner.update(learner.start(), np.linspace(0.0, 1.0, 5))
    assert np.array_equal(learner.resume(state).policy.cooccurrence(), state.policy.cooccurrence())
    assert learner.resume(learner.start()).exploit is learner.start().exploit


def test_sets_without_a_gibbs_law_and_priors_are_refused() -> None:
    """An oracle alone gives no Gibbs law, and a Gibbs law cannot start at a given point."""
    oracle = OracleSet(3, lambda weights: (np.arange(3) == np.argmax(weights)).astype(np.int64))
    with pytest.raises(Unsupported, match="swap_combcp"):
        LazyComBand(oracle, exploration=0.1, rate=FixedRate(0.1))
    with pytest.raises(InvalidInput, match="prior"):
        LazyComBand(UNEVEN, exploration=0.1, rate=FixedRate(0.1)).start(None, np.full(3, 0.5))
