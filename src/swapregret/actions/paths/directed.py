"""Directed acyclic graphs as read from a list of edges: checked, pruned, and numbered for the kernels."""

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from functools import cached_property

import numpy as np

from swapregret.actions.edge_lists import Edge, Vertex, read_edges
from swapregret.arrays import Floats, Integers, frozen
from swapregret.errors import InvalidInput


@dataclass(frozen=True, eq=False)
class Digraph:
    """The part of an acyclic graph that lies on paths from the source to the sink, numbered for the kernels.

    Attributes
    ----------
    edges : tuple of (tail, head)
        All edges as given, dead ends included.
    vertices : tuple of hashable
        The vertices that lie on some path, in topological order: the source first, the sink last.
    start : int64 array, shape (n + 1,)
        The edges that leave vertex number u are ``start[u]..start[u+1]-1``, in the order given.
    tail, head : int64 arrays, shape (n_usable,)
        Between which vertex numbers each usable edge runs.
    edge : int64 array, shape (n_usable,)
        Which of ``edges`` it is.
    level : int64 array, shape (n,)
        The greatest number of edges on a path from the source to each vertex.
    """

    edges: tuple[Edge, ...]
    vertices: tuple[Vertex, ...]
    start: Integers
    tail: Integers
    head: Integers
    edge: Integers
    level: Integers

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

    Parameters
    ----------
    edges : iterable of (tail, head)
        Any hashable vertices; parallel edges are kept apart.
    source, sink : hashable
        Two different vertices.
    network : str
        How the caller would write the graph as a network: for the sentence about a cycle.

    Returns
    -------
    Digraph
        Vertices are numbered by their level, then by their first appearance in ``edges``.

    Raises
    ------
    InvalidInput
        If the graph has a cycle (one is named), or the sink cannot be reached.

    Examples
    --------
    The edge from b leads nowhere:

    >>> graph = read_digraph([("s", "a"), ("s", "b"), ("a", "t")], "s", "t")
    >>> graph.vertices, graph.edge.tolist()
    (('s', 'a', 't'), [0, 2])
    """
    pairs = read_edges(edges)
    number: dict[Vertex, int] = {}
    for u, v in pairs:
        number.setdefault(u, len(number))
        number.setdefault(v, len(number))
    first, last = _find(number, source, "source"), _find(number, sink, "sink")
    if first == last:
        raise InvalidInput("`sink` must be another vertex than `source`", repr(sink), "A path has at least one edge.")
    tails = [number[u] for u, _ in pairs]
    heads = [number[v] for _, v in pairs]
    names = list(number)
    order, cycle = _topological(names, tails, heads)
    if cycle:
        raise InvalidInput(
            "`edges` must have no directed cycle",
            f"the cycle {cycle}",
            f"Keep the edges that lead away from the source: roads = sr.networks.{network}.acyclic_from({source!r}), then "
            f"sr.DagPaths(roads.edges, source={source!r}, sink={sink!r}).",
        )
    usable = _usable(order, tails, heads, first, last)
    if not usable[first]:
        raise InvalidInput(
            "`sink` must be reachable from `source`",
            f"no path from {source!r} to {sink!r}",
            "Check the directions of the edges.",
        )
    return _number(pairs, names, tails, heads, order, usable)


def _find(number: dict[Vertex, int], vertex: Vertex, name: str) -> int:
    try:
        return number[vertex]
    except (KeyError, TypeError):
        raise InvalidInput(
            f"`{name}` must be a vertex of the graph", repr(vertex), f"Vertices are e.g. {list(number)[:5]}."
        ) from None


def _successors(n: int, tails: list[int], heads: list[int]) -> list[list[int]]:
    after: list[list[int]] = [[] for _ in range(n)]
    for u, v in zip(tails, heads, strict=True):
        after[u].append(v)
    return after


def _topological(names: list[Vertex], tails: list[int], heads: list[int]) -> tuple[list[int], str]:
    """Order the vertices so that every edge goes forward, or name a cycle; the text is empty if there is none."""
    n = len(names)
    after = _successors(n, tails, heads)
    waiting = [0] * n
    for v in heads:
        waiting[v] += 1
    order = [v for v in range(n) if waiting[v] == 0]
    for u in order:
        for v in after[u]:
            waiting[v] -= 1
            if waiting[v] == 0:
                order.append(v)
    if len(order) < n:
        before = _successors(n, heads, tails)
        at = next(v for v in range(n) if waiting[v] > 0)
        seen: dict[int, int] = {}
        walk: list[int] = []
        while at not in seen:
            seen[at] = len(walk)
            walk.append(at)
            at = next(u for u in before[at] if waiting[u] > 0)
        cycle = [*walk[seen[at] :], at][::-1]
        shown = [repr(names[v]) for v in (cycle if len(cycle) <= 12 else [*cycle[:6], *cycle[-5:]])]
        if len(cycle) > 12:
            shown.insert(6, "...")
        return order, " → ".join(shown)
    return order, ""


def _usable(order: list[int], tails: list[int], heads: list[int], first: int, last: int) -> list[bool]:
    """Tell which vertices lie on a path from the first to the last."""
    n = len(order)
    after = _successors(n, tails, heads)
    reached = [False] * n
    reached[first] = True
    for u in order:
        if reached[u]:
            for v in after[u]:
                reached[v] = True
    arrives = [False] * n
    arrives[last] = True
    for u in reversed(order):
        arrives[u] = arrives[u] or any(arrives[v] for v in after[u])
    return [a and b for a, b in zip(reached, arrives, strict=True)]


def _number(
    pairs: tuple[Edge, ...],
    names: list[Vertex],
    tails: list[int],
    heads: list[int],
    order: list[int],
    usable: list[bool],
) -> Digraph:
    """Sort the usable vertices by level, and the usable edges by their tails."""
    after = _successors(len(names), tails, heads)
    level = dict.fromkeys((v for v in order if usable[v]), 0)
    for u in order:
        if usable[u]:
            for v in after[u]:
                if usable[v]:
                    level[v] = max(level[v], level[u] + 1)
    ranked = sorted(level, key=lambda v: (level[v], v))
    place = {v: index for index, v in enumerate(ranked)}
    kept = [k for k in range(len(pairs)) if usable[tails[k]] and usable[heads[k]]]
    kept.sort(key=lambda k: (place[tails[k]], k))
    tail = np.array([place[tails[k]] for k in kept], dtype=np.int64)
    return Digraph(
        edges=pairs,
        vertices=tuple(names[v] for v in ranked),
        start=frozen(np.searchsorted(tail, np.arange(len(ranked) + 1)).astype(np.int64)),
        tail=frozen(tail),
        head=frozen(np.array([place[heads[k]] for k in kept], dtype=np.int64)),
        edge=frozen(np.array(kept, dtype=np.int64)),
        level=frozen(np.array([level[v] for v in ranked], dtype=np.int64)),
    )
