"""The tables at the top of a report: who earns most and who regrets least, where and how surely; and all results."""

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from html import escape

import numpy as np

from swapregret.counts import count_in_words
from swapregret.experiments.report.gap import SIGNS, Gap, four, gap
from swapregret.experiments.report.model import Case, Curve, PlayerRuns
from swapregret.experiments.report.shell import TableCell, paragraph, plain_section, table


@dataclass(frozen=True)
class Lead:
    """Who is best in a case, with its number; who comes next, and how far the best is ahead (never below 0)."""

    name: str
    value: float
    next_name: str
    ahead: Gap | None


def leader(case: Case, quantity: str, *, is_paired: bool = True) -> Lead | None:
    """Return who is best in ``reward`` or ``swap``, and by how much it beats whoever comes next; None where nobody has it.

    The number is that of the table of all results.
    """
    known = [(curve.last[0], runs) for runs in case.players if (curve := runs.curve(quantity)) is not None]
    ranked = sorted(known, key=lambda each: -SIGNS[quantity] * each[0])
    if not ranked:
        return None
    value, best = ranked[0]
    if len(ranked) == 1:
        return Lead(best.name, value, "", None)
    return Lead(best.name, value, ranked[1][1].name, gap(best, ranked[1][1], quantity, is_paired=is_paired))


def summary_section(cases: Sequence[Case], *, is_paired: bool = True) -> str:
    """Return the summary as HTML: two sentences over all cases, and a table with one row per case."""
    leads = {quantity: [leader(case, quantity, is_paired=is_paired) for case in cases] for quantity in SIGNS}
    sentences = "".join(
        f"<p><b>{title}:</b> {_sentence(cases, leads[quantity], quantity)}</p>"
        for quantity, title in (("reward", "Earns most"), ("swap", "Regrets least"))
        if any(lead is not None for lead in leads[quantity])
    )
    if not sentences:
        return ""
    words = paragraph(
        "Numbers are per day, as in the table of all results. ≈: too close to call with these runs: "
        "compared run by run, the 95 % interval of the difference contains 0. Point at a difference to see its interval."
    )
    heads = ("case", "earns most", "reward", "more than", "by", "regrets least", "swap regret", "less than", "by")
    rows = [
        (case.label, *(cell for quantity in SIGNS for cell in _lead_cells(leads[quantity][place])))
        for place, case in enumerate(cases)
    ]
    return plain_section("summary", "Summary", sentences + words + table("summary", heads, rows))


def _sentence(cases: Sequence[Case], leads: Sequence[Lead | None], quantity: str) -> str:
    """Say who is best on average over the cases, among players of all of them, and in which of them it is first."""
    numbers: dict[str, list[float]] = {}
    for case in cases:
        for runs in case.players:
            if (curve := runs.curve(quantity)) is not None:
                numbers.setdefault(runs.name, []).append(curve.last[0])
    means = {name: float(np.mean(values)) for name, values in numbers.items() if len(values) == len(cases)}
    if not means:
        return "no player was measured in all cases."
    sign, unit, more = SIGNS[quantity], *(("reward", "more") if quantity == "reward" else ("swap regret", "less"))
    best, *others = sorted(means, key=lambda name: -sign * means[name])
    text = f"<b>{escape(best)}</b>, with a mean {unit} of {means[best]:.4f} per day"
    text += f" over all {len(cases)} cases" if len(cases) > 1 else ""
    if others:
        ahead = sign * (means[best] - means[others[0]])
        text += f". That is {four(ahead)} {more} than {escape(others[0])}, which comes next"
    won = [lead for lead in leads if lead is not None and lead.name == best]
    if len(cases) > 1 and others:
        n_clear = sum(lead.ahead is not None and lead.ahead.mark == "▲" for lead in won)
        text += f". It is first in {len(won)} of {len(cases)} cases, clearly in {n_clear}"
    return text + "."


def _lead_cells(best: Lead | None) -> tuple[TableCell, ...]:
    if best is None:
        return (TableCell("–"),) * 4
    ahead = TableCell("–")
    if best.ahead is not None:
        mark = "≈\N{NO-BREAK SPACE}" if best.ahead.mark in ("≈", "=") else ""
        ahead = TableCell(f"{mark}{four(best.ahead.value)}", best.ahead.value, hint=best.ahead.hint)
    number = TableCell(f"{best.value:.4f}", best.value)
    return TableCell(f"<b>{escape(best.name)}</b>"), number, TableCell(escape(best.next_name) or "–"), ahead


