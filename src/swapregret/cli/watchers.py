"""Progress of runs: a live display on a terminal, lines elsewhere, JSON lines for machines."""

import json
import time
from collections.abc import Sequence
from dataclasses import asdict

import typer
from rich.console import Group
from rich.live import Live
from rich.progress import BarColumn, Progress, TimeElapsedColumn
from rich.table import Table

from swapregret.cli.console import WordsColumn, status_console, styled
from swapregret.experiments.runs.execute import Outcome
from swapregret.experiments.runs.plan_runs import RunPlan, RunTask
from swapregret.experiments.runs.runner import Summary, Watcher
from swapregret.experiments.runs.status import WorkerReport

_LINE_SECONDS = 30.0


def time_left(done: float, total: float, seconds: float) -> str:
    """Say how long the rest will take if it goes on as it did.

    Examples
    --------
    >>> time_left(25, 100, 60.0), time_left(0, 100, 5.0)
    ('3:00 left', '')
    """
    if done <= 0 or seconds <= 0:
        return ""
    rest = round(seconds * (total - done) / done)
    hours, minutes = divmod(rest // 60, 60)
    return f"{hours}:{minutes:02d}:{rest % 60:02d} left" if hours else f"{minutes}:{rest % 60:02d} left"


class _Counting(Watcher):
    """Counts days: those of runs that ended, and those that workers have played of the others; tells of every failure."""

    def __init__(self) -> None:
        self._began = time.monotonic()
        self._total = self._ended = self._n_ended = self._n_missing = 0
        self._over: set[str] = set()

    def begin(self, plan: RunPlan, missing: Sequence[RunTask]) -> None:
        """Count."""
        self._began = time.monotonic()
        self._total = sum(task.info.horizon for task in missing)
        self._n_missing = len(missing)

    def finished(self, outcome: Outcome) -> None:
        """Count, and say what failed."""
        self._ended += outcome.info.horizon
        self._n_ended += 1
        self._over.add(outcome.info.id)
        if outcome.error is not None:
            status_console.print(styled(("failed", "bold red"), f" {outcome.info}: {outcome.error}"), soft_wrap=True)

    def _days(self, reports: Sequence[WorkerReport]) -> float:
        return self._ended + sum(report.day for report in reports if report.run not in self._over)

    def _left(self, reports: Sequence[WorkerReport]) -> str:
        return time_left(self._days(reports), self._total, time.monotonic() - self._began)


class LiveWatcher(_Counting):
    """A bar for everything with the time left, and one line per worker: its run, rounds per second, swap regret per round."""

    def __init__(self) -> None:
        super().__init__()
        self._bar = Progress(
            WordsColumn(),
            BarColumn(bar_width=None),
            WordsColumn("runs"),
            TimeElapsedColumn(),
            console=status_console,
            expand=True,
        )
        self._live = Live(console=status_console, refresh_per_second=4, transient=True)

    def begin(self, plan: RunPlan, missing: Sequence[RunTask]) -> None:
        """Begin."""
        super().begin(plan, missing)
        self._task = self._bar.add_task(plan.resolved["name"], total=self._total, runs="")
        self._live.start()
        self.tick(())

    def tick(self, reports: Sequence[WorkerReport]) -> None:
        """Show where the workers stand."""
        runs = f"{self._n_ended}/{self._n_missing} runs  {self._left(reports)}"
        self._bar.update(self._task, completed=self._days(reports), runs=runs)
        self._live.update(Group(self._bar, workers_table(reports)))

    def end(self, summary: Summary) -> None:
        """Stop showing."""
        self._live.stop()


def workers_table(reports: Sequence[WorkerReport]) -> Table:
    """Return a table with a line per worker."""
    table = Table(box=None, padding=(0, 1), expand=True)
    table.add_column("worker", ratio=3, no_wrap=True, overflow="ellipsis")
    for heading in ("day", "rounds/s", "swap/T"):
        table.add_column(heading, justify="right", no_wrap=True)
    for report in reports:
        swap = f"{report.swap_per_round:.4f}" if report.swap_per_round is not None else "–"
        table.add_row(report.label, f"{report.day:,}/{report.horizon:,}", f"{report.rounds_per_second:,.0f}", swap)
    return table


class LineWatcher(_Counting):
    """Quiet: two lines per minute, and one for every failure."""

    def __init__(self, every: float = _LINE_SECONDS) -> None:
        super().__init__()
        self._every, self._told = every, time.monotonic()

    def tick(self, reports: Sequence[WorkerReport]) -> None:
        """Show where the workers stand."""
        if time.monotonic() - self._told >= self._every:
            self._told = time.monotonic()
            self._line(reports)

    def end(self, summary: Summary) -> None:
        """Stop showing."""
        if self._n_missing:
            self._line(())

    def _line(self, reports: Sequence[WorkerReport]) -> None:
        parts = [f"{self._n_ended}/{self._n_missing} runs"]
        speed = sum(report.rounds_per_second for report in reports)
        if speed:
            parts.append(f"{speed:,.0f} rounds/s")
        elif reports:
            parts.append("the first days compile the loops")
        left = self._left(reports) if reports else ""
        status_console.print(", ".join([*parts, left] if left else parts), soft_wrap=True)


class JsonWatcher(Watcher):
    """One JSON object per line on standard output: begin, run, end."""

    def begin(self, plan: RunPlan, missing: Sequence[RunTask]) -> None:
        """Begin."""
        _emit({"event": "begin", "name": plan.resolved["name"], "runs": len(plan.tasks), "missing": len(missing)})

    def finished(self, outcome: Outcome) -> None:
        """Show that a run ended."""
        about = asdict(outcome.info) | {"seconds": round(outcome.seconds, 3)}
        about = {"run": about.pop("id"), **about}
        told = {} if outcome.error is None else {"error": outcome.error, "traceback": outcome.traceback}
        _emit({"event": "failed" if told else "finished", **about, **told})

    def end(self, summary: Summary) -> None:
        """Stop showing."""
        counts = {"runs": summary.n_runs, "before": summary.n_before, "made": summary.n_made}
        _emit({"event": "end", **counts, "failed": len(summary.failures), "folder": str(summary.folder)})


def _emit(value: dict[str, object]) -> None:
    typer.echo(json.dumps(value, allow_nan=False))
