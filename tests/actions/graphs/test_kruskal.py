"""Kruskal's rule, listing of forests and exchanges, against networkx and brute force."""

from itertools import combinations

import networkx as nx
import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from swapregret.actions.graphs.kernels.kruskal import components, exchanges, heaviest_forest, is_forest, next_forests
from swapregret.arrays import frozen


@st.composite
def multigraphs(draw, max_vertices=6, max_edges=10):
    """Draw a number of vertices and the ends of some edges; parallel edges and isolated vertices occur."""
    n = draw(st.integers(2, max_vertices))
    pairs = [(u, v) for u in range(n) for v in range(n) if u != v]
    chosen = draw(st.lists(st.sampled_from(pairs), min_size=1, max_size=max_edges))
    tails, heads = np.array(chosen, dtype=np.int64).T.copy()
    return n, tails, heads


def forests_of(n, tails, heads, size):
    """List the forests of a size by trying all sets of edges."""
    rows = []
    for chosen in combinations(range(len(tails)), size):
        graph = nx.MultiGraph()
        graph.add_nodes_from(range(n))
        graph.add_edges_from((int(tails[e]), int(heads[e])) for e in chosen)
        if graph.number_of_edges() == 0 or nx.is_forest(graph):
            row = np.zeros(len(tails), dtype=np.int64)
            row[list(chosen)] = 1
            rows.append(row)
    return np.array(rows).reshape(-1, len(tails))


def listed(n, tails, heads, size, chunk):
    """List the forests of a size with the kernel, a few at a time."""
    state, rows = np.full(size, -1, dtype=np.int64), np.empty((chunk, len(tails)), dtype=np.int64)
    parts = []
    while True:
        count = next_forests(state, tails, heads, n, size, rows)
        parts.append(rows[:count].copy())
        if count < chunk:
            return np.concatenate(parts)


@settings(max_examples=60)
@given(multigraphs(), st.integers(0, 2**32))
def test_best_of_every_size_and_lists_agree_with_brute_force(graph, seed):
    """For every feasible size the greedy forest is the best in the list, also with negative weights, and the list is complete."""
    n, tails, heads = graph
    rng = np.random.default_rng(seed)
    rank = n - 1 - int(components(tails, heads, n).max())
    for size in range(1, rank + 1):
        table = forests_of(n, tails, heads, size)
        found = listed(n, tails, heads, size, 3)
        np.testing.assert_array_equal(found, table)
        weights = rng.normal(size=len(tails)).round(1)
        best = heaviest_forest(weights, tails, heads, n, size)
        assert (table == best).all(axis=1).any()
        assert weights @ best == pytest.approx((table @ weights).max(), abs=1e-12)


@settings(max_examples=60)
@given(multigraphs())
def test_membership_and_components_agree_with_networkx(graph):
    """Cycles and components are those networkx finds."""
    n, tails, heads = graph
    reference = nx.MultiGraph()
    reference.add_nodes_from(range(n))
    reference.add_edges_from(zip(tails.tolist(), heads.tolist(), strict=True))
    assert is_forest(np.ones(len(tails), dtype=np.int64), tails, heads, n) == nx.is_forest(reference)
    numbers = components(tails, heads, n)
    parts = {frozenset(np.flatnonzero(numbers == name).tolist()) for name in range(numbers.max() + 1)}
    assert parts == {frozenset(part) for part in nx.connected_components(reference)}
    firsts = [int(np.argmax(numbers == name)) for name in range(numbers.max() + 1)]
    assert firsts == sorted(firsts)


def test_heaviest_tree_weighs_what_networkx_says():
    """On larger random graphs the weight is that of networkx's maximum spanning tree."""
    rng = np.random.default_rng(1)
    for seed in range(5):
        graph = nx.gnm_random_graph(60, 400, seed=seed)
        tails, heads = np.array(graph.edges, dtype=np.int64).T.copy()
        weights = rng.normal(size=len(tails))
        for edge, weight in zip(graph.edges, weights, strict=True):
            graph.edges[edge]["weight"] = weight
        best = heaviest_forest(weights, tails, heads, 60, 59)
        expected = nx.maximum_spanning_tree(graph).size(weight="weight")
        assert weights @ best == pytest.approx(expected, abs=1e-10)


def test_ties_go_to_the_lower_index():
    """Among equal weights the edges given first are taken."""
    tails, heads = np.array([0, 0, 1, 2, 0]), np.array([1, 2, 2, 3, 3])
    assert heaviest_forest(np.zeros(5), tails, heads, 4, 3).tolist() == [1, 1, 0, 1, 0]
    assert heaviest_forest(np.zeros(5), tails, heads, 4, 2).tolist() == [1, 1, 0, 0, 0]


@settings(max_examples=60)
@given(multigraphs())
def test_exchanges_span_all_differences_of_actions(graph):
    """The exchanges lead to actions, are independent, and with one forest span what all forests span."""
    n, tails, heads = graph
    rank = n - 1 - int(components(tails, heads, n).max())
    for size in range(1, rank + 1):
        base = heaviest_forest(np.zeros(len(tails)), tails, heads, n, size)
        blocks, swaps = exchanges(base, tails, heads, n)
        rows = [base]
        for come, go in swaps:
            row = base.copy()
            row[come], row[go] = 1, 0
            assert base[go] == 1
            assert base[come] == 0
            assert is_forest(row, tails, heads, n)
            rows.append(row)
        table = forests_of(n, tails, heads, size)
        assert np.linalg.matrix_rank(np.array(rows)) == len(rows) == np.linalg.matrix_rank(table)
        for name in np.unique(blocks):
            assert len(set(table[:, blocks == name].sum(axis=1).tolist())) == 1


@pytest.mark.parametrize("n_heavy", [12, 40])
def test_light_edges_come_where_heavy_ones_do_not_do(n_heavy):
    """A clique of up to 780 heavy edges with light tails: what is tried first closes cycles, the rest must be tried too."""
    edges = [*combinations(range(n_heavy), 2), *((v, v + 1) for v in range(n_heavy - 1, n_heavy + 200))]
    tails, heads = np.array(edges, dtype=np.int64).T.copy()
    n, n_clique = n_heavy + 201, n_heavy * (n_heavy - 1) // 2
    weights = np.random.default_rng(3).normal(size=len(edges)).round(1) + 10.0 * (np.arange(len(edges)) < n_clique)
    for size in (n - 1, n_heavy - 1, n_heavy + 50):
        parents, order, expected = list(range(n)), np.argsort(-weights, kind="stable"), np.zeros(len(edges), dtype=int)
        for edge in order:
            u, v = parents[tails[edge]], parents[heads[edge]]
            if u != v and expected.sum() < size:
                expected[edge], parents = 1, [u if each == v else each for each in parents]
        np.testing.assert_array_equal(heaviest_forest(frozen(weights.copy()), tails, heads, n, size), expected)
        np.testing.assert_array_equal(heaviest_forest(weights, tails, heads, n, size), expected)
