"""The tables at the top of a report: who earns most and who regrets least, where and how surely; and all results."""

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from html import escape

import numpy as np

from swapregret.counts import count_in_words
from swapregret.experiments.report.compare import SIGNS, Difference, difference, shared
from swapregret.experiments.report.model import Curve, Ends, PlayerRuns, Scene
from swapregret.experiments.report.shell import TableCell, paragraph, plain_section, table


@dataclass(frozen=True)
class Lead:
    """Who is best, with its mean; who comes next, and how far the best is ahead (never below 0)."""

    name: str
    value: float
    next_name: str
    ahead: Difference | None


def leader(players: Sequence[tuple[str, Ends]], quantity: str) -> Lead | None:
    """Return who is best in ``reward`` or ``swap``, and by how much it beats whoever comes next; None where nobody has it."""
    sign = SIGNS[quantity]
    known = [(name, ends) for name, ends in players if np.isfinite(getattr(ends, quantity)).any()]
    ranked = sorted(known, key=lambda row: -sign * float(np.nanmean(getattr(row[1], quantity))))
    if not ranked:
        return None
    name, ends = ranked[0]
    mean = float(np.nanmean(getattr(ends, quantity)))
    if len(ranked) == 1:
        return Lead(name, mean, "", None)
    next_name, following = ranked[1]
    pair = shared(ends, following, quantity)
    return Lead(name, mean, next_name, None if pair is None else difference(sign * pair[0], sign * pair[1]))


def overall_leader(scenes: Sequence[Scene], quantity: str) -> Lead | None:
    """Return who is best on average over the scenes, among players and replications that are in all of them."""
    tables = [dict(_players(scene)) for scene in scenes]
    players = []
    for name in tables[0] if tables else ():
        ends = [table[name] for table in tables if name in table]
        common = ends[0].replications
        for each in ends[1:]:
            common = np.intersect1d(common, each.replications)
        if len(ends) == len(tables) and len(common):
            places = [np.searchsorted(each.replications, common) for each in ends]
            reward = np.mean([each.reward[place] for each, place in zip(ends, places, strict=True)], axis=0)
            swap = np.mean([each.swap[place] for each, place in zip(ends, places, strict=True)], axis=0)
            players.append((name, Ends(common, reward, swap)))
    return leader(players, quantity)


def summary_section(scenes: Sequence[Scene]) -> str:
    """Return the summary as HTML: two sentences over all scenes, and a table with one row per scene."""
    sentences = []
    for quantity, title in (("reward", "Earns most"), ("swap", "Regrets least")):
        best = overall_leader(scenes, quantity)
        if best is not None:
            sentences.append(f"<p><b>{title}:</b> {_sentence(best, scenes, quantity)}</p>")
    if not sentences:
        return ""
    words = paragraph(
        "Per round, mean over replications. A difference is paired by replication: both players met the same rewards. In "
        "brackets: Student's 95 % interval; a difference whose interval contains 0 is marked “≈”. Here the swap regret of each "
        "replication is measured on its own; the table of all results averages replications first."
    )
    heads = "scene", "earns most", "reward", "ahead by", "of", "regrets least", "swap regret", "lower by", "than"
    rows = [(scene.label, *(cell for quantity in SIGNS for cell in _lead_cells(scene, quantity))) for scene in scenes]
    return plain_section("summary", "Summary", "".join(sentences) + words + table("summary", heads, rows))


def _sentence(best: Lead, scenes: Sequence[Scene], quantity: str) -> str:
    unit, more = ("reward", "more") if quantity == "reward" else ("swap regret", "less")
    text = f"<b>{escape(best.name)}</b>, with a mean {unit} of {best.value:.4f} per round"
    text += f" over all {len(scenes)} scenes" if len(scenes) > 1 else ""
    if best.ahead is None:
        return text + "."
    text += f". That is {_ahead(best.ahead)} {more} than {escape(best.next_name)}, which comes next"
    if len(scenes) > 1:
        leads = {scene.label: leader(_players(scene), quantity) for scene in scenes}
        won = {label: lead for label, lead in leads.items() if lead is not None and lead.name == best.name}
        n_clear = sum(lead.ahead is not None and lead.ahead.is_clear for lead in won.values())
        text += f". It is first on {len(won)} of {len(scenes)} scenes, clearly on {n_clear}"
        lost = [label for label in leads if label not in won]
        if lost and len(lost) <= 4:
            text += f"; not on {escape(' and '.join(lost))}"
    return text + "."


def _players(scene: Scene) -> list[tuple[str, Ends]]:
    return [(runs.name, runs.ends) for runs in scene.players if runs.ends is not None]


