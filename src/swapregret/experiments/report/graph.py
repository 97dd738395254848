"""What is likely to be chosen, day by day: a graph whose edges are as thick as their probability, or a heat map.

The page moves through the days with a slider: the figure draws every edge once, as a line of its own, and ``widths``
tells how thick each is on each day.
"""

from typing import Any

import numpy as np
import numpy.typing as npt

from swapregret.arrays import Matrix
from swapregret.experiments.report.layout import edge_curves, place_vertices
from swapregret.experiments.report.model import Graph
from swapregret.experiments.report.style import Figure, axis, figure, plain

__all__ = ["MOST_EDGES", "MOST_ELEMENTS", "graph_figure", "heat_map", "probabilities"]

MOST_EDGES = 400
MOST_ELEMENTS = 150
_MOST_NAMES = 60
_INK = "#0072b2"


def graph_figure(graph: Graph) -> Figure | None:
    """Draw a graph, one line per edge, all of them thin: the page sets their thickness. None above 400 edges.

    The last two traces are the middles of the edges, which carry the hover texts, and the vertices with their names.

    Examples
    --------
    >>> from swapregret.experiments.report.model import Edge
    >>> made = graph_figure(Graph(("s", "t"), (Edge(0, 1, "s → t"), Edge(0, 1, "bridge")), True))
    >>> len(made["data"]), made["data"][-2]["text"]
    (4, ['s → t', 'bridge'])
    """
    if len(graph.edges) > MOST_EDGES:
        return None
    places = place_vertices(graph)
    data: list[dict[str, Any]] = []
    middles = []
    for edge, curve in zip(graph.edges, edge_curves(graph, places), strict=True):
        middles.append(curve[len(curve) // 2])
        data.append(
            {
                "type": "scatter",
                "mode": "lines",
                "name": plain(edge.label),
                "x": np.round(curve[:, 0], 4).tolist(),
                "y": np.round(curve[:, 1], 4).tolist(),
                "line": {"color": _INK, "width": 1},
                "hoverinfo": "skip",
            }
        )
    middle = np.round(np.array(middles), 4)
    data.append(
        {
            "type": "scatter",
            "mode": "markers",
            "x": middle[:, 0].tolist(),
            "y": middle[:, 1].tolist(),
            "text": [plain(edge.label) for edge in graph.edges],
            "marker": {"size": 14, "opacity": 0, "color": _INK},
            "hovertemplate": "%{text}<extra></extra>",
        }
    )
    data.append(
        {
            "type": "scatter",
            "mode": "markers+text" if len(graph.vertices) <= _MOST_NAMES else "markers",
            "x": np.round(places[:, 0], 4).tolist(),
            "y": np.round(places[:, 1], 4).tolist(),
            "text": [plain(name) for name in graph.vertices],
            "textposition": "middle center",
            "textfont": {"size": 11},
            "marker": {"size": _vertex_size(graph), "color": "#ffffff", "line": {"width": 1.5, "color": "#57606a"}},
            "hovertemplate": "%{text}<extra></extra>",
        }
    )
    bare = {"visible": False, "range": [-0.08, 1.08]}
    layout = {"height": 440, "showlegend": False, "hovermode": "closest", "xaxis": bare, "yaxis": bare}
    return figure(data, layout)


def _vertex_size(graph: Graph) -> int:
    """Return a diameter into which most names fit."""
    if len(graph.vertices) > _MOST_NAMES:
        return 9
    return 16 + 5 * min(6, max(len(name) for name in graph.vertices))


def heat_map(marginals: Matrix, days: npt.NDArray[np.int64], labels: tuple[str, ...]) -> Figure | None:
    """Shade the probability of every element on every day; None above 150 elements.

    Examples
    --------
    >>> heat_map(np.array([[.5, 1.], [0., .25]]), np.array([1, 2]), ("a", "b"))["data"][0]["z"]
    [[0.5, 0.0], [1.0, 0.25]]
    """
    if len(labels) > MOST_ELEMENTS:
        return None
    trace = {
        "type": "heatmap",
        "x": [f"{day:,}" for day in days.tolist()],
        "y": [plain(label) for label in labels],
        "z": probabilities(marginals.T),
        "zmin": 0.0,
        "zmax": 1.0,
        "colorscale": "Cividis",
        "colorbar": {"title": {"text": "probability", "side": "right"}, "thickness": 12},
        "hovertemplate": "day %{x}<br>%{y}: %{z:.3f}<extra></extra>",
    }
    layout = {
        "height": min(1200, 170 + 16 * len(labels)),
        "showlegend": False,
        "xaxis": axis("after day", type="category"),
        "yaxis": axis("element", type="category", autorange="reversed"),
    }
    return figure([trace], layout)


def probabilities(table: Matrix) -> list[list[float]]:
    """Return probabilities to three decimals, in [0, 1]."""
    rounded: list[list[float]] = np.round(np.clip(table, 0.0, 1.0), 3).tolist()
    return rounded
