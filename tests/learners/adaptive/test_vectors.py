"""The table of vectors by action."""

import numpy as np
import pytest
from swapregret.learners.adaptive.vectors import ActionVectors

from swapregret.actions.m_sets import MSets
from swapregret.kernels.ledger import pack_rows
from swapregret.learners.adaptive.guard import Guard


def _random_rows(rng: np.random.Generator, n: int, d: int) -> np.ndarray:
    return (rng.random((n, d)) < 0.4).astype(np.int64)


@pytest.mark.parametrize("dimension", [5, 64, 130])
def test_the_table_adds_up_like_a_dictionary(dimension: int) -> None:
    """Below its capacity every entry is the sum of p·vector and p²·square over all that was added."""
    rng = np.random.default_rng(dimension)
    table = ActionVectors.start(dimension, 4096)
    values: dict[bytes, np.ndarray] = {}
    squares: dict[bytes, float] = {}
    for _ in range(60):
        rows = np.unique(_random_rows(rng, 20, dimension), axis=0)
        p, vector, square = rng.random(len(rows)), rng.normal(size=dimension), float(rng.random())
        table = table.add(pack_rows(rows), p, vector, square)
        for row, weight in zip(rows, p, strict=True):
            key = row.tobytes()
            values[key] = values.get(key, 0.0) + weight * vector
            squares[key] = squares.get(key, 0.0) + weight**2 * square
    assert table.n_rows == len(values)
    for row, value, square in zip(table.actions, table.values, table.squares, strict=False):
        np.testing.assert_allclose(value, values[row.tobytes()], atol=1e-12)
        assert abs(square - squares[row.tobytes()]) < 1e-12


def test_adding_leaves_the_old_table_alone() -> None:
    """A table is a value: the one that was added to still has what it had."""
    rows = np.eye(4, dtype=np.int64)
    first = ActionVectors.start(4, 256).add(pack_rows(rows), np.ones(4), np.ones(4), 1.0)
    first.add(pack_rows(rows), np.ones(4), np.ones(4), 1.0)
    np.testing.assert_array_equal(first.values[:4], 1.0)
    np.testing.assert_array_equal(first.rows_of(pack_rows(np.ones((1, 4), dtype=np.int64))), [-1])


def test_a_full_table_keeps_what_it_knows_most_about() -> None:
    """When the capacity is reached the half with the largest squares stays, to the entry."""
    d, capacity = 12, 64
    rows = ((np.arange(1, 65)[:, None] >> np.arange(d)) & 1).astype(np.int64)
    table = ActionVectors.start(d, capacity)
    for index, row in enumerate(rows):
        table = table.add(pack_rows(row[None]), np.ones(1), np.full(d, float(index)), float(index))
    extra = np.ones((1, d), dtype=np.int64)
    table = table.add(pack_rows(extra), np.ones(1), np.ones(d), 1.0)
    assert table.n_rows == capacity // 2 + 1
    kept = table.rows_of(pack_rows(rows))
    assert (kept[:32] == -1).all()
    np.testing.assert_array_equal(table.values[kept[32:]][:, 0], np.arange(32, 64))


def test_a_table_read_from_arrays_is_the_same() -> None:
    """Dump and load keep rows, order and room, so that going on gives the same bits."""
    rng = np.random.default_rng(3)
    rows = np.unique(_random_rows(rng, 50, 9), axis=0)
    table = ActionVectors.start(9, 128).add(pack_rows(rows), rng.random(len(rows)), rng.normal(size=9), 0.5)
    read = ActionVectors.load(table.dump("x."), "x.", 128)
    np.testing.assert_array_equal(read.values, table.values)
    np.testing.assert_array_equal(read.slots, table.slots)
    assert read.n_rows == table.n_rows


def test_a_law_larger_than_the_table_comes_in_parts() -> None:
    """More actions at once than the capacity never overflow it; the last of them are in the table."""
    d, capacity = 12, 64
    rows = ((np.arange(1, 201)[:, None] >> np.arange(d)) & 1).astype(np.int64)
    table = ActionVectors.start(d, capacity).add(pack_rows(rows), np.full(200, 0.5), np.ones(d), 1.0)
    assert table.n_rows <= capacity == len(table.keys)
    assert (table.rows_of(pack_rows(rows[-8:])) >= 0).all()
    np.testing.assert_array_equal(table.values[: table.n_rows], 0.5)


def test_a_guard_that_overflows_settles_what_it_drops() -> None:
    """A law with more actions than the guard's table is entered in parts, and Σ max U·(M' − b) over all of them is kept."""
    actions = MSets(9, 4)
    rows, rng = actions.enumerate(), np.random.default_rng(0)
    weights, vector = rng.dirichlet(np.ones(len(rows))), rng.normal(size=9)
    guard = Guard.start(9, 40, np.inf).add(actions, pack_rows(rows), weights, vector).check(actions)
    best = float(np.sort(vector)[-4:].sum())
    assert abs(guard.estimate - float(weights @ (best - rows @ vector))) < 1e-12
