"""Single figures of other commands: lines over a number, and what a rule would have gained."""

import math
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from swapregret.experiments.report.shell import Panel, figure_page, table
from swapregret.experiments.report.style import (
    Figure,
    Trace,
    axis,
    error_bars,
    escaped,
    figure,
    log_ticks,
    marker,
    numbers,
    scatter,
    stroke,
)
from swapregret.notebook import colour
from swapregret.regret.best_swap import BestSwap

_NAME = 44


@dataclass(frozen=True)
class Series:
    """One line: its name, its points (x, y), an interval for each where known, and whether it is the one to look at."""

    name: str
    points: tuple[tuple[float, float], ...]
    intervals: tuple[tuple[float, float], ...] = ()
    is_ours: bool = False


def series_figure(series: Sequence[Series], x_title: str, y_title: str, *, is_log: bool = True) -> Figure | None:
    """Draw lines with points and error bars; a point that a logarithmic axis cannot show is left out. None without points.

    Examples
    --------
    >>> made = series_figure([Series("a", ((10., .1), (100., 0.), (1000., .2)))], "N", "regret")
    >>> made["data"][0]["x"], made["data"][0]["y"]
    ([10.0, 1000.0], [0.1, 0.2])
    """
    data: list[Trace] = []
    for index, line in enumerate(series):
        ends = line.intervals if len(line.intervals) == len(line.points) else ((math.nan, math.nan),) * len(line.points)
        shown = [
            (x, y, low, high)
            for (x, y), (low, high) in zip(line.points, ends, strict=True)
            if math.isfinite(x) and math.isfinite(y) and (not is_log or (x > 0.0 and y > 0.0))
        ]
        if not shown:
            continue
        xs, ys, lows, highs = zip(*shown, strict=True)
        made = scatter(
            "lines+markers",
            numbers(xs),
            numbers(ys),
            name=escaped(line.name),
            line=stroke(index, 3.6 if line.is_ours else 1.6),
            marker=marker(index, 9 if line.is_ours else 7),
            error_y=error_bars(index, ys, lows, highs),
            customdata=[numbers(pair) for pair in zip(lows, highs, strict=True)],
            hovertemplate=f"{escaped(x_title)} %{{x:,}}: %{{y:.4g}}",
        )
        data.append(made)
    if not data:
        return None
    if not is_log:
        return figure(data, height=440, xaxis=axis(x_title), yaxis=axis(y_title, rangemode="tozero"))
    across, up = (
        axis(title, is_log=True, dtick=log_ticks(value for trace in data for value in trace[name]))
        for name, title in (("x", x_title), ("y", y_title))
    )
    return figure(data, height=440, xaxis=across, yaxis=up)


def gains_page(swap: BestSwap, title: str, *, limit: int = 20) -> str:
    """Return a page with one bar per exchange: what the best rule would have gained, largest first."""
    shown = swap.exchanges[:limit]
    names = [(in_braces(each.played_elements), in_braces(each.better_elements)) for each in shown]
    bars = {
        "type": "bar",
        "orientation": "h",
        "name": "gain",
        "x": numbers(each.gain for each in shown),
        "y": [escaped(f"{index + 1}. {_short(f'{one} → {other}')}") for index, (one, other) in enumerate(names)],
        "text": [escaped(str(each)) for each in shown],
        "textposition": "none",
        "hovertemplate": "%{text}<extra></extra>",
        "marker": {"color": colour(0)},
    }
    drawn = figure(
        [bars],
        height=170 + 26 * max(3, len(shown)),
        showlegend=False,
        xaxis=axis("gain in total"),
        yaxis=axis("", type="category", autorange="reversed"),
    )
    words = "<b>Shown:</b> what the rule “whenever you chose the first, choose the second” would have gained in total."
    left_out = swap.n_played - len(shown)
    more = f" And {left_out:,} more actions." if left_out > 0 else ""
    rows = [
        (one, other, (each.gain, f"{each.gain:+.4g}"), (each.days, f"{each.days:,.4g}"))
        for (one, other), each in zip(names, shown, strict=True)
    ]
    lead = f"The best rule, the exchanges of largest gain first.{more}"
    panel = Panel("gains", "Gain of each exchange", (words,))
    exchanges = table("exchanges", ("you chose", "better", "gain", "days"), rows)
    return figure_page(title, lead, [(panel, drawn if shown else None)], [exchanges])


def in_braces(elements: Iterable[object]) -> str:
    """Write elements as a set."""
    return "{" + ", ".join(map(str, elements)) + "}"


def _short(text: str) -> str:
    return text if len(text) <= _NAME else text[: _NAME - 1] + "…"
