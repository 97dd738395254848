"""Curves over the days: regret with its band, reward, time; and swap against external regret."""

import math
from collections.abc import Callable, Sequence
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

__all__ = ["curve_figure", "horizon_figure", "swap_against_external", "swap_against_reward"]


def curve_figure(
    players: Sequence[PlayerRuns],
    select: Callable[[PlayerRuns], Curve | None],
    y_title: str,
    *,
    is_log: bool,
    unit: str = "",
    x_title: str = "day",
) -> Figure | None:
    """Draw one quantity of every player over the days, one line and one band each; None where nobody has it.

    A logarithmic axis is as high as its lines need: bands that reach further, down to 0 or far up, are cut at the frame. The
    interval itself is in the hover text, as measured.

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
    foot, top = _reach([curve for _, _, curve in chosen])
    frame = numbers([math.log10(foot), math.log10(top)])
    bands = [
        _band(index, runs.name, curve, foot if is_log else -math.inf)
        for index, runs, curve in chosen
        if curve.has_interval
    ]
    lines = [_line(index, runs.name, curve, unit, x_title) for index, runs, curve in chosen]
    ticks = (
        log_ticks(float(day) for _, _, curve in chosen for day in curve.days),
        log_ticks([foot, top]),
    )
    layout = {
        "height": 420,
        "hovermode": "closest",
        "xaxis": axis(x_title, is_log=True, dtick=ticks[0]),
        "yaxis": axis(y_title, is_log=True, dtick=ticks[1], range=frame) if is_log else axis(y_title),
        "meta": {"ticks": ticks, "frame": frame},
    }
    return figure([*bands, *lines], layout)  # no band covers a line


def horizon_figure(scenes: Sequence[Scene], quantity: str = "swap") -> Figure | None:
    """Draw the last swap regret, or reward, of every player against the horizon; None for scenes of one horizon.

    Parameters
    ----------
    scenes : sequence of Scene
        Of one set and one environment. Players are the first one's and those the others add.
    quantity : str
        ``swap`` or ``reward``.
    """
    ordered = sorted(scenes, key=lambda scene: scene.horizon)
    if len(ordered) < 2:
        return None
    names = dict.fromkeys(runs.name for scene in scenes for runs in scene.players)
    ends: list[PlayerRuns] = []
    for name in names:
        found = [
            (scene.horizon, *curve.last, runs.n_runs)
            for scene in ordered
            for runs in scene.players
            if runs.name == name and (curve := _of(runs, quantity)) is not None
        ]
        columns = [np.array(column) for column in zip(*found, strict=True)]
        curve = Curve(columns[0].astype(np.int64), *columns[1:4]) if found else None
        ends.append(PlayerRuns(name, min((row[-1] for row in found), default=0), swap=curve))
    title = "swap regret per round" if quantity == "swap" else "reward per round"
    return curve_figure(ends, lambda runs: runs.swap, title, is_log=quantity == "swap", x_title="horizon")


def swap_against_external(players: Sequence[PlayerRuns]) -> Figure | None:
    """Draw where each player came to rest: external regret to the right, swap regret upwards, the way there faint.

    Swap regret is never below external regret, so nobody can be below the diagonal.
    """
    made = _swap_against(players, "external", "external regret per round", "external")
    if made is None:
        return None
    tops = [float(np.nanmax(runs.swap.value[len(runs.swap.days) // 2 :])) for runs in players if runs.swap is not None]
    top = max(tops) or 1.0
    diagonal = {
        "type": "scatter",
        "mode": "lines",
        "x": [0.0, top],
        "y": [0.0, top],
        "name": "swap = external",
        "line": {"color": "#7f7f7f", "width": 1.5, "dash": "dot"},
        "hoverinfo": "skip",
    }
    return figure([diagonal, *made["data"]], made["layout"])


def swap_against_reward(players: Sequence[PlayerRuns]) -> Figure | None:
    """Draw where each player came to rest: reward to the right, swap regret upwards, the way there faint."""
    return _swap_against(players, "reward", "reward per round", "reward")


def _of(runs: PlayerRuns, quantity: str) -> Curve | None:
    found: Curve | None = getattr(runs, quantity)
    return found


def _swap_against(players: Sequence[PlayerRuns], quantity: str, title: str, short: str) -> Figure | None:
    pairs = [
        (index, runs.name, other, runs.swap)
        for index, runs in enumerate(players)
        if runs.swap is not None and (other := _of(runs, quantity)) is not None
    ]
    if not pairs:
        return None
    data: list[dict[str, Any]] = []
    for index, name, other, swap in pairs:
        common = {"legendgroup": name, "name": plain(name), "type": "scatter"}
        settled = len(swap.days) // 2
        data.append(
            {
                **common,
                "mode": "lines",
                "x": numbers(other.value[settled:]),
                "y": numbers(swap.value[settled:]),
                "line": {"color": colour(index), "width": 1, "dash": dash(index)},
                "opacity": 0.5,
                "showlegend": False,
                "customdata": swap.days[settled:].tolist(),
                "hovertemplate": f"day %{{customdata:,}}<br>{short} %{{x:.4g}}<br>swap %{{y:.4g}}",
            }
        )
        data.append(
            {
                **common,
                "mode": "markers",
                "x": numbers(other.value[-1:]),
                "y": numbers(swap.value[-1:]),
                "error_x": _bars(other, index),
                "error_y": _bars(swap, index),
                "marker": {"color": colour(index), "size": 11, "symbol": symbol(index)},
                "hovertemplate": f"{short} %{{x:.4g}}<br>swap %{{y:.4g}}",
            }
        )
    layout = {
        "height": 420,
        "hovermode": "closest",
        "xaxis": axis(title),
        "yaxis": axis("swap regret per round", rangemode="tozero"),
    }
    return figure(data, layout)


def _reach(curves: Sequence[Curve]) -> tuple[float, float]:
    """Return what a logarithmic picture shows: from a third of the smallest positive value to twice the largest.

    Five decades are the most: values that rounding alone keeps from 0 do not set the height.
    """
    positive = [float(value) for curve in curves for value in curve.value if value > 0.0]
    top = 2.0 * max(positive, default=0.5)
    return max(min(positive, default=0.3) / 3.0, 1e-5 * top), top


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
        "customdata": [numbers(pair) for pair in zip(curve.low.tolist(), curve.high.tolist(), strict=True)],
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
