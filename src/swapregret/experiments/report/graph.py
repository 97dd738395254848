"""A graph on paper, its edges as thick as their probability on the day of a slider.

Directed graphs are drawn in layers from left to right, the others so that distances are kept. Same graph, same picture.
The figure draws every edge once, as a line of its own; the page sets how thick each is.
"""

from collections.abc import Sequence

import numpy as np
import scipy

from swapregret.arrays import Integers, Matrix, Vector
from swapregret.experiments.report.style import Figure, escaped, figure, scatter
from swapregret.networks.network import Network
from swapregret.notebook import Trace

MOST_EDGES = 400
_MOST_NAMES = 60
_INK = "#0072b2"
_SWEEPS = 12
_STEPS = 200
_BEND = 0.14
_PAGE = np.array([1.8, 1.0])
_BEND_POINTS = 13


def graph_figure(network: Network, names: Sequence[str]) -> Figure | None:
    """Draw a graph, one line per edge, by name, all of them thin: the page sets their thickness. None above 400 edges.

    The last two traces are the middles of the edges, which carry the hover texts, and the vertices with their names.
    """
    if len(network.edges) > MOST_EDGES:
        return None
    places, vertices = place_vertices(network), [escaped(str(vertex)) for vertex in network.vertices]
    curves, labels = edge_curves(_ends(network), places), [escaped(name) for name in names]
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
    is_named = len(vertices) <= _MOST_NAMES
    size = 16 + 5 * min(6, max(len(str(name)) for name in network.vertices)) if is_named else 9  # most names fit in
    circles = _trace(
        "markers+text" if is_named else "markers",
        places,
        text=vertices,
        textposition="middle center",
        textfont={"size": 11},
        marker={"size": size, "color": "#ffffff", "line": {"width": 1.5, "color": "#57606a"}},
        hovertemplate=hover,
    )
    bare = {"visible": False, "range": [-0.08, 1.08]}
    return figure([*lines, middles, circles], height=440, showlegend=False, xaxis=bare, yaxis=bare)


def _trace(mode: str, points: Matrix, **more: object) -> Trace:
    x, y = np.round(points, 4).T.tolist()
    return scatter(mode, x, y, **more)


def _ends(network: Network) -> Integers:
    """Return the numbers of the two vertices of each edge, shape (n, 2)."""
    number = {vertex: index for index, vertex in enumerate(network.vertices)}
    return np.array([(number[u], number[v]) for u, v in network.edges], dtype=np.int64).reshape(-1, 2)


def place_vertices(network: Network) -> Matrix:
    """Return a point in the unit square for each vertex, shape (n, 2).

    Directed graphs are drawn in layers by the longest way from a source, each layer in the order that crosses few edges.
    Undirected ones are drawn so that distances on paper are close to distances in the graph (stress majorisation from a
    circle).

    Examples
    --------
    >>> place_vertices(Network((("s", "a"), ("a", "t")), directed=True))[:, 0].tolist()
    [0.0, 0.5, 1.0]
    """
    return (_layered if network.directed else _by_distance)(_ends(network), len(network.vertices))


def edge_curves(ends: Integers, places: Matrix) -> list[Matrix]:
    """Return the line of each edge: straight, or bent where it is parallel to another or would run over a vertex."""
    seen: dict[tuple[int, int], int] = {}
    curves = []
    for tail, head in ends.tolist():
        pair = (min(tail, head), max(tail, head))
        turn = seen[pair] = seen.get(pair, -1) + 1
        start, stop = places[tail], places[head]
        bend = _BEND * ((turn + 1) // 2) * (-1) ** turn
        if turn == 0 and _runs_over(places, tail, head):
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


def _layered(ends: Integers, n: int) -> Matrix:
    tails, heads = ends.T
    level = np.zeros(n, dtype=np.int64)
    for _ in range(n):
        np.maximum.at(level, heads, level[tails] + 1)
    layers = [np.flatnonzero(level == depth) for depth in range(int(level.max()) + 1)]
    row = np.zeros(n)
    for layer in layers:
        row[layer] = _spread(len(layer))
    for sweep in range(_SWEEPS):  # each layer by the mean heights of its neighbours, from both sides in turn
        here, there = (heads, tails) if sweep % 2 == 0 else (tails, heads)
        for layer in layers if sweep % 2 == 0 else layers[::-1]:
            wish = [row[there[here == vertex]].mean() if (here == vertex).any() else row[vertex] for vertex in layer]
            row[layer[np.lexsort((layer, -np.array(wish)))]] = _spread(len(layer))
    return np.column_stack([level / max(1, int(level.max())), row])


def _spread(count: int) -> Vector:
    """Return the heights of a layer, the middle at one half."""
    return (np.arange(count, 0, -1) - 0.5) / count


def _by_distance(ends: Integers, n: int) -> Matrix:
    angle = 2.0 * np.pi * np.arange(n) / max(1, n)
    points = np.column_stack([np.cos(angle), np.sin(angle)])
    near = scipy.sparse.coo_array((np.ones(len(ends)), ends.T), shape=(n, n))
    distance: Matrix = scipy.sparse.csgraph.shortest_path(near, directed=False, unweighted=True)
    distance[np.isinf(distance)] = distance[np.isfinite(distance)].max() + 1.0  # not joined: further than any
    weight = np.where(distance > 0.0, 1.0 / np.maximum(distance, 1.0) ** 2, 0.0)
    laplacian = np.diag(weight.sum(axis=1)) - weight
    inverse = np.linalg.pinv(laplacian)
    for _ in range(_STEPS if n > 2 else 0):
        apart = np.linalg.norm(points[:, None] - points[None], axis=2)
        ratio = np.where(apart > 1e-9, weight * distance / np.maximum(apart, 1e-9), 0.0)
        points = inverse @ ((np.diag(ratio.sum(axis=1)) - ratio) @ points)
    low, high = points.min(axis=0), points.max(axis=0)
    return np.asarray((points - low) / np.maximum(high - low, 1e-9))