def _ahead(ahead: Difference) -> str:
    return ("" if ahead.is_clear or math.isnan(ahead.low) else "≈ ") + ahead.text("")


def _lead_cells(scene: Scene, quantity: str) -> tuple[TableCell, TableCell, TableCell, TableCell]:
    best = leader(_players(scene), quantity)
    if best is None:
        return (TableCell("–"),) * 4
    ahead = best.ahead
    return (
        TableCell(f"<b>{escape(best.name)}</b>"),
        TableCell(f"{best.value:.4f}", best.value),
        TableCell("–") if ahead is None else TableCell(_ahead(ahead), ahead.value, (ahead.low, ahead.high)),
        TableCell(escape(best.next_name) or "–"),
    )


# ---- all results ---------------------------------------------------------------------------------------------------


def _four(value: float) -> str:
    return f"{round(value, 4) + 0.0:.4f}"


@dataclass(frozen=True)
class _Column:
    """One column: its heading, the curve whose end it shows, how, and whether the least is best (1) or the most (-1)."""

    heading: str
    quantity: str
    form: Callable[[float], str] = _four
    sign: float = 1.0

    def measured(self, runs: PlayerRuns) -> Curve | None:
        """Return the curve of a player, if it ends in a number."""
        curve = runs.curve(self.quantity)
        return curve if curve is not None and math.isfinite(curve.last[0]) else None

    def best(self, players: Sequence[PlayerRuns]) -> Curve | None:
        """Return the curve that ends best."""
        curves = [curve for runs in players if (curve := self.measured(runs)) is not None]
        return min(curves, key=lambda curve: self.sign * curve.last[0], default=None)


_COLUMNS = (
    _Column("swap regret per round", "swap"),
    _Column("external regret per round", "external"),
    _Column("reward per round", "reward", sign=-1.0),
    _Column("µs per round", "microseconds", lambda value: f"{value:,.0f}" if value >= 99.5 else f"{value:.3g}"),
)


def results_table(scenes: Sequence[Scene]) -> str:
    """Return the table of all scenes as HTML: one row per player, intervals beside the values.

    The best value of a scene in each column is bold; a swap regret whose interval reaches that of the best one is marked
    “≈”: these runs do not tell the two apart.
    """
    heads = ("set", "world", "T", "player", "runs", *(column.heading for column in _COLUMNS))
    kinds = list(dict.fromkeys(runs.definition for scene in scenes for runs in scene.players if runs.definition))
    rows = []
    for scene in scenes:
        count = "" if scene.n_actions is None else f", N = {count_in_words(scene.n_actions)}"
        about = f"d = {scene.dimension}, m = {scene.size}{count}"
        name, horizon = (
            TableCell(f"{escape(scene.actions)} <small>({about})</small>"),
            (scene.horizon, f"{scene.horizon:,}"),
        )
        best = [column.best(scene.players) for column in _COLUMNS]
        for runs in scene.players:
            cells = [_cell(runs, *each, kinds) for each in zip(_COLUMNS, best, strict=True)]
            rows.append((name, scene.environment, horizon, runs.name, (runs.n_runs, str(runs.n_runs)), *cells))
    return table("results", heads, rows) + _definitions(kinds)


def _definitions(kinds: Sequence[str]) -> str:
    """Say which number each swap regret is: once if all are the same, numbered if not."""
    if not kinds:
        return ""
    if len(kinds) == 1:
        return paragraph(f"Swap regret as measured: {escape(kinds[0])}.")
    items = "".join(f"<li>{escape(kind)}</li>" for kind in kinds)
    return paragraph("Swap regret as measured, by the number beside it:") + f'<ol class="lead">{items}</ol>'


def _cell(runs: PlayerRuns, column: _Column, best: Curve | None, kinds: Sequence[str]) -> TableCell:
    curve = column.measured(runs)
    if curve is None or best is None:
        return TableCell("–")
    value, *ends = curve.last
    shown = column.form(value)
    is_best = shown == column.form(best.last[0])
    text, has_ends = f"<b>{shown}</b>" if is_best else shown, all(map(math.isfinite, ends))
    if has_ends:
        text += f' <span class="interval">[{column.form(ends[0])}, {column.form(ends[1])}]</span>'
    if column.quantity == "swap":
        reaches = curve.last[1] <= best.last[2] and best.last[1] <= curve.last[2]
        text += _marks(runs, kinds, is_close=not is_best and reaches)
    return TableCell(text, value, (ends[0], ends[1]) if has_ends else None)


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
