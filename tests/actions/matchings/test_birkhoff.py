"""Rounding to whole units and stripping of matchings: exact sums, remainder 0, few terms."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from swapregret.actions.matchings.kernels.birkhoff import round_matching_point, strip_matchings
from swapregret.actions.matchings.kernels.sinkhorn import project_matchings

UNITS = 2**44


def _rank(k, m):
    return k * m - k + 1 if k < m else (m - 1) ** 2 + 1


def _check_strip(units, total):
    """Assert that the matchings add up to the table exactly, are few, different, and matchings."""
    k, m = units.shape
    chosen, weights = strip_matchings(units, total)
    assert weights.min() > 0
    assert weights.sum() == total
    assert len(weights) <= _rank(k, m)
    assert len({row.tobytes() for row in chosen}) == len(chosen)
    rebuilt = np.zeros((k, m), dtype=np.int64)
    for row, weight in zip(chosen, weights, strict=True):
        assert len(set(row.tolist())) == k
        rebuilt[np.arange(k), row] += weight
    assert np.array_equal(rebuilt, units)
    return chosen, weights


def _check_round(point):
    """Assert exact sums, no pair used that the point never uses, and hardly any movement."""
    k, m = point.shape
    units = round_matching_point(point, UNITS)
    assert units.min() >= 0
    assert (units.sum(axis=1) == UNITS).all()
    assert (units.sum(axis=0) <= UNITS).all()
    assert not units[point == 0.0].any()
    assert np.abs(units / UNITS - point).max() <= 4.0 * (k + m) / UNITS + 1e-14
    return units


@settings(deadline=None, max_examples=200)
@given(st.integers(1, 6), st.integers(0, 3), st.integers(1, 9), st.data())
def test_sums_of_matchings_come_apart_again(k, extra, n, data):
    """Any sum of n matchings is stripped into matchings of the same sum, remainder 0."""
    m = k + extra
    units = np.zeros((k, m), dtype=np.int64)
    for _ in range(n):
        units[np.arange(k), data.draw(st.permutations(range(m)))[:k]] += data.draw(st.integers(1, 5))
    _check_strip(units, int(units[0].sum()))


@settings(deadline=None, max_examples=200)
@given(st.integers(1, 6), st.integers(0, 3), st.integers(1, 7), st.data())
def test_rounding_keeps_sums_and_zeros(k, extra, n, data):
    """Averages of few matchings, with weights like 1/3 that no grid holds, are rounded on their own support."""
    m = k + extra
    shares = np.array(data.draw(st.lists(st.integers(1, 1000), min_size=n, max_size=n)), dtype=np.float64)
    point = np.zeros((k, m))
    for share in shares / shares.sum():
        point[np.arange(k), data.draw(st.permutations(range(m)))[:k]] += share
    _check_strip(_check_round(point), UNITS)


@pytest.mark.parametrize("shape", [(10, 10), (20, 20), (50, 50), (70, 70), (20, 50), (3, 70), (40, 41)])
@pytest.mark.parametrize("spread", [0.0, 1.0, 10.0])
def test_projected_points(shape, spread):
    """Dense and concentrated points, also with more than 64 columns, are rounded and stripped exactly."""
    rng = np.random.default_rng(shape[0])
    x = project_matchings(spread * rng.normal(size=shape))[0].reshape(shape)
    _check_strip(_check_round(x), UNITS)


def test_a_dense_point_needs_the_whole_bound():
    """A generic doubly stochastic matrix takes n² − 2n + 2 permutations, the bound of Marcus and Ree."""
    x = project_matchings(np.random.default_rng(1).normal(size=(9, 9)))[0].reshape(9, 9)
    _, weights = _check_strip(_check_round(x), UNITS)
    assert len(weights) == 9 * 9 - 2 * 9 + 2


def test_a_vertex_stays_one():
    """A permutation matrix is its own decomposition."""
    chosen, weights = _check_strip(_check_round(np.eye(5)[::-1].copy()), UNITS)
    assert chosen.tolist() == [[4, 3, 2, 1, 0]]
    assert weights.tolist() == [UNITS]


def test_sums_off_by_a_little_are_repaired():
    """Sums wrong by 1e-9, either way, and negative dust still give exact sums close by."""
    rng = np.random.default_rng(5)
    for k, m in [(6, 6), (4, 7)]:
        x = project_matchings(rng.normal(size=(k, m)))[0].reshape(k, m)
        for noise in (1e-9, -1e-9):
            moved = x + noise * rng.random((k, m))
            moved[0, 0] = -1e-10 if x[0, 0] < 1e-3 else moved[0, 0]
            units = round_matching_point(moved, UNITS)
            assert (units.sum(axis=1) == UNITS).all()
            assert (units.sum(axis=0) <= UNITS).all()
            assert np.abs(units / UNITS - moved).max() <= 1e-7
            _check_strip(units, UNITS)


def test_a_support_without_matching_is_filled_up():
    """A point within tolerance whose support holds no matching of its sums is rounded next to its support."""
    point = np.array([[1.0, 0.0], [1e-9, 1.0 - 1e-9]])
    units = round_matching_point(point, UNITS)
    assert (units.sum(axis=0) == UNITS).all()
    assert (units.sum(axis=1) == UNITS).all()
    assert np.abs(units / UNITS - point).max() <= 2e-9


def test_a_table_with_wrong_sums_is_not_decomposed():
    """Two rows that want the same column leave no matching: nothing is returned."""
    chosen, weights = strip_matchings(np.array([[4, 0], [4, 0]]), 4)
    assert len(chosen) == len(weights) == 0
