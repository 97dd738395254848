"""``swapregret results``: the table of an experiment."""

from pathlib import Path
from typing import Annotated, Any

import typer
from rich.box import SIMPLE_HEAD
from rich.table import Table
from rich.text import Text

from swapregret.cli.console import console, emit_json, report_errors, styled
from swapregret.extras import require_extra

__all__ = ["results"]

Row = dict[str, Any]
_WIDE = 100


def results(
    folder: Annotated[Path, typer.Argument(help="What `swapregret run SPEC.toml --out DIR` wrote.")],
    checkpoints: Annotated[bool, typer.Option("--checkpoints", help="Every checkpoint, not only the last.")] = False,
    as_json: Annotated[bool, typer.Option("--json", help="Print the rows as JSON.")] = False,
) -> None:
    """Print swap regret, external regret and reward (or cost) of every player; the best of each group in bold.

    Swap regret is the paper's: ledgers are averaged over replications before the maximum over rules. In brackets a 95 %
    bootstrap interval over replications.

    Example: swapregret results results/first
    """
    with report_errors():
        require_extra("experiments", "`swapregret results`")
        from swapregret.results import load_cells, load_experiment

        experiment = load_experiment(folder)
        rows = load_cells(folder).to_dicts()
        if not checkpoints:
            rows = [row for row in rows if row["day"] == row["horizon"]]
        if as_json:
            emit_json(
                {
                    "name": experiment.name,
                    "runs": len(experiment.runs),
                    "finished": len(experiment.finished),
                    "failed": len(experiment.failures),
                    "rows": rows,
                }
            )
            return
        groups: dict[tuple[Any, ...], list[Row]] = {}
        for row in rows:
            groups.setdefault((row["set"], row["environment"], row["horizon"], row["day"]), []).append(row)
        for (where, world, horizon, day), members in groups.items():
            at = "" if day == horizon else f", day {day:,}"
            console.print(_table(f"{where} | {world} | T = {horizon:,}{at}", members))
        missing = len(experiment.runs) - len(experiment.finished)
        console.print(
            f"{len(experiment.finished)} of {len(experiment.runs)} runs finished"
            + (f", {len(experiment.failures)} failed" if experiment.failures else "")
            + ("; `swapregret run` makes the rest" if missing else "")
        )


def _table(title: str, rows: list[Row]) -> Table:
    is_wide = console.width >= _WIDE
    table = Table(title=title, title_justify="left", box=SIMPLE_HEAD, padding=(0, 1, 0, 0))
    table.add_column("player", overflow="fold")
    is_cost = rows[0]["unit"] == "cost"  # of the world, so of all rows
    headings = ["swap\n/T", "95 %\ninterval", "external\n/T", "cost\n/day" if is_cost else "reward\n/day"]
    headings += ["rounds\n/s", "runs"] if is_wide else []
    for heading in headings:
        table.add_column(heading, justify="right", overflow="fold")
    best = _best(rows, "swap_per_round", min), _best(rows, "external_per_round", min), _best(rows, "reward", max)
    for row in rows:
        bracket = (
            "" if row["swap_low"] is None else f"[{row['swap_low_per_round']:.4f}, {row['swap_high_per_round']:.4f}]"
        )
        if row["swap_low"] is None and row["swap_lower"] != row["swap_upper"]:
            bracket = f"in [{row['swap_lower'] / row['day']:.4f}, {row['swap_upper'] / row['day']:.4f}]"
        cells = (
            str(row["player"]),
            _bold(row["swap_per_round"], best[0]),
            bracket,
            _bold(row["external_per_round"], best[1]),
            _bold(row["reward"], best[2], sign=-1.0 if is_cost else 1.0),
            f"{row['rounds_per_second']:,.0f}" if row["rounds_per_second"] else "",
            str(row["n_replications"]),
        )
        table.add_row(*cells[: len(headings) + 1])
    return table


def _best(rows: list[Row], name: str, choose: Any) -> float | None:
    known = [row[name] for row in rows if row[name] is not None]
    return choose(known) if known else None


def _bold(value: float | None, best: float | None, sign: float = 1.0) -> str | Text:
    if value is None:
        return "–"
    shown = f"{sign * value:.4f}"
    return styled((shown, "bold")) if value == best else shown
