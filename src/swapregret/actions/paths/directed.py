r"""Directed acyclic graphs as read from a list of edges: checked, pruned, and numbered for the kernels; the span of their paths.

A vector is in the span of the paths exactly when as much enters each inner vertex as leaves it, so the rank is
:math:`|E| - |V| + 2` (on the edges and vertices that lie on paths). Of each inner vertex, one edge, the last that leaves
it, is given by the others through the balance of the vertex; all others are independent.
"""

from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from functools import cached_property
from graphlib import CycleError, TopologicalSorter

import numpy as np
import numpy.typing as npt

from swapregret.actions.edge_lists import read_edges
from swapregret.arrays import Actions, Edge, Floats, Integers, Matrix, Vector, Vertex, frozen
from swapregret.counts import shown
from swapregret.errors import InvalidInput
from swapregret.geometry.hull_equations import HullEquations
from swapregret.geometry.span import Span


@dataclass(frozen=True, eq=False)
class Digraph:
    """The part of an acyclic graph that lies on paths from the source to the sink, numbered for the kernels."""

    edges: tuple[Edge, ...]  # all edges as given, dead ends included
    vertices: tuple[
        Vertex, ...
    ]  # the vertices that lie on some path, in topological order: the source first, the sink last
    start: Integers  # (n + 1,) the edges that leave vertex number u are ``start[u]..start[u+1]-1``, in the order given
    tail: Integers  # (n_usable,) from which vertex number each usable edge runs
    head: Integers  # (n_usable,) and to which
    edge: Integers  # (n_usable,) which of ``edges`` it is
    level: Integers  # (n,) the greatest number of edges on a path from the source to each vertex

    @property
    def n_edges(self) -> int:
        """Number of edges given."""
        return len(self.edges)

    @cached_property
    def n_paths(self) -> int:
        """The number of paths from the source to the sink, exact."""
        heads = self.head.tolist()
        count = [0] * len(self.vertices)
        count[-1] = 1
        for u in range(len(count) - 2, -1, -1):
            count[u] = sum(count[v] for v in heads[self.start[u] : self.start[u + 1]])
        return count[0]

    @cached_property
    def idle(self) -> Integers:
        """Which of ``edges`` lie on no path."""
        return np.setdiff1d(np.arange(self.n_edges), self.edge)

    def flow_equations(self) -> HullEquations:
        """Return the flows of one unit by equations: 1 leaves the source, and what enters a vertex leaves it."""
        n, every = len(self.vertices), np.arange(self.edge.size)
        leaves, enters = np.zeros((n, every.size)), np.zeros((n, every.size))
        leaves[self.tail, every], enters[self.head, every] = 1.0, 1.0
        return HullEquations.of(self.edge, (leaves - enters)[:-1], np.eye(1, n - 1)[0])

    def put(self, values: Floats, elsewhere: float) -> Floats:
        """Put a vector in the order of the usable edges back over all edges."""
        vector = np.full(self.n_edges, elsewhere)
        vector[self.edge] = values
        return vector

    def walks(self) -> Iterator[list[int]]:
        """Yield every path from the source to the sink, as numbers of usable edges."""
        start, head, last = self.start.tolist(), self.head.tolist(), len(self.vertices) - 1
        open_: list[tuple[int, list[int]]] = [(0, [])]
        while open_:
            u, walk = open_.pop()
            if u == last:
                yield walk
            open_ += [(head[k], [*walk, k]) for k in range(start[u], start[u + 1])]

    @property
    def source(self) -> Vertex:
        """The vertex all paths start from."""
        return self.vertices[0]

    @property
    def sink(self) -> Vertex:
        """The vertex all paths end in."""
        return self.vertices[-1]


