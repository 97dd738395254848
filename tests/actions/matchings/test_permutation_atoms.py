"""Lists of matchings as columns, against the same lists as 0/1 vectors."""

import numpy as np
from hypothesis import given, settings
from hypothesis import strategies as st

from swapregret.actions.matchings.kernels.permutation_atoms import (
    matching_cooccurrence,
    matching_marginals,
    matching_second_moment,
    matching_table,
    sort_matchings,
)
from swapregret.policy import FinitePolicy


@settings(deadline=None, max_examples=100)
@given(st.integers(1, 5), st.integers(0, 2), st.integers(1, 12), st.data())
def test_order_and_moments_are_those_of_finite_policies(k, extra, n, data):
    """Sorting, merging and all moments agree with FinitePolicy on the 0/1 vectors, bit for bit in order and weights."""
    m = k + extra
    rows = [data.draw(st.permutations(range(m)))[:k] for _ in range(n)]
    chosen = np.array(rows, dtype=np.int32).reshape(n, k)
    units = np.array(data.draw(st.lists(st.integers(1, 9), min_size=n, max_size=n)), dtype=np.int64)
    units[0] += 128 - units.sum()
    law = FinitePolicy(matching_table(chosen, m), units / 128.0)
    merged, mass = sort_matchings(chosen, units, m)
    weights = mass / 128.0
    assert np.array_equal(matching_table(merged, m), law.atoms)
    assert np.array_equal(weights, law.weights)
    assert np.array_equal(matching_marginals(merged, weights, m), law.marginals())
    assert np.array_equal(matching_cooccurrence(merged, weights, m), law.cooccurrence())
    vector = np.arange(k * m) - 2.0
    assert np.abs(matching_second_moment(merged, weights, vector, m) - law.second_moment(vector)).max() <= 1e-12
