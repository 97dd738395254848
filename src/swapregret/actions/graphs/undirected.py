"""Undirected graphs as people have them, read into the index arrays the kernels take."""

import math
from collections.abc import Hashable, Iterable, Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import combinations
from typing import Any

import numpy as np

from swapregret.actions.edge_lists import edge_names, networkx_edges, read_edges
from swapregret.actions.elimination_order import elimination_order
from swapregret.actions.graphs.kernels.kruskal import arc_table, components
from swapregret.arrays import Edge, Integers, Label, as_labels
from swapregret.counts import shown
from swapregret.errors import InvalidInput

_MERSENNE = (
    61,
    89,
    107,
    127,
    521,
    607,
    1279,
    2203,
    3217,
    4423,
    9689,
    19937,
    44497,
    86243,
    132049,
    216091,
    756839,
    1257787,
)
"""Powers p for which 2ᵖ − 1 is prime."""


@dataclass(frozen=True, eq=False)
class UndirectedGraph:
    """A graph with numbered vertices and edges."""

    vertices: tuple[Hashable, ...]  # names of the vertices that have edges; the arrays below refer to them by position
    isolated: tuple[Hashable, ...]  # names of the vertices that have none
    # the two ends of each edge (d,); not marked read-only, because kernels are compiled for one kind of array
    tails: Integers
    heads: Integers
    labels: tuple[Label, ...]  # names of the edges, all different

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

    @cached_property
    def n_forests(self) -> int:
        """Exact number of spanning trees of a connected graph; otherwise the product over the components.

        The matrix-tree theorem in star–mesh form: taking out a vertex with conductances c_a to its neighbours multiplies the count
        by their sum and adds c_a·c_b / Σ c between every two of them. Modulo a prime above the product of the degrees, which
        bounds the count and all principal minors, this is exact and no sum is 0.
        """
        bound = math.prod(np.diff(self.arcs[0]).tolist())
        prime = next(2**power - 1 for power in _MERSENNE if 2**power - 1 > bound)
        near: list[dict[int, int]] = [{} for _ in self.vertices]
        for u, v in zip(self.tails.tolist(), self.heads.tolist(), strict=True):
            near[u][v] = near[v][u] = near[u].get(v, 0) + 1
        count = 1
        for vertex in elimination_order(self.tails, self.heads, self.n_vertices)[0]:
            if near[vertex]:
                total = sum(near[vertex].values()) % prime
                count, share = count * total % prime, pow(total, -1, prime)
                for (a, one), (b, other) in combinations(near[vertex].items(), 2):
                    near[a][b] = near[b][a] = (near[a].get(b, 0) + one * other * share) % prime
                for a in near[vertex]:
                    del near[a][vertex]
        return count


def read_graph(
    edges: Iterable[Edge], vertices: Iterable[Hashable] | None = None, labels: Sequence[Label] | None = None
) -> UndirectedGraph:
    """Read a list of edges, pairs of any hashable vertices, or say what is wrong with it.

    The same pair several times is parallel edges. ``vertices`` names all vertices, if some have no edges or to fix their order,
    ``labels`` the edges: by default each is its pair, with a running number added where edges are parallel.
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
