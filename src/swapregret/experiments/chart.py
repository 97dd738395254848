"""Figures as self-contained HTML: lines on logarithmic axes, drawn in SVG by hand.

A figure fits its page: on a narrow screen the names move below it, the letters grow with the picture's shrinking, and
nothing has to be scrolled but tables.

May touch: ``experiments.report.style``. No plotting library.
"""

import math
from collections.abc import Sequence
from dataclasses import dataclass
from html import escape

from swapregret.experiments.report.style import colour as player_colour

__all__ = ["Series", "line_chart", "page"]

_WIDTH, _HEIGHT = 920, 460
_LEFT, _RIGHT, _TOP, _BOTTOM = 74, 248, 44, 56
_LINE = 14
_DASHES = ("", "7 3", "2 3", "8 3 2 3", "12 4")


@dataclass(frozen=True)
class Series:
    """One line: its name, its points (x, y), an interval for each where known, and whether it is the one to look at."""

    name: str
    points: tuple[tuple[float, float], ...]
    intervals: tuple[tuple[float, float], ...] = ()
    is_ours: bool = False


def line_chart(
    title: str, x_label: str, y_label: str, series: Sequence[Series], *, log_x: bool = True, log_y: bool = True
) -> str:
    """Draw lines and points, with names at the right; a point that a logarithmic axis cannot show is left out.

    Examples
    --------
    >>> svg = line_chart("t", "N", "regret", [Series("a", ((10., .1), (1000., .2)))])
    >>> svg.startswith("<svg") and svg.count("<circle") == 2
    True
    """
    kept = [(index, line, _visible(line, log_x, log_y)) for index, line in enumerate(series)]
    points = [point for _, _, shown in kept for point in shown]
    if not points:
        return f"<p>{escape(title)}: nothing to draw.</p>"
    x_axis = _Axis([x for x, _ in points], log_x, _LEFT, _WIDTH - _RIGHT)
    y_axis = _Axis([y for _, y in points], log_y, _HEIGHT - _BOTTOM, _TOP)
    parts = [
        f'<svg viewBox="0 0 {_WIDTH} {_HEIGHT}" role="img" aria-label="{escape(title)}" '
        'xmlns="http://www.w3.org/2000/svg">',
        f'<text x="{_LEFT}" y="22" class="title">{escape(title)}</text>',
    ]
    for value in x_axis.ticks():
        x = x_axis.place(value)
        parts.append(f'<line x1="{x:.1f}" x2="{x:.1f}" y1="{_TOP}" y2="{_HEIGHT - _BOTTOM}" class="grid"/>')
        parts.append(f'<text x="{x:.1f}" y="{_HEIGHT - _BOTTOM + 18}" text-anchor="middle">{_number(value)}</text>')
    for value in y_axis.ticks():
        y = y_axis.place(value)
        parts.append(f'<line x1="{_LEFT}" x2="{_WIDTH - _RIGHT}" y1="{y:.1f}" y2="{y:.1f}" class="grid"/>')
        parts.append(f'<text x="{_LEFT - 8}" y="{y + 4:.1f}" text-anchor="end">{_number(value)}</text>')
    middle = (_LEFT + _WIDTH - _RIGHT) / 2
    parts.append(f'<text x="{middle:.0f}" y="{_HEIGHT - 14}" text-anchor="middle">{escape(x_label)}</text>')
    parts.append(
        f'<text transform="translate(18 {_HEIGHT / 2:.0f}) rotate(-90)" text-anchor="middle" class="wide">'
        f"{escape(y_label)}</text>"
    )
    labels = []
    for index, line, shown in kept:
        if not shown:
            continue
        colour, dash = player_colour(index), _DASHES[index % len(_DASHES)]
        width = 3.2 if line.is_ours else 1.5
        placed = [(x_axis.place(x), y_axis.place(y)) for x, y in shown]
        path = " ".join(f"{x:.1f},{y:.1f}" for x, y in placed)
        parts.append(
            f'<polyline points="{path}" fill="none" stroke="{colour}" stroke-width="{width}" stroke-dasharray="{dash}"/>'
        )
        for (x, y), (_, value) in zip(placed, shown, strict=True):
            tip = f"{line.name}: {value:.4g}"
            parts.append(
                f'<circle cx="{x:.1f}" cy="{y:.1f}" r="{width + 1.5}" fill="{colour}"><title>{escape(tip)}</title></circle>'
            )
        if len(line.intervals) == len(line.points) == len(shown):
            for (x, _), (low, high) in zip(placed, line.intervals, strict=True):
                top, foot = y_axis.place(high), y_axis.place(low)
                parts.append(
                    f'<line x1="{x:.1f}" x2="{x:.1f}" y1="{top:.1f}" y2="{foot:.1f}" stroke="{colour}" stroke-width="1.2"/>'
                )
        labels.append((placed[-1][1], placed[-1][0], line, colour))
    legend = "".join(
        f'<li style="color:{colour}"{_weight(line)}>{escape(line.name)}</li>' for _, _, line, colour in labels
    )
    return "\n".join([*parts, *_names(labels), f'</svg><ul class="names">{legend}</ul>'])


