"""What people see of a result: small tables, as text for ``print`` and as HTML for notebooks, and Plotly figures.

A figure is lines with bands, bars or a heat map, in colours any two of which differ to colour-blind eyes too, on white and on
black. Plotly comes with the extra ``experiments`` and is imported when a figure is made.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from html import escape
from typing import Any

import numpy as np
import numpy.typing as npt

from swapregret.extras import require_extra

_Array = npt.NDArray[Any]
_COLOURS = ("#1476b1", "#d88900", "#8900ff", "#899d62", "#b12700", "#894e62", "#c462ff", "#00b1c4")
_MARGIN = {"l": 8, "r": 20, "t": 48, "b": 8}


def text_table(title: str, headings: Sequence[str], rows: Sequence[Sequence[str]]) -> str:
    """Return a title and a table in columns, the first to the left, the others to the right.

    Examples
    --------
    >>> print(text_table("two days", ["regret", "total"], [["swap", "1.5"], ["external", "10"]]))
    two days
      regret    total
      swap        1.5
      external     10
    """
    table = [list(headings), *(list(row) for row in rows)]
    widths = [max(len(row[column]) for row in table) for column in range(len(headings))]
    lines = [title]
    for row in table:
        cells = [row[0].ljust(widths[0]), *(cell.rjust(width) for cell, width in zip(row[1:], widths[1:], strict=True))]
        lines.append(("  " + "  ".join(cells)).rstrip())
    return "\n".join(lines)


def html_table(title: str, headings: Sequence[str], rows: Sequence[Sequence[str]], note: str = "") -> str:
    """Return the same for a notebook, with all text escaped.

    Examples
    --------
    >>> html_table("a & b", ["x"], [["<1>"]])
    '<table><caption>a &amp; b</caption><thead><tr><th>x</th></tr></thead><tbody><tr><td>&lt;1&gt;</td></tr></tbody></table>'
    """
    head = "".join(f"<th>{escape(text)}</th>" for text in headings)
    body = "".join("<tr>" + "".join(f"<td>{escape(cell)}</td>" for cell in row) + "</tr>" for row in rows)
    below = f"<p>{escape(note)}</p>" if note else ""
    return (
        f"<table><caption>{escape(title)}</caption><thead><tr>{head}</tr></thead><tbody>{body}</tbody></table>{below}"
    )


@dataclass(frozen=True, eq=False)
class Line:
    """A line of a figure: the band around it is left out where it is not known; panels count from 0 at the top."""

    name: str
    x: npt.ArrayLike
    y: npt.ArrayLike
    low: npt.ArrayLike | None = None
    high: npt.ArrayLike | None = None
    panel: int = 0


def colour(index: int) -> str:
    """Return the colour of line number ``index``."""
    return _COLOURS[index % len(_COLOURS)]


def band_of(index: int) -> str:
    """Return the colour of a line's band: its own, mostly transparent.

    Examples
    --------
    >>> colour(0), band_of(0)
    ('#1476b1', 'rgba(20,118,177,0.16)')
    """
    red, green, blue = (int(colour(index)[i : i + 2], 16) for i in (1, 3, 5))
    return f"rgba({red},{green},{blue},0.16)"


def band_trace(index: int, name: str, x: _Array, low: _Array, high: _Array) -> dict[str, Any]:
    """Return the band of line number ``index``: along the high ends, and back along the low ones."""
    return {
        "type": "scatter",
        "mode": "lines",
        "x": [*x.tolist(), *x[::-1].tolist()],
        "y": [*high.tolist(), *low[::-1].tolist()],
        "name": name,
        "fill": "toself",
        "fillcolor": band_of(index),
        "line": {"width": 0},
        "hoverinfo": "skip",
        "showlegend": False,
    }


def line_figure(
    lines: Sequence[Line], *, title: str, x_title: str, y_titles: Sequence[str], log_x: bool = False
) -> Any:
    """Return lines with their bands, in panels one below the other, one per title, that share the horizontal axis."""
    data: list[dict[str, Any]] = []
    for index, line in enumerate(lines):
        axis = "y" if line.panel == 0 else f"y{line.panel + 1}"
        x = np.asarray(line.x, dtype=np.float64)
        if line.low is not None and line.high is not None:
            low, high = np.asarray(line.low, dtype=np.float64), np.asarray(line.high, dtype=np.float64)
            known = np.isfinite(low) & np.isfinite(high)
            if known.any():
                band = band_trace(index, f"{line.name}, band", x[known], low[known], high[known])
                data.append(band | {"yaxis": axis})
        data.append(
            {
                "type": "scatter",
                "mode": "lines+markers",
                "x": x.tolist(),
                "y": np.asarray(line.y, dtype=np.float64).tolist(),
                "yaxis": axis,
                "name": line.name,
                "line": {"color": colour(index)},
            }
        )
    layout = _layout(title) | {"xaxis": {"title": {"text": x_title}, "type": "log" if log_x else "linear"}}
    layout["xaxis"]["anchor"] = "y" if len(y_titles) == 1 else f"y{len(y_titles)}"
    share = 1.0 / len(y_titles)
    for panel, text in enumerate(y_titles):
        top = 1.0 - panel * share
        name = "yaxis" if panel == 0 else f"yaxis{panel + 1}"
        layout[name] = {"title": {"text": text}, "domain": [max(0.0, top - 0.88 * share), top], "automargin": True}
    return _figure(data, layout)


def bar_figure(names: Sequence[str], values: npt.ArrayLike, *, title: str, y_title: str) -> Any:
    """Return one bar for each name."""
    bars = {
        "type": "bar",
        "x": list(names),
        "y": np.asarray(values, dtype=np.float64).tolist(),
        "marker": {"color": colour(0)},
    }
    return _figure([bars], _layout(title) | {"yaxis": {"title": {"text": y_title}}, "xaxis": {"type": "category"}})


def heat_figure(
    table: npt.ArrayLike, *, rows: Sequence[str], columns: Sequence[str], title: str, x_title: str, y_title: str
) -> Any:
    """Return a table of numbers as a map of colours, the first row at the top."""
    heat = {
        "type": "heatmap",
        "z": np.asarray(table, dtype=np.float64).tolist(),
        "x": list(columns),
        "y": list(rows),
        "colorscale": "Blues",
        "zmin": 0.0,
    }
    layout = _layout(title) | {
        "xaxis": {"title": {"text": x_title}, "type": "category"},
        "yaxis": {"title": {"text": y_title}, "type": "category", "autorange": "reversed", "automargin": True},
    }
    return _figure([heat], layout)


def _layout(title: str) -> dict[str, Any]:
    return {
        "title": {"text": title},
        "margin": dict(_MARGIN),
        "template": "plotly_white",
        "legend": {"orientation": "h", "y": -0.2},
        "hoverlabel": {"namelength": -1},
    }


def _figure(data: list[dict[str, Any]], layout: dict[str, Any]) -> Any:
    require_extra("experiments", "a figure", only="plotly")
    from plotly.graph_objects import Figure

    return Figure(data=data, layout=layout)
