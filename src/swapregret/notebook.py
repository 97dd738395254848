"""What people see of a result: small tables, as text for ``print`` and as HTML for notebooks, and Plotly figures.

A figure is lines with bands, bars or a heat map, in colours any two of which differ to colour-blind eyes too, on white and on
black. Plotly comes with the extra ``experiments`` and is imported when a figure is made.
"""

from collections.abc import Hashable, Iterable, Sequence
from dataclasses import dataclass
from functools import cache
from html import escape
from typing import TYPE_CHECKING

import numpy as np
import numpy.typing as npt

from swapregret.extras import require_extra

if TYPE_CHECKING:
    from plotly.graph_objects import Figure

Trace = dict[str, object]
"""A part of a Plotly figure as plain data."""
_COLOURS = ("#1476b1", "#d88900", "#8900ff", "#899d62", "#b12700", "#894e62", "#c462ff", "#00b1c4")
_SHOWN = 20


def label_text(label: Hashable, between: str = ", ") -> str:
    """Return how a label is shown: an edge by its two ends, and of parallel ones the number.

    Examples
    --------
    >>> label_text("a"), label_text(("s", "a"), " → "), label_text(("s", "a", 1), " → "), label_text(("board", (0, "tea")))
    ('a', 's → a', 's → a (1)', 'board, 0, tea')
    """
    if not isinstance(label, tuple):
        return str(label)
    is_numbered = len(label) == 3 and between != ", "
    return between.join(map(label_text, label[:2] if is_numbered else label)) + (
        f" ({label[2]})" if is_numbered else ""
    )


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


def marginals_table(title: str, names: Sequence[str], marginals: npt.NDArray[np.float64]) -> str:
    """Return the elements that are likeliest to be chosen, for a notebook.

    Examples
    --------
    >>> "<td>b</td><td>0.7500</td>" in marginals_table("a policy", ["a", "b"], np.array([0.25, 0.75]))
    True
    """
    shown = np.argsort(-marginals, kind="stable")[:_SHOWN].tolist()
    left = len(names) - len(shown)
    note = f"and {left:,} elements that are less likely" if left else ""
    rows = [[names[index], f"{marginals[index]:.4f}"] for index in shown]
    return html_table(title, ["element", "probability of being chosen"], rows, note)


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


def band_trace(index: int, name: str, x: npt.ArrayLike, low: npt.ArrayLike, high: npt.ArrayLike) -> Trace:
    """Return the band of line number ``index``: along the high ends, and back along the low ones."""
    along, least, most = np.asarray(x), np.asarray(low), np.asarray(high)
    return {
        "type": "scatter",
        "mode": "lines",
        "x": [*along.tolist(), *along[::-1].tolist()],
        "y": [*most.tolist(), *least[::-1].tolist()],
        "name": name,
        "fill": "toself",
        "fillcolor": band_of(index),
        "line": {"width": 0},
        "hoverinfo": "skip",
        "showlegend": False,
    }


def log_ticks(values: Iterable[float]) -> Trace:
    """Return how a logarithmic axis is labelled: whole numbers such as 0.05 and 20k, at powers of ten where it is long.

    Examples
    --------
    >>> log_ticks([50, 2000]), log_ticks([1.0, 1e9])
    ({'dtick': 'D2', 'tickformat': '~s'}, {'dtick': 1, 'exponentformat': 'power'})
    >>> log_ticks([0.02, 0.5, 0.0]), log_ticks([0.3, 0.4])
    ({'dtick': 'D2', 'tickformat': '~g'}, {'tickformat': '~g'})
    """
    positive = [value for value in values if value > 0.0]
    top, ratio = (max(positive), max(positive) / min(positive)) if positive else (1.0, 1.0)
    if top > 1e7:
        return {"dtick": 1, "exponentformat": "power"}
    step: Trace = {"dtick": 1} if ratio > 300.0 else {"dtick": "D2"} if ratio > 4.0 else {}
    return step | {"tickformat": "~s" if top >= 1000.0 else "~g"}


def axis(title: str, **more: object) -> Trace:
    """Return an axis with a title; ``more`` as Plotly names it."""
    return {"title": {"text": title}, "automargin": True, "exponentformat": "SI", **more}


def log_axis(title: str, values: Iterable[float], **more: object) -> Trace:
    """Return a logarithmic axis for some values."""
    return axis(title, type="log", **log_ticks(values), **more)


