"""Curves over the days: regret with its band, reward, time; and swap against external regret.

May touch: ``experiments.report.model``, ``experiments.report.style``.
"""

import math
from collections.abc import Callable, Iterator, Sequence
from typing import Any

import numpy as np

from swapregret.experiments.report.model import Curve, PlayerRuns, Scene
from swapregret.experiments.report.style import (
    Figure,
    axis,
    band_of,
    colour,
    dash,
    figure,
    log_ticks,
    numbers,
    plain,
    symbol,
)

__all__ = ["curve_figure", "horizon_figure", "swap_against_external"]


def curve_figure(
    players: Sequence[PlayerRuns],
    select: Callable[[PlayerRuns], Curve | None],
    y_title: str,
    *,
    is_log: bool,
    unit: str = "",
    x_title: str = "day",
) -> Figure | None:
    """Draw one quantity of every player over the days, a line and a band each; None where nobody has it.

    On a logarithmic axis a lower end of a band at or below 0 is drawn at the foot of the picture; the interval itself is
    in the hover text, as measured.

    Parameters
    ----------
    players : sequence of PlayerRuns
    select : callable
        Which curve of a player.
    y_title : str
    is_log : bool
        Whether the picture opens on logarithmic axes.
    unit : str
        Written behind the numbers of the hover text.
    x_title : str
        What the days of the curves are.

    Examples
    --------
    >>> days = np.array([1, 10])
    >>> curve = Curve(days, np.array([.5, .1]), np.array([.4, .05]), np.array([.6, .2]))
    >>> made = curve_figure([PlayerRuns("a", 4, swap=curve)], lambda runs: runs.swap, "regret", is_log=True)
    >>> [trace["name"] for trace in made["data"]], made["data"][1]["y"]
    (['a', 'a'], [0.5, 0.1])
    """
    chosen = [(index, runs, curve) for index, runs in enumerate(players) if (curve := select(runs)) is not None]
    if not chosen:
        return None
    foot = _foot([curve for _, _, curve in chosen])
    bands = [
        _band(index, runs.name, curve, foot if is_log else -math.inf)
        for index, runs, curve in chosen
        if curve.has_interval
    ]
    lines = [_line(index, runs.name, curve, unit, x_title) for index, runs, curve in chosen]
    ticks = (
        log_ticks(float(day) for _, _, curve in chosen for day in curve.days),
        log_ticks([*_reach([curve for _, _, curve in chosen], foot)]),
    )
    layout = {
        "height": 420,
        "hovermode": "closest",
        "xaxis": axis(x_title, is_log=True, dtick=ticks[0]),
        "yaxis": axis(y_title, is_log=True, dtick=ticks[1]) if is_log else axis(y_title),
        "meta": {"ticks": ticks},
    }
    return figure([*bands, *lines], layout)  # no band covers a line


def horizon_figure(scenes: Sequence[Scene]) -> Figure | None:
    """Draw the last swap regret of every player against the horizon; None for scenes of one horizon.

    Parameters
    ----------
    scenes : sequence of Scene
        Of one set and one environment. Players are the first one's and those the others add.
    """
    ordered = sorted(scenes, key=lambda scene: scene.horizon)
    if len(ordered) < 2:
        return None
    names = dict.fromkeys(runs.name for scene in scenes for runs in scene.players)
    ends: list[PlayerRuns] = []
    for name in names:
        found = [
            (scene.horizon, *runs.swap.last, runs.n_runs)
            for scene in ordered
            for runs in scene.players
            if runs.name == name and runs.swap is not None
        ]
        columns = [np.array(column) for column in zip(*found, strict=True)]
        curve = Curve(columns[0].astype(np.int64), *columns[1:4]) if found else None
        ends.append(PlayerRuns(name, min((row[-1] for row in found), default=0), swap=curve))
    return curve_figure(ends, lambda runs: runs.swap, "swap regret a round", is_log=True, x_title="horizon")


