"""``swapregret run``: make all runs of a spec, on all cores or on a cluster.

May touch: the library, ``experiments``, ``cli.console``, ``cli.live``.
"""

from collections.abc import Iterator
from contextlib import contextmanager, nullcontext
from functools import partial
from pathlib import Path
from typing import Annotated

import typer

from swapregret.cli.console import console, emit_json, report_errors, status_console
from swapregret.cli.live import JsonWatcher, LineWatcher, LiveWatcher
from swapregret.errors import InvalidInput
from swapregret.experiments.backends import usable_cores
from swapregret.experiments.cluster import run_on_dask
from swapregret.experiments.runner import Summary, Watcher, read_plan, run_plan

__all__ = ["run"]

_INTERRUPTED = 130


def run(
    spec: Annotated[Path, typer.Argument(help="A TOML file; `swapregret init` writes one to start from.")],
    out: Annotated[Path | None, typer.Option(help="Folder of the results; results/NAME if not given.")] = None,
    jobs: Annotated[int | None, typer.Option(min=1, help="Worker processes; all cores if not given.")] = None,
    scheduler: Annotated[str | None, typer.Option(help="Address of a Dask scheduler to run on.")] = None,
    cluster: Annotated[str | None, typer.Option(help="`local`: a Dask cluster of --jobs workers here.")] = None,
    live: Annotated[bool, typer.Option("--live", help="Serve the report on this machine while runs finish.")] = False,
    dry: Annotated[bool, typer.Option("--dry", help="Check the spec and say what is to be run.")] = False,
    as_json: Annotated[bool, typer.Option("--json", help="One JSON object a line, for machines.")] = False,
) -> None:
    """Run a spec. Finished runs are never made again; after a crash or Ctrl-C, the same command goes on.

    A worker takes about 0.3 GB, up to 0.8 GB while it compiles; a ledger has at most 64 MiB of vectors unless `capacity` says
    otherwise. Add what its player keeps: players that list all N actions of a set keep tables of N or N² numbers.

    Exit status: 0 all runs are there, 1 some failed, 2 the spec cannot be used, 130 interrupted.

    Example: swapregret run spec.toml --jobs 8 --out results/first
    """
    with report_errors():
        if cluster not in (None, "local"):
            raise InvalidInput("`--cluster` must be local", repr(cluster), "Use --scheduler ADDRESS for another one.")
        if cluster is not None and scheduler is not None:
            raise InvalidInput("`--cluster` and `--scheduler` must not come together", "both", "Leave one out.")
        plan, data = read_plan(spec)
        folder = out if out is not None else Path("results") / spec.stem
        if dry:
            n_runs, n_rounds = len(plan.tasks), sum(task.info.horizon for task in plan.tasks)
            if as_json:
                emit_json({"runs": n_runs, "rounds": n_rounds})
            else:
                console.print(f"{n_runs:,} runs, {n_rounds:,} rounds")
            return
        n_jobs = jobs if jobs is not None else usable_cores()
        backend = None
        if cluster is not None or scheduler is not None:
            backend = partial(run_on_dask, scheduler=scheduler, jobs=n_jobs)
        watcher: Watcher = JsonWatcher() if as_json else LiveWatcher() if status_console.is_terminal else LineWatcher()
        try:
            with _followed(watcher, folder) if live else nullcontext(watcher) as seen:
                summary = run_plan(plan, data, folder, jobs=n_jobs, backend=backend, watcher=seen)
        except KeyboardInterrupt:
            status_console.print(f"stopped; the same command goes on where it was. Results so far: {folder}")
            raise typer.Exit(_INTERRUPTED) from None
        if not as_json:
            _tell(summary)
        if summary.failures:
            raise typer.Exit(1)


@contextmanager
def _followed(watcher: Watcher, folder: Path) -> Iterator[Watcher]:
    """Serve the report while runs finish, and say where."""
    from swapregret.cli.live_page import WithPage  # tables and figures are loaded only where they are shown
    from swapregret.experiments.report.live import LiveReport

    with LiveReport(folder) as page:
        status_console.print(f"The report so far: {page.address}", highlight=False, soft_wrap=True)
        yield WithPage(watcher, page)


def _tell(summary: Summary) -> None:
    for failure in summary.failures:
        info = failure.task.info
        status_console.rule(
            f"{info.player} on {info.environment}, {info.set}, T = {info.horizon:,}, #{info.replication}"
        )
        status_console.print(failure.traceback or failure.error, highlight=False, markup=False)
    before = f"{summary.n_before} there before, " if summary.n_before else ""
    failed = f", [bold red]{len(summary.failures)} failed[/]" if summary.failures else ""
    console.print(f"{summary.n_runs} runs: {before}{summary.n_made} made{failed}", highlight=False)
    console.print(f"[dim]swapregret results {summary.folder}   swapregret report {summary.folder}[/]", highlight=False)
