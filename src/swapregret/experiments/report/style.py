"""Colours, dashes and symbols that tell players apart on white, on black, in grey and to colour-blind eyes; axes.

The eight colours were searched for: any two differ by more than 20 in CIELAB for normal sight, protanopia, deuteranopia
and tritanopia alike, at a contrast of at least 2.6 on white and on the dark paper. A dash and a symbol say the same again.
Ink, grid and paper are not set here: the page takes them from its style sheet, light or dark.
"""

import math
from collections.abc import Iterable
from html import escape
from typing import Any

from swapregret.figures import band_of, colour

__all__ = ["Figure", "axis", "band_of", "colour", "dash", "figure", "log_ticks", "numbers", "plain", "symbol"]

Figure = dict[str, Any]
"""A Plotly figure as plain data: ``data`` and ``layout``, nothing that JSON cannot say."""

_DASHES = ("solid", "dash", "dot", "dashdot", "longdash", "longdashdot")
_SYMBOLS = ("circle", "square", "diamond", "triangle-up", "x", "star", "triangle-down", "cross", "pentagon")


def dash(index: int) -> str:
    """Return the dash of player number ``index``."""
    return _DASHES[index % len(_DASHES)]


def symbol(index: int) -> str:
    """Return the marker of player number ``index``."""
    return _SYMBOLS[index % len(_SYMBOLS)]


def plain(text: str) -> str:
    """Return text so that Plotly, which reads some HTML in it, shows it as it is.

    Examples
    --------
    >>> plain("rate <b> & co")
    'rate &lt;b&gt; &amp; co'
    """
    return escape(text, quote=False)


def numbers(values: Iterable[float], digits: int = 6) -> list[float | None]:
    """Return numbers as JSON can hold them: rounded to significant digits, None where they are not finite.

    Examples
    --------
    >>> numbers([1 / 3, float("nan")], digits=3)
    [0.333, None]
    """
    return [float(f"{value:.{digits}g}") if math.isfinite(value) else None for value in values]


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


def figure(data: list[dict[str, Any]], layout: dict[str, Any]) -> Figure:
    """Return a figure with what all of them share: legend below, hover labels of full length. The page adds the title."""
    shared: dict[str, Any] = {
        "margin": {"l": 8, "r": 20, "t": 34, "b": 8},
        "hoverlabel": {"namelength": -1},
        "legend": {"orientation": "h", "yref": "container", "y": 0, "yanchor": "bottom", "x": 0, "xanchor": "left"},
        "showlegend": True,
    }
    made = {**shared, **layout}
    made["meta"] = {
        "names": sum(trace.get("showlegend", True) for trace in data) if made["showlegend"] else 0,
        **made.get("meta", {}),
    }
    return {"data": data, "layout": made}
