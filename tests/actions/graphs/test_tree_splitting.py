"""Taking vertices out: after every step the masses are still a sum of trees of the vertices left, by all vertex sets."""

from collections import Counter
from itertools import combinations

import numpy as np
import pytest

from swapregret.actions.graphs.kernels import tree_splitting
from swapregret.actions.graphs.kernels.graphic_matroid import network
from swapregret.actions.graphs.kernels.kruskal import heaviest_forest
from swapregret.actions.graphs.kernels.tree_atoms import rounded_masses
from swapregret.actions.graphs.kernels.tree_network import hand_out
from swapregret.actions.graphs.kernels.tree_splitting import DONE, NO_ROOM, split_off, take_out
from swapregret.actions.graphs.spanning_trees import SpanningTrees


def is_sum_of_trees(masses, vertices, unit):
    """Check the total and every vertex set of a table {pair: mass}."""
    if sum(masses.values()) != (len(vertices) - 1) * unit:
        return False
    for count in range(2, len(vertices) + 1):
        for chosen in combinations(vertices, count):
            inside = sum(mass for pair, mass in masses.items() if pair <= set(chosen))
            if inside > (count - 1) * unit:
                return False
    return True


def split(edges, masses, n, unit, ranks):
    """Hand out masses between different pairs of vertices and take the vertices out."""
    tails, heads = np.array(edges, dtype=np.int64).T.copy()
    net = network(np.arange(n), tails, heads, 2 * len(edges))
    handed = np.array(masses, dtype=np.int64)
    hand_out(net, handed, unit)
    assert handed.tolist() == list(masses)
    return split_off(net, 2 * len(edges), unit, ranks)


def check(edges, masses, n, unit, ranks):
    """Take the vertices out and follow the masses step by step."""
    splits, is_inside = split(edges, masses, n, unit, ranks)
    assert is_inside
    assert sorted(splits.order.tolist()) == list(range(n))
    table = Counter({frozenset(edge): mass for edge, mass in zip(edges, masses, strict=True)})
    left = list(range(n))
    assert is_sum_of_trees(table, left, unit)
    for step, v in enumerate(splits.order[:-1].tolist()):
        halves = Counter({next(iter(pair - {v})): mass for pair, mass in table.items() if v in pair and mass})
        table = Counter({pair: mass for pair, mass in table.items() if v not in pair})
        left.remove(v)
        spare = sum(halves.values()) - unit
        for piece in range(splits.starts[step], splits.starts[step + 1]):
            a, b = int(splits.firsts[piece]), int(splits.seconds[piece])
            amount = int(splits.amounts[piece])
            halves[a] -= amount
            if b >= 0:
                assert a != b
                halves[b] -= amount
                spare -= amount
                table[frozenset((a, b))] += amount
        assert spare == 0
        assert not any(halves.values())
        assert is_sum_of_trees(table, left, unit)


def test_every_step_leaves_a_sum_of_trees():
    """On random sums of few trees of small graphs, in random orders."""
    rng = np.random.default_rng(3)
    for _ in range(150):
        n = int(rng.integers(2, 8))
        edges = [pair for pair in combinations(range(n), 2) if rng.random() < 0.7 or pair[1] == pair[0] + 1]
        tails, heads = np.array(edges, dtype=np.int64).T.copy()
        rows = [heaviest_forest(rng.normal(size=len(edges)), tails, heads, n, n - 1) for _ in range(4)]
        weights = rng.integers(1, 20, size=4)
        check(edges, (weights @ np.array(rows)).tolist(), n, int(weights.sum()), rng.permutation(n))


def test_partners_are_exchanged_where_greedy_pairing_is_stuck():
    """Two sums of eight trees in which the greedy choice leaves mass at one full set only."""
    edges = [(1, 0), (2, 1), (3, 2), (4, 3), (0, 2), (3, 1), (0, 4)]
    check(edges, [5, 4, 5, 7, 4, 0, 7], 5, 8, np.arange(5))
    edges = [(0, 1), (1, 2), (0, 3), (2, 3), (1, 3), (0, 2)]
    check(edges, [5, 7, 6, 2, 0, 4], 4, 8, np.arange(4))


@pytest.mark.parametrize("masses", [[4, 4, 4, 0, 0, 0], [3, 3, 3, 1, 1, 1]])
def test_masses_that_are_no_sum_of_trees_are_found_out(masses):
    """On K_4 with unit 4, three edges of full mass are one tree; with nine of twelve units on a triangle there is none."""
    edges = [(0, 1), (1, 2), (0, 2), (0, 3), (1, 3), (2, 3)]
    tails, heads = np.array(edges, dtype=np.int64).T.copy()
    net = network(np.arange(4), tails, heads, 12)
    for pair, mass in enumerate(masses):  # all to one end, not caring for loads
        net.held[2 * pair] = mass
        net.loads[edges[pair][0]] += mass
    assert not split_off(net, 12, 4, np.arange(4))[1]


def test_room_that_runs_out_is_made(monkeypatch):
    """On a sparse graph whose elimination joins many pairs the first attempt has too little room; the next one has enough."""
    rng = np.random.default_rng(0)
    cycles = [rng.permutation(100).tolist() for _ in range(3)]
    edges = {tuple(sorted((cycle[i - 1], cycle[i]))) for cycle in cycles for i in range(100)}
    trees = SpanningTrees(sorted(edges))
    point, unit = trees.kl_project(0.3 * rng.normal(size=trees.dimension)).point, 2**40
    net, _, missing = rounded_masses(trees.kernel_graph, np.floor(point * unit).astype(np.int64), unit)
    assert missing == 0
    held, ends = net.held.copy(), []
    monkeypatch.setattr(tree_splitting, "take_out", lambda *args: ends.append(take_out(*args)) or ends[-1])
    _, is_inside = split_off.__wrapped__(net, 2 * trees.dimension, unit, np.arange(100))
    assert ends == [NO_ROOM, DONE]
    assert is_inside
    np.testing.assert_array_equal(net.held, held)  # what was given is left as it is
    np.testing.assert_allclose(trees.decompose(point).marginals(), point, atol=1e-12)
