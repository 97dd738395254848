"""The first thing a report says: who earns most, who regrets least, where, and how sure that is.

Differences are paired: replication i of two players met the same rewards, so the luck of the draw that both share cancels.
"""

import math
from collections.abc import Sequence
from dataclasses import dataclass
from html import escape

import numpy as np
from scipy.special import stdtrit

from swapregret.arrays import Vector
from swapregret.experiments.report.model import Ends, Scene

__all__ = [
    "Difference",
    "Lead",
    "difference",
    "leader",
    "overall_leader",
    "shared",
    "summary_section",
    "unless_rounded",
]

_ROUNDING = 1e-12


@dataclass(frozen=True)
class Difference:
    """A mean difference with Student's 95 % interval over replications; NaN ends for a single one."""

    value: float
    low: float
    high: float

    @property
    def is_clear(self) -> bool:
        """Tell whether the interval leaves 0 out."""
        return self.low > 0.0 or self.high < 0.0

    def __str__(self) -> str:
        if math.isnan(self.low):
            return f"{self.value:+.4f} (one replication: no interval)"
        return f"{self.value:+.4f} [{self.low:+.4f}, {self.high:+.4f}]"


@dataclass(frozen=True)
class Lead:
    """Who is best, with its mean; who comes next, and how far the best is ahead (never below 0)."""

    name: str
    value: float
    next_name: str
    ahead: Difference | None


def difference(one: Vector, other: Vector) -> Difference:
    """Return the mean of ``one - other`` with its interval, entries paired.

    Examples
    --------
    >>> print(difference(np.array([0.4, 0.5, 0.6]), np.array([0.2, 0.4, 0.4])))
    +0.1667 [+0.0232, +0.3101]
    """
    gaps = np.asarray(one, dtype=np.float64) - other
    mean = float(gaps.mean())
    if len(gaps) < 2:
        return Difference(mean, math.nan, math.nan)
    half = float(stdtrit(len(gaps) - 1.0, 0.975) * gaps.std(ddof=1) / math.sqrt(len(gaps)))
    return unless_rounded(mean, half, one, other)


def unless_rounded(mean: float, half: float, *values: Vector) -> Difference:
    """Return mean ± half; 0 where that is no more than rounding makes of numbers as large as these values.

    Examples
    --------
    >>> print(unless_rounded(-5e-17, 1e-17, np.array([0.3])), unless_rounded(0.5, 0.25, np.array([0.3])))
    +0.0000 [+0.0000, +0.0000] +0.5000 [+0.2500, +0.7500]
    """
    largest = max(float(np.abs(each).max()) for each in values)
    if abs(mean) + half <= _ROUNDING * largest:
        return Difference(0.0, 0.0, 0.0)
    return Difference(mean, mean - half, mean + half)


def shared(one: Ends, other: Ends, quantity: str) -> tuple[Vector, Vector] | None:
    """Return a quantity of two players on the replications that both have; None where there are none."""
    _, first, second = np.intersect1d(one.replications, other.replications, return_indices=True)
    left, right = getattr(one, quantity)[first], getattr(other, quantity)[second]
    known = np.isfinite(left) & np.isfinite(right)
    return (left[known], right[known]) if known.any() else None


def leader(players: Sequence[tuple[str, Ends]], quantity: str, *, is_more_better: bool) -> Lead | None:
    """Return who is best in a quantity, and by how much it beats whoever comes next; None where nobody has it."""
    sign = 1.0 if is_more_better else -1.0
    means = [(name, ends, getattr(ends, quantity)) for name, ends in players]
    ranked = sorted(
        ((name, ends, float(np.nanmean(values))) for name, ends, values in means if np.isfinite(values).any()),
        key=lambda row: -sign * row[2],
    )
    if not ranked:
        return None
    name, ends, mean = ranked[0]
    if len(ranked) == 1:
        return Lead(name, mean, "", None)
    pair = shared(ends, ranked[1][1], quantity)
    ahead = None if pair is None else difference(sign * pair[0], sign * pair[1])
    return Lead(name, mean, ranked[1][0], ahead)


def overall_leader(scenes: Sequence[Scene], quantity: str, *, is_more_better: bool) -> Lead | None:
    """Return who is best on average over the scenes, among players and replications that are in all of them."""
    tables = [{runs.name: runs.ends for runs in scene.players if runs.ends is not None} for scene in scenes]
    names = [name for name in tables[0] if all(name in table for table in tables)] if tables else []
    players = []
    for name in names:
        ends = [table[name] for table in tables]
        common = ends[0].replications
        for each in ends[1:]:
            common = np.intersect1d(common, each.replications)
        if len(common):
            columns = [
                np.mean([getattr(each, kind)[np.searchsorted(each.replications, common)] for each in ends], axis=0)
                for kind in ("reward", "swap")
            ]
            players.append((name, Ends(common, columns[0], columns[1])))
    return leader(players, quantity, is_more_better=is_more_better)


