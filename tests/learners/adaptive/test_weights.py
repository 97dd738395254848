"""Weights over the members of a pool."""

import numpy as np
from hypothesis import given, settings
from hypothesis import strategies as st
from swapregret.kernels.pool_weights import pool_weights, stationary_law

from swapregret.learners.adaptive.weights import PoolWeights


@settings(deadline=None, max_examples=40)
@given(st.integers(1, 12), st.integers(0, 2**32))
def test_the_stationary_law_is_left_alone_by_its_chain(n: int, seed: int) -> None:
    """πQ = π to rounding, also for chains whose entries differ by many orders of magnitude."""
    rng = np.random.default_rng(seed)
    chain = np.exp(rng.normal(scale=8.0, size=(n, n)))
    chain /= chain.sum(axis=1, keepdims=True)
    law = stationary_law(chain)
    np.testing.assert_allclose(law @ chain, law, rtol=1e-10, atol=0.0)
    assert abs(law.sum() - 1.0) < 1e-12


def test_one_step_is_the_formula() -> None:
    """S, the variances and Q after one window are those of the definition, computed independently."""
    rng = np.random.default_rng(0)
    n, gains, typical = 4, rng.normal(size=4), 0.7
    start = PoolWeights.start(n)
    start_arrays = [start.scores.copy(), start.variances.copy(), start.transition.copy(), start.law.copy()]
    scores, spreads, chain, law = pool_weights(*start_arrays, gains, typical, 0.5, 0.0)
    expected = np.outer(np.full(n, 0.25), gains)
    np.testing.assert_allclose(scores, expected, atol=1e-15)
    variances = [0.25**2 * (row @ gains**2 - (row @ gains) ** 2) for row in start.transition]
    np.testing.assert_allclose(spreads, variances, atol=1e-15)
    rates = 0.5 * np.sqrt(np.log(n + 1) / (np.array(variances) + 4 * typical))
    rows = (0.5 * np.eye(n) + 0.5 / n) * np.exp(rates[:, None] * expected)
    rows /= rows.sum(axis=1, keepdims=True)
    np.testing.assert_allclose(chain, rows, atol=1e-14)
    np.testing.assert_allclose(law @ rows, law, atol=1e-14)
    *_, spread = pool_weights(*start_arrays, gains, typical, 0.5, 0.2)
    np.testing.assert_allclose(spread, 0.8 * law + 0.05, atol=1e-15)


def test_a_member_that_always_gains_most_is_followed() -> None:
    """After many windows in which one member gains more than the others, it has nearly all the weight."""
    weights = PoolWeights.start(6)
    gains = np.array([0.0, 0.0, 1.0, 0.0, 0.0, 0.0])
    noise = np.random.default_rng(1)
    for _ in range(300):
        weights = weights.absorb(gains + noise.normal(scale=0.3, size=6), np.zeros(4))
    assert weights.law[2] > 0.9
    assert weights.n_windows == 300


def test_weights_stay_a_law_however_sure_they_are() -> None:
    """Gains that differ by a thousand standard errors for a long time leave weights that are numbers and add up to 1."""
    weights = PoolWeights.start(5)
    source = np.random.default_rng(3)
    for phase in range(4):
        best = phase % 5
        for _ in range(3000):
            gains = source.normal(size=5)
            gains[best] += 1000.0
            weights = weights.absorb(gains, np.zeros(4))
        assert np.isfinite(weights.law).all()
        assert abs(weights.law.sum() - 1.0) < 1e-12
        np.testing.assert_allclose(weights.law @ weights.transition, weights.law, rtol=1e-9)


def test_weights_are_a_value() -> None:
    """Absorbing a window leaves the weights it started from as they were."""
    weights = PoolWeights.start(3)
    weights.absorb(np.array([1.0, 0.0, 0.0]), np.ones(2))
    np.testing.assert_array_equal(weights.law, np.full(3, 1 / 3))
    np.testing.assert_array_equal(weights.scores, 0.0)


def test_weights_that_do_not_learn_stay_equal() -> None:
    """Switched off, the weights stay and only the noise is measured."""
    weights = PoolWeights.start(3).absorb(np.array([5.0, 0.0, 0.0]), np.array([1.0, 3.0]), is_learning=False)
    np.testing.assert_array_equal(weights.law, np.full(3, 1 / 3))
    assert weights.noise == 1.0
