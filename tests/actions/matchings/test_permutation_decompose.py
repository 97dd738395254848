"""Variants of the decomposition: the same units under every order of rows and columns, and no matching twice."""

import numpy as np

from swapregret.actions.matchings.kernels.birkhoff import packed_matchings, round_matching_point, table_distance
from swapregret.compiled.bits import unpack_rows

UNITS = 2**44


def _listed(point, row_orders, column_orders):
    """Return the matchings of a point as tables, and their weights."""
    words, weights, _ = packed_matchings(point.reshape(-1), *point.shape, UNITS, row_orders, column_orders)
    return unpack_rows(words, point.size).reshape(-1, *point.shape), weights


def test_variants_add_up_to_the_same_units():
    """Whatever the orders, the matchings of n variants add up to the rounded point, and none comes twice."""
    rng = np.random.default_rng(0)
    point = np.full((4, 6), 1.0 / 6.0)
    rows = np.array([np.arange(4), rng.permutation(4), rng.permutation(4)])
    columns = np.array([np.arange(6), rng.permutation(6), rng.permutation(6)])
    units = round_matching_point(point, UNITS)
    for n in (1, 3):
        tables, weights = _listed(point, rows[:n], columns[:n])
        assert np.abs(np.tensordot(weights, tables, 1) * UNITS - units).max() <= (0.0 if n == 1 else 1.0)
        assert weights.sum() == 1.0
        assert len({table.tobytes() for table in tables}) == len(tables)


def test_one_order_other_than_the_natural_is_respected():
    """A single variant in reverse order is the natural decomposition of the reversed table, read backwards."""
    point = np.array([[0.5, 0.3, 0.2], [0.2, 0.5, 0.3], [0.3, 0.2, 0.5]])
    back, natural = np.array([[2, 1, 0]]), np.array([[0, 1, 2]])
    tables, weights = _listed(point, back, back)
    mirrored, masses = _listed(np.ascontiguousarray(point[::-1, ::-1]), natural, natural)
    ours = {(table.tobytes(), weight) for table, weight in zip(tables, weights, strict=True)}
    theirs = {(table[::-1, ::-1].tobytes(), weight) for table, weight in zip(mirrored, masses, strict=True)}
    assert ours == theirs
    assert (np.tensordot(weights, tables, 1).sum(axis=1) == 1.0).all()


def test_distance_outside():
    """Each constraint is seen: row sums, column sums, signs; a column below 1 counts only in square tables."""
    assert table_distance(np.full((2, 2), 0.5)) == 0.0
    assert table_distance(np.full((2, 4), 0.25)) == 0.0
    assert table_distance(np.array([[0.5, 0.25], [0.5, 0.5]])) == 0.25
    assert table_distance(np.array([[1.0, 0.0, 0.0], [0.5, 0.5, 0.0]])) == 0.5
    assert table_distance(np.array([[1.0, 0.0], [1.0, 0.0]])) == 1.0
    assert table_distance(np.array([[1.25, -0.25], [-0.25, 1.25]])) == 0.25
