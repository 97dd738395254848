"""Where the vertices of a graph are drawn: layers from left to right for acyclic ones, distances kept for the others.

Deterministic: same graph, same picture.
"""

import numpy as np

from swapregret.arrays import Matrix, Vector
from swapregret.experiments.report.model import Graph

__all__ = ["edge_curves", "place_vertices"]

_SWEEPS = 12
_STEPS = 200
_BEND = 0.14
_PAGE = np.array([1.8, 1.0])
_BEND_POINTS = 13


def place_vertices(graph: Graph) -> Matrix:
    """Return a point in the unit square for each vertex, shape (n, 2).

    Directed graphs are drawn in layers by the longest way from a source, each layer in the order that crosses few edges.
    Undirected ones are drawn so that distances on paper are close to distances in the graph (stress majorisation from a
    circle).

    Examples
    --------
    >>> from swapregret.experiments.report.model import Edge
    >>> path = Graph(("s", "a", "t"), (Edge(0, 1, "sa"), Edge(1, 2, "at")), True)
    >>> place_vertices(path)[:, 0].tolist()
    [0.0, 0.5, 1.0]
    """
    return _layered(graph) if graph.is_directed else _by_distance(graph)


def edge_curves(graph: Graph, places: Matrix) -> list[Matrix]:
    """Return the line of each edge: straight, or bent where it is parallel to another or would run over a vertex."""
    seen: dict[tuple[int, int], int] = {}
    curves = []
    for edge in graph.edges:
        pair = (min(edge.tail, edge.head), max(edge.tail, edge.head))
        turn = seen.get(pair, 0)
        seen[pair] = turn + 1
        start, stop = places[edge.tail], places[edge.head]
        bend = _BEND * ((turn + 1) // 2) * (-1) ** turn
        if turn == 0 and _runs_over(places, edge.tail, edge.head):
            bend = _BEND
        side = np.array([start[1] - stop[1], stop[0] - start[0]])
        middle = (start + stop) / 2.0 + 2.0 * bend * side
        share = np.linspace(0.0, 1.0, _BEND_POINTS if bend else 3)[:, None]
        curves.append((1 - share) ** 2 * start + 2 * share * (1 - share) * middle + share**2 * stop)
    return curves


def _runs_over(places: Matrix, tail: int, head: int) -> bool:
    """Tell whether the straight line between two vertices passes close to a third one on a page wider than high."""
    places = places * _PAGE
    start, way = places[tail], places[head] - places[tail]
    length = float(way @ way)
    if length == 0.0:
        return False
    others = np.delete(places, [tail, head], axis=0)
    along = ((others - start) @ way) / length
    away = np.linalg.norm(others - (start + along[:, None] * way), axis=1)
    return bool(((along > 0.0) & (along < 1.0) & (away < 0.03)).any())


def _layered(graph: Graph) -> Matrix:
    n = len(graph.vertices)
    level = np.zeros(n, dtype=np.int64)
    for _ in range(n):
        before = level.copy()
        for edge in graph.edges:
            level[edge.head] = max(level[edge.head], level[edge.tail] + 1)
        if (before == level).all():
            break
    layers = [np.flatnonzero(level == depth).tolist() for depth in range(int(level.max()) + 1)]
    row = np.zeros(n)
    for layer in layers:
        row[layer] = _spread(len(layer))
    for sweep in range(_SWEEPS):
        for layer in layers if sweep % 2 == 0 else layers[::-1]:
            wish = [_mean_row(graph, vertex, row, forward=sweep % 2 == 0) for vertex in layer]
            order = sorted(range(len(layer)), key=lambda i: (wish[i], layer[i]))
            layer[:] = [layer[i] for i in order]
            row[layer] = _spread(len(layer))
    return np.column_stack([level / max(1, int(level.max())), row])


def _mean_row(graph: Graph, vertex: int, row: Vector, *, forward: bool) -> float:
    """Return the negative mean height of the neighbours on one side; its own where it has none."""
    tails = [edge.tail for edge in graph.edges if edge.head == vertex]
    heads = [edge.head for edge in graph.edges if edge.tail == vertex]
    ends = tails if forward else heads
    return -float(np.mean(row[ends])) if ends else -float(row[vertex])


def _spread(count: int) -> Vector:
    """Return the heights of a layer, the middle at one half."""
    return (np.arange(count, 0, -1) - 0.5) / count


def _by_distance(graph: Graph) -> Matrix:
    n = len(graph.vertices)
    angle = 2.0 * np.pi * np.arange(n) / max(1, n)
    points = np.column_stack([np.cos(angle), np.sin(angle)])
    distance = _distances(graph)
    weight = np.where(distance > 0.0, 1.0 / np.maximum(distance, 1.0) ** 2, 0.0)
    laplacian = np.diag(weight.sum(axis=1)) - weight
    inverse = np.linalg.pinv(laplacian)
    for _ in range(_STEPS if n > 2 else 0):
        apart = np.linalg.norm(points[:, None] - points[None], axis=2)
        ratio = np.where(apart > 1e-9, weight * distance / np.maximum(apart, 1e-9), 0.0)
        points = inverse @ ((np.diag(ratio.sum(axis=1)) - ratio) @ points)
    low, high = points.min(axis=0), points.max(axis=0)
    return np.asarray((points - low) / np.maximum(high - low, 1e-9))


def _distances(graph: Graph) -> Matrix:
    """Return the numbers of edges between all vertices; vertices that are not joined are one step further than any."""
    n = len(graph.vertices)
    near: list[list[int]] = [[] for _ in range(n)]
    for edge in graph.edges:
        near[edge.tail].append(edge.head)
        near[edge.head].append(edge.tail)
    table = np.full((n, n), -1.0)
    for source in range(n):
        table[source, source], front = 0.0, [source]
        while front:
            reached = []
            for vertex in front:
                for other in near[vertex]:
                    if table[source, other] < 0.0:
                        table[source, other] = table[source, vertex] + 1.0
                        reached.append(other)
            front = reached
    return np.where(table < 0.0, table.max() + 1.0, table)
