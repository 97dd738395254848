"""networkx graphs are taken as they are by every set of a graph."""

import networkx as nx
import pytest

import swapregret as sr
from swapregret.errors import InvalidInput
from swapregret.files.values import read_value, write_value


def test_graphs_make_the_same_sets_as_their_edges() -> None:
    """A graph handed to the constructor is its edges in its order, labels included."""
    graph = nx.petersen_graph()
    trees = sr.SpanningTrees(graph)
    assert trees.n_actions == 2000
    assert trees.labels == tuple(graph.edges())
    assert sr.Forests(graph, size=3).labels == trees.labels
    dag = nx.DiGraph([("s", "a"), ("a", "t"), ("s", "t")])
    assert sr.DagPaths(dag, source="s", sink="t").n_actions == 2


def test_multigraphs_name_parallel_edges_by_their_keys() -> None:
    """Parallel edges of a multigraph are labelled (u, v, key)."""
    trees = sr.SpanningTrees(nx.MultiGraph([(0, 1), (0, 1), (1, 2)]))
    assert trees.labels == ((0, 1, 0), (0, 1, 1), (1, 2, 0))
    assert trees.n_actions == 2
    paths = sr.DagPaths(nx.MultiDiGraph([("s", "t"), ("s", "t")]), source="s", sink="t")
    assert paths.labels == (("s", "t", 0), ("s", "t", 1))


def test_sets_made_from_graphs_can_be_written() -> None:
    """A set made from a graph is written as its edges, and comes back equal."""
    for actions in (
        sr.SpanningTrees(nx.cycle_graph(4)),
        sr.Forests(nx.cycle_graph(4), 2),
        sr.DagPaths(nx.DiGraph([("s", "a"), ("a", "t")]), source="s", sink="t"),
    ):
        again = read_value(write_value(actions))
        assert again.labels == actions.labels
        assert again.n_actions == actions.n_actions


def test_the_wrong_kind_of_graph_is_refused() -> None:
    """Directed graphs have no spanning trees here, undirected ones no source–sink paths."""
    with pytest.raises(InvalidInput, match="undirected"):
        sr.SpanningTrees(nx.DiGraph([(0, 1)]))
    with pytest.raises(InvalidInput, match="directed networkx graph"):
        sr.DagPaths(nx.Graph([("s", "t")]), source="s", sink="t")


def test_a_cycle_is_refused_with_the_call_that_leaves_it_out() -> None:
    """The sentence names acyclic_from, and its call works as written, for edges and for networkx graphs."""
    edges = [("s", "a"), ("a", "b"), ("b", "a"), ("b", "t")]
    graph = nx.DiGraph(edges)
    for given in (edges, graph):
        with pytest.raises(InvalidInput, match=r"the cycle '[ab]' → '[ab]' → '[ab]'.*acyclic_from\('s'\)") as caught:
            sr.DagPaths(given, source="s", sink="t")
        scope = {"sr": sr, "edges": edges, "graph": graph}
        first, second = caught.value.do.removeprefix("Keep the edges that lead away from the source: ").split(", then ")
        exec(first, scope)
        routes = eval(second.removesuffix("."), scope)
        assert routes.choice(routes.enumerate()[0]) == ("s", "a", "b", "t")


def test_an_undirected_graph_is_told_how_to_get_directions() -> None:
    """Paths of an undirected graph are refused with the call that chooses directions."""
    with pytest.raises(InvalidInput, match=r"Network\.from_networkx\(graph\)\.acyclic_from"):
        sr.DagPaths(nx.path_graph(3), source=0, sink=2)


def test_networks_are_taken_as_they_are() -> None:
    """A Network makes the same set as its edges, in files too; paths ask for a directed one."""
    network = sr.networks.Network([("s", "a"), ("a", "t"), ("s", "t")], directed=True)
    for made, same in (
        (sr.DagPaths(network, source="s", sink="t"), sr.DagPaths(network.edges, source="s", sink="t")),
        (sr.SpanningTrees(network.undirected()), sr.SpanningTrees(network.edges)),
        (sr.Forests(network.undirected(), 1), sr.Forests(network.edges, 1)),
    ):
        assert made.labels == same.labels
        assert read_value(write_value(made)).n_actions == same.n_actions
    with pytest.raises(InvalidInput, match=r"must be directed.*network\.acyclic_from\(source\)"):
        sr.DagPaths(network.undirected(), source="s", sink="t")


@pytest.mark.parametrize("labels", [["x"], "xyyz", ["x", "x", "y"]])
@pytest.mark.parametrize("make", [sr.SpanningTrees, lambda edges, labels: sr.Forests(edges, 2, labels=labels)])
def test_wrong_labels_of_edges_are_told_as_labels(make, labels) -> None:
    """Too few labels, too many, or equal ones are refused as labels, not as a size."""
    with pytest.raises(InvalidInput, match="`labels` must be 3 different names"):
        make([("a", "b"), ("b", "c"), ("a", "c")], labels=labels)


@pytest.mark.parametrize("kind", [nx.Graph, nx.DiGraph, nx.MultiGraph, nx.MultiDiGraph])
def test_networks_are_read_from_networkx(kind: type) -> None:
    """Edges, directions, isolated nodes and attributes come over; a missing attribute is None."""
    graph = kind()
    graph.add_node("alone")
    graph.add_edge("a", "b", minutes=3.0)
    graph.add_edge("b", "c", toll=1)
    graph.add_edge("a", "b", minutes=4.0)
    network = sr.networks.Network.from_networkx(graph, name="town")
    assert network.edges == tuple((u, v) for u, v, *_ in graph.edges)
    assert network.directed == graph.is_directed()
    assert network.vertices == ("alone", "a", "b", "c")
    assert network.attributes["toll"] == tuple(data.get("toll") for _, _, data in graph.edges(data=True))
    assert repr(network).startswith("Network('town', 4 vertices, ")
    with pytest.raises(InvalidInput, match="must be a networkx graph"):
        sr.networks.Network.from_networkx([("a", "b")])
