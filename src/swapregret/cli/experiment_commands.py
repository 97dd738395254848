"""``swapregret init``, ``run``, ``results`` and ``report``: a spec, its runs, their table and their page."""

import importlib.resources
from collections.abc import Callable
from contextlib import ExitStack
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer
from rich.box import SIMPLE_HEAD
from rich.table import Table
from rich.text import Text

from swapregret.cli.console import console, emit_json, status_console, styled, table_of
from swapregret.cli.options import MOST_JOBS, AsJson, count, option
from swapregret.counts import bytes_in_words, plural
from swapregret.errors import InvalidInput
from swapregret.extras import require_extra

if TYPE_CHECKING:
    from swapregret.experiments.runs.runner import Summary, Watcher
    from swapregret.files.storage import Json

_INTERRUPTED = 130
_WIDE = 100


def init(
    file: Annotated[Path, typer.Argument(help="Where to write it.")] = Path("spec.toml"),
    force: Annotated[bool, typer.Option("--force", help="Replace a file that is there.")] = False,
    as_json: AsJson = False,
) -> None:
    """Write a commented spec to start from; it runs in under half a minute.

    Example: swapregret init spec.toml && swapregret run spec.toml
    """
    if file.exists() and not force:
        raise InvalidInput("the file must not be there yet", f"{str(file)!r}", "Choose another, or use --force.")
    starter = importlib.resources.files("swapregret.cli") / "starter.toml"
    file.write_bytes(starter.read_bytes())
    if as_json:
        emit_json({"file": str(file)})
    else:
        console.print(styled(f"{file} written. ", (f"swapregret run {file}", "dim")), soft_wrap=True)


def run(
    spec: Annotated[Path, typer.Argument(help="A TOML file; `swapregret init` writes one to start from.")],
    out: Annotated[Path | None, typer.Option(help="Folder of the results; results/NAME if not given.")] = None,
    jobs: Annotated[int | None, count("jobs", "Worker processes; all cores if not given.", most=MOST_JOBS)] = None,
    cluster: Annotated[
        str | None, option("cluster", "Run on Dask: tls://HOST:PORT, or `local` for workers here.")
    ] = None,
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
    require_extra("experiments", "`swapregret run`")
    from swapregret.cli.watchers import JsonWatcher, LineWatcher, LiveWatcher
    from swapregret.experiments.runs.backends import usable_cores
    from swapregret.experiments.runs.cluster import Credentials, check_address, run_on_dask
    from swapregret.experiments.runs.runner import read_plan, run_plan

    secret = Credentials(tls_ca, tls_cert, tls_key)
    check_address(cluster, secret)
    plan, data = read_plan(spec)
    folder = out if out is not None else Path("results") / spec.stem
    if dry:
        n_runs, n_rounds = len(plan.tasks), sum(task.info.horizon for task in plan.tasks)
        if as_json:
            emit_json({"runs": n_runs, "rounds": n_rounds})
        else:
            console.print(f"{plural(n_runs, 'run')}, {plural(n_rounds, 'round')}")
        return
    backend = None
    if cluster is not None:
        backend = partial(run_on_dask, address=cluster, jobs=jobs or usable_cores(), credentials=secret)
    watchers: list[Watcher] = [
        JsonWatcher() if as_json else LiveWatcher() if status_console.is_terminal else LineWatcher()
    ]
    try:
        with ExitStack() as stack:
            if live:
                from swapregret.experiments.report.live_report import LiveReport  # loads tables and figures

                page = stack.enter_context(LiveReport(folder))
                status_console.print(f"The report so far: {page.address}", soft_wrap=True)
                watchers.append(page)
            summary = run_plan(plan, data, folder, jobs=jobs, backend=backend, watchers=watchers)
    except KeyboardInterrupt:
        status_console.print(
            f"stopped; the same command goes on where it was. Results so far: {folder}", soft_wrap=True
        )
        raise typer.Exit(_INTERRUPTED) from None
    if not as_json:
        _tell(summary)
    if summary.failures:
        raise typer.Exit(1)


def _tell(summary: "Summary") -> None:
    for failure in summary.failures:
        status_console.rule(str(failure.info))
        status_console.print(failure.traceback or failure.error, soft_wrap=True)
    before = f"{summary.n_before:,} there before, " if summary.n_before else ""
    failed = (", ", (f"{len(summary.failures):,} failed", "bold red")) if summary.failures else ()
    console.print(styled(f"{plural(summary.n_runs, 'run')}: {before}{summary.n_made:,} made", *failed))
    console.print(
        f"swapregret results {summary.folder}   swapregret report {summary.folder}", style="dim", soft_wrap=True
    )


def results(
    folder: Annotated[Path, typer.Argument(help="What `swapregret run SPEC.toml --out DIR` wrote.")],
    checkpoints: Annotated[bool, typer.Option("--checkpoints", help="Every checkpoint, not only the last.")] = False,
    as_json: AsJson = False,
) -> None:
    """Print swap regret, external regret and reward (or cost) of every player; the best of each group in bold.

    Swap regret is the paper's: ledgers are averaged over replications before the maximum over rules. In brackets a 95 %
    bootstrap interval over replications.

    Example: swapregret results results/first
    """
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
    groups: dict[tuple[str, str, int, int], list[Json]] = {}
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


def _table(title: str, rows: "list[Json]") -> Table:
    is_cost = rows[0]["unit"] == "cost"  # of the world, so of all rows
    headings = ["player", "swap\n/T", "95 %\ninterval", "external\n/T", "cost\n/day" if is_cost else "reward\n/day"]
    headings += ["rounds\n/s", "runs"] if console.width >= _WIDE else []
    best = _best(rows, "swap_per_round", min), _best(rows, "external_per_round", min), _best(rows, "reward", max)
    shown = []
    for row in rows:
        bracket = ""
        if row["swap_low"] is not None:
            bracket = f"[{row['swap_low_per_round']:.4f}, {row['swap_high_per_round']:.4f}]"
        elif row["swap_lower"] != row["swap_upper"]:
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
        shown.append(cells[: len(headings)])
    return table_of(title, headings, shown, title_justify="left", box=SIMPLE_HEAD, padding=(0, 1, 0, 0))


def _best(rows: "list[Json]", name: str, choose: Callable[[list[float]], float]) -> float | None:
    known = [row[name] for row in rows if row[name] is not None]
    return choose(known) if known else None


def _bold(value: float | None, best: float | None, sign: float = 1.0) -> str | Text:
    if value is None:
        return "–"
    shown = f"{sign * value:.4f}"
    return styled((shown, "bold")) if value == best else shown


def report(
    folder: Annotated[Path, typer.Argument(help="The folder that `swapregret run` wrote.", metavar="DIR")],
    other: Annotated[Path | None, typer.Argument(help="Another one to compare with it.", metavar="[DIR]")] = None,
    out: Annotated[Path | None, option("out", "The file to write; report.html (or comparison.html) in DIR.")] = None,
    as_json: AsJson = False,
) -> None:
    """Write a report: figures, tables, definitions and how to make them again, in one HTML file that needs no network.

    With two folders, the report compares them: what changed for each player, with the uncertainty of the difference.

    Example: swapregret report results --out report.html
    """
    require_extra("experiments", "`swapregret report`")
    from swapregret.experiments.report.page import write_comparison, write_report

    path = write_report(folder, out) if other is None else write_comparison(folder, other, out)
    size = path.stat().st_size
    if as_json:
        emit_json({"report": str(path), "bytes": size})
    else:
        console.print(f"{path}: {bytes_in_words(size)}, opens in any browser", soft_wrap=True)
