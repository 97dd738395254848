"""Variants of the decomposition: the same units under every order of rows and columns; lists in one order."""

import numpy as np
from hypothesis import given, settings
from hypothesis import strategies as st

from swapregret.actions.matchings.kernels.permutation_decompose import (
    decompose_matching_point,
    distance_outside,
    sort_matchings,
)
from swapregret.actions.matchings.kernels.permutation_rounding import round_matching_point
from swapregret.policy import FinitePolicy

UNITS = 2**44


def _table(chosen, m):
    """Write matchings as 0/1 vectors."""
    table = np.zeros((*chosen.shape, m), dtype=np.int64)
    np.put_along_axis(table, chosen[:, :, None].astype(np.int64), 1, axis=2)
    return table.reshape(len(chosen), -1)


@settings(deadline=None, max_examples=100)
@given(st.integers(1, 5), st.integers(0, 2), st.integers(1, 12), st.data())
def test_lists_are_sorted_and_merged_as_finite_policies_are(k, extra, n, data):
    """Order and weights of a sorted list are those of FinitePolicy on the 0/1 vectors, bit for bit."""
    m = k + extra
    rows = [data.draw(st.permutations(range(m)))[:k] for _ in range(n)]
    chosen = np.array(rows, dtype=np.int32).reshape(n, k)
    units = np.array(data.draw(st.lists(st.integers(1, 9), min_size=n, max_size=n)), dtype=np.int64)
    units[0] += 128 - units.sum()
    law = FinitePolicy(_table(chosen, m), units / 128.0)
    merged, mass = sort_matchings(chosen, units, m)
    assert np.array_equal(_table(merged, m), law.atoms)
    assert np.array_equal(mass / 128.0, law.weights)


def test_variants_add_up_to_the_same_units():
    """Whatever the orders, the matchings of n variants add up to n times the rounded point."""
    rng = np.random.default_rng(0)
    point = np.full((4, 6), 1.0 / 6.0)
    rows = np.array([np.arange(4), rng.permutation(4), rng.permutation(4)])
    columns = np.array([np.arange(6), rng.permutation(6), rng.permutation(6)])
    units = round_matching_point(point, UNITS)
    for n in (1, 3):
        chosen, weights = decompose_matching_point(point, UNITS, rows[:n], columns[:n])
        total = np.zeros((4, 6), dtype=np.int64)
        for row, weight in zip(chosen, weights, strict=True):
            total[np.arange(4), row] += weight
        assert np.array_equal(total, n * units)
        assert len({row.tobytes() for row in chosen}) == len(chosen)


def test_one_order_other_than_the_natural_is_respected():
    """A single variant in reverse order is the natural decomposition of the reversed table, read backwards."""
    point = np.array([[0.5, 0.3, 0.2], [0.2, 0.5, 0.3], [0.3, 0.2, 0.5]])
    back = np.array([[2, 1, 0]])
    natural = np.array([[0, 1, 2]])
    chosen, weights = decompose_matching_point(point, UNITS, back, back)
    mirrored, masses = decompose_matching_point(np.ascontiguousarray(point[::-1, ::-1]), UNITS, natural, natural)
    ours = {(tuple(row), weight) for row, weight in zip(chosen.tolist(), weights.tolist(), strict=True)}
    theirs = {
        (tuple(2 - column for column in reversed(row)), weight)
        for row, weight in zip(mirrored.tolist(), masses.tolist(), strict=True)
    }
    total = np.zeros((3, 3), dtype=np.int64)
    for row, weight in ours:
        total[np.arange(3), list(row)] += weight
    assert ours == theirs
    assert (total.sum(axis=1) == UNITS).all()


def test_distance_outside():
    """Each constraint is seen: row sums, column sums, signs; a column below 1 counts only in square tables."""
    assert distance_outside(np.full((2, 2), 0.5)) == 0.0
    assert distance_outside(np.full((2, 4), 0.25)) == 0.0
    assert distance_outside(np.array([[0.5, 0.25], [0.5, 0.5]])) == 0.25
    assert distance_outside(np.array([[1.0, 0.0, 0.0], [0.5, 0.5, 0.0]])) == 0.5
    assert distance_outside(np.array([[1.0, 0.0], [1.0, 0.0]])) == 1.0
    assert distance_outside(np.array([[1.25, -0.25], [-0.25, 1.25]])) == 0.25
