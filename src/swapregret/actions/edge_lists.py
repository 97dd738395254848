"""Graphs as people have them, lists of edges or networkx graphs, read for the sets on graphs.

networkx graphs are known by their methods, so networkx itself is not needed.
"""

from collections import Counter
from collections.abc import Callable, Hashable, Iterable, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from swapregret.arrays import Edge, Label
from swapregret.errors import InvalidInput

if TYPE_CHECKING:
    from swapregret.networks.network import Network


def read_edges(edges: Any, name: str = "edges") -> tuple[Edge, ...]:
    """Read a list of pairs of hashable vertices, or say which edge is wrong."""
    try:
        given = list(edges.tolist() if isinstance(edges, np.ndarray) else edges)
    except TypeError:
        raise InvalidInput(
            f"`{name}` must be a list of pairs of vertices", type(edges).__name__, "Pass e.g. [('a', 'b'), ('b', 'c')]."
        ) from None
    pairs: list[Edge] = []
    word = "edge" if name == "edges" else "pair"
    for index, edge in enumerate(given):
        try:
            if isinstance(edge, str):
                raise TypeError
            u, v = edge
            hash((u, v))
        except (TypeError, ValueError):
            raise InvalidInput(
                f"{word} {index} of `{name}` must be a pair of hashable vertices",
                repr(edge),
                "Write an edge as (u, v), without weights and other attributes.",
            ) from None
        if u == v:
            raise InvalidInput(
                f"{word} {index} of `{name}` must join two different vertices",
                repr((u, v)),
                "Leave out self-loops.",
            )
        pairs.append((u, v))
    if not pairs:
        raise InvalidInput(f"`{name}` must not be empty", "none", "Pass a list of pairs of vertices.")
    return tuple(pairs)


def edge_names(edges: Sequence[Edge], ends: Callable[[Edge], Hashable] = tuple) -> tuple[Label, ...]:
    """Name each edge by its vertices, and parallel edges (u, v, 0), (u, v, 1), ...; edges with equal ``ends`` are parallel."""
    total, seen = Counter(map(ends, edges)), Counter[Hashable]()
    names: list[Label] = []
    for edge in edges:
        key = ends(edge)
        names.append(edge if total[key] == 1 else (*edge, seen[key]))
        seen[key] += 1
    return tuple(names)


def network_edges(value: "Iterable[Edge] | Network", *, directed: bool) -> Iterable[Edge]:
    """Return the edges of a :class:`~swapregret.networks.Network`, or the value itself where it is none.

    A set of routes takes only a directed one, which `acyclic_from` makes.
    """
    from swapregret.networks.network import Network

    if not isinstance(value, Network):
        return value
    if directed and not value.directed:
        raise InvalidInput(
            "the network of `DagPaths` must be directed",
            repr(value),
            "Choose the directions first: network.acyclic_from(source).",
        )
    return value.edges


def is_networkx(value: object) -> bool:
    """Tell a networkx graph from a list of edges."""
    return all(hasattr(value, name) for name in ("is_directed", "is_multigraph", "nodes", "edges"))


def networkx_edges(graph: Any) -> tuple[list[Edge], list[Label] | None]:
    """Return the edges of a networkx graph, and of a multigraph their names (u, v, key)."""
    if graph.is_multigraph():
        triples = [tuple(edge) for edge in graph.edges(keys=True)]
        return [(u, v) for u, v, _ in triples], list(triples)
    return [tuple(edge) for edge in graph.edges()], None
