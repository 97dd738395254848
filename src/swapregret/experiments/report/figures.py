"""The figures of a case: curves over the days, swap regret against other numbers, and the scales of a master."""

import math
from collections.abc import Sequence

import numpy as np

from swapregret.counts import plural
from swapregret.experiments.report import style
from swapregret.experiments.report.model import Case, Curve, PlayerRuns
from swapregret.notebook import Trace, axis, band_trace, colour, log_axis, log_ticks

_MOST_WINDOWS = 300
_MOST_UPDATES = 160
_STROKE = {"symbol": "line-ns", "size": 12, "line": {"width": 1, "color": "#ffffff"}}


def curve_figure(
    curves: Sequence[tuple[str, Curve | None]],
    y_title: str,
    *,
    is_log: bool,
    unit: str = "",
    x_title: str = "day",
    has_log_x: bool = True,
) -> style.Figure | None:
    """Draw curves over the days, or over another number, one line and one band each; None where there is none.

    A curve that is missing keeps its place, so that the others keep their colours. A logarithmic axis is as high as its lines
    need: bands that reach further, down to 0 or far up, are cut at the frame. The interval itself is in the hover text.
    """
    chosen = [(index, name, curve) for index, (name, curve) in enumerate(curves) if curve is not None]
    if not chosen:
        return None
    foot, top = _reach([curve for _, _, curve in chosen])
    frame = style.numbers([math.log10(foot), math.log10(top)])
    bands = [_band(*each, foot if is_log else -math.inf) for each in chosen if each[2].has_interval]
    lines = [_line(*each, unit, x_title) for each in chosen]
    places = [float(place) for _, _, curve in chosen for place in curve.days]
    return style.figure(
        [*bands, *lines],  # no band covers a line
        height=420,
        xaxis=log_axis(x_title, places) if has_log_x else axis(x_title),
        yaxis=log_axis(y_title, [foot, top], range=frame) if is_log else axis(y_title),
        meta={"ticks": [log_ticks(places), log_ticks([foot, top])], "frame": frame},
    )


def horizon_figure(cases: Sequence[Case], quantity: str = "swap") -> style.Figure | None:
    """Draw the last ``swap`` regret, or ``reward``, of every player against the horizon; None for cases of one horizon.

    The cases are of one set and one environment; players are the first one's and those the others add.
    """
    if len(cases) < 2:
        return None
    ends: dict[str, list[tuple[float, ...]]] = {runs.name: [] for case in cases for runs in case.players}
    for case in sorted(cases, key=lambda case: case.horizon):
        for runs in case.players:
            if (curve := runs.curve(quantity)) is not None:
                ends[runs.name].append((case.horizon, *curve.last))
    curves = [(name, curve_of(rows)) for name, rows in ends.items()]
    title = "swap regret per day" if quantity == "swap" else "reward per day"
    return curve_figure(curves, title, is_log=quantity == "swap", x_title="horizon")


def curve_of(rows: Sequence[tuple[float, ...]]) -> Curve | None:
    """Return a curve from rows of place, value and, where they are known, low and high; None without any."""
    padded = [(*row, math.nan, math.nan)[:4] for row in rows]
    return Curve(*(np.array(column) for column in zip(*padded, strict=True))) if rows else None


