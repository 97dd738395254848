"""Undirected graphs as people have them, read into the index arrays the kernels take."""

import math
from collections.abc import Hashable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np

from swapregret.actions.edge_lists import Edge, edge_names, networkx_edges, read_edges
from swapregret.actions.elimination_order import elimination_order
from swapregret.actions.graphs.kernels.kruskal import arc_table, components
from swapregret.actions.graphs.kernels.tree_counts import forests_modulo
from swapregret.arrays import Integers, Label, as_labels
from swapregret.counts import shown
from swapregret.errors import InvalidInput


@dataclass(frozen=True, eq=False)
class UndirectedGraph:
    """A graph with numbered vertices and edges.

    Attributes
    ----------
    vertices : tuple of hashable
        Names of the vertices that have edges; the arrays below refer to them by position.
    isolated : tuple of hashable
        Names of the vertices that have none.
    tails, heads : int64 arrays, shape (d,)
        The two ends of each edge. Like all arrays here not marked read-only, because kernels are compiled for one kind of
        array; nobody writes to them.
    labels : tuple of hashable
        Names of the edges, all different.

    Examples
    --------
    >>> graph = read_graph([("a", "b"), ("b", "c"), ("c", "a")])
    >>> graph.vertices, graph.tails.tolist(), graph.heads.tolist(), graph.n_forests
    (('a', 'b', 'c'), [0, 1, 2], [1, 2, 0], 3)
    """

    vertices: tuple[Hashable, ...]
    isolated: tuple[Hashable, ...]
    tails: Integers
    heads: Integers
    labels: tuple[Label, ...]

    @property
    def n_vertices(self) -> int:
        """Number of vertices that have edges."""
        return len(self.vertices)

    @cached_property
    def edge_names(self) -> tuple[Label, ...]:
        """The edges as pairs of vertices, with a running number where edges are parallel."""
        ends = zip(self.tails.tolist(), self.heads.tolist(), strict=True)
        return edge_names([(self.vertices[u], self.vertices[v]) for u, v in ends], frozenset)

    @cached_property
    def components(self) -> Integers:
        """Number of the connected component of each vertex that has edges."""
        return components(self.tails, self.heads, self.n_vertices)

    @property
    def rank(self) -> int:
        """Number of edges of a forest with as many edges as possible: vertices minus components."""
        return self.n_vertices - 1 - int(self.components.max())

    @cached_property
    def arcs(self) -> tuple[Integers, Integers, Integers]:
        """The edges at each vertex: (starts, edges, other ends)."""
        return arc_table(self.tails, self.heads, self.n_vertices)

    @cached_property
    def pairs(self) -> tuple[Integers, Integers, Integers, Integers]:
        """The edges by the two vertices they join: (tails, heads, starts, edges), as ``ForestGraph`` has them."""
        low, high = np.minimum(self.tails, self.heads), np.maximum(self.tails, self.heads)
        order = np.lexsort((high, low))
        low, high = low[order], high[order]
        is_new = np.ones(len(order), dtype=bool)
        is_new[1:] = (low[1:] != low[:-1]) | (high[1:] != high[:-1])
        starts = np.append(np.flatnonzero(is_new), len(order)).astype(np.int64)
        return low[is_new].copy(), high[is_new].copy(), starts, order.astype(np.int64)

    @property
    def _elimination(self) -> tuple[Integers, Integers, Integers]:
        """When each vertex is taken out, and its neighbours then, as ``kernels.tree_counts`` has them."""
        order, neighbours = elimination_order(self.tails, self.heads, self.n_vertices)
        places = np.empty(self.n_vertices, dtype=np.int64)
        places[order] = np.arange(self.n_vertices)
        starts = np.cumsum([0, *map(len, neighbours)], dtype=np.int64)
        near = [np.sort(places[others]) for others in neighbours]
        return places, starts, np.concatenate(near).astype(np.int64)

    @cached_property
    def n_forests(self) -> int:
        """Exact number of spanning trees of a connected graph; otherwise the product over the components.

        The matrix-tree theorem modulo as many primes as make up for the product of the degrees, which bounds the number, put
        together by the Chinese remainder theorem.
        """
        rows = self._elimination
        bound = math.prod(np.diff(self.arcs[0]).tolist())
        count, modulus = 0, 1
        for prime in _primes():
            residue = forests_modulo(self.tails, self.heads, *rows, prime)
            if residue >= 0:
                count += modulus * ((residue - count) * pow(modulus, -1, prime) % prime)
                modulus *= prime
            if modulus > bound:
                break
        return count


def read_graph(
    edges: Iterable[Any], vertices: Iterable[Hashable] | None = None, labels: Sequence[Label] | None = None
) -> UndirectedGraph:
    """Read a list of edges, or say what is wrong with it.

    Parameters
    ----------
    edges : iterable of pairs
        Two vertices each, any hashable values. The same two vertices may come several times: parallel edges.
    vertices : iterable of hashable, optional
        All vertices, if some have no edges or to fix their order.
    labels : sequence of hashable, optional
        Names of the edges; by default the pair given, with a running number added where edges are parallel.

    Examples
    --------
    >>> read_graph([("a", "b"), ("b", "a"), ("b", "c")]).labels
    (('a', 'b', 0), ('b', 'a', 1), ('b', 'c'))
    """
    pairs = read_edges(edges)
    try:
        listed = vertices.tolist() if isinstance(vertices, np.ndarray) else vertices
        named = None if listed is None else dict.fromkeys(listed)
    except TypeError:
        raise InvalidInput(
            "`vertices` must be a list of hashable vertices", shown(vertices), "Use numbers, strings or tuples."
        ) from None
    used = dict.fromkeys(vertex for pair in pairs for vertex in pair)
    if named is not None:
        stranger = next((vertex for vertex in used if vertex not in named), None)
        if stranger is not None:
            raise InvalidInput(
                "`vertices` must contain both ends of every edge",
                f"the edge end {stranger!r}, which is not among them",
                "Add it, or leave `vertices` out.",
            )
    inside = tuple(used) if named is None else tuple(vertex for vertex in named if vertex in used)
    positions = {vertex: position for position, vertex in enumerate(inside)}
    return UndirectedGraph(
        vertices=inside,
        isolated=() if named is None else tuple(vertex for vertex in named if vertex not in used),
        tails=np.array([positions[u] for u, _ in pairs], dtype=np.int64),
        heads=np.array([positions[v] for _, v in pairs], dtype=np.int64),
        labels=edge_names(pairs, frozenset) if labels is None else as_labels(labels, len(pairs)),
    )


def read_networkx(graph: Any) -> tuple[list[Edge], list[Hashable], list[Label] | None]:
    """Read the edges, the vertices and, of a multigraph, the labels (u, v, key) of an undirected networkx graph."""
    if graph.is_directed():
        raise InvalidInput(
            "`graph` must be undirected", "a directed graph", "Pass graph.to_undirected(), or use DagPaths."
        )
    edges, labels = networkx_edges(graph)
    return edges, list(graph.nodes), labels


def _primes() -> Iterator[int]:
    """Yield the primes below 2³¹ from the largest down, by the test of Miller and Rabin: below 3.2·10⁹ four bases make it exact."""
    for n in range(2**31 - 1, 7, -2):
        twos = ((n - 1) & (1 - n)).bit_length() - 1
        odd = (n - 1) >> twos
        if all(pow(a, odd, n) == 1 or any(pow(a, odd << k, n) == n - 1 for k in range(twos)) for a in (2, 3, 5, 7)):
            yield n
