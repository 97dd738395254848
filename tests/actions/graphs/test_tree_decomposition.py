"""Decomposition in integers: the remainder is 0, whatever the graph, the point, the number of edges and the order."""

import numpy as np
import pytest

from swapregret.actions.graphs.graphic_bases import GraphicBases
from swapregret.actions.graphs.kernels.kruskal import heaviest_forest, is_forest
from swapregret.actions.graphs.kernels.tree_atoms import decompose_forest_masses, rounded_masses
from swapregret.actions.graphs.kernels.tree_partition import project_forests
from swapregret.actions.graphs.undirected import read_graph

UNIT = 2**52


def random_graph(rng):
    """Draw a multigraph of up to 10 vertices, often with several components, bridges and parallel edges."""
    n = int(rng.integers(2, 11))
    count = int(rng.integers(1, 25))
    return read_graph([tuple(rng.choice(n, 2, replace=False).tolist()) for _ in range(count)])


def random_point(graph, size, kind, rng):
    """Draw a point: a projection at some spread, or a mixture of few forests with mild, wild or dyadic weights."""
    d = len(graph.labels)
    if kind == 0:
        spread = rng.choice([0.1, 1.0, 5.0, 30.0])
        return project_forests(rng.normal(size=d) * spread, graph.tails, graph.heads, graph.n_vertices, size)[0]
    count = int(rng.integers(1, 8))
    rows = [heaviest_forest(rng.normal(size=d), graph.tails, graph.heads, graph.n_vertices, size) for _ in range(count)]
    if kind == 1:
        weights = rng.dirichlet(np.ones(count))
    elif kind == 2:
        weights = np.exp(10.0 * rng.normal(size=count))
        weights /= weights.sum()
    else:
        weights = rng.multinomial(16, np.ones(count) / count) / 16.0
    return weights @ np.array(rows)


def decomposed(graph, point, size, unit, ranks):
    """Decompose a point after scaling it; None if there is no point of the polytope near it."""
    masses = np.floor(np.clip(point, 0.0, 1.0) * unit).astype(np.int64)
    kernel_graph = GraphicBases(graph, size).kernel_graph
    net, masses, missing = rounded_masses(kernel_graph, masses, unit)
    if missing > 0:
        return None
    rows, weights, is_found = decompose_forest_masses(kernel_graph, net, masses, unit, ranks)
    return (rows, weights, masses) if is_found else None


def test_ten_thousand_points_leave_no_remainder():
    """Weights are positive and add up to one, rows are forests of the size, and they add up to the rounded point exactly."""
    rng = np.random.default_rng(2024)
    n_points, furthest, most = 0, 0.0, 0.0
    while n_points < 10_000:
        graph = random_graph(rng)
        d, n = len(graph.labels), graph.n_vertices
        for kind in range(4):
            size = graph.rank if rng.random() < 0.5 else int(rng.integers(1, graph.rank + 1))
            ranks = np.arange(n + 1) if kind % 2 else rng.permutation(n + 1)
            point = random_point(graph, size, kind, rng)
            rows, weights, masses = decomposed(graph, point, size, UNIT, ranks)
            assert int(weights.sum()) == UNIT
            assert weights.min() > 0
            np.testing.assert_array_equal(weights @ rows, masses)
            assert (rows.sum(axis=1) == size).all()
            assert all(is_forest(row, graph.tails, graph.heads, n) for row in rows[:: max(1, len(rows) // 3)])
            furthest = max(furthest, float(np.abs(masses / UNIT - point).max()))
            most = max(most, len(rows) / (d + 1))
            n_points += 1
    assert furthest <= 1e-13
    assert most <= 3.0


def test_units_need_not_be_powers_of_two():
    """Any unit does: a third of the mass is decomposed as exactly."""
    rng = np.random.default_rng(3)
    graph = read_graph([(u, v) for u in range(7) for v in range(u)])
    unit = 2**52 // 3
    point = random_point(graph, 6, 0, rng)
    rows, weights, masses = decomposed(graph, point, 6, unit, np.arange(8))
    assert int(weights.sum()) == unit
    np.testing.assert_array_equal(weights @ rows, masses)


def test_points_outside_are_moved():
    """Where all the mass asks for the same two vertices it has to move: the masses come back changed."""
    graph = read_graph([(0, 1), (0, 1), (1, 2)])
    rows, weights, masses = decomposed(graph, np.array([0.9, 0.9, 0.2]), 2, UNIT, np.arange(4))
    np.testing.assert_array_equal(weights @ rows, masses)
    assert np.abs(masses / UNIT - [0.9, 0.9, 0.2]).max() > 0.1


@pytest.mark.parametrize(("n", "d"), [(30, 300), (100, 300), (200, 420)])
def test_large_graphs_have_about_as_many_atoms_as_edges(n, d):
    """On larger graphs, at several spreads, the support stays below 1.6 (d + 1)."""
    rng = np.random.default_rng(n)
    tree = [(v, int(rng.integers(v))) for v in range(1, n)]
    graph = read_graph(tree + [tuple(rng.choice(n, 2, replace=False).tolist()) for _ in range(d - n + 1)])
    for spread in (0.1, 1.0, 30.0):
        w = rng.normal(size=d) * spread
        point = project_forests(w, graph.tails, graph.heads, n, n - 1)[0]
        rows, weights, masses = decomposed(graph, point, n - 1, UNIT, np.arange(n + 1))
        np.testing.assert_array_equal(weights @ rows, masses)
        assert np.abs(masses / UNIT - point).max() <= 1e-12
        assert len(rows) <= 1.6 * (d + 1)
