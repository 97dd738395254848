"""The table of all scenes: one row per player, intervals beside the values, the best of each scene in bold."""

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from html import escape

from swapregret.experiments.report.model import Curve, PlayerRuns, Scene

__all__ = ["COLUMNS", "Column", "results_table"]


@dataclass(frozen=True)
class Column:
    """One column: its heading, whose curve it shows, and which end of it is good."""

    heading: str
    select: Callable[[PlayerRuns], Curve | None]
    form: Callable[[float], str]
    is_more_better: bool = False


def _four(value: float) -> str:
    return f"{round(value, 4) + 0.0:.4f}"


def _microseconds(value: float) -> str:
    return f"{value:,.0f}" if value >= 99.5 else f"{value:.3g}"


COLUMNS = (
    Column("swap regret per round", lambda runs: runs.swap, _four),
    Column("external regret per round", lambda runs: runs.external, _four),
    Column("reward per round", lambda runs: runs.reward, _four, is_more_better=True),
    Column("µs per round", lambda runs: runs.microseconds, _microseconds),
)


def results_table(scenes: Sequence[Scene]) -> str:
    """Return the table as HTML.

    The best value of a scene in each column is bold; a swap regret whose interval reaches that of the best one is marked
    “≈”: these runs do not tell the two apart.

    Examples
    --------
    >>> import numpy as np
    >>> def runs(name, value):
    ...     one = np.array([value])
    ...     return PlayerRuns(name, 3, swap=Curve(np.array([9]), one, one - .01, one + .01))
    >>> page = results_table([Scene("set", "world", 9, 3, 1, 3, (), (runs("a", .1), runs("b", .2)))])
    >>> "<b>0.1000</b>" in page, "<b>0.2000</b>" in page, "≈" in page
    (True, False, False)
    """
    names = ("set", "world", "T", "player", "runs", *(column.heading for column in COLUMNS))
    heads = "".join(f'<th scope="col">{escape(name)}</th>' for name in names)
    kinds = list(dict.fromkeys(runs.definition for scene in scenes for runs in scene.players if runs.definition))
    rows = "".join(_rows(scene, kinds) for scene in scenes)
    return (
        f'<table class="results sortable" data-name="results"><thead><tr>{heads}</tr></thead><tbody>{rows}</tbody></table>'
        f"{_definitions(kinds)}"
    )


def _definitions(kinds: Sequence[str]) -> str:
    """Say which number each swap regret is: once if all are the same, numbered if not."""
    if not kinds:
        return ""
    if len(kinds) == 1:
        return f'<p class="lead">Swap regret as measured: {escape(kinds[0])}.</p>'
    items = "".join(f"<li>{escape(kind)}</li>" for kind in kinds)
    return f'<p class="lead">Swap regret as measured, by the number beside it:</p><ol class="lead">{items}</ol>'


def _rows(scene: Scene, kinds: Sequence[str]) -> str:
    best = {column.heading: _best(scene.players, column) for column in COLUMNS}
    count = "" if scene.n_actions is None else f", N = {_many(scene.n_actions)}"
    about = f"d = {scene.dimension}, m = {scene.size}{count}"
    where = (
        f'<th scope="row" title="{escape(about)}">{escape(scene.actions)} <small>({escape(about)})</small></th>'
        f'<td data-label="world">{escape(scene.environment)}</td>'
        f'<td data-label="T" data-value="{scene.horizon}">{scene.horizon:,}</td>'
    )
    rows = []
    for runs in scene.players:
        cells = "".join(_cell(runs, column, best[column.heading], kinds) for column in COLUMNS)
        rows.append(
            f'<tr data-scene="{escape(scene.label)}">{where}<td data-label="player" class="name">{escape(runs.name)}</td>'
            f'<td data-label="runs" data-value="{runs.n_runs}">{runs.n_runs}</td>{cells}</tr>'
        )
    return "".join(rows)


def _best(players: Sequence[PlayerRuns], column: Column) -> Curve | None:
    curves = [curve for runs in players if (curve := column.select(runs)) is not None and math.isfinite(curve.last[0])]
    if not curves:
        return None
    sign = -1.0 if column.is_more_better else 1.0
    return min(curves, key=lambda curve: sign * curve.last[0])


def _cell(runs: PlayerRuns, column: Column, best: Curve | None, kinds: Sequence[str]) -> str:
    label = escape(column.heading)
    curve = column.select(runs)
    if curve is None or best is None or not math.isfinite(curve.last[0]):
        return f'<td data-label="{label}">–</td>'
    value, low, high = curve.last
    shown = column.form(value)
    is_best = shown == column.form(best.last[0])
    text = f"<b>{shown}</b>" if is_best else shown
    if math.isfinite(low) and math.isfinite(high):
        text += f' <span class="interval">[{column.form(low)}, {column.form(high)}]</span>'
    if column is COLUMNS[0]:
        text += _marks(runs, kinds, is_close=not is_best and _overlaps(curve, best))
    ends = f' data-low="{low!r}" data-high="{high!r}"' if math.isfinite(low) and math.isfinite(high) else ""
    return f'<td data-label="{label}" data-value="{value!r}"{ends}><span class="cell">{text}</span></td>'


def _marks(runs: PlayerRuns, kinds: Sequence[str], *, is_close: bool) -> str:
    """Return what stands behind a swap regret: its certified bracket, “≈”, the number of its definition."""
    marks = ""
    if runs.bracket is not None:
        low, high = runs.bracket
        marks += f' <span class="interval">certified {_four(low)} to {_four(high)}</span>'
    if is_close:
        marks += ' <abbr title="its interval reaches that of the best: these runs do not tell the two apart">≈</abbr>'
    if len(kinds) > 1 and runs.definition:
        marks += f" <sup>{kinds.index(runs.definition) + 1}</sup>"
    return marks


def _overlaps(one: Curve, other: Curve) -> bool:
    return one.last[1] <= other.last[2] and other.last[1] <= one.last[2]


def _many(count: int) -> str:
    return f"{count:,}" if count < 10**7 else f"about 10^{len(str(count)) - 1}"