def swap_against(players: Sequence[PlayerRuns], quantity: str) -> style.Figure | None:
    """Draw where each player came to rest: ``external`` regret or ``reward`` across, swap regret upwards, the way there faint.

    Swap regret is never below external regret, so nobody can be below the diagonal between the two.
    """
    data: list[Trace] = []
    tops: list[float] = []
    for index, runs in enumerate(players):
        swap, other = runs.swap, runs.curve(quantity)
        if swap is None or other is None:
            continue
        common = {"legendgroup": runs.name, "name": style.escaped(runs.name)}
        hover = f"{quantity} %{{x:.4g}}<br>swap %{{y:.4g}}"
        settled = len(swap.days) // 2
        tops.append(float(np.nanmax(swap.value[settled:])))
        way = style.scatter(
            "lines",
            style.numbers(other.value[settled:]),
            style.numbers(swap.value[settled:]),
            **common,
            line=style.stroke(index, 1),
            opacity=0.5,
            showlegend=False,
            customdata=swap.days[settled:].tolist(),
            hovertemplate="day %{customdata:,}<br>" + hover,
        )
        rest = style.scatter(
            "markers",
            style.numbers(other.value[-1:]),
            style.numbers(swap.value[-1:]),
            **common,
            error_x=_bars(index, other),
            error_y=_bars(index, swap),
            marker=style.marker(index, 11),
            hovertemplate=hover,
        )
        data += [way, rest]
    if not data:
        return None
    if quantity == "external":
        top = max(tops) or 1.0
        dotted = {"color": "#7f7f7f", "width": 1.5, "dash": "dot"}
        diagonal = style.scatter("lines", [0.0, top], [0.0, top], name="swap = external", line=dotted, hoverinfo="skip")
        data = [diagonal, *data]
    title = "reward per day" if quantity == "reward" else "external regret per day"
    return style.figure(data, height=420, xaxis=axis(title), yaxis=axis("swap regret per day", rangemode="tozero"))


def _bars(index: int, curve: Curve) -> Trace:
    return style.error_bars(index, curve.value[-1:], curve.low[-1:], curve.high[-1:]) | {"thickness": 1.2}


def _reach(curves: Sequence[Curve]) -> tuple[float, float]:
    """Return what a logarithmic picture shows: from a third of the smallest positive value to twice the largest.

    Five decades are the most: values that rounding alone keeps from 0 do not set the height.
    """
    positive = [float(value) for curve in curves for value in curve.value if value > 0.0]
    top = 2.0 * max(positive, default=0.5)
    return max(min(positive, default=0.3) / 3.0, 1e-5 * top), top


def _band(index: int, name: str, curve: Curve, foot: float) -> Trace:
    known = np.isfinite(curve.low) & np.isfinite(curve.high)
    low, high = (np.maximum(end[known], foot) for end in (curve.low, curve.high))
    return band_trace(index, style.escaped(name), curve.days[known], low, high) | {"legendgroup": name}


def _line(index: int, name: str, curve: Curve, unit: str, x_title: str) -> Trace:
    behind, ends = f" {unit}" if unit else "", list(zip(curve.low.tolist(), curve.high.tolist(), strict=True))
    text = [
        f"{value:.4g}{behind}" + (f" [{low:.4g}, {high:.4g}]" if math.isfinite(low) and math.isfinite(high) else "")
        for value, (low, high) in zip(curve.value.tolist(), ends, strict=True)
    ]
    return style.scatter(
        "lines+markers",
        curve.days.tolist(),
        style.numbers(curve.value),
        name=style.escaped(name),
        legendgroup=name,
        line=style.stroke(index, 2.2),
        marker=style.marker(index, 6),
        text=text,
        customdata=[style.numbers(pair) for pair in ends],
        hovertemplate=x_title + " %{x:,}: %{text}",
    )


# ---- scales ---------------------------------------------------------------------------------------------------------


def decomposition_figure(players: Sequence[PlayerRuns]) -> style.Figure | None:
    """Stack, for every player with a certificate, what each scale adds to the bound, with the measured regret beside it.

    The bars add up to (1/K) Σ_{k<K} Reg_k + T/K, per day. A scale whose external regret is negative pulls the stack
    down. Diamonds are the laziness bound, the middle of the lemma; crosses the swap regret that was measured.
    """
    certified = [(runs, runs.shares) for runs in players if runs.shares is not None]
    if not certified:
        return None
    n_scales = max(len(shares.parts) for _, shares in certified)
    data: list[Trace] = []
    for k in range(1, n_scales):
        parts = [(runs.name, shares.parts[k - 1]) for runs, shares in certified if k < len(shares.parts)]
        data.append(_bar(f"scale {k}", parts, k))
    data.append(_bar("T/K", [(runs.name, shares.parts[-1]) for runs, shares in certified], 0))
    data.append(_marks("laziness bound", [(runs.name, shares.laziness) for runs, shares in certified], "diamond"))
    measured = [(runs.name, runs.swap.last[0]) for runs, _ in certified if runs.swap is not None]
    data.append(_marks("measured swap regret", measured, "x"))
    return style.figure(
        data,
        height=190 + 64 * len(certified) + 10 * n_scales,
        barmode="relative",
        xaxis=axis("regret per day", zeroline=True),
        yaxis=axis("", type="category", autorange="reversed"),
    )


