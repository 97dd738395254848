"""What ``swapregret table1``, ``counterexample`` and ``exploit`` measured, as the tables of pages in Markdown."""

import math

from swapregret.counts import count_in_words, plural
from swapregret.experiments.exploit import OPPONENTS, Exploit, ExploitRow
from swapregret.experiments.exploit import PLAYERS as EXPLOITED
from swapregret.experiments.measured_block import markdown
from swapregret.experiments.paper_table1 import COMPETITORS, Cell, Table1
from swapregret.experiments.shortcut_counterexample import PLAYERS, Counterexample
from swapregret.regret.measure import standard_error


def table1_block(result: Table1) -> str:
    """Return a table for each family: what is proved, and swap regret / T and processor time per day on every instance."""
    lines = [
        f"`swapregret table1`: {result.world} world, T = {result.horizon:,}, {plural(result.replications, 'run')}, seed "
        f"{result.seed}; refused above {result.budget:.0f} seconds."
    ]
    for family in dict.fromkeys(cell.family for cell in result.cells):
        cells = [cell for cell in result.cells if cell.family == family]
        instances = dict.fromkeys((cell.instance, cell.n_actions) for cell in cells)
        headings = [family, "proved of swap regret", *(f"{name}, N = {count_in_words(n)}" for name, n in instances)]
        rows = []
        for rival in COMPETITORS:
            found = [cell for cell in cells if cell.player == rival.name]
            if found:
                rows.append([rival.name, rival.regret or "–", *map(_text, found)])
        lines += ["", *markdown(headings, rows)]
    return "\n".join(lines)


def _text(cell: Cell) -> str:
    if cell.swap_regret is None or cell.microseconds is None:
        return "refused"
    spent = cell.microseconds
    time = f"{spent:.0f} µs" if 0.95 <= spent < 1e4 else f"{spent:.1f} µs" if spent < 1e4 else f"{spent / 1e3:.0f} ms"
    return f"{cell.swap_regret:.3f} {time}".removeprefix("0")


def counterexample_block(result: Counterexample) -> str:
    """Return the realised regret of each player by the length of the DAG."""
    rows = []
    for length in dict.fromkeys(row.length for row in result.rows):
        found = {row.player: row for row in result.rows if row.length == length}
        n_paths = next(iter(found.values())).n_paths
        rows.append([f"{length}", count_in_words(n_paths), *(f"{found[name].regret:.3f}" for name in PLAYERS)])
    head = (
        f"`swapregret counterexample`: realised regret / T, T = {result.horizon:,}, {plural(result.replications, 'run')}, "
        f"seed {result.seed}."
    )
    return "\n".join([head, "", *markdown(["n", "paths", *PLAYERS], rows)])


EXPLOIT_HEADINGS = ("player", *(f"{each.name}: {each.strategy}" for each in OPPONENTS))


def exploit_rows(result: Exploit) -> list[tuple[str, ...]]:
    """Return what each opponent took of each player per day, one row per player, and what it takes of one who plays well."""
    taken = {(row.player, row.opponent): _taken(row) for row in result.rows}
    rows = [(name, *(taken[name, each.name] for each in OPPONENTS)) for name in EXPLOITED]
    return [*rows, ("of whoever plays well", *(f"{each.value:.2f}" for each in OPPONENTS))]


def _taken(row: ExploitRow) -> str:
    error = standard_error(row.runs)
    return f"{row.total:+.2f}" + (f" ± {error:.2f}" if math.isfinite(error) else "")


def exploit_block(result: Exploit) -> str:
    """Return the same as a table of a page."""
    head = (
        f"`swapregret exploit`: what the opponent takes per day, with the standard error over runs, T = {result.horizon:,}, "
        f"{plural(result.replications, 'run')}, seed {result.seed}."
    )
    return "\n".join([head, "", *markdown(EXPLOIT_HEADINGS, exploit_rows(result))])
