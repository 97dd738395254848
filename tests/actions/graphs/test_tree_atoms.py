"""Putting vertices back: single steps by hand, and levelling of sizes."""

import numpy as np

from swapregret.actions.graphs.kernels.kruskal import heaviest_forest, is_forest
from swapregret.actions.graphs.kernels.tree_atoms import insert, level_sizes, put_back
from swapregret.actions.graphs.kernels.tree_network import ForestGraph
from swapregret.actions.graphs.kernels.tree_splitting import Splits


def test_a_second_edge_over_the_same_vertex_frees_one_half():
    """On the path 0 – 1 – 2 – 3, leading two edges over vertex 4 keeps a tree, whichever comes first."""
    parents = np.array([-1, 0, 1, 2, -1], dtype=np.int32)
    assert insert(parents, 4, 3, 2) == -1
    assert parents.tolist() == [-1, 0, 1, 4, 2]
    assert insert(parents, 4, 1, 0) == 2  # 4 hangs below 1: it moves up, and 2 – 4 is free
    assert parents.tolist() == [-1, 4, 1, 4, 0]
    parents = np.array([-1, 0, 1, 2, -1], dtype=np.int32)
    assert insert(parents, 4, 1, 0) == -1
    assert insert(parents, 4, 3, 2) == 2  # 4 does not hang below 3: 3 moves to 4
    assert parents.tolist() == [-1, 4, 1, 4, 0]


def test_a_triangle_comes_back():
    """Vertex 2 of a triangle with masses 4, 4, 4 of unit 6: two units split off, four hang."""
    splits = Splits(
        order=np.array([2, 1, 0]),
        starts=np.array([0, 3, 4, 4]),
        firsts=np.array([0, 0, 1, 0]),
        seconds=np.array([1, -1, -1, -1]),
        amounts=np.array([2, 2, 2, 6]),
    )
    parents, weights, n_trees, is_even = put_back(splits, 6, -1, 0)
    assert is_even
    trees = sorted((parents[tree].tolist(), int(weights[tree])) for tree in range(n_trees))
    assert trees == [([-1, 0, 0], 2), ([-1, 0, 1], 2), ([-1, 2, 0], 2)]


def test_splits_that_do_not_fit_are_reported():
    """Splitting off more than the trees have is not even."""
    splits = Splits(
        order=np.array([2, 1, 0]),
        starts=np.array([0, 2, 3, 3]),
        firsts=np.array([0, 0, 0]),
        seconds=np.array([1, -1, -1]),
        amounts=np.array([7, 1, 6]),
    )
    assert not put_back(splits, 6, -1, 0)[3]


def test_sizes_are_levelled_without_changing_the_sum():
    """Forests of sizes between 0 and 5 with an integer mean end up all of that size."""
    rng = np.random.default_rng(4)
    tails, heads = np.triu_indices(6, 1)
    tails, heads = tails.astype(np.int64), heads.astype(np.int64)
    graph = ForestGraph(tails, heads, 6, 3, tails, heads, np.arange(16), np.arange(15))
    for _ in range(50):
        sizes = [0, 1, 2, 3, 4, 5]
        rows = np.array([heaviest_forest(rng.normal(size=15), tails, heads, 6, size) for size in sizes])
        weights = rng.integers(1, 100, size=6)
        gap = int(3 * weights.sum() - weights @ rows.sum(axis=1))
        weights[4 if gap > 0 else 2] += abs(gap)  # a forest of one edge more or less evens out the mean
        levelled, shares = level_sizes(graph, rows.copy(), weights.copy())
        assert (levelled.sum(axis=1) == 3).all()
        assert all(is_forest(row, tails, heads, 6) for row in levelled)
        np.testing.assert_array_equal(shares @ levelled, weights @ rows)
        assert shares.sum() == weights.sum()
