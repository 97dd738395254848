"""How the law over a set is shown: as a graph for paths and trees, in rows for other sets."""

import numpy as np
import numpy.typing as npt

from swapregret.actions.base import ActionSet
from swapregret.actions.graphs.graphic_bases import GraphicBases
from swapregret.actions.paths.dag_paths import DagPaths
from swapregret.actions.paths.partitions import Partitions
from swapregret.arrays import Matrix
from swapregret.experiments.report.model import Edge, Graph

__all__ = ["graph_of", "put_together", "rows_of"]


def graph_of(actions: ActionSet) -> Graph | None:
    """Return the graph of a path or tree set; None for sets without one.

    Examples
    --------
    >>> graph = graph_of(DagPaths([("s", "a"), ("a", "t"), ("s", "t")], source="s", sink="t"))
    >>> graph.vertices, graph.edges[2].label
    (('s', 'a', 't'), 's → t')
    """
    if isinstance(actions, DagPaths):
        place = {vertex: i for i, vertex in enumerate(dict.fromkeys(v for edge in actions.edges for v in edge))}
        edges = [
            Edge(place[tail], place[head], _edge_name(label, " → "))
            for (tail, head), label in zip(actions.edges, actions.labels, strict=True)
        ]
        return Graph(tuple(str(vertex) for vertex in place), tuple(edges), True)
    if isinstance(actions, GraphicBases):
        graph = actions.graph
        ends = zip(graph.tails.tolist(), graph.heads.tolist(), actions.labels, strict=True)
        edges = [Edge(tail, head, _edge_name(label, " – ")) for tail, head, label in ends]
        return Graph(tuple(str(vertex) for vertex in graph.vertices), tuple(edges), False)
    return None


def rows_of(actions: ActionSet) -> tuple[tuple[str, ...], npt.NDArray[np.int64]]:
    """Return the rows in which the law of a set is shown, and which of them each element belongs to.

    Elements of partitions that give a part the same amount share a row; otherwise each element has one.

    Examples
    --------
    >>> labels, place = rows_of(Partitions(1, 2))
    >>> labels, place.tolist()
    (('part 0 gets 0', 'part 0 gets 1', 'part 1 gets 0', 'part 1 gets 1'), [0, 1, 3, 2])
    """
    if isinstance(actions, Partitions):
        pairs = [(label[0], label[-1] - (0 if actions.is_compact else label[1])) for label in _tuples(actions)]
        rows = sorted(set(pairs))
        names = tuple(f"part {part} gets {amount}" for part, amount in rows)
        return names, np.array([rows.index(pair) for pair in pairs], dtype=np.int64)
    graph = graph_of(actions)
    names = tuple(edge.label for edge in graph.edges) if graph is not None else tuple(map(_name, actions.labels))
    return names, np.arange(actions.dimension, dtype=np.int64)


def _tuples(actions: ActionSet) -> list[tuple[int, ...]]:
    return [label for label in actions.labels if isinstance(label, tuple)]


def put_together(marginals: Matrix, place: npt.NDArray[np.int64]) -> Matrix:
    """Add up the columns that share a row of the picture."""
    table = np.zeros((len(marginals), int(place.max()) + 1))
    np.add.at(table.T, place, marginals.T)
    return table


def _name(label: object) -> str:
    return ", ".join(str(part) for part in label) if isinstance(label, tuple) else str(label)


def _edge_name(label: object, arrow: str) -> str:
    """Name an edge by its ends, parallel ones with their number; a label of the user's own stays as it is."""
    if isinstance(label, tuple) and len(label) in (2, 3):
        number = f" ({label[2]})" if len(label) == 3 else ""
        return f"{label[0]}{arrow}{label[1]}{number}"
    return str(label)