def calendar_figure(runs: PlayerRuns, horizon: int) -> style.Figure | None:
    """Draw when each scale of a player restarts: one row per scale, one block per interval; None for players without scales.

    Updates are white strokes. A scale with more intervals than a screen can show is drawn as one block that says how many
    there are, and updates are left out where they are too many.
    """
    if not runs.windows:
        return None
    data: list[Trace] = []
    strokes: list[Trace] = []
    n_scales = len(runs.windows) - 1
    for k in range(1, n_scales + 1):
        update, restart = runs.windows[k - 1], runs.windows[k]
        starts = list(range(-(runs.offset % restart), horizon, restart))
        is_drawn = len(starts) <= _MOST_WINDOWS
        blocks = [(max(0, start), min(horizon, start + restart)) for start in starts] if is_drawn else [(0, horizon)]
        words = f"scale {k}: updates every {plural(update, 'day')}, restarts every {plural(restart, 'day')}"
        data.append(
            {
                "type": "bar",
                "orientation": "h",
                "name": f"{k}: update {update:,}, restart {restart:,}, ×{len(starts):,}",
                "y": [f"scale {k}"] * len(blocks),
                "base": [start for start, _ in blocks],
                "x": [stop - start for start, stop in blocks],
                "marker": {
                    "color": colour(k - 1),
                    "opacity": [0.85 if i % 2 == 0 else 0.5 for i in range(len(blocks))] if is_drawn else 0.3,
                    "line": {"width": 0},
                    "pattern": {"shape": "" if is_drawn else "|", "size": 4},
                },
                "customdata": [list(block) for block in blocks],
                "hovertemplate": "days %{customdata[0]:,} to %{customdata[1]:,}<br>"
                f"{words}; {plural(len(starts), 'interval')}<extra></extra>",
            }
        )
        updates = list(range(update - runs.offset % update, horizon, update))
        if is_drawn and len(updates) <= _MOST_UPDATES:
            row = [f"scale {k}"] * len(updates)
            strokes.append(style.scatter("markers", updates, row, showlegend=False, hoverinfo="skip", marker=_STROKE))
    return style.figure(
        [*data, *strokes],
        height=110 + 60 * n_scales,
        barmode="overlay",
        bargap=0.25,
        xaxis=axis("day", range=[0, horizon]),
        yaxis=axis("", type="category", autorange="reversed"),
        legend={"orientation": "v", "yref": "container", "y": 0, "yanchor": "bottom", "x": 0, "xanchor": "left"},
    )


def _bar(name: str, parts: Sequence[tuple[str, float]], k: int) -> Trace:
    shapes = ("", "/", "\\", "x", "-", "|", "+", ".")
    look = {
        "color": colour(k - 1) if k else "#9aa0a6",
        "pattern": {"shape": shapes[k % len(shapes)], "size": 6, "solidity": 0.25},
    }
    return {"type": "bar", "orientation": "h", **_by_player(name, parts), "marker": look}


def _marks(name: str, values: Sequence[tuple[str, float]], shape: str) -> Trace:
    look = {"symbol": shape, "size": 12, "color": "#ffffff", "line": {"width": 2, "color": "#000000"}}
    return {"type": "scatter", "mode": "markers", **_by_player(name, values), "marker": look}


def _by_player(name: str, values: Sequence[tuple[str, float]]) -> Trace:
    return {
        "name": name,
        "y": [style.escaped(player) for player, _ in values],
        "x": style.numbers(value for _, value in values),
        "hovertemplate": name + " of %{y}: %{x:.4g}<extra></extra>",
    }