def page(title: str, lead: str, parts: Sequence[str]) -> str:
    """Return a whole HTML page that needs nothing from outside."""
    body = "\n".join(f"<figure>{part}</figure>" for part in parts)
    style = (
        ":root{color-scheme:light dark;--ink:#1f2937;--soft:#4b5563;--grid:#e5e7eb;--paper:#fff}"
        "@media(prefers-color-scheme:dark){:root{--ink:#e5e7eb;--soft:#b6bcc6;--grid:#374151;--paper:#111827}}"
        "@media print{:root{--ink:#000;--soft:#333;--grid:#ccc;--paper:#fff;color-scheme:light}figure{break-inside:avoid}}"
        "body{font:15px/1.5 system-ui,sans-serif;max-width:60rem;margin:2rem auto;padding:0 1rem;color:var(--ink);"
        "background:var(--paper);overflow-wrap:break-word}figure{margin:1.5rem 0;overflow-x:auto}"
        "svg{width:100%;height:auto;color:var(--soft)}svg text{font:12px system-ui,sans-serif;fill:var(--soft)}"
        "svg .title{font-weight:600;font-size:14px}.ours{font-weight:700}svg .grid{stroke:var(--grid)}"
        "table{border-collapse:collapse;font-size:13px}td,th{border-bottom:1px solid var(--grid);padding:.25rem .6rem;"
        "text-align:right}td:first-child,th:first-child{text-align:left}.names{display:none}"
        "@media screen and (max-width:40rem){body{margin:1rem auto}svg text{font-size:20px}svg .title{font-size:24px}"
        "svg .wide{display:none}svg.small text{font-size:14px}"
        ".names{display:flex;flex-wrap:wrap;gap:0 1.2rem;margin:0;padding:0 0 0 1.2rem;font-size:13px}"
        "td,th{padding:.25rem .4rem}}"
    )
    return (
        f'<!doctype html>\n<html lang="en"><head><meta charset="utf-8"><title>{escape(title)}</title>'
        f'<meta name="viewport" content="width=device-width, initial-scale=1"><style>{style}</style></head>\n'
        f"<body><h1>{escape(title)}</h1>\n<p>{escape(lead)}</p>\n{body}\n</body></html>\n"
    )


def _visible(line: Series, log_x: bool, log_y: bool) -> list[tuple[float, float]]:
    return [
        (x, y)
        for x, y in line.points
        if math.isfinite(x) and math.isfinite(y) and (x > 0.0 or not log_x) and (y > 0.0 or not log_y)
    ]


def _names(labels: list[tuple[float, float, Series, str]]) -> list[str]:
    """Write the names at the right margin, moved apart where lines end close together."""
    ordered = sorted(labels, key=lambda label: (label[0], label[2].name))
    places: list[float] = []
    for wanted, *_ in ordered:
        places.append(max(wanted, places[-1] + _LINE if places else float(_TOP)))
    bottom = float(_HEIGHT - _LINE)
    for index in range(len(places) - 1, -1, -1):
        places[index] = min(places[index], bottom)
        bottom = places[index] - _LINE
    parts = []
    x = _WIDTH - _RIGHT + 14
    for (wanted, end, line, colour), y in zip(ordered, places, strict=True):
        parts.append(
            f'<line x1="{end:.1f}" y1="{wanted:.1f}" x2="{x - 4}" y2="{y:.1f}" stroke="{colour}" stroke-width=".5"/>'
        )
        parts.append(f'<text x="{x}" y="{y + 4:.1f}" style="fill:{colour}"{_weight(line)}>{escape(line.name)}</text>')
    return ['<g class="wide">', *parts, "</g>"]


def _weight(line: Series) -> str:
    return ' class="ours"' if line.is_ours else ""


def _number(value: float) -> str:
    if value == 0.0 or 1e-3 <= abs(value) < 1e4:
        return f"{value:g}"
    return f"10^{math.log10(value):.0f}" if math.log10(abs(value)).is_integer() else f"{value:.0e}"


class _Axis:
    """Places numbers between two pixels, on a linear or a logarithmic scale."""

    def __init__(self, values: Sequence[float], is_log: bool, first: float, last: float) -> None:
        self.is_log, self.first, self.last = is_log, first, last
        low, high = min(values), max(values)
        if is_log:
            first_power, last_power = math.log10(low), math.log10(high)
            margin = max(0.04 * (last_power - first_power), 0.05)
            self.low, self.high = first_power - margin, last_power + margin
        else:
            margin = 0.05 * (high - low) or 1.0
            self.low, self.high = (0.0 if 0.0 <= low < 0.3 * high else low - margin), high + margin

    def place(self, value: float) -> float:
        number = math.log10(max(value, 1e-300)) if self.is_log else value
        share = min(max((number - self.low) / (self.high - self.low), 0.0), 1.0)
        return self.first + share * (self.last - self.first)

    def ticks(self) -> list[float]:
        """Return powers of ten; 2 and 5 times them as well on up to two decades; round numbers on less than one."""
        width = self.high - self.low
        if not self.is_log:
            return _round_numbers(self.low, self.high)
        if width < 1.0:
            return _round_numbers(10.0**self.low, 10.0**self.high)
        step = max(1, math.ceil(width / 10))
        factors = (1.0,) if width > 2.0 else (1.0, 2.0, 5.0)
        powers = [power for power in range(math.floor(self.low), math.ceil(self.high) + 1) if power % step == 0]
        ticks = [factor * 10.0**power for power in powers for factor in factors]
        return [tick for tick in ticks if self.low <= math.log10(tick) <= self.high]


def _round_numbers(low: float, high: float) -> list[float]:
    """Return about six round numbers between two."""
    raw = (high - low) / 6.0
    size = 10.0 ** math.floor(math.log10(raw))
    step = next(size * factor for factor in (1.0, 2.0, 5.0, 10.0) if size * factor >= raw)
    return [round(index * step, 12) for index in range(math.ceil(low / step), math.floor(high / step) + 1)]