# ---- all results ---------------------------------------------------------------------------------------------------


@dataclass(frozen=True)
class _Column:
    """One column: its heading, the curve whose end it shows, how, and whether the least is best (1) or the most (-1)."""

    heading: str
    quantity: str
    form: Callable[[float], str] = four
    sign: float = 1.0

    def measured(self, runs: PlayerRuns) -> Curve | None:
        """Return the curve of a player, if it ends in a number."""
        curve = runs.curve(self.quantity)
        return curve if curve is not None and math.isfinite(curve.last[0]) else None

    def best(self, players: Sequence[PlayerRuns]) -> PlayerRuns | None:
        """Return the player whose curve ends best."""
        known = [(curve.last[0], runs) for runs in players if (curve := self.measured(runs)) is not None]
        return min(known, key=lambda each: self.sign * each[0], default=(0.0, None))[1]


_COLUMNS = (
    _Column("swap regret per day", "swap"),
    _Column("external regret per day", "external"),
    _Column("reward per day", "reward", sign=-1.0),
    _Column("µs per day", "microseconds", lambda value: f"{value:,.0f}" if value >= 99.5 else f"{value:.3g}"),
)


def results_table(cases: Sequence[Case], *, is_paired: bool = True) -> str:
    """Return the table of all cases as HTML: one row per player, intervals beside the values.

    The best value of a case in each column is bold; a reward or swap regret that runs do not tell from it is marked “≈”.
    """
    heads = ("set", "world", "T", "player", "runs", *(column.heading for column in _COLUMNS))
    kinds = list(dict.fromkeys(runs.definition for case in cases for runs in case.players if runs.definition))
    rows = []
    for case in cases:
        count = "" if case.n_actions is None else f", N = {count_in_words(case.n_actions)}"
        about = f"d = {case.dimension}, m = {case.size}{count}"
        name, horizon = (
            TableCell(f"{escape(case.actions)} <small>({about})</small>"),
            (case.horizon, f"{case.horizon:,}"),
        )
        best = [column.best(case.players) for column in _COLUMNS]
        for runs in case.players:
            cells = [_cell(runs, *each, kinds, is_paired) for each in zip(_COLUMNS, best, strict=True)]
            rows.append((name, case.environment, horizon, runs.name, (runs.n_runs, str(runs.n_runs)), *cells))
    return table("results", heads, rows) + _definitions(kinds)


def _definitions(kinds: Sequence[str]) -> str:
    """Say which number each swap regret is: once if all are the same, numbered if not."""
    if not kinds:
        return ""
    if len(kinds) == 1:
        return paragraph(f"Swap regret as measured: {escape(kinds[0])}.")
    items = "".join(f"<li>{escape(kind)}</li>" for kind in kinds)
    return paragraph("Swap regret as measured, by the number beside it:") + f'<ol class="lead">{items}</ol>'


def _cell(
    runs: PlayerRuns, column: _Column, best: PlayerRuns | None, kinds: Sequence[str], is_paired: bool
) -> TableCell:
    curve, first = column.measured(runs), None if best is None else column.measured(best)
    if curve is None or best is None or first is None:
        return TableCell("–")
    value, *ends = curve.last
    shown, has_ends = column.form(value), all(map(math.isfinite, ends))
    is_best = shown == column.form(first.last[0])
    text = f"<b>{shown}</b>" if is_best else shown
    if column.quantity in SIGNS and not is_best:
        found = gap(runs, best, column.quantity, is_paired=is_paired)
        text = f"≈\N{NO-BREAK SPACE}{text}" if found is not None and found.mark in ("≈", "=") else text
    if has_ends:
        text += f' <span class="interval">[{column.form(ends[0])}, {column.form(ends[1])}]</span>'
    hint = ""
    if column.quantity == "swap":
        text += _behind(runs, kinds)
        if runs.ends is not None and np.isfinite(runs.ends.swap).all():
            hint = f"each run with a best rule of its own, then the mean: {four(float(runs.ends.swap.mean()))}"
    return TableCell(text, value, (ends[0], ends[1]) if has_ends else None, hint)


def _behind(runs: PlayerRuns, kinds: Sequence[str]) -> str:
    """Return what stands behind a swap regret: its certified bracket, the number of its definition."""
    marks = ""
    if runs.bracket is not None:
        low, high = runs.bracket
        marks += f' <span class="interval">certified {four(low)} to {four(high)}</span>'
    if len(kinds) > 1 and runs.definition:
        marks += f" <sup>{kinds.index(runs.definition) + 1}</sup>"
    return marks
