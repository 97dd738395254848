"""What every page of ours shares: one HTML file with its styles, its data, its script and the Plotly that draws its figures.

Everything a reader without scripts can use (the words, the tables, the specification) is in the HTML; figures are data
that ``page.js`` draws. The same results give the same bytes.
"""

import json
import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from html import escape
from importlib.resources import files

from swapregret.experiments.report.style import Figure
from swapregret.files.storage import Json


@dataclass(frozen=True)
class Panel:
    """One figure of a page."""

    key: str  # by which the page finds its data
    title: str
    words: tuple[str, ...]  # paragraphs beside the figure, in HTML
    is_optional: bool = False  # whether it is left out of a page where no case has it
    has_axes: bool = False  # whether it can be switched between logarithmic and linear axes
    has_slider: bool = False  # whether it moves through the days
    choice: str = "player"  # what the list of its variants is called


def read_panels(name: str) -> tuple[Panel, ...]:
    """Read the figures of a page from a file: ``# key | title | options``, then paragraphs that begin with <b>."""
    panels = []
    for block in f"\n{_asset(name)}".split("\n# ")[1:]:
        head, _, text = block.partition("\n")
        key, title, *options = head.split(" | ")
        words = tuple(" ".join(each.split()) for each in re.split(r"\n(?=<b>)", text.strip()))
        choice = next((each.removeprefix("choice ") for each in options if each.startswith("choice ")), "player")
        panels.append(Panel(key, title, words, "optional" in options, "axes" in options, "slider" in options, choice))
    return tuple(panels)


def document(
    title: str,
    before: Sequence[str],
    panels: Sequence[Panel],
    data: Json,
    after: Sequence[str] = (),
    *,
    live_version: int | None = None,
) -> str:
    """Return a whole page: parts in HTML, figures, parts in HTML.

    ``data`` is what the figures are drawn from (see ``page.js``): under ``cases``, for each its ``label`` and its ``panels``
    by key. An optional panel that no case has is left out. A page with a ``live_version`` asks its server for later ones.
    """
    from plotly.offline import get_plotlyjs  # half a second, only where a page is made

    live = "" if live_version is None else f' data-live="true" data-version="{live_version}"'
    drawn = [case["panels"] for case in data["cases"]]
    shown = [each for each in panels if not each.is_optional or any("choices" in made[each.key] for made in drawn)]
    return "\n".join(
        [
            f'<!doctype html>\n<html lang="en"{live}><head><meta charset="utf-8">',
            f"<title>{escape(title)} – swapregret</title>",
            '<meta name="viewport" content="width=device-width, initial-scale=1">',
            '<meta name="color-scheme" content="light dark"><link rel="icon" href="data:,">',
            f"<style>\n{_asset('page.css')}</style></head>\n<body>",
            *before,
            *map(_section, shown),
            *after,
            "<noscript><p>The figures need JavaScript; the tables, the words and the specification do not.</p></noscript>",
            f'<script id="report" type="application/json">{_embedded(data)}</script>',
            f"<script>{get_plotlyjs()}</script>",
            f"<script>\n{_asset('page.js')}</script>",
            *([f"<script>\n{_asset('live.js')}</script>"] if live else []),
            "</body></html>\n",
        ]
    )


def header(title: str, lead: str) -> str:
    """Return what a page begins with; the lead is HTML."""
    return f'<header><h1>{escape(title)}</h1><div id="lead">{lead}</div></header>'


def paragraph(words: str) -> str:
    """Return words, in HTML, that lead to what follows."""
    return f'<p class="lead">{words}</p>'


def plain_section(key: str, title: str, html: str) -> str:
    """Return a part of a page that is no figure."""
    return f'<section class="plain" id="{key}"><h2>{escape(title)}</h2>{html}</section>'


def _section(panel: Panel) -> str:
    """Return the place of a figure: its title, its controls, the drawing and the words beside it."""
    words = "".join(f"<p>{paragraph}</p>" for paragraph in panel.words)
    controls = (
        f'<label class="choice" hidden>{panel.choice} <select aria-label="{panel.choice}"></select></label>'
        '<span class="downloads"><button type="button" data-download="png">PNG</button>'
        '<button type="button" data-download="csv">CSV</button></span>'
    )
    if panel.has_axes:
        controls += (
            '<span class="switch" role="group" aria-label="axes"><button type="button" data-axes="log">logarithmic</button>'
            '<button type="button" data-axes="linear">linear</button></span>'
        )
    if panel.has_slider:
        controls += (
            '<label class="slider" hidden>day <input type="range" min="0" max="0" step="1" value="0" aria-label="day">'
            "<output></output></label>"
        )
    return (
        f'<section class="panel" data-panel="{panel.key}" id="{panel.key}"><h2>{escape(panel.title)}</h2>'
        f'<div class="controls">{controls}</div><div class="drawing"><div class="plot" role="img" '
        f'aria-label="{escape(panel.title)}"></div><p class="absent" hidden></p></div>'
        f'<div class="words">{words}<p class="note"></p></div></section>'
    )


