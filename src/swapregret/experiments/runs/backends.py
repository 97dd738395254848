"""Where runs are made: worker processes of this machine, by joblib's loky.

A backend yields outcomes as they come, and None a few times per second in between. One that loses a worker makes the runs that were
in flight again, one at a time: a run during which a worker dies alone is to blame, and is reported; the others go on.
"""

import contextlib
import os
import threading
import time
import warnings
from collections.abc import Iterator, Sequence
from concurrent.futures import FIRST_COMPLETED, Future, wait
from concurrent.futures.process import BrokenProcessPool
from typing import Any

from swapregret.experiments.runs.execute import Outcome, execute, fail
from swapregret.experiments.runs.plan_runs import RunTask
from swapregret.experiments.runs.status import clear_statuses, read_statuses
from swapregret.results.folder import ResultFolder

TICK = 0.25
_IDLE_SECONDS = 300
_LOOK_SECONDS = 0.1
_DIED = "the worker process died while it made this run (killed, or out of memory)"

ONE_THREAD = {
    f"{name}_NUM_THREADS": "1" for name in ("OMP", "OPENBLAS", "MKL", "BLIS", "VECLIB_MAXIMUM", "NUMEXPR", "NUMBA")
} | {"POLARS_MAX_THREADS": "1"}
"""What keeps a worker to one thread: the matrices are small and the workers many."""


def usable_cores() -> int:
    """Return how many cores this process may use."""
    import joblib

    return int(joblib.cpu_count())


def run_locally(tasks: Sequence[RunTask], folder: str, jobs: int) -> Iterator[Outcome | None]:
    """Make runs in ``jobs`` processes of this machine."""
    waiting = {task.info.id: task for task in tasks}
    suspects: list[str] = []
    while waiting:
        alone = suspects.pop(0) if suspects else None
        batch = [waiting[alone]] if alone is not None else list(waiting.values())
        started = time.time()
        try:
            for outcome in _pool(batch, folder, 1 if alone is not None else jobs):
                if outcome is not None:
                    waiting.pop(outcome.info.id)
                yield outcome
        except BrokenProcessPool:
            if alone is not None:
                yield fail(ResultFolder(folder), waiting.pop(alone).info, time.time() - started, _DIED)
            else:
                begun = [report.run for report in read_statuses(folder) if report.run in waiting]
                suspects = begun or list(waiting)  # all of them, if none can be told
        clear_statuses(folder)


def follow_parent(parent: int) -> None:
    """End this process soon after the one that started it, however that ended."""

    def watch() -> None:
        while os.getppid() == parent:
            time.sleep(_LOOK_SECONDS)
        os._exit(1)

    threading.Thread(target=watch, daemon=True).start()


def _pool(tasks: Sequence[RunTask], folder: str, jobs: int) -> Iterator[Outcome | None]:
    from joblib.externals.loky.process_executor import ProcessPoolExecutor

    # loky replaces a worker whose memory grew, by compiled code say, and warns of it; nothing is lost
    warnings.filterwarnings("ignore", message="A worker stopped while some jobs", category=UserWarning)
    executor: Any = ProcessPoolExecutor(
        max_workers=min(jobs, len(tasks)),
        timeout=_IDLE_SECONDS,
        env=ONE_THREAD,
        initializer=follow_parent,
        initargs=(os.getpid(),),
    )
    is_whole = False
    try:
        futures: set[Future[Outcome]] = {executor.submit(execute, task, folder) for task in tasks}
        while futures:
            done, futures = wait(futures, timeout=TICK, return_when=FIRST_COMPLETED)
            for future in done:
                yield future.result()
            yield None
        is_whole = True
    finally:
        with contextlib.suppress(Exception):
            executor.shutdown(wait=True, kill_workers=not is_whole)
