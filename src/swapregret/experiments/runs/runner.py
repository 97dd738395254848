"""Running a spec: what is finished stays, what is missing is made, what fails is told."""

import os
import platform
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path
from socket import gethostname

from swapregret import __version__
from swapregret.errors import naming
from swapregret.experiments.experiment_spec import read_spec
from swapregret.experiments.runs.backends import run_locally, usable_cores
from swapregret.experiments.runs.execute import Outcome
from swapregret.experiments.runs.plan_runs import RunPlan, RunTask, plan_runs
from swapregret.experiments.runs.status import WorkerReport, clear_statuses, read_statuses
from swapregret.files.storage import Json
from swapregret.results.folder import ResultFolder

_PACKAGES = ("numpy", "scipy", "numba", "polars", "joblib", "distributed")


@dataclass
class Summary:
    """What came of running a spec: how many runs it has, how many were finished before and made now, and which failed."""

    folder: Path
    n_runs: int
    n_before: int
    n_made: int = 0
    failures: list[Outcome] = field(default_factory=list)


class Watcher:
    """Is told how things go; does nothing. Displays are made from it."""

    def begin(self, plan: RunPlan, missing: Sequence[RunTask]) -> None:
        """Take note of what is to be made."""

    def tick(self, reports: Sequence[WorkerReport]) -> None:
        """Take note of where the workers stand, a few times per second."""

    def finished(self, outcome: Outcome) -> None:
        """Take note of a run that was made or failed."""

    def end(self, summary: Summary) -> None:
        """Take note that there is no more to come."""


def read_plan(path: str | os.PathLike[str]) -> tuple[RunPlan, bytes]:
    """Read a spec and expand it; also return the file as it is."""
    spec, data = read_spec(path)
    with naming(path):
        return plan_runs(spec, Path(path).parent), data


def run_plan(
    plan: RunPlan,
    spec: bytes,
    folder: str | os.PathLike[str],
    *,
    jobs: int | None = None,
    backend: Callable[[Sequence[RunTask], str], Iterator[Outcome | None]] | None = None,
    watchers: Sequence[Watcher] = (),
) -> Summary:
    """Make the runs of a plan that the folder does not hold yet, in ``jobs`` processes (all cores), or where ``backend`` does.

    ``spec``, the file the plan came from, is kept with the results. Of an earlier version of it, all runs that did not change are
    used.
    """
    store = ResultFolder(folder)
    n_jobs = jobs if jobs is not None else usable_cores()
    store.begin(spec, plan.resolved, about_machine() | {"seed_entropy": plan.resolved["seed"]})
    missing = [task for task in plan.tasks if not store.is_finished(task.info.id)]
    missing.sort(key=lambda task: -task.info.horizon)  # so that the last worker is not alone for long
    summary = Summary(Path(folder), len(plan.tasks), len(plan.tasks) - len(missing))
    for watcher in watchers:
        watcher.begin(plan, missing)
    clear_statuses(folder)
    place = os.path.abspath(folder)
    try:
        outcomes = backend(missing, place) if backend is not None else run_locally(missing, place, n_jobs)
        for outcome in outcomes if missing else ():
            if outcome is None:
                reports = read_statuses(folder)
                for watcher in watchers:
                    watcher.tick(reports)
                continue
            if outcome.error is None:
                summary.n_made += 1
            else:
                summary.failures.append(outcome)
            for watcher in watchers:
                watcher.finished(outcome)
    finally:
        for watcher in watchers:
            watcher.end(summary)
        clear_statuses(folder)
    return summary


def about_machine() -> Json:
    """Return versions and hardware."""
    versions = {}
    for name in _PACKAGES:
        try:
            versions[name] = version(name)
        except PackageNotFoundError:
            continue
    try:
        memory = os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES")
    except (ValueError, OSError, AttributeError):
        memory = 0
    return {
        "library": __version__,
        "python": platform.python_version(),
        **versions,
        "platform": platform.platform(),
        "machine": platform.machine(),
        "processor": _processor(),
        "host": gethostname(),
        "cpu_count": usable_cores(),
        "memory_bytes": memory,
    }


def _processor() -> str:
    try:
        lines = Path("/proc/cpuinfo").read_text(encoding="utf-8").splitlines()
        return next(line.split(":", 1)[1].strip() for line in lines if line.startswith("model name"))
    except (OSError, StopIteration):
        return platform.processor() or platform.machine()
