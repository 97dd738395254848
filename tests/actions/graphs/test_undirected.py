"""Reading graphs: labels, vertices, and every way an edge list can be wrong."""

import networkx as nx
import numpy as np
import pytest

from swapregret.actions.graphs.undirected import read_graph, read_networkx
from swapregret.errors import InvalidInput


def test_vertices_and_labels_may_be_anything_hashable():
    """Tuples, strings, numbers and None serve as vertices; edges are named by their pair, parallel ones numbered."""
    graph = read_graph([((0, 1), "b"), ("b", None), ("b", (0, 1)), (None, 3.5)])
    assert graph.vertices == ((0, 1), "b", None, 3.5)
    assert graph.tails.tolist() == [0, 1, 1, 2]
    assert graph.heads.tolist() == [1, 2, 0, 3]
    assert graph.labels == (((0, 1), "b", 0), ("b", None), ("b", (0, 1), 1), (None, 3.5))


def test_arrays_and_generators_are_read_like_lists():
    """An integer array gives plain numbers as vertices."""
    graph = read_graph(np.array([[3, 1], [1, 2]]))
    assert graph.vertices == (3, 1, 2)
    assert graph.labels == ((3, 1), (1, 2))
    assert read_graph(iter([(3, 1), (1, 2)])).labels == graph.labels


def test_given_vertices_fix_the_order_and_may_be_isolated():
    """Vertices without edges are kept apart; the others keep the order given."""
    graph = read_graph([("a", "b")], vertices=["z", "b", "a"], labels=["road"])
    assert graph.vertices == ("b", "a")
    assert graph.isolated == ("z",)
    assert graph.labels == ("road",)
    assert graph.rank == 1


def test_pairs_collect_parallel_edges_in_both_directions():
    """Edges between the same two vertices are one pair, whichever way they were written."""
    tails, heads, starts, edges = read_graph([(0, 1), (2, 1), (1, 0), (1, 2), (0, 2)]).pairs
    found = {
        (int(u), int(v)): edges[starts[p] : starts[p + 1]].tolist()
        for p, (u, v) in enumerate(zip(tails, heads, strict=True))
    }
    assert found == {(0, 1): [0, 2], (0, 2): [4], (1, 2): [1, 3]}


@pytest.mark.parametrize(
    ("edges", "options", "words"),
    [
        ([], {}, "must not be empty"),
        ([(0, 1), (2, 2)], {}, "edge 1 of `edges` must join two different vertices: got (2, 2)"),
        ([(0, 1), (1, 2, 3)], {}, "edge 1 of `edges` must be a pair of hashable vertices"),
        ([(0, 1), "ab"], {}, "edge 1 of `edges` must be a pair"),
        ([(0, 1), 7], {}, "edge 1 of `edges` must be a pair"),
        ([(0, [1])], {}, "edge 0 of `edges` must be a pair of hashable vertices"),
        (5, {}, "must be a list of pairs"),
        ([(0, 1)], {"vertices": [0, [1]]}, "`vertices` must be a list of hashable vertices"),
        ([(0, 1)], {"vertices": [0, 2]}, "the edge end 1"),
    ],
)
def test_unusable_edges_are_refused_by_name(edges, options, words):
    """The sentence names the edge or vertex that is wrong."""
    with pytest.raises(InvalidInput) as info:
        read_graph(edges, **options)
    assert words in str(info.value)


def test_networkx_graphs_are_read_with_keys_and_isolated_nodes():
    """Multigraphs name their edges (u, v, key); directed graphs are refused."""
    multi = nx.MultiGraph([("a", "b"), ("a", "b"), ("b", "c")])
    multi.add_node("z")
    graph = read_graph(*read_networkx(multi))
    assert graph.labels == (("a", "b", 0), ("a", "b", 1), ("b", "c", 0))
    assert graph.isolated == ("z",)
    assert read_graph(*read_networkx(nx.path_graph(3))).labels == ((0, 1), (1, 2))
    with pytest.raises(InvalidInput, match="undirected"):
        read_networkx(nx.DiGraph([(0, 1)]))


@pytest.mark.parametrize(
    ("graph", "count"),
    [(nx.complete_graph(n), n ** (n - 2)) for n in (4, 5, 6, 7, 8, 60)]
    + [
        (nx.petersen_graph(), 2000),
        (nx.grid_2d_graph(3, 3), 192),
        (nx.cycle_graph(9), 9),
        (nx.path_graph(50), 1),
        (nx.complete_bipartite_graph(7, 9), 7**8 * 9**6),
        (nx.hypercube_graph(4), 42_467_328),
        (nx.union(nx.complete_graph(4), nx.complete_graph(range(10, 15))), 16 * 125),
        (nx.karate_club_graph(), 5_090_996_323_019_136),
    ],
)
def test_known_counts(graph, count):
    """Counts of spanning trees are exact integers, also beyond 64 bits; components multiply."""
    assert read_graph(*read_networkx(graph)).n_forests == count


def test_counts_agree_with_networkx():
    """On named networks the count is networkx's, to its own rounding."""
    for graph in (nx.florentine_families_graph(), nx.krackhardt_kite_graph(), nx.davis_southern_women_graph()):
        assert read_graph(*read_networkx(graph)).n_forests == pytest.approx(
            nx.number_of_spanning_trees(graph), rel=1e-9
        )
