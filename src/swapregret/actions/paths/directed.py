"""Directed acyclic graphs as read from a list of edges: checked, pruned, and numbered for the kernels."""

from collections.abc import Hashable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any, TypeVar

import numpy as np
import numpy.typing as npt

from swapregret.arrays import Label, frozen
from swapregret.errors import InvalidInput

Vertex = Hashable
Edge = tuple[Vertex, Vertex]
_Integers = npt.NDArray[np.int64]
_Floats = npt.NDArray[np.float64]


_Array = TypeVar("_Array", bound=npt.NDArray[Any])


def for_kernel(array: _Array) -> _Array:
    """Return the array, or a copy that is writable and in one piece: kernels are compiled for that kind only."""
    return array if array.flags.writeable and array.flags.c_contiguous else array.copy()


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
    start: _Integers
    tail: _Integers
    head: _Integers
    edge: _Integers
    level: _Integers

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
    def idle(self) -> _Integers:
        """Which of ``edges`` lie on no path."""
        return np.setdiff1d(np.arange(self.n_edges), self.edge)

    @cached_property
    def _is_in_order(self) -> bool:
        return bool(self.edge.size == self.n_edges and (np.diff(self.edge) > 0).all())

    def take(self, vector: _Floats) -> _Floats:
        """Put a vector over the edges given into the order of the usable ones."""
        return for_kernel(vector) if self._is_in_order else vector[self.edge]

    def put(self, values: _Floats, elsewhere: float) -> _Floats:
        """Put a vector in the order of the usable edges back over all edges."""
        if self._is_in_order:
            return values
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


def read_edges(edges: Iterable[Edge]) -> tuple[Edge, ...]:
    """Read a list of (tail, head) pairs of hashable vertices, or say which edge is wrong.

    Examples
    --------
    >>> read_edges([("a", "b"), ("b", 3)])
    (('a', 'b'), ('b', 3))
    """
    try:
        given = edges.tolist() if isinstance(edges, np.ndarray) else list(edges)
    except TypeError:
        raise InvalidInput(
            "`edges` must be a list of (tail, head) pairs", type(edges).__name__, "Pass e.g. [('a', 'b'), ('b', 'c')]."
        ) from None
    pairs: list[Edge] = []
    for index, edge in enumerate(given):
        try:
            if isinstance(edge, str):
                raise TypeError
            u, v = edge
            hash(u), hash(v)
        except (TypeError, ValueError):
            raise InvalidInput(
                f"edge {index} of `edges` must be a pair (tail, head) of hashable vertices",
                repr(edge),
                "Keep weights and other attributes out of `edges`.",
            ) from None
        if u == v:
            raise InvalidInput(
                f"edge {index} of `edges` must join two different vertices", repr((u, v)), "Leave out self-loops."
            )
        pairs.append((u, v))
    if not pairs:
        raise InvalidInput("`edges` must not be empty", "no edge", "A path has at least one edge.")
    return tuple(pairs)


def edge_labels(edges: Sequence[Edge]) -> tuple[Label, ...]:
    """Name each edge (tail, head), and parallel edges (tail, head, 0), (tail, head, 1), ...

    Examples
    --------
    >>> edge_labels([(1, 2), (2, 3), (1, 2)])
    ((1, 2, 0), (2, 3), (1, 2, 1))
    """
    total: dict[Edge, int] = {}
    for edge in edges:
        total[edge] = total.get(edge, 0) + 1
    used: dict[Edge, int] = {}
    labels: list[Label] = []
    for edge in edges:
        if total[edge] == 1:
            labels.append(edge)
        else:
            labels.append((*edge, used.get(edge, 0)))
            used[edge] = used.get(edge, 0) + 1
    return tuple(labels)


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


def read_networkx(graph: Any) -> tuple[list[Edge], list[Label] | None]:
    """Read the edges and, of a multigraph, the labels (tail, head, key) of a directed networkx graph."""
    if not (hasattr(graph, "is_multigraph") and graph.is_directed()):
        raise InvalidInput(
            "`graph` must be a directed networkx graph",
            type(graph).__name__,
            "Choose the directions first: sr.networks.Network.from_networkx(graph).acyclic_from(source).edges.",
        )
    if graph.is_multigraph():
        triples = list(graph.edges(keys=True))
        return [(u, v) for u, v, _ in triples], triples
    return [tuple(edge) for edge in graph.edges()], None
