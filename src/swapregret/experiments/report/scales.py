"""The scales of a master: what each adds to the lemma's right-hand side, and when each updates and restarts."""

from collections.abc import Sequence
from typing import Any

from swapregret.experiments.report.model import PlayerRuns
from swapregret.experiments.report.style import Figure, axis, colour, figure, numbers, plain

__all__ = ["calendar_figure", "decomposition_figure"]

_MOST_WINDOWS = 300
_MOST_UPDATES = 160


def decomposition_figure(players: Sequence[PlayerRuns]) -> Figure | None:
    """Stack, for every player with a certificate, what each scale adds to the bound, with the measured regret beside it.

    The bars add up to (1/K) Σ_{k<K} Reg_k + T/K, per round. A scale whose external regret is negative pulls the stack
    down. Diamonds are the laziness bound, the middle of the lemma; crosses the swap regret that was measured.
    """
    certified = [runs for runs in players if runs.shares is not None]
    if not certified:
        return None
    names = [runs.name for runs in certified]
    n_scales = max(len(runs.shares.parts) for runs in certified if runs.shares is not None)
    data: list[dict[str, Any]] = []
    for k in range(1, n_scales + 1):
        rows = [runs for runs in certified if runs.shares is not None and k < len(runs.shares.parts)]
        if rows:
            data.append(
                _bar(
                    f"scale {k}",
                    [runs.name for runs in rows],
                    [runs.shares.parts[k - 1] for runs in rows if runs.shares],
                    k,
                )
            )
    data.append(_bar("T/K", names, [runs.shares.parts[-1] for runs in certified if runs.shares], 0))
    data.append(_marks("laziness bound", names, [runs.shares.laziness for runs in certified if runs.shares], "diamond"))
    measured = [(runs.name, runs.swap.last[0]) for runs in certified if runs.swap is not None]
    data.append(_marks("measured swap regret", [n for n, _ in measured], [value for _, value in measured], "x"))
    layout = {
        "height": 190 + 64 * len(certified) + 10 * n_scales,
        "barmode": "relative",
        "xaxis": axis("regret per round", zeroline=True),
        "yaxis": axis("", type="category", autorange="reversed"),
        "hovermode": "closest",
    }
    return figure(data, layout)


def calendar_figure(runs: PlayerRuns, horizon: int) -> Figure | None:
    """Draw when each scale of a player restarts: one row per scale, one block per interval; None for players without scales.

    Updates are white strokes. A scale with more intervals than a screen can show is drawn as one block that says how many
    there are, and updates are left out where they are too many.

    Examples
    --------
    >>> made = calendar_figure(PlayerRuns("a", 1, windows=(1, 2, 4)), 8)
    >>> [len(trace["base"]) for trace in made["data"][:2]], made["data"][2]["x"]
    ([4, 2], [1, 2, 3, 4, 5, 6, 7])
    """
    if not runs.windows:
        return None
    data, strokes = [], []
    n_scales = len(runs.windows) - 1
    for k in range(1, n_scales + 1):
        update, restart = runs.windows[k - 1], runs.windows[k]
        starts = list(range(-(runs.offset % restart), horizon, restart))
        is_drawn = len(starts) <= _MOST_WINDOWS
        first = [max(0, start) for start in starts] if is_drawn else [0]
        last = [min(horizon, start + restart) for start in starts] if is_drawn else [horizon]
        words = f"scale {k}: updates every {_days(update)}, restarts every {_days(restart)}; {_count(len(starts))}"
        brief = f"{k}: update {update:,}, restart {restart:,}, ×{len(starts):,}"
        data.append(
            {
                "type": "bar",
                "orientation": "h",
                "name": brief,
                "y": [f"scale {k}"] * len(first),
                "base": first,
                "x": [stop - start for start, stop in zip(first, last, strict=True)],
                "marker": {
                    "color": colour(k - 1),
                    "opacity": [0.85 if i % 2 == 0 else 0.5 for i in range(len(first))] if is_drawn else 0.3,
                    "line": {"width": 0},
                    "pattern": {"shape": "" if is_drawn else "|", "size": 4},
                },
                "customdata": [[start, stop] for start, stop in zip(first, last, strict=True)],
                "hovertemplate": "days %{customdata[0]:,} to %{customdata[1]:,}<br>" + words + "<extra></extra>",
            }
        )
        updates = list(range(update - runs.offset % update, horizon, update))
        if is_drawn and len(updates) <= _MOST_UPDATES:
            strokes.append(_strokes(f"scale {k}", updates))
    layout = {
        "height": 110 + 60 * n_scales,
        "barmode": "overlay",
        "bargap": 0.25,
        "xaxis": axis("day", range=[0, horizon]),
        "yaxis": axis("", type="category", autorange="reversed"),
        "hovermode": "closest",
        "legend": {"orientation": "v", "yref": "container", "y": 0, "yanchor": "bottom", "x": 0, "xanchor": "left"},
    }
    return figure([*data, *strokes], layout)


def _strokes(row: str, days: list[int]) -> dict[str, Any]:
    return {
        "type": "scatter",
        "mode": "markers",
        "x": days,
        "y": [row] * len(days),
        "showlegend": False,
        "hoverinfo": "skip",
        "marker": {"symbol": "line-ns", "size": 12, "line": {"width": 1, "color": "#ffffff"}},
    }


def _bar(name: str, players: list[str], values: list[float], k: int) -> dict[str, Any]:
    shapes = ("", "/", "\\", "x", "-", "|", "+", ".")
    return {
        "type": "bar",
        "orientation": "h",
        "name": name,
        "y": [plain(player) for player in players],
        "x": numbers(values),
        "marker": {
            "color": colour(k - 1) if k else "#9aa0a6",
            "pattern": {"shape": shapes[k % len(shapes)], "size": 6, "solidity": 0.25},
        },
        "hovertemplate": name + " of %{y}: %{x:.4g}<extra></extra>",
    }


def _marks(name: str, players: list[str], values: list[float], shape: str) -> dict[str, Any]:
    return {
        "type": "scatter",
        "mode": "markers",
        "name": name,
        "y": [plain(player) for player in players],
        "x": numbers(values),
        "marker": {"symbol": shape, "size": 12, "color": "#ffffff", "line": {"width": 2, "color": "#000000"}},
        "hovertemplate": name + " of %{y}: %{x:.4g}<extra></extra>",
    }


def _days(count: int) -> str:
    return "day" if count == 1 else f"{count:,} days"


def _count(n_intervals: int) -> str:
    return "1 interval" if n_intervals == 1 else f"{n_intervals:,} intervals"
