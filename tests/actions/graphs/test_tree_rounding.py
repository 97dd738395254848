"""Rounding to a base: exactly in the polytope by all vertex sets, near the point, and zeros stay zeros."""

from itertools import combinations

import numpy as np

from swapregret.actions.graphs.graphic_bases import GraphicBases
from swapregret.actions.graphs.kernels.kruskal import heaviest_forest
from swapregret.actions.graphs.kernels.tree_network import round_to_base
from swapregret.actions.graphs.undirected import read_graph

UNIT = 2**52


def rounded(graph, masses, size, unit):
    """Call the kernel on masses of a graph."""
    return round_to_base(GraphicBases(graph, size).kernel_graph, masses.copy(), unit)


def violations(graph, masses, unit):
    """Return the largest excess of a vertex set."""
    worst = 0
    for count in range(2, graph.n_vertices + 1):
        for chosen in combinations(range(graph.n_vertices), count):
            inside = np.isin(graph.tails, chosen) & np.isin(graph.heads, chosen)
            worst = max(worst, int(masses[inside].sum()) - (count - 1) * unit)
    return worst


def test_rounded_points_lie_in_the_polytope_exactly():
    """Mixtures of forests, on faces and inside, of trees and of smaller forests, are moved by rounding only."""
    rng = np.random.default_rng(0)
    for _ in range(150):
        n = int(rng.integers(2, 7))
        graph = read_graph([tuple(rng.choice(n, 2, replace=False).tolist()) for _ in range(rng.integers(1, 12))])
        d = len(graph.labels)
        size = int(rng.integers(1, graph.rank + 1))
        rows = [heaviest_forest(rng.normal(size=d), graph.tails, graph.heads, graph.n_vertices, size) for _ in range(3)]
        point = rng.dirichlet(np.ones(3)) @ np.array(rows)
        net, masses, missing = rounded(graph, np.floor(point * UNIT).astype(np.int64), size, UNIT)
        assert missing == 0
        assert int(masses.sum()) == size * UNIT
        assert masses.min() >= 0
        assert violations(graph, masses, UNIT) == 0
        assert np.abs(masses / UNIT - point).max() <= (d + 1) * 2.0**-51
        assert (masses[point == 0.0] == 0).all()
        assert net.loads.max() <= UNIT
        _, _, starts, edges = graph.pairs
        sums = np.add.reduceat(masses[edges], starts[:-1])
        np.testing.assert_array_equal(net.held[::2] + net.held[1::2], sums)


def test_points_far_outside_are_moved_inside_too():
    """Whatever the masses, the result is a point of the polytope with the right sum, in units of 7 as well."""
    rng = np.random.default_rng(1)
    graph = read_graph([(0, 1), (1, 2), (2, 0), (2, 3), (3, 0), (0, 1)])
    for _ in range(200):
        masses = rng.integers(0, 12, size=6)
        _, result, missing = rounded(graph, masses, 3, 7)
        assert missing == 0
        assert int(result.sum()) == 21
        assert result.min() >= 0
        assert violations(graph, result, 7) == 0
