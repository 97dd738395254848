"""``swapregret run``: make all runs of a spec, on all cores or on a cluster."""

from collections.abc import Iterator
from contextlib import contextmanager, nullcontext
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from swapregret.cli.console import console, emit_json, report_errors, status_console, styled
from swapregret.cli.options import MOST_JOBS, count
from swapregret.counts import excerpt
from swapregret.errors import InvalidInput
from swapregret.extras import require_extra

if TYPE_CHECKING:
    from swapregret.experiments.runs.runner import Summary, Watcher

__all__ = ["run"]

_INTERRUPTED = 130


def run(
    spec: Annotated[Path, typer.Argument(help="A TOML file; `swapregret init` writes one to start from.")],
    out: Annotated[Path | None, typer.Option(help="Folder of the results; results/NAME if not given.")] = None,
    jobs: Annotated[int | None, count("jobs", "Worker processes; all cores if not given.", most=MOST_JOBS)] = None,
    cluster: Annotated[
        str | None,
        typer.Option(
            metavar="ADDRESS",
            help="Run on Dask: the address of a scheduler, tls://HOST:PORT, or `local` for --jobs workers here.",
        ),
    ] = None,
    scheduler: Annotated[str | None, typer.Option(hidden=True, help="Another name of --cluster.")] = None,
    tls_ca: Annotated[Path | None, typer.Option(help="For tls://, the certificate of its authority (PEM).")] = None,
    tls_cert: Annotated[Path | None, typer.Option(help="For tls://, the certificate to show it (PEM).")] = None,
    tls_key: Annotated[Path | None, typer.Option(help="For tls://, the key of that certificate (PEM).")] = None,
    live: Annotated[bool, typer.Option("--live", help="Serve the report on this machine while runs finish.")] = False,
    dry: Annotated[bool, typer.Option("--dry", help="Check the spec and say what is to be run.")] = False,
    as_json: Annotated[bool, typer.Option("--json", help="One JSON object per line, for machines.")] = False,
) -> None:
    """Run a spec. Finished runs are never made again; after a crash or Ctrl-C, the same command goes on.

    A worker takes about 0.3 GB, up to 0.8 GB while it compiles; a ledger has at most 64 MiB of vectors unless `capacity` says
    otherwise. Add what its player keeps: players that list all N actions of a set keep tables of N or N² numbers.

    Exit status: 0 all runs are there, 1 some failed, 2 the spec cannot be used, 130 interrupted.

    Example: swapregret run spec.toml --jobs 8 --out results/first
    """
    with report_errors():
        require_extra("experiments", "`swapregret run`")
        from swapregret.cli.live import JsonWatcher, LineWatcher, LiveWatcher
        from swapregret.experiments.runs.backends import usable_cores
        from swapregret.experiments.runs.cluster import Credentials, check_address, run_on_dask
        from swapregret.experiments.runs.runner import read_plan, run_plan

        if cluster is not None and scheduler is not None:
            raise InvalidInput(
                "`--cluster` must be given once", f"it and --scheduler {excerpt(scheduler)}", "Leave one out."
            )
        where = cluster if cluster is not None else scheduler
        secret = Credentials(tls_ca, tls_cert, tls_key)
        check_address(where, secret)
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
        if where is not None:
            backend = partial(run_on_dask, address=where, jobs=n_jobs, credentials=secret)
        watcher: Watcher = JsonWatcher() if as_json else LiveWatcher() if status_console.is_terminal else LineWatcher()
        try:
            with _followed(watcher, folder) if live else nullcontext(watcher) as seen:
                summary = run_plan(plan, data, folder, jobs=n_jobs, backend=backend, watcher=seen)
        except KeyboardInterrupt:
            status_console.print(
                f"stopped; the same command goes on where it was. Results so far: {folder}", soft_wrap=True
            )
            raise typer.Exit(_INTERRUPTED) from None
        if not as_json:
            _tell(summary)
        if summary.failures:
            raise typer.Exit(1)


@contextmanager
def _followed(watcher: "Watcher", folder: Path) -> Iterator["Watcher"]:
    """Serve the report while runs finish, and say where."""
    from swapregret.cli.live_page import WithPage  # tables and figures are loaded only where they are shown
    from swapregret.experiments.report.live_report import LiveReport

    with LiveReport(folder) as page:
        status_console.print(f"The report so far: {page.address}", soft_wrap=True)
        yield WithPage(watcher, page)


def _tell(summary: "Summary") -> None:
    for failure in summary.failures:
        info = failure.task.info
        status_console.rule(
            f"{info.player} on {info.environment}, {info.set}, T = {info.horizon:,}, #{info.replication}"
        )
        status_console.print(failure.traceback or failure.error, soft_wrap=True)
    before = f"{summary.n_before} there before, " if summary.n_before else ""
    failed = (", ", (f"{len(summary.failures)} failed", "bold red")) if summary.failures else ()
    console.print(styled(f"{summary.n_runs} runs: {before}{summary.n_made} made", *failed))
    console.print(
        f"swapregret results {summary.folder}   swapregret report {summary.folder}", style="dim", soft_wrap=True
    )
