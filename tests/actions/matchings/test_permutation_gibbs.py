"""Sums over subsets against sums over all permutations."""

from itertools import permutations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from swapregret.actions.matchings.kernels.permutation_gibbs import (
    gibbs_marginals,
    gibbs_pairs,
    gibbs_sample,
    gibbs_second_moment,
    gibbs_tables,
)


def _listed(weights):
    n = len(weights)
    rows = np.array(list(permutations(range(n))))
    table = np.zeros((len(rows), n, n))
    table[np.arange(len(rows))[:, None], np.arange(n), rows] = 1.0
    mass = weights[np.arange(n), rows].prod(axis=1)
    return table.reshape(len(rows), -1), mass


@settings(deadline=None, max_examples=80)
@given(st.integers(1, 5), st.data())
def test_all_moments_agree_with_enumeration(n, data):
    """Permanent, marginals, pairs and E[M (M·v)] equal the sums over all n! permutations, relative to 1e-12."""
    logs = data.draw(st.lists(st.floats(-40.0, 0.0), min_size=n * n, max_size=n * n))
    weights = np.exp(np.array(logs)).reshape(n, n)
    np.fill_diagonal(weights, 1.0)
    atoms, mass = _listed(weights)
    size, forward, backward = gibbs_tables(weights)
    assert abs(forward[-1] / mass.sum() - 1.0) <= 1e-12
    assert abs(backward[0] / mass.sum() - 1.0) <= 1e-12
    policy = mass / mass.sum()
    assert np.allclose(gibbs_marginals(weights, size, forward, backward), policy @ atoms, rtol=1e-12, atol=0.0)
    pairs = (atoms.T * policy) @ atoms
    assert np.allclose(gibbs_pairs(weights, size, forward, backward), pairs, rtol=1e-12, atol=1e-300)
    vector = np.linspace(-1.0, 2.0, n * n)
    moment = gibbs_second_moment(weights, size, forward, backward, vector)
    assert np.abs(moment - pairs @ vector).max() <= 1e-12


def test_pairs_add_up_at_twelve():
    """At n = 12 pairs sum to n times the marginals and Σv agrees with the matrix-free product."""
    rng = np.random.default_rng(2)
    weights = np.exp(-rng.exponential(size=(12, 12)))
    np.fill_diagonal(weights, 1.0)
    tables = gibbs_tables(weights)
    marginals, pairs = gibbs_marginals(weights, *tables), gibbs_pairs(weights, *tables)
    assert np.abs(pairs.sum(axis=1) - 12.0 * marginals).max() <= 1e-12
    vector = rng.normal(size=144)
    assert np.abs(pairs @ vector - gibbs_second_moment(weights, *tables, vector)).max() <= 1e-12


@pytest.mark.parametrize("corner", [0.0, 1.0 - 2.0**-53])
def test_extreme_uniform_numbers_draw_permutations(corner):
    """Uniform numbers at either end of [0, 1) draw a permutation of positive weight."""
    weights = np.array([[1.0, 0.0, 0.5], [0.0, 1.0, 0.0], [0.5, 0.0, 1.0]])
    _, forward, _ = gibbs_tables(weights)
    chosen = gibbs_sample(weights, forward, np.full(3, corner))
    assert sorted(chosen.tolist()) == [0, 1, 2]
    assert weights[np.arange(3), chosen].prod() > 0.0
