"""The Gibbs policy over m-sets: against a list of all sets, for spreads up to ±300."""

from itertools import combinations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.special import logsumexp

from swapregret.actions.m_sets.kernels.gibbs_subsets import gibbs_chain, gibbs_draw, gibbs_moment, gibbs_pairs
from swapregret.actions.m_sets.m_sets import MSets
from swapregret.testing.statistics import FALSE_ALARM, chi_square_p_value


def listed(scores: np.ndarray, size: int) -> tuple[np.ndarray, np.ndarray, float]:
    """All m-sets, their probabilities, and log Z."""
    d = len(scores)
    rows = np.zeros((len(list(combinations(range(d), size))), d), dtype=np.int64)
    for row, chosen in zip(rows, combinations(range(d), size), strict=True):
        row[list(chosen)] = 1
    totals = rows @ scores
    log_z = float(logsumexp(totals))
    return rows, np.exp(totals - log_z), log_z


@settings(deadline=None, max_examples=60)
@given(
    d=st.integers(1, 8),
    data=st.data(),
    spread=st.sampled_from([0.0, 1.0, 30.0, 300.0]),
    seed=st.integers(0, 10**6),
)
def test_chain_agrees_with_enumeration(d: int, data: st.DataObject, spread: float, seed: int) -> None:
    """The log-partition, marginals, pairs and moments are those of the list, whatever the spread of the scores."""
    size = data.draw(st.integers(1, d))
    rng = np.random.default_rng(seed)
    scores = spread * rng.uniform(-1.0, 1.0, d)
    rows, mass, log_z = listed(scores, size)
    include, reach, found = gibbs_chain(scores, size)
    assert abs(found - log_z) <= 1e-12 * max(1.0, abs(log_z))
    assert np.all((include >= 0.0) & (include <= 1.0))
    assert abs(reach[d, size] - 1.0) <= 1e-12
    pairs = (rows.T * mass) @ rows
    vector = rng.normal(size=d)
    assert np.allclose(gibbs_pairs(include, reach), pairs, rtol=0.0, atol=1e-12)
    assert np.allclose(gibbs_moment(include, reach, vector), pairs @ vector, rtol=0.0, atol=1e-11)


@pytest.mark.parametrize("spread", [30.0, 300.0])
def test_policy_of_the_set_agrees_with_enumeration(spread: float) -> None:
    """MSets.gibbs has the probabilities, marginals and atoms of the list, and its marginals add up to m."""
    scores = spread * np.linspace(-1.0, 1.0, 9)[np.random.default_rng(3).permutation(9)]
    policy = MSets(9, 4).gibbs(scores)
    rows, mass, _ = listed(scores, 4)
    assert np.allclose([policy.probability(row) for row in rows], mass, rtol=1e-9, atol=1e-300)
    assert np.allclose(policy.marginals(), mass @ rows, rtol=0.0, atol=1e-12)
    assert abs(policy.marginals().sum() - 4.0) <= 1e-12
    assert np.allclose(policy.finite().marginals(), policy.marginals(), rtol=0.0, atol=1e-12)
    assert policy.probability(np.ones(9, dtype=np.int64)) == 0.0


def test_a_large_common_score_changes_nothing() -> None:
    """Adding 10⁶ to every score moves no probability by more than its rounding."""
    scores = np.linspace(-2.0, 2.0, 7)
    actions = MSets(7, 3)
    moved = actions.gibbs(scores + 1e6).marginals()
    assert np.allclose(moved, actions.gibbs(scores).marginals(), rtol=0.0, atol=1e-8)


@pytest.mark.parametrize("spread", [0.0, 1.0, 30.0])
def test_draws_follow_the_policy(spread: float) -> None:
    """A chi-square over all sets accuses a correct sampler with probability 1e-6."""
    scores = spread * np.array([0.3, -1.0, 0.1, 0.8, -0.2])
    rows, mass, _ = listed(scores, 2)
    include, _, _ = gibbs_chain(scores, 2)
    draws = 20_000
    keys = {tuple(row): index for index, row in enumerate(rows.tolist())}
    counts = np.zeros(len(rows), dtype=np.int64)
    for uniforms in np.random.default_rng(11).random((draws, 5)):
        counts[keys[tuple(gibbs_draw(include, uniforms).tolist())]] += 1
    assert chi_square_p_value(counts, mass, draws) > FALSE_ALARM


@pytest.mark.parametrize("uniform", [0.0, np.nextafter(1.0, 0.0)])
def test_every_draw_has_m_elements(uniform: float) -> None:
    """The extreme uniform numbers draw m elements too, also at spread 300."""
    scores = 300.0 * np.array([1.0, -1.0, 0.5, -0.5, 0.0, 0.9])
    for size in range(1, 7):
        include, _, _ = gibbs_chain(scores, size)
        assert gibbs_draw(include, np.full(6, uniform)).sum() == size