_KINDS = (
    ("reward", True, "Earns most", "more than"),
    ("swap", False, "Regrets least", "less than"),
)


def summary_section(scenes: Sequence[Scene]) -> str:
    """Return the summary as HTML: two sentences over all scenes, and a table with one row per scene."""
    sentences = []
    for quantity, is_more_better, title, _ in _KINDS:
        best = overall_leader(scenes, quantity, is_more_better=is_more_better)
        if best is not None:
            sentences.append(f"<p><b>{title}:</b> {_sentence(best, scenes, quantity, is_more_better)}</p>")
    if not sentences:
        return ""
    words = (
        '<p class="lead">Per round, mean over replications. A difference is paired by replication: both players met the same '
        "rewards. In brackets: Student's 95 % interval; a difference whose interval contains 0 is marked “≈”. Here the swap "
        "regret of each replication is measured on its own; the table of all results averages replications first.</p>"
    )
    heads = "".join(
        f'<th scope="col">{head}</th>' for head in ("scene", "earns most", "reward", "ahead by", "of")
    ) + "".join(f'<th scope="col">{head}</th>' for head in ("regrets least", "swap regret", "lower by", "than"))
    rows = "".join(_row(scene) for scene in scenes)
    return (
        f'<section class="plain" id="summary"><h2>Summary</h2>{"".join(sentences)}{words}'
        f'<table class="results sortable" data-name="summary"><thead><tr>{heads}</tr></thead><tbody>{rows}</tbody></table>'
        "</section>"
    )


def _sentence(best: Lead, scenes: Sequence[Scene], quantity: str, is_more_better: bool) -> str:
    unit = "reward" if is_more_better else "swap regret"
    text = f"<b>{escape(best.name)}</b>, with a mean {unit} of {best.value:.4f} per round"
    text += f" over all {len(scenes)} scenes" if len(scenes) > 1 else ""
    if best.ahead is None:
        return text + "."
    more = "more" if is_more_better else "less"
    text += f". That is {_ahead(best.ahead)} {more} than {escape(best.next_name)}, which comes next"
    if len(scenes) > 1:
        won, clear = _worlds(scenes, best.name, quantity, is_more_better)
        text += f". It is first on {len(won)} of {len(scenes)} scenes, clearly on {len(clear)}"
        lost = [scene.label for scene in scenes if scene.label not in won]
        if lost and len(lost) <= 4:
            text += f"; not on {escape(' and '.join(lost))}"
    return text + "."


def _worlds(scenes: Sequence[Scene], name: str, quantity: str, is_more_better: bool) -> tuple[list[str], list[str]]:
    """Return the scenes that a player leads, and those where the lead is clear."""
    won, clear = [], []
    for scene in scenes:
        best = leader(_players(scene), quantity, is_more_better=is_more_better)
        if best is not None and best.name == name:
            won.append(scene.label)
            if best.ahead is not None and best.ahead.is_clear:
                clear.append(scene.label)
    return won, clear


def _players(scene: Scene) -> list[tuple[str, Ends]]:
    return [(runs.name, runs.ends) for runs in scene.players if runs.ends is not None]


def _ahead(ahead: Difference) -> str:
    if math.isnan(ahead.low):
        return f"{ahead.value:.4f} (one replication: no interval)"
    mark = "" if ahead.is_clear else "≈ "
    return f'{mark}{ahead.value:.4f} <span class="interval">[{ahead.low:.4f}, {ahead.high:.4f}]</span>'


def _row(scene: Scene) -> str:
    cells = [f'<th scope="row">{escape(scene.label)}</th>']
    for quantity, is_more_better, title, other in _KINDS:
        labels = (title.lower(), "reward" if is_more_better else "swap regret", "ahead by", other)
        best = leader(_players(scene), quantity, is_more_better=is_more_better)
        if best is None:
            cells += [f'<td data-label="{label}">–</td>' for label in labels]
            continue
        ahead = best.ahead
        span = (
            ""
            if ahead is None
            else f' data-value="{ahead.value!r}" data-low="{ahead.low!r}" data-high="{ahead.high!r}"'
        )
        cells += [
            f'<td data-label="{labels[0]}"><b>{escape(best.name)}</b></td>',
            f'<td data-label="{labels[1]}" data-value="{best.value!r}">{best.value:.4f}</td>',
            f'<td data-label="{labels[2]}"{span}><span class="cell">{"–" if ahead is None else _ahead(ahead)}</span></td>',
            f'<td data-label="{labels[3]}">{escape(best.next_name) or "–"}</td>',
        ]
    return f"<tr>{''.join(cells)}</tr>"
