"""``swapregret counterexample``: where CombEXP never finds the shortcut, and Lazy-ComBCP does."""

from dataclasses import asdict
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer
from rich.table import Table

from swapregret.cli.console import console, emit_json, progress_bar, report_errors, status_console
from swapregret.cli.options import MOST_JOBS, AsJson, Seed, count, days
from swapregret.counts import MOST_REPLICATIONS
from swapregret.extras import require_extra

if TYPE_CHECKING:
    from swapregret.experiments.shortcut_counterexample import Counterexample

__all__ = ["counterexample"]


def counterexample(
    lengths: Annotated[list[int] | None, count("length", "Layers of the DAG; repeat for several.", most=1000)] = None,
    horizon: Annotated[int, days("horizon", "Days to play.")] = 10_000,
    replications: Annotated[int, count("replications", "Runs of each player on each DAG.", most=MOST_REPLICATIONS)] = 8,
    seed: Seed = 0,
    jobs: Annotated[int, count("jobs", "Processes.", most=MOST_JOBS)] = 2,
    html: Annotated[Path | None, typer.Option(help="Write the figure to this HTML file.")] = None,
    as_json: AsJson = False,
) -> None:
    """Play CombEXP and Lazy-ComBCP on the shortcut DAG of the paper's appendix, n = 4, 6, …, 14.

    Example: swapregret counterexample --length 10 --replications 4
    """
    with report_errors():
        if html is not None:
            require_extra("experiments", "`--html`", only="plotly")
        from swapregret.experiments.shortcut_counterexample import LENGTHS, PLAYERS
        from swapregret.experiments.shortcut_counterexample import counterexample as measure

        sizes = lengths or list(LENGTHS)
        status_console.print("Loading the compiled inner loops (the first run compiles them) ...", style="dim")
        with progress_bar() as bar:
            task = bar.add_task("runs", total=len(sizes) * len(PLAYERS) * replications)
            result = measure(
                sizes,
                horizon=horizon,
                replications=replications,
                seed=seed,
                n_jobs=jobs,
                progress=lambda: bar.advance(task),
            )
        if html is not None:
            html.write_text(_figure(result), encoding="utf-8")
        if as_json:
            emit_json(asdict(result))
            return
        _print(result)
        if html is not None:
            console.print(f"Figure written to {html}.")


def _print(result: "Counterexample") -> None:
    from swapregret.experiments.shortcut_counterexample import PLAYERS

    table = Table(
        title=f"Realised regret / T on the shortcut DAG, T = {result.horizon:,}, {result.replications} runs each "
        "(mean, 95 % interval)"
    )
    for heading in ("n", "paths", *PLAYERS, "CombEXP never finds it with probability"):
        table.add_column(heading, justify="right")
    for length in dict.fromkeys(row.length for row in result.rows):
        rows = {row.player: row for row in result.rows if row.length == length}
        cells = [f"{row.regret:.3f} [{row.low:.3f}, {row.high:.3f}]" for row in rows.values()]
        promised = rows["CombEXP"].promised or 0.0
        table.add_row(str(length), f"{rows['CombEXP'].n_paths:,}", *cells, f"≥ {promised:.3f}")
    console.print(table)
    console.print(
        "What you see: one edge pays everything and lies on one path of 2ⁿ + 1. CombEXP explores by the marginals of the "
        "uniform policy and almost never takes that path; Lazy-ComBCP mixes in a policy that shows every direction and finds it."
    )


def _figure(result: "Counterexample") -> str:
    from swapregret.experiments.report.lines import Series, line_figure
    from swapregret.experiments.report.shell import Panel, figure_page
    from swapregret.experiments.shortcut_counterexample import PLAYERS

    series = []
    for name in PLAYERS:
        rows = [row for row in result.rows if row.player == name]
        points = tuple((float(row.length), row.regret) for row in rows)
        series.append(Series(name, points, tuple((row.low, row.high) for row in rows), name == "Lazy-ComBCP"))
    drawn = line_figure(series, "n (2ⁿ + 1 paths)", "regret / T", log_x=False, log_y=False)
    panel = Panel("regret", "Realised regret on the shortcut DAG", ("<b>Shown:</b> regret / T, mean over runs.",))
    lead = f"T = {result.horizon:,}, {result.replications} runs each, seed {result.seed}; bars are 95 % intervals."
    return figure_page("CombEXP and the shortcut", lead, [(panel, drawn)])