def line_figure(lines: Sequence[Line], *, title: str, x_title: str, y_titles: Sequence[str]) -> "Figure":
    """Return lines with their bands, in panels one below the other, one per title, that share a logarithmic axis across.

    A name has one colour, and one place in the legend, in all panels.
    """
    names = list(dict.fromkeys(line.name for line in lines))
    data: list[Trace] = []
    for place, line in enumerate(lines):
        index, panel = names.index(line.name), {"yaxis": f"y{line.panel + 1}" if line.panel else "y"}
        x, y = np.asarray(line.x, dtype=np.float64), np.asarray(line.y, dtype=np.float64)
        if line.low is not None and line.high is not None:
            low, high = np.asarray(line.low, dtype=np.float64), np.asarray(line.high, dtype=np.float64)
            known = np.isfinite(low) & np.isfinite(high)
            if known.any():
                band = band_trace(index, f"{line.name}, band", x[known], low[known], high[known])
                data.append(band | panel | {"legendgroup": line.name})
        look: Trace = {"line": {"color": colour(index)}, "legendgroup": line.name}
        look |= {"name": line.name, "showlegend": line.name not in [each.name for each in lines[:place]]}
        data.append({"type": "scatter", "mode": "lines+markers", "x": x.tolist(), "y": y.tolist(), **panel, **look})
    days = [float(day) for line in lines for day in np.asarray(line.x, dtype=np.float64).ravel()]
    last = f"y{len(y_titles)}" if len(y_titles) > 1 else "y"
    axes: Trace = {"xaxis": log_axis(x_title, days, anchor=last)}
    share = 1.0 / len(y_titles)
    for panel_number, text in enumerate(y_titles):
        top = 1.0 - panel_number * share
        name = f"yaxis{panel_number + 1}" if panel_number else "yaxis"
        axes[name] = axis(text, domain=[max(0.0, top - 0.88 * share), top])
    return _figure(data, title, axes | {"height": 200 + 180 * len(y_titles)})


def bar_figure(names: Sequence[str], values: npt.ArrayLike, *, title: str, y_title: str) -> "Figure":
    """Return one bar for each name."""
    bars: Trace = {"type": "bar", "x": list(names), "y": np.asarray(values, dtype=np.float64).tolist()}
    axes: Trace = {"yaxis": axis(y_title, rangemode="tozero"), "xaxis": axis("", type="category")}
    return _figure([bars | {"marker": {"color": colour(0)}}], title, axes | {"height": 360})


def heat_figure(
    table: npt.ArrayLike, *, rows: Sequence[str], columns: Sequence[str], title: str, x_title: str, y_title: str
) -> "Figure":
    """Return a table of probabilities as a map of colours, the first row at the top."""
    heat: Trace = {
        "type": "heatmap",
        "z": np.asarray(table, dtype=np.float64).tolist(),
        "x": list(columns),
        "y": list(rows),
        "colorscale": "Blues",
        "zmin": 0.0,
        "colorbar": {"title": {"text": "probability", "side": "right"}},
    }
    across, down = axis(x_title, type="category"), axis(y_title, type="category", autorange="reversed")
    return _figure([heat], title, {"xaxis": across, "yaxis": down, "height": 440})


def _figure(data: list[Trace], title: str, more: Trace) -> "Figure":
    require_extra("experiments", "a figure", only="plotly")
    layout: Trace = {
        "title": {
            "text": title,
            "x": 0.0,
            "xref": "paper",
            "y": 1.0,
            "yref": "container",
            "yanchor": "top",
            "pad": {"t": 16},
        },
        "margin": {"l": 8, "r": 20, "t": 76, "b": 8},
        "template": "plotly_white",
        "legend": {"orientation": "h", "y": 1.0, "yanchor": "bottom", "x": 0.0},
        "hoverlabel": {"namelength": -1},
    }
    return _figure_class()(data=data, layout=layout | more)


@cache
def _figure_class() -> type["Figure"]:
    """Return the class of our figures; it is made late, because Plotly takes half a second to load."""
    from plotly.graph_objects import Figure

    class NotebookFigure(Figure):  # type: ignore[misc]  # Plotly has no types
        """A Plotly figure that Jupyter shows without `nbformat`, which Plotly asks for and does not use."""

        def _ipython_display_(self) -> None:
            shown = self._repr_mimebundle_()
            if not shown:  # in a terminal: a browser
                super()._ipython_display_()
                return
            from IPython.display import display

            display(shown, raw=True)

        def __reduce__(self) -> tuple[type["Figure"], tuple[Trace]]:
            """Pickle a plain figure: this class has no address."""
            return Figure, (self.to_dict(),)

    return NotebookFigure
