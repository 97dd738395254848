"""A graph on paper, its edges as thick as their probability on the day of a slider.

Directed graphs are drawn in layers from left to right, the others so that distances are kept. Same graph, same picture.
The figure draws every edge once, as a line of its own; the page sets how thick each is.
"""

import numpy as np
import scipy

from swapregret.arrays import Matrix, Vector
from swapregret.experiments.report.model import DrawnGraph
from swapregret.experiments.report.style import Figure, Trace, escaped, figure, scatter

MOST_EDGES = 400
_MOST_NAMES = 60
_INK = "#0072b2"
_SWEEPS = 12
_STEPS = 200
_BEND = 0.14
_PAGE = np.array([1.8, 1.0])
_BEND_POINTS = 13


def graph_figure(graph: DrawnGraph) -> Figure | None:
    """Draw a graph, one line per edge, all of them thin: the page sets their thickness. None above 400 edges.

    The last two traces are the middles of the edges, which carry the hover texts, and the vertices with their names.

    Examples
    --------
    >>> from swapregret.experiments.report.model import DrawnEdge
    >>> made = graph_figure(DrawnGraph(("s", "t"), (DrawnEdge(0, 1, "s → t"), DrawnEdge(0, 1, "bridge")), True))
    >>> len(made["data"]), made["data"][-2]["text"]
    (4, ['s → t', 'bridge'])
    """
    if len(graph.edges) > MOST_EDGES:
        return None
    places = place_vertices(graph)
    curves, labels = edge_curves(graph, places), [escaped(edge.label) for edge in graph.edges]
    hover = "%{text}<extra></extra>"
    lines = [
        _trace("lines", curve, name=label, line={"color": _INK, "width": 1}, hoverinfo="skip")
        for label, curve in zip(labels, curves, strict=True)
    ]
    middles = _trace(
        "markers",
        np.array([curve[len(curve) // 2] for curve in curves]),
        text=labels,
        marker={"size": 14, "opacity": 0, "color": _INK},
        hovertemplate=hover,
    )
    is_named = len(graph.vertices) <= _MOST_NAMES
    size = 16 + 5 * min(6, max(len(name) for name in graph.vertices)) if is_named else 9  # most names fit in
    vertices = _trace(
        "markers+text" if is_named else "markers",
        places,
        text=[escaped(name) for name in graph.vertices],
        textposition="middle center",
        textfont={"size": 11},
        marker={"size": size, "color": "#ffffff", "line": {"width": 1.5, "color": "#57606a"}},
        hovertemplate=hover,
    )
    bare = {"visible": False, "range": [-0.08, 1.08]}
    return figure([*lines, middles, vertices], height=440, showlegend=False, xaxis=bare, yaxis=bare)


def _trace(mode: str, points: Matrix, **more: object) -> Trace:
    x, y = np.round(points, 4).T.tolist()
    return scatter(mode, x, y, **more)


def place_vertices(graph: DrawnGraph) -> Matrix:
    """Return a point in the unit square for each vertex, shape (n, 2).

    Directed graphs are drawn in layers by the longest way from a source, each layer in the order that crosses few edges.
    Undirected ones are drawn so that distances on paper are close to distances in the graph (stress majorisation from a
    circle).

    Examples
    --------
    >>> from swapregret.experiments.report.model import DrawnEdge
    >>> path = DrawnGraph(("s", "a", "t"), (DrawnEdge(0, 1, "sa"), DrawnEdge(1, 2, "at")), True)
    >>> place_vertices(path)[:, 0].tolist()
    [0.0, 0.5, 1.0]
    """
    return _layered(graph) if graph.is_directed else _by_distance(graph)


def edge_curves(graph: DrawnGraph, places: Matrix) -> list[Matrix]:
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


def _layered(graph: DrawnGraph) -> Matrix:
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


def _mean_row(graph: DrawnGraph, vertex: int, row: Vector, *, forward: bool) -> float:
    """Return the negative mean height of the neighbours on one side; its own where it has none."""
    tails = [edge.tail for edge in graph.edges if edge.head == vertex]
    heads = [edge.head for edge in graph.edges if edge.tail == vertex]
    ends = tails if forward else heads
    return -float(np.mean(row[ends])) if ends else -float(row[vertex])


def _spread(count: int) -> Vector:
    """Return the heights of a layer, the middle at one half."""
    return (np.arange(count, 0, -1) - 0.5) / count


def _by_distance(graph: DrawnGraph) -> Matrix:
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


def _distances(graph: DrawnGraph) -> Matrix:
    """Return the numbers of edges between all vertices; vertices that are not joined are one step further than any."""
    near = np.zeros((len(graph.vertices),) * 2)
    for edge in graph.edges:
        near[edge.tail, edge.head] = 1.0
    table: Matrix = scipy.sparse.csgraph.shortest_path(near, directed=False, unweighted=True)
    return np.where(np.isinf(table), table[np.isfinite(table)].max() + 1.0, table)
