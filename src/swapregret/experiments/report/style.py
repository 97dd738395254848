"""Colours, dashes and symbols that tell players apart on white, on black, in grey and to colour-blind eyes; axes.

The eight colours were searched for: any two differ by more than 20 in CIELAB for normal sight, protanopia, deuteranopia
and tritanopia alike, at a contrast of at least 2.6 on white and on the dark paper. A dash and a symbol say the same again.
Ink, grid and paper are not set here: the page takes them from its style sheet, light or dark.
"""

import math
from collections.abc import Iterable, Sequence
from html import escape
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from swapregret.notebook import colour

Trace = dict[str, Any]

Figure = dict[str, Any]
"""A Plotly figure as plain data: ``data`` and ``layout``, nothing that JSON cannot say."""

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


def axis(title: str, *, is_log: bool = False, **more: Any) -> dict[str, Any]:
    """Return an axis with a title, on a linear or a logarithmic scale."""
    made: dict[str, Any] = {"title": {"text": title}, "automargin": True, **more}
    return made | ({"type": "log", "exponentformat": "power"} if is_log else {"exponentformat": "SI"})


def log_ticks(values: Iterable[float]) -> int | str | None:
    """Return where a logarithmic axis has its ticks: powers of ten, 2 and 5 as well below two decades, free below one.

    Examples
    --------
    >>> log_ticks([1.0, 1e6]), log_ticks([0.02, 0.5, 0.0]), log_ticks([0.3, 0.4])
    (1, 'D2', None)
    """
    positive = [value for value in values if value > 0.0]
    ratio = max(positive) / min(positive) if positive else 1.0
    return 1 if ratio > 100.0 else "D2" if ratio > 10.0 else None


def scatter(mode: str, x: Sequence[Any], y: Sequence[Any], **more: Any) -> Trace:
    """Return a trace of points or lines; ``more`` as Plotly names it."""
    return {"type": "scatter", "mode": mode, "x": x, "y": y, **more}


def figure(data: list[Trace], **layout: Any) -> Figure:
    """Return a figure with what all of them share: legend below, hover labels of full length. The page adds the title."""
    shared: dict[str, Any] = {
        "margin": {"l": 8, "r": 20, "t": 34, "b": 8},
        "hoverlabel": {"namelength": -1},
        "legend": {"orientation": "h", "yref": "container", "y": 0, "yanchor": "bottom", "x": 0, "xanchor": "left"},
        "showlegend": True,
        "hovermode": "closest",
    }
    made = {**shared, **layout}
    n_names = sum(trace.get("showlegend", True) for trace in data) if made["showlegend"] else 0
    return {"data": data, "layout": made | {"meta": {"names": n_names, **made.get("meta", {})}}}


def heat_map(
    table: list[list[float]] | list[list[float | None]],
    names: tuple[Sequence[str], Sequence[str]],
    titles: tuple[str, str],
    *,
    hover: str,
    height: int,
    has_names: bool = True,
    **more: Any,
) -> Figure:
    """Shade a table of probabilities: the first names go down, the second across; ``more`` is of the trace."""
    trace = {
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