def swap_against_external(players: Sequence[PlayerRuns]) -> Figure | None:
    """Draw where each player came to rest: external regret to the right, swap regret upwards, the way there faint.

    Swap regret is never below external regret, so nobody can be below the diagonal.
    """
    pairs = [
        (index, runs.name, runs.external, runs.swap)
        for index, runs in enumerate(players)
        if runs.swap is not None and runs.external is not None
    ]
    if not pairs:
        return None
    data: list[dict[str, Any]] = []
    for index, name, external, swap in pairs:
        common = {"legendgroup": name, "name": plain(name), "type": "scatter"}
        settled = len(swap.days) // 2
        data.append(
            {
                **common,
                "mode": "lines",
                "x": numbers(external.value[settled:]),
                "y": numbers(swap.value[settled:]),
                "line": {"color": colour(index), "width": 1, "dash": dash(index)},
                "opacity": 0.5,
                "showlegend": False,
                "customdata": swap.days[settled:].tolist(),
                "hovertemplate": "day %{customdata:,}<br>external %{x:.4g}<br>swap %{y:.4g}",
            }
        )
        data.append(
            {
                **common,
                "mode": "markers",
                "x": numbers(external.value[-1:]),
                "y": numbers(swap.value[-1:]),
                "error_x": _bars(external, index),
                "error_y": _bars(swap, index),
                "marker": {"color": colour(index), "size": 11, "symbol": symbol(index)},
                "hovertemplate": "external %{x:.4g}<br>swap %{y:.4g}",
            }
        )
    top = max(float(np.nanmax(swap.value[len(swap.days) // 2 :])) for _, _, _, swap in pairs) or 1.0
    diagonal = {
        "type": "scatter",
        "mode": "lines",
        "x": [0.0, top],
        "y": [0.0, top],
        "name": "swap = external",
        "line": {"color": "#7f7f7f", "width": 1.5, "dash": "dot"},
        "hoverinfo": "skip",
    }
    layout = {
        "height": 420,
        "hovermode": "closest",
        "xaxis": axis("external regret a round"),
        "yaxis": axis("swap regret a round", rangemode="tozero"),
    }
    return figure([diagonal, *data], layout)


def _foot(curves: Sequence[Curve]) -> float:
    """Return the lowest height a logarithmic picture needs: a third of the smallest positive value."""
    positive = [float(value) for curve in curves for value in curve.value if value > 0.0]
    return min(positive) / 3.0 if positive else math.ulp(0.0)


def _reach(curves: Sequence[Curve], foot: float) -> Iterator[float]:
    """Yield the heights that a logarithmic picture shows."""
    for curve in curves:
        yield from curve.value.tolist()
        for edge in (curve.low, curve.high):
            yield from (max(float(end), foot) for end in edge if math.isfinite(end))


def _band(index: int, name: str, curve: Curve, foot: float) -> dict[str, Any]:
    known = np.isfinite(curve.low) & np.isfinite(curve.high)
    days = curve.days[known].tolist()
    low = np.maximum(curve.low[known], foot)
    high = np.maximum(curve.high[known], foot)
    return {
        "type": "scatter",
        "mode": "lines",
        "name": plain(name),
        "legendgroup": name,
        "showlegend": False,
        "x": days + days[::-1],
        "y": numbers([*high.tolist(), *low[::-1].tolist()]),
        "fill": "toself",
        "fillcolor": band_of(index),
        "line": {"width": 0},
        "hoverinfo": "skip",
    }


def _line(index: int, name: str, curve: Curve, unit: str, x_title: str) -> dict[str, Any]:
    behind = f" {unit}" if unit else ""
    text = [
        f"{value:.4g}{behind}" + (f" [{low:.4g}, {high:.4g}]" if math.isfinite(low) and math.isfinite(high) else "")
        for value, low, high in zip(curve.value.tolist(), curve.low.tolist(), curve.high.tolist(), strict=True)
    ]
    return {
        "type": "scatter",
        "mode": "lines+markers",
        "name": plain(name),
        "legendgroup": name,
        "x": curve.days.tolist(),
        "y": numbers(curve.value.tolist()),
        "line": {"color": colour(index), "width": 2.2, "dash": dash(index)},
        "marker": {"color": colour(index), "size": 6, "symbol": symbol(index)},
        "text": text,
        "hovertemplate": x_title + " %{x:,}: %{text}",
    }


def _bars(curve: Curve, index: int) -> dict[str, Any]:
    value, low, high = curve.last
    if not (math.isfinite(low) and math.isfinite(high)):
        return {"visible": False}
    return {
        "type": "data",
        "symmetric": False,
        "array": numbers([max(0.0, high - value)]),
        "arrayminus": numbers([max(0.0, value - low)]),
        "color": colour(index),
        "thickness": 1.2,
    }
