"""A graph as it came from a file or from networkx: its edges in order, and a column of values for each attribute."""

import math
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from itertools import chain
from types import MappingProxyType
from typing import Any

import numpy as np
import scipy

from swapregret.arguments import checked
from swapregret.arrays import Edge, Vector, Vertex, frozen
from swapregret.counts import plural, shown
from swapregret.errors import InvalidInput


@dataclass(frozen=True, eq=False)
class Network:
    """Edges, vertices and attributes of a graph.

    Attributes
    ----------
    edges : tuple of (tail, head)
        In the order of the table; of a graph file, as networkx lists them.
    directed : bool
        Whether the order of the two vertices of an edge means a direction.
    vertices : tuple of hashable
        In order of appearance; isolated ones too, where the file names them.
    attributes : mapping of str to tuple
        For each attribute one value per edge; None where the file gives none.
    name : str
        Where it came from.
    left_out : tuple of (tail, head)
        Of a network that :meth:`acyclic_from` made, the directions it did not keep: routes that use one are not among its routes.

    Examples
    --------
    >>> network = Network([("a", "b"), ("b", "a"), ("b", "c")], directed=True, attributes={"km": [3., 3., 5.]})
    >>> network.undirected().edges
    (('a', 'b'), ('b', 'c'))
    >>> network.acyclic_from("a").edges, network.numbers("km")
    ((('a', 'b'), ('b', 'c')), array([3., 3., 5.]))
    """

    edges: tuple[Edge, ...]
    directed: bool
    vertices: tuple[Vertex, ...] = ()
    attributes: Mapping[str, tuple[object, ...]] = field(default_factory=dict, repr=False)
    name: str = ""
    left_out: tuple[Edge, ...] = field(default=(), repr=False)

    def __post_init__(self) -> None:
        try:
            edges = tuple((u, v) for u, v in self.edges)
            vertices = dict.fromkeys((*self.vertices, *chain.from_iterable(edges)))
        except (TypeError, ValueError):
            must = "`edges` of a Network must be pairs of hashable vertices"
            raise InvalidInput(must, shown(self.edges), "Pass e.g. [('a', 'b'), ('b', 'c')].") from None
        columns = {key: tuple(values) for key, values in self.attributes.items()}
        for key, values in columns.items():
            if len(values) != len(edges):
                must = f"attribute {key!r} of a Network must have one value for each of its {len(edges)} edges"
                raise InvalidInput(must, f"{len(values)} values", "Use None where an edge has no value.")
        object.__setattr__(self, "edges", edges)
        object.__setattr__(self, "vertices", tuple(vertices))
        object.__setattr__(self, "attributes", MappingProxyType(columns))

    @classmethod
    def from_networkx(cls, graph: Any, *, name: str = "", names: Mapping[Vertex, Vertex] | None = None) -> "Network":
        """Read a networkx graph of any kind: its edges in its order, parallel ones too, and their attributes.

        Parameters
        ----------
        graph : networkx graph
            Anything with ``nodes``, ``edges`` and ``is_directed``; networkx itself is not needed.
        name : str
            What the network is called.
        names : mapping, optional
            What to call its nodes; themselves if not given.

        Examples
        --------
        >>> import networkx
        >>> graph = networkx.Graph()
        >>> graph.add_edge("home", "bridge", minutes=9)
        >>> network = Network.from_networkx(graph)
        >>> network.edges, network.directed, network.numbers("minutes").tolist()
        ((('home', 'bridge'),), False, [9.0])
        """
        if not all(hasattr(graph, part) for part in ("nodes", "edges", "is_directed")):
            must = "`graph` must be a networkx graph"
            raise InvalidInput(must, type(graph).__name__, "Pass a Graph, DiGraph or one of the multigraphs.")
        called = {node: node for node in graph.nodes} if names is None else names
        triples = list(graph.edges(data=True))
        keys = dict.fromkeys(key for _, _, attributes in triples for key in attributes)
        columns = {str(key): tuple(attributes.get(key) for _, _, attributes in triples) for key in keys}
        edges = tuple((called[u], called[v]) for u, v, _ in triples)
        return cls(edges, bool(graph.is_directed()), tuple(called[node] for node in graph.nodes), columns, name)

    def __repr__(self) -> str:
        kind, name = "directed" if self.directed else "undirected", f"{self.name!r}, " if self.name else ""
        columns = f", attributes {', '.join(self.attributes)}" if self.attributes else ""
        lost = f", {plural(len(self.left_out), 'direction')} left out" if self.left_out else ""
        return f"Network({name}{len(self.vertices)} vertices, {len(self.edges)} {kind} edges{lost}{columns})"

    def numbers(self, attribute: str) -> Vector:
        """Return an attribute as a vector of finite numbers, one per edge."""
        if attribute not in self.attributes:
            has = f"It has {sorted(self.attributes)}."
            raise InvalidInput("`attribute` must be one the network has", repr(attribute), has)
        values: list[float] = []
        for edge, value in zip(self.edges, self.attributes[attribute], strict=True):
            try:
                number = float(value)  # type: ignore[arg-type]
            except (TypeError, ValueError, OverflowError):
                number = math.nan
            if not math.isfinite(number):
                must = f"attribute {attribute!r} must be a finite number on every edge"
                raise InvalidInput(must, f"{value!r} on {edge!r}", "Complete the file, or choose another attribute.")
            values.append(number)
        return frozen(np.array(values, dtype=np.float64))

    def _keep(self, kept: Mapping[int, Edge], *, directed: bool) -> "Network":
        """Return some edges, given by their numbers, with their attributes; they may have been turned round."""
        columns = {key: tuple(values[index] for index in kept) for key, values in self.attributes.items()}
        return Network(tuple(kept.values()), directed, (), columns, self.name)

    def without_loops(self) -> "Network":
        """Leave out edges from a vertex to itself."""
        kept = {index: (u, v) for index, (u, v) in enumerate(self.edges) if u != v}
        return self._keep(kept, directed=self.directed)

    def undirected(self) -> "Network":
        """Read two opposite directed edges as one undirected edge; parallel edges stay.

        Between two vertices, the direction with more edges is kept, the one that comes first on a tie.
        """
        if not self.directed:
            return self
        counts = Counter(self.edges)
        first: dict[frozenset[Vertex], Edge] = {}
        for edge in self.edges:
            first.setdefault(frozenset(edge), edge)
        kept: dict[int, Edge] = {}
        for index, (u, v) in enumerate(self.edges):
            forth, back = counts[u, v], counts[v, u]
            if u == v or forth > back or (forth == back and first[frozenset((u, v))] == (u, v)):
                kept[index] = (u, v)
        return self._keep(kept, directed=False)

    def largest_component(self) -> "Network":
        """Keep the edges of the largest connected component, directions ignored; the first of them on a tie."""
        n, order = len(self.vertices), {vertex: index for index, vertex in enumerate(self.vertices)}
        ends = np.array([(order[u], order[v]) for u, v in self.edges], dtype=np.int64).reshape(-1, 2)
        graph = scipy.sparse.coo_array((np.ones(len(ends)), ends.T), shape=(n, n))
        component = scipy.sparse.csgraph.connected_components(graph, directed=False)[1]
        best = np.bincount(component, minlength=1).argmax()  # components are numbered by their first vertex
        kept = np.flatnonzero(component[ends[:, 0]] == best).tolist()
        return self._keep({index: self.edges[index] for index in kept}, directed=self.directed)

    @checked
    def acyclic_from(self, source: Vertex, *, length: str | None = None) -> "Network":
        """Keep the directions that lead away from the source: a directed acyclic graph for ``DagPaths``.

        Vertices are ranked by their distance from the source, in edges or in the sum of an attribute, and among equals by their
        order in the network. An edge is kept if it leads to a vertex of higher rank (an undirected one is turned so that it does);
        what the source does not reach is left out. These are the efficient paths of traffic assignment (Dial 1971).

        A route that turns back towards the source is no longer possible. What it would have used is counted: ``left_out`` of the
        result has every direction that was not kept, except those back into the source, and the result's text says how many.

        Parameters
        ----------
        source : hashable
            A vertex.
        length : str, optional
            An attribute whose values are non-negative lengths.
        """
        if source not in self.vertices:
            raise InvalidInput(
                "`source` must be a vertex of the network", repr(source), f"Vertices are e.g. {self.vertices[:5]}."
            )
        lengths = [1.0] * len(self.edges) if length is None else self.numbers(length).tolist()
        if min(lengths, default=0.0) < 0.0:
            raise InvalidInput(
                f"attribute {length!r} must be non-negative to be a length", str(min(lengths)), "Choose another."
            )
        distance = self._distances(source, lengths)
        rank = {vertex: (distance[vertex], index) for index, vertex in enumerate(self.vertices) if vertex in distance}
        rank[source] = (-1.0, -1)
        kept: dict[int, Edge] = {}
        left_out: list[Edge] = []
        for index, edge in enumerate(self.edges):
            for u, v in (edge,) if self.directed else (edge, edge[::-1]):
                if u != v and u in rank and v in rank and rank[u] < rank[v]:
                    kept[index] = (u, v)
                elif u != v and v != source:
                    left_out.append((u, v))
        return replace(self._keep(kept, directed=True), left_out=tuple(left_out))

    def _distances(self, source: Vertex, lengths: Sequence[float]) -> dict[Vertex, float]:
        """Return how far from the source each vertex is that it reaches."""
        number = {vertex: index for index, vertex in enumerate(self.vertices)}
        shortest: dict[tuple[int, int], float] = {}
        for (u, v), length in zip(self.edges, lengths, strict=True):
            pair = number[u], number[v]
            shortest[pair] = min(length, shortest.get(pair, math.inf))  # of parallel edges
        ends = np.array(list(shortest), dtype=np.int64).reshape(-1, 2).T
        graph = scipy.sparse.csr_array((list(shortest.values()), ends), shape=(len(number),) * 2)
        found = scipy.sparse.csgraph.dijkstra(graph, directed=self.directed, indices=number[source])
        return {vertex: each for vertex, each in zip(number, found.tolist(), strict=True) if each < math.inf}
