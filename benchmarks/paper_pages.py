"""Put what ``swapregret table1``, ``counterexample`` or ``exploit`` measured into a page, as a table.

    swapregret counterexample --json > counterexample.json
    python benchmarks/paper_pages.py counterexample counterexample.json docs/baselines.md

The table stands between two comments of the page, and is never written by hand.
"""

import argparse
import json
from pathlib import Path
from typing import Any

from measured_block import markdown, put_block

from swapregret.counts import count_in_words, plural
from swapregret.experiments.exploit import EXPLOIT_HEADINGS, Exploit, ExploitRow, exploit_rows
from swapregret.experiments.paper_table1 import COMPETITORS, Cell, Table1
from swapregret.experiments.shortcut_counterexample import PLAYERS, Counterexample, CounterexampleRow


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


def exploit_block(result: Exploit) -> str:
    """Return what each opponent took of each player per day."""
    head = (
        f"`swapregret exploit`: what the opponent takes per day, with the standard error over runs, T = {result.horizon:,}, "
        f"{plural(result.replications, 'run')}, seed {result.seed}."
    )
    return "\n".join([head, "", *markdown(EXPLOIT_HEADINGS, exploit_rows(result))])


def block_of(name: str, told: dict[str, Any]) -> str:
    """Return the block of what a command printed as JSON."""
    if name == "table1":
        return table1_block(Table1(**told | {"cells": tuple(Cell(**cell) for cell in told["cells"])}))
    if name == "counterexample":
        return counterexample_block(
            Counterexample(**told | {"rows": tuple(CounterexampleRow(**row) for row in told["rows"])})
        )
    return exploit_block(Exploit(**told | {"rows": tuple(ExploitRow(**row) for row in told["rows"])}))


def main() -> None:
    """Parse, read, write."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("name", choices=("table1", "counterexample", "exploit"))
    parser.add_argument("json", type=Path, help="what the command printed with --json")
    parser.add_argument("page", type=Path, help="the page whose block of that name is rewritten")
    given = parser.parse_args()
    put_block(given.page, block_of(given.name, json.loads(given.json.read_text("utf-8"))), given.name)


if __name__ == "__main__":
    main()
