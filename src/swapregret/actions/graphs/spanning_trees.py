"""Spanning trees: connect all vertices of a graph with as few edges as possible."""

from collections.abc import Hashable, Iterable, Sequence
from pathlib import Path

import numpy as np

from swapregret.actions.graphs.graphic_bases import GraphicBases
from swapregret.actions.labelled import SpecValues
from swapregret.arrays import Edge, Integers, Label
from swapregret.errors import InvalidInput


class SpanningTrees(GraphicBases):
    r"""The spanning trees of a connected graph, one coordinate per edge.

    Parameters
    ----------
    edges : iterable of pairs, Network, or networkx graph
        Two vertices each, any hashable values. Parallel edges and bridges are fine, self-loops are refused.
    vertices : iterable of hashable, optional
        All vertices, if their order matters or to be sure that none is left out.
    labels : sequence of hashable, optional
        Names of the edges; by default the pairs given, with a running number where edges are parallel (of a networkx multigraph
        the key).

    Notes
    -----
    n vertices, d edges.

    ============== ======================================================================= =============================
    operation      how                                                                     cost
    ============== ======================================================================= =============================
    argmax         Kruskal with a heap                                                     O(d + n log d) on dense graphs
    n_actions      matrix-tree theorem modulo a large prime, exact                         sparse elimination
    span           connected components of the matroid: rank d − (blocks − 1)              O(n d)
    kl_project     principal partition, divide and conquer, flows in integers              ≤ 2·blocks − 1 separations
    decompose      vertices split off and put back, in integers of 2⁻⁵²                    O(d) flows
    uniform, Gibbs transfer current matrix; Wilson's or the chain-rule sampler             O(n² d) once, O(d²) per product
    ============== ======================================================================= =============================

    Examples
    --------
    >>> trees = SpanningTrees([("a", "b"), ("b", "c"), ("c", "a"), ("c", "d")])
    >>> trees.n_actions, trees.size, trees.rank
    (3, 3, 3)
    >>> trees.elements(trees.argmax([1., 2., 3., 0.]))
    (('b', 'c'), ('c', 'a'), ('c', 'd'))
    >>> trees.uniform_policy().marginals().round(12)
    array([0.66666667, 0.66666667, 0.66666667, 1.        ])
    """

    spec_options = ("edges", "largest_component")
    has_uniform = True
    has_gibbs = True

    @classmethod
    def from_spec(cls, values: SpecValues, folder: Path) -> "SpanningTrees":
        """Make the trees of a table's network, or of its largest component if the table says so."""
        from swapregret.networks.graph_files import network_of

        network, is_cut = (
            network_of(values, folder, directed=False).undirected(),
            values.get("largest_component", False),
        )
        if not isinstance(is_cut, bool):
            raise InvalidInput(
                "`largest_component` must be true or false", repr(is_cut)[:80], "It is false if not given."
            )
        whole = network.largest_component()
        if not is_cut and len(whole.edges) != len(network.edges):
            raise InvalidInput(
                "the graph of spanning trees must be connected",
                f"{len(network.edges)} edges, of which the largest component has {len(whole.edges)}",
                "Join its parts, or write largest_component = true to play that component alone.",
            )
        return cls(whole.edges)

    def __init__(
        self,
        edges: Iterable[Edge],
        *,
        vertices: Iterable[Hashable] | None = None,
        labels: Sequence[Label] | None = None,
    ) -> None:
        graph = self._read(edges, (), vertices, labels)
        numbers = graph.components
        if graph.isolated or numbers.max() > 0:
            other = graph.isolated[0] if graph.isolated else graph.vertices[int(np.argmax(numbers > 0))]
            raise InvalidInput(
                "the graph of SpanningTrees must be connected",
                f"no path between {graph.vertices[0]!r} and {other!r}",
                "Add edges, take one component, or use Forests, which may leave vertices apart.",
            )
        super().__init__(graph, graph.rank)

    def part_on(self, kept: Integers) -> "SpanningTrees":
        """Return the trees of the graph with these edges alone."""
        edges, labels = self.edges_of(kept)
        return SpanningTrees(edges, vertices=self.graph.vertices, labels=labels)

    def __repr__(self) -> str:
        return f"SpanningTrees({self._graph.n_vertices} vertices, {self.dimension} edges)"
