"""``swapregret table1``: the paper's Table 1 as measurements."""

from dataclasses import asdict
from html import escape
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer
from rich.table import Table
from rich.text import Text

from swapregret.cli.console import console, emit_json, progress_bar, report_errors, status_console, styled
from swapregret.cli.options import MOST_JOBS, AsJson, Seed, count, days
from swapregret.counts import MOST_REPLICATIONS
from swapregret.extras import require_extra

if TYPE_CHECKING:
    from swapregret.experiments.paper_table1 import Cell, Table1

__all__ = ["table1"]

_FULL_HORIZON, _FULL_REPLICATIONS, _FULL_BUDGET = 100_000, 4, 1800.0


def table1(
    full: Annotated[
        bool, typer.Option("--full", help="All instances, T = 100,000, 4 runs, half an hour per cell.")
    ] = False,
    world: Annotated[str, typer.Option(help="The reward sequence: cyclic, spiral, slots, tree, iid, ...")] = "cyclic",
    horizon: Annotated[int | None, days("horizon", "Days to play; 50,000 if not given.")] = None,
    replications: Annotated[
        int | None, count("replications", "Runs of each cell; 1 if not given.", most=MOST_REPLICATIONS)
    ] = None,
    budget: Annotated[float | None, typer.Option(help="Seconds a cell may take; 75 if not given.")] = None,
    seed: Seed = 0,
    jobs: Annotated[int, count("jobs", "Processes.", most=MOST_JOBS)] = 2,
    html: Annotated[Path | None, typer.Option(help="Write the figures to this HTML file.")] = None,
    as_json: AsJson = False,
) -> None:
    """Measure swap regret and time of every competitor, from 15 actions to a thousand million.

    Example: swapregret table1 --html table1.html
    """
    with report_errors():
        if html is not None:
            require_extra("experiments", "`--html`", only="plotly")
        from swapregret.experiments.paper_table1 import COMPETITORS, INSTANCES
        from swapregret.experiments.paper_table1 import table1 as measure

        status_console.print("Loading the compiled inner loops (the first run compiles them) ...", style="dim")
        n_instances = sum(full or instance.in_default for instance in INSTANCES)
        with progress_bar() as bar:
            task = bar.add_task("cells", total=n_instances * len(COMPETITORS))

            def advance(name: str) -> None:
                bar.update(task, advance=1, description=name)

            result = measure(
                world=world,
                horizon=horizon or (_FULL_HORIZON if full else 50_000),
                replications=replications or (_FULL_REPLICATIONS if full else 1),
                budget=budget or (_FULL_BUDGET if full else 75.0),
                seed=seed,
                is_full=full,
                n_jobs=jobs,
                progress=advance,
            )
        if html is not None:
            html.write_text(_figures(result), encoding="utf-8")
        if as_json:
            emit_json(asdict(result))
            return
        for family in dict.fromkeys(cell.family for cell in result.cells):
            _print(result, family)
        console.print(
            "In each cell: swap regret / T (maximum over φ outside the expectation, from policies), and below it processor "
            "time per day; for a refused player, what it would take. Theory: the orders of the paper's Table 1, evaluated "
            "with constant 1 and N = d^m on the smallest and on the largest instance; above 1 they say nothing."
        )
        if html is not None:
            console.print(f"Figures written to {html}.")


def _print(result: "Table1", family: str) -> None:
    from swapregret.experiments.paper_table1 import COMPETITORS

    cells = [cell for cell in result.cells if cell.family == family]
    columns = list(dict.fromkeys((cell.instance, cell.n_actions) for cell in cells))
    title = f"{family}, {result.world} world, T = {result.horizon:,}, {result.replications} run(s)"
    measured = Table(title=title, show_lines=True)
    theory = Table(title=f"{family}: what the paper's Table 1 says", show_lines=True)
    measured.add_column("player", min_width=11)
    for label, n_actions in columns:
        measured.add_column(f"{label}\nN = {_count(n_actions)}", justify="right", overflow="fold")
    for heading in ("player", "swap regret", "of it / T", "time per day"):
        theory.add_column(heading, overflow="fold")
    for competitor in COMPETITORS:
        row = [cell for cell in cells if cell.player == competitor.name]
        if row:
            measured.add_row(competitor.name, *map(_text, row))
            theory.add_row(competitor.name, competitor.regret, _theory(row), competitor.time)
    console.print(measured)
    console.print(theory)


def _text(cell: "Cell") -> str | Text:
    if cell.swap_regret is None or cell.microseconds is None:
        return _short(cell.refused or "")
    error = f"±{cell.standard_error:.3f}" if cell.standard_error is not None else ""
    least = f"{cell.lower:.3f}–" if cell.lower is not None else ""
    return f"{least}{cell.swap_regret:.3f}{error}\n{_time(cell.microseconds)}"


def _short(refused: str) -> Text:
    """Keep of a refusal what a run would take."""
    _, found, rest = refused.partition("would take ")
    if found:
        return styled(("refused:\n" + rest.replace(" and ", "\n"), "dim"))
    _, found, rest = refused.partition("about ")
    return styled(("refused:\n" + rest.partition(",")[0].replace(" functions", " φ") if found else refused, "dim"))


def _theory(row: "list[Cell]") -> str:
    values = [f"{cell.bound:.2g}" if cell.bound is not None else "∞" for cell in (row[0], row[-1])]
    return " … ".join(values) if any(cell.bound is not None for cell in row) else ""


def _time(microseconds: float) -> str:
    return f"{microseconds:.0f} µs" if microseconds < 1e4 else f"{microseconds / 1e3:.0f} ms"


def _count(number: int) -> str:
    return f"{number:,}" if number < 10**6 else f"{number:.1e}"


def _figures(result: "Table1") -> str:
    from swapregret.experiments.paper_table1 import COMPETITORS
    from swapregret.experiments.report.lines import Series, line_figure
    from swapregret.experiments.report.shell import Panel, figure_page
    from swapregret.experiments.report.shell import table as html_table

    figures, parts = [], []
    for place, family in enumerate(dict.fromkeys(cell.family for cell in result.cells)):
        regrets, times = [], []
        for competitor in COMPETITORS:
            row = [c for c in result.cells if c.family == family and c.player == competitor.name]
            is_ours = "ours" in competitor.name
            regret = tuple((float(c.n_actions), c.swap_regret) for c in row if c.swap_regret is not None)
            spent = tuple((float(c.n_actions), c.microseconds) for c in row if c.microseconds is not None)
            regrets.append(Series(competitor.name, regret, (), is_ours))
            times.append(Series(competitor.name, spent, (), is_ours))
        for key, title, unit, series in (
            ("regret", "swap regret / T", "swap regret / T", regrets),
            ("time", "time per day", "microseconds", times),
        ):
            panel = Panel(f"{key}{place}", f"{family}: {title}", (f"<b>Shown:</b> {title} by number of actions.",))
            figures.append((panel, line_figure(series, "N, number of actions", unit)))
        refused = [c for c in result.cells if c.family == family and c.refused is not None]
        if refused:
            rows = [(c.player, (c.n_actions, f"{c.n_actions:,}"), c.refused) for c in refused]
            title = f"<h2>{escape(family)}: refused</h2>"
            parts.append(title + html_table(f"refused {family}", ("player", "N", "why"), rows))
    lead = (
        f"World {result.world}, T = {result.horizon:,}, {result.replications} run(s), seed {result.seed}. Lines end where a "
        f"competitor is refused: its list of actions is too long, or a run would exceed {result.budget:.0f} seconds."
    )
    return figure_page("Table 1, measured", lead, figures, parts)
