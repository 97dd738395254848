"""The pages of other commands: what a rule would have gained, Table 1 as measured, the counterexample, and opponents."""

from html import escape

from swapregret.counts import count_in_words, plural
from swapregret.experiments.exploit import Exploit
from swapregret.experiments.paper_table1 import Table1
from swapregret.experiments.report.figures import curve_figure, curve_of
from swapregret.experiments.report.shell import Panel, figure_page, table
from swapregret.experiments.report.style import escaped, figure, numbers
from swapregret.experiments.shortcut_counterexample import Counterexample
from swapregret.notebook import Trace, axis, colour
from swapregret.regret.best_swap import BestSwap, in_braces

_NAME = 44


def gains_page(swap: BestSwap, title: str, *, limit: int = 20) -> str:
    """Return a page with one bar per exchange: what the best rule would have gained, largest first."""
    shown = swap.exchanges[:limit]
    names = [(in_braces(each.played_elements), in_braces(each.better_elements)) for each in shown]
    bars: Trace = {
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
    axes = {"xaxis": axis("gain in total"), "yaxis": axis("", type="category", autorange="reversed")}
    drawn = figure([bars], height=170 + 26 * max(3, len(shown)), showlegend=False, **axes) if shown else None
    words = "<b>Shown:</b> what the rule “whenever you chose the first, choose the second” would have gained in total."
    left_out = swap.n_played - len(shown)
    more = f" And {left_out:,} more actions." if left_out > 0 else ""
    rows = [
        (one, other, (each.gain, f"{each.gain:+.4g}"), (each.days, f"{each.days:,.4g}"))
        for (one, other), each in zip(names, shown, strict=True)
    ]
    exchanges = table("exchanges", ("you chose", "better", "gain", "days"), rows)
    lead = f"The best rule, the exchanges of largest gain first.{more}"
    return figure_page(title, lead, [(Panel("gains", "Gain of each exchange", (words,)), drawn)], [exchanges])


def _short(text: str) -> str:
    return text if len(text) <= _NAME else text[: _NAME - 1] + "…"


def table1_page(result: Table1) -> str:
    """Return a page with swap regret and time against the number of actions, and who was refused."""
    figures, parts = [], []
    for place, family in enumerate(dict.fromkeys(cell.family for cell in result.cells)):
        cells = [cell for cell in result.cells if cell.family == family]
        players = dict.fromkeys(cell.player for cell in cells)
        for field, title, unit in (("swap_regret", "swap regret / T", ""), ("microseconds", "time per day", "µs")):
            lines = []
            for player in players:
                points = [(cell.n_actions, getattr(cell, field)) for cell in cells if cell.player == player]
                lines.append((player, curve_of([point for point in points if point[1]])))
            panel = Panel(f"{field}{place}", f"{family}: {title}", (f"<b>Shown:</b> {title} by number of actions.",))
            drawn = curve_figure(lines, unit or title, is_log=True, unit=unit, x_title="N, number of actions")
            figures.append((panel, drawn))
        rows = [(c.player, (c.n_actions, count_in_words(c.n_actions)), c.refused) for c in cells if c.refused]
        if rows:
            refused = table(f"refused {family}", ("player", "N", "why"), rows)
            parts.append(f"<h2>{escape(family)}: refused</h2>{refused}")
    lead = (
        f"World {result.world}, T = {result.horizon:,}, {plural(result.replications, 'run')}, seed {result.seed}. Lines end where "
        f"a competitor is refused: its list of actions is too long, or a run would exceed {result.budget:.0f} seconds."
    )
    return figure_page("Table 1, measured", lead, figures, parts)


def counterexample_page(result: Counterexample) -> str:
    """Return a page with the realised regret of both players against the length of the DAG."""
    lines = []
    for name in dict.fromkeys(row.player for row in result.rows):
        rows = [(row.length, row.regret, row.low, row.high) for row in result.rows if row.player == name]
        lines.append((name, curve_of(rows)))
    drawn = curve_figure(lines, "regret / T", is_log=False, x_title="n (2ⁿ + 1 paths)", has_log_x=False)
    panel = Panel("regret", "Realised regret on the shortcut DAG", ("<b>Shown:</b> regret / T, mean over runs.",))
    lead = f"T = {result.horizon:,}, {plural(result.replications, 'run')} each, seed {result.seed}; the shade is a 95 % interval."
    return figure_page("CombEXP and the shortcut", lead, [(panel, drawn)])


def exploit_page(result: Exploit) -> str:
    """Return a page with what each opponent had taken from every player, day by day."""
    figures = []
    for place, name in enumerate(dict.fromkeys(row.opponent for row in result.rows)):
        rows = [row for row in result.rows if row.opponent == name]
        lines = [(row.player, curve_of([*zip(row.days, row.taken, strict=True)])) for row in rows]
        worth = f"From a player that plays well it takes {rows[0].value:g}."
        words = f"<b>Shown:</b> what the opponent has taken per day so far. {worth}"
        drawn = curve_figure(lines, "taken per day", is_log=False, has_log_x=False)
        figures.append((Panel(f"taken{place}", name[0].upper() + name[1:], (words,)), drawn))
    lead = f"T = {result.horizon:,}, {plural(result.replications, 'run')} each, seed {result.seed}."
    return figure_page("What opponents take", lead, figures)
