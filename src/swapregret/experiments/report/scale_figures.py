"""The scales of a master: what each adds to the lemma's right-hand side, and when each updates and restarts."""

from collections.abc import Sequence

from swapregret.counts import plural
from swapregret.experiments.report.model import PlayerRuns
from swapregret.experiments.report.style import Figure, Trace, axis, escaped, figure, numbers, scatter
from swapregret.notebook import colour

_MOST_WINDOWS = 300
_MOST_UPDATES = 160
_STROKE = {"symbol": "line-ns", "size": 12, "line": {"width": 1, "color": "#ffffff"}}


def decomposition_figure(players: Sequence[PlayerRuns]) -> Figure | None:
    """Stack, for every player with a certificate, what each scale adds to the bound, with the measured regret beside it.

    The bars add up to (1/K) Σ_{k<K} Reg_k + T/K, per round. A scale whose external regret is negative pulls the stack
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
    return figure(
        data,
        height=190 + 64 * len(certified) + 10 * n_scales,
        barmode="relative",
        xaxis=axis("regret per round", zeroline=True),
        yaxis=axis("", type="category", autorange="reversed"),
    )


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
            strokes.append(scatter("markers", updates, row, showlegend=False, hoverinfo="skip", marker=_STROKE))
    return figure(
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
        "y": [escaped(player) for player, _ in values],
        "x": numbers(value for _, value in values),
        "hovertemplate": name + " of %{y}: %{x:.4g}<extra></extra>",
    }