def choices(figures: Mapping[str, Figure | None], absent: str = "", note: str = "") -> Json:
    """Return the data of a panel: its figures by name ("" for one that needs none), or why there is none."""
    made = [{"name": name, "figure": figure} for name, figure in figures.items() if figure is not None]
    return {"choices": made, "note": note} if made else {"absent": absent}


@dataclass(frozen=True)
class TableCell:
    """A cell of a table in HTML, the number it stands for, the ends of its interval, and what is said under the mouse."""

    html: str
    value: float | None = None
    ends: tuple[float, float] | None = None
    hint: str = ""

    @property
    def data(self) -> str:
        """Return the numbers as attributes: what a table sorts by and is saved with; and the hint."""
        made = "" if self.value is None else f' data-value="{self.value!r}"'
        if self.ends is not None:
            made += f' data-low="{self.ends[0]!r}" data-high="{self.ends[1]!r}"'
        return made + (f' title="{escape(self.hint)}"' if self.hint else "")


def table(name: str, heads: Sequence[str], rows: Iterable[Sequence[object]]) -> str:
    """Return a table that sorts, filters and downloads; the first cell of a row names it. Columns of numbers are to the right.

    A cell is text, or (value, text) for a number, or a ``TableCell``.

    Examples
    --------
    >>> '<td class="number" data-label="gap" data-value="0.25"><span class="cell">1/4</span></td>' in table(
    ...     "gaps", ("player", "gap"), [("row", (0.25, "1/4"))]
    ... )
    True
    """
    cells = [[_cell(each) for each in row] for row in rows]
    kinds = [
        ' class="number"' if any(row[place].value is not None for row in cells) else "" for place in range(len(heads))
    ]
    body = []
    for first, *rest in cells:
        columns = zip(kinds[1:], heads[1:], rest, strict=True)
        row = "".join(
            f'<td{kind} data-label="{escape(head)}"{cell.data}><span class="cell">{cell.html}</span></td>'
            for kind, head, cell in columns
        )
        body.append(f'<tr><th scope="row"{first.data}>{first.html}</th>{row}</tr>')
    head = "".join(f'<th scope="col"{kind}>{escape(each)}</th>' for kind, each in zip(kinds, heads, strict=True))
    return (
        f'<table class="results sortable" data-name="{escape(name)}"><thead><tr>{head}</tr></thead>'
        f"<tbody>{''.join(body)}</tbody></table>"
    )


def _cell(given: object) -> TableCell:
    if isinstance(given, TableCell):
        return given
    value, text = given if isinstance(given, tuple) else (None, given)
    return TableCell(escape(str(text)), value)


def again_section(title: str, words: str, spec: str, facts: Mapping[str, str]) -> str:
    """Return the part that says how to make results again: words in HTML, the specification, versions and seeds."""
    items = "".join(f"<dt>{escape(name)}</dt><dd>{escape(value)}</dd>" for name, value in facts.items())
    return plain_section("reproduce", title, f"<p>{words}</p><pre>{escape(spec)}</pre><dl>{items}</dl>")


def figure_page(
    title: str, lead: str, figures: Sequence[tuple[Panel, Figure | None]], parts: Sequence[str] = ()
) -> str:
    """Return a page of figures under one another, tables (HTML) after them; figures that are None are left out."""
    drawn = {panel.key: choices({"": figure}) for panel, figure in figures}
    panels = [panel for panel, figure in figures if figure is not None]
    after = [f'<section class="plain">{part}</section>' for part in parts]
    return document(
        title, [header(title, paragraph(escape(lead)))], panels, {"cases": [{"label": "", "panels": drawn}]}, after
    )


def _embedded(data: object) -> str:
    """Return JSON that may stand inside a script element."""
    text = json.dumps(data, ensure_ascii=False, allow_nan=False, separators=(",", ":"))
    return text.replace("<", "\\u003c").replace("\u2028", "\\u2028").replace("\u2029", "\\u2029")


def _asset(name: str) -> str:
    return files("swapregret.experiments.report").joinpath(name).read_text(encoding="utf-8")