def read_digraph(
    edges: Iterable[Edge], source: Vertex, sink: Vertex, network: str = "Network(edges, directed=True)"
) -> Digraph:
    """Read an acyclic graph, and keep what lies on paths from the source to the sink.

    Vertices are any hashable values, numbered by their level, then by their first appearance in ``edges``; parallel edges are
    kept apart. ``network`` is how the caller would write the graph as a network, for the sentence that refuses a cycle, which is
    named; a sink that cannot be reached is refused too.
    """
    pairs = read_edges(edges)
    names = list(dict.fromkeys(vertex for pair in pairs for vertex in pair))
    number = {vertex: index for index, vertex in enumerate(names)}
    first, last = _find(number, source, "source"), _find(number, sink, "sink")
    if first == last:
        raise InvalidInput("`sink` must be another vertex than `source`", repr(sink), "A path has at least one edge.")
    ends = [(number[u], number[v]) for u, v in pairs]
    before: dict[int, list[int]] = {v: [] for v in range(len(names))}
    after: dict[int, list[int]] = {v: [] for v in range(len(names))}
    for u, v in ends:
        before[v].append(u)
        after[u].append(v)
    try:
        order = tuple(TopologicalSorter(before).static_order())
    except CycleError as error:
        raise InvalidInput(
            "`edges` must have no directed cycle",
            f"the cycle {_shown_cycle(names, error.args[1][1:])}",
            f"Keep the edges that lead away from the source: roads = sr.networks.{network}.acyclic_from({source!r}), then "
            f"sr.DagPaths(roads, source={source!r}, sink={sink!r}).",
        ) from None
    reached, arrives = {first}, {last}
    for u in order:
        if u in reached:
            reached.update(after[u])
    for u in reversed(order):
        if not arrives.isdisjoint(after[u]):
            arrives.add(u)
    level = dict.fromkeys((u for u in order if u in reached and u in arrives), 0)
    if first not in level:
        raise InvalidInput(
            "`sink` must be reachable from `source`",
            f"no path from {source!r} to {sink!r}",
            "Check the directions of the edges.",
        )
    for u in level:
        for v in after[u]:
            if v in level:
                level[v] = max(level[v], level[u] + 1)
    ranked = sorted(level, key=lambda v: (level[v], v))
    place = {v: index for index, v in enumerate(ranked)}
    kept = [k for k, (u, v) in enumerate(ends) if u in level and v in level]
    kept.sort(key=lambda k: (place[ends[k][0]], k))
    tail, head = np.array([[place[ends[k][side]] for k in kept] for side in (0, 1)], dtype=np.int64)
    return Digraph(
        edges=pairs,
        vertices=tuple(names[v] for v in ranked),
        start=frozen(np.searchsorted(tail, np.arange(len(ranked) + 1)).astype(np.int64)),
        tail=frozen(tail),
        head=frozen(head),
        edge=frozen(np.array(kept, dtype=np.int64)),
        level=frozen(np.array([level[v] for v in ranked], dtype=np.int64)),
    )


def _find(number: dict[Vertex, int], vertex: Vertex, name: str) -> int:
    try:
        return number[vertex]
    except (KeyError, TypeError):
        raise InvalidInput(
            f"`{name}` must be a vertex of the graph", shown(vertex), f"Vertices are e.g. {list(number)[:5]}."
        ) from None


def _shown_cycle(names: list[Vertex], cycle: list[int]) -> str:
    """Write a cycle from its first vertex on and back to it, a long one by its ends."""
    at = cycle.index(min(cycle))
    shown = [repr(names[v]) for v in (*cycle[at:], *cycle[: at + 1])]
    return " → ".join(shown if len(shown) <= 12 else [*shown[:6], "...", *shown[-5:]])


def path_span(graph: Digraph, part: Callable[[Vector], Vector]) -> Span:
    """Return the span of the paths of a graph; ``part`` projects onto it."""
    is_free = np.ones(graph.head.size, dtype=bool)
    is_free[graph.start[2:-1] - 1] = False  # the last edge that leaves each inner vertex
    J = np.sort(graph.edge[is_free])
    return Span(J, lambda: _lift(graph, J), lambda: _basis(graph, J, np.flatnonzero(is_free)), part)


def _lift(graph: Digraph, J: npt.NDArray[np.int64]) -> Matrix:
    """Return L, with M = L @ M[J] for every path M; entries −1, 0 and 1."""
    matrix = np.zeros((graph.n_edges, J.size))
    matrix[J, np.arange(J.size)] = 1.0
    balance = np.zeros((len(graph.vertices), J.size))
    for u in range(len(graph.vertices) - 1):
        out = slice(int(graph.start[u]), int(graph.start[u + 1]))
        edges, heads = graph.edge[out], graph.head[out]
        if u > 0:
            matrix[edges[-1]] = balance[u] - matrix[edges[:-1]].sum(axis=0)
        np.add.at(balance, heads, matrix[edges])
    return np.asarray(matrix + 0.0)


def _basis(graph: Digraph, J: npt.NDArray[np.int64], free: npt.NDArray[np.int64]) -> Actions:
    """Return one path for each independent edge: there by the first edges into each vertex, on by the dependent ones.

    Sorted by the place of its edge, row by row, the table is triangular in the independent coordinates.
    """
    n = len(graph.vertices)
    start, tail, head, edge = (array.tolist() for array in (graph.start, graph.tail, graph.head, graph.edge))
    entered = [-1] * n
    for k in range(len(head) - 1, -1, -1):
        entered[head[k]] = k
    rows = np.zeros((J.size, graph.n_edges), dtype=np.int64)
    column = {each: index for index, each in enumerate(J.tolist())}
    for k in free.tolist():
        row = rows[column[edge[k]]]
        row[edge[k]] = 1
        u = tail[k]
        while u != 0:
            row[edge[entered[u]]] = 1
            u = tail[entered[u]]
        u = head[k]
        while u != n - 1:
            row[edge[start[u + 1] - 1]] = 1
            u = head[start[u + 1] - 1]
    return rows
