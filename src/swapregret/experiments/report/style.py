"""Colours, dashes and symbols that tell players apart on white, on black, in grey and to colour-blind eyes; axes.

The eight colours were searched for: any two differ by more than 20 in CIELAB for normal sight, protanopia, deuteranopia
and tritanopia alike, at a contrast of at least 2.6 on white and on the dark paper. A dash and a symbol say the same again.
Ink, grid and paper are not set here: the page takes them from its style sheet, light or dark.
"""

import math
from collections.abc import Iterable, Sequence
from html import escape
from typing import TypedDict

import numpy as np
from numpy.typing import ArrayLike

from swapregret.notebook import Trace, axis, colour


class Figure(TypedDict):
    """A Plotly figure as plain data, nothing that JSON cannot say."""

    data: list[Trace]
    layout: Trace


_DASHES = ("solid", "dash", "dot", "dashdot", "longdash", "longdashdot")
_SYMBOLS = ("circle", "square", "diamond", "triangle-up", "x", "star", "triangle-down", "cross", "pentagon")


def stroke(index: int, width: float) -> Trace:
    """Return how the line of player number ``index`` is drawn."""
    return {"color": colour(index), "width": width, "dash": _DASHES[index % len(_DASHES)]}


def marker(index: int, size: int) -> Trace:
    """Return how the points of player number ``index`` are drawn."""
    return {"color": colour(index), "size": size, "symbol": _SYMBOLS[index % len(_SYMBOLS)]}


def error_bars(index: int, value: ArrayLike, low: ArrayLike, high: ArrayLike) -> Trace:
    """Return the intervals of the points of player number ``index``; none where no end is known."""
    below, above = np.maximum(np.subtract(value, low), 0.0), np.maximum(np.subtract(high, value), 0.0)
    if not np.isfinite(below + above).any():
        return {"visible": False}
    bars = {"array": numbers(above), "arrayminus": numbers(below)}
    return {"type": "data", "symmetric": False, **bars, "color": colour(index)}


def escaped(text: str) -> str:
    """Return text so that Plotly, which reads some HTML in it, shows it as it is.

    Examples
    --------
    >>> escaped("rate <b> & co")
    'rate &lt;b&gt; &amp; co'
    """
    return escape(text, quote=False)


def numbers(values: Iterable[float]) -> list[float | None]:
    """Return numbers as JSON can hold them: rounded to six significant digits, None where they are not finite.

    Examples
    --------
    >>> numbers([1 / 3, float("nan")])
    [0.333333, None]
    """
    return [float(f"{value:.6g}") if math.isfinite(value) else None for value in values]


def scatter(mode: str, x: Sequence[object], y: Sequence[object], **more: object) -> Trace:
    """Return a trace of points or lines; ``more`` as Plotly names it."""
    return {"type": "scatter", "mode": mode, "x": x, "y": y, **more}


def figure(data: Sequence[Trace], *, meta: Trace | None = None, **layout: object) -> Figure:
    """Return a figure with what all of them share: legend below, hover labels of full length. The page adds the title."""
    shared: Trace = {
        "margin": {"l": 8, "r": 20, "t": 34, "b": 8},
        "hoverlabel": {"namelength": -1},
        "legend": {"orientation": "h", "yref": "container", "y": 0, "yanchor": "bottom", "x": 0, "xanchor": "left"},
        "showlegend": True,
        "hovermode": "closest",
    }
    has_legend = layout.get("showlegend", True)
    n_names = sum(trace.get("showlegend", True) is True for trace in data) if has_legend else 0
    return {"data": list(data), "layout": {**shared, **layout, "meta": {"names": n_names, **(meta or {})}}}


def heat_map(
    table: list[list[float]] | list[list[float | None]],
    names: tuple[Sequence[str], Sequence[str]],
    titles: tuple[str, str],
    *,
    hover: str,
    height: int,
    has_names: bool = True,
    **more: object,
) -> Figure:
    """Shade a table of probabilities: the first names go down, the second across; ``more`` is of the trace."""
    trace: Trace = {
        "type": "heatmap",
        "x": [escaped(name) for name in names[1]],
        "y": [escaped(name) for name in names[0]],
        "z": table,
        "zmin": 0.0,
        "colorscale": "Cividis",
        "colorbar": {"title": {"text": "probability", "side": "right"}, "thickness": 12},
        "hovertemplate": hover + "<extra></extra>",
        **more,
    }
    down, across = (axis(escaped(title), type="category", showticklabels=has_names) for title in titles)
    return figure([trace], height=height, showlegend=False, xaxis=across, yaxis=down | {"autorange": "reversed"})
