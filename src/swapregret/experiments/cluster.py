"""Where runs are made: the workers of a Dask cluster, on this machine or on many.

The scheduler gives a run whose worker died to another worker, which goes on from the last snapshot. All workers must see the folder
of results and the files of the spec under the same paths.

May touch: ``errors``, ``extras``, ``experiments``; Dask.
"""

import importlib
import time
from collections.abc import Iterator, Sequence
from contextlib import ExitStack
from typing import Any

from swapregret.errors import InvalidInput
from swapregret.experiments.backends import ONE_THREAD, TICK
from swapregret.experiments.execute import Outcome, execute
from swapregret.experiments.task import RunTask
from swapregret.extras import need
from swapregret.results.store import Store

__all__ = ["run_on_dask"]

_PATIENCE = "30s"
_UNSEEN = "a worker said it made this run, but it is not in the folder: the folder must be one that all workers share"


def run_on_dask(
    tasks: Sequence[RunTask], folder: str, *, scheduler: str | None = None, jobs: int = 1
) -> Iterator[Outcome | None]:
    """Make runs on the cluster of a scheduler, or on a cluster of ``jobs`` worker processes started here for them.

    Parameters
    ----------
    tasks : sequence of RunTask
    folder : str
        The results; the same path on all workers.
    scheduler : str, optional
        Its address, such as ``tcp://10.0.0.1:8786``.
    jobs : int
        Worker processes of the local cluster.
    """
    distributed = _distributed()
    with ExitStack() as stack:
        if scheduler is None:
            target = stack.enter_context(
                distributed.LocalCluster(
                    n_workers=max(1, min(jobs, len(tasks))),
                    threads_per_worker=1,
                    processes=True,
                    dashboard_address=None,
                    env=ONE_THREAD,
                )
            )
        else:
            target = scheduler
        try:
            client = stack.enter_context(distributed.Client(target, timeout=_PATIENCE, set_as_default=False))
        except (OSError, TimeoutError, ValueError) as error:
            raise InvalidInput(
                "`--scheduler` must be the address of a running Dask scheduler",
                f"{scheduler!r}: {error}",
                "Start one with `dask scheduler`, and workers with `dask worker ADDRESS --nthreads 1`.",
            ) from None
        yield from _outcomes(client, tasks, folder)


def _outcomes(client: Any, tasks: Sequence[RunTask], folder: str) -> Iterator[Outcome | None]:
    store = Store(folder)
    waiting = {
        client.submit(execute, task, folder, key=f"swapregret-{task.info.id}", pure=False, retries=2): task.info.id
        for task in tasks
    }
    while waiting:
        time.sleep(TICK)
        for future in [each for each in waiting if each.done()]:
            run = waiting.pop(future)
            yield _outcome(future, run, store)
            future.release()
        yield None


def _outcome(future: Any, run: str, store: Store) -> Outcome:
    """Return what became of a run, or of the workers that tried to make it."""
    error = future.exception()
    if error is not None:
        sentence = f"{type(error).__name__}: {error}"
        store.put_failure(run, {"error": sentence, "traceback": ""})
        return Outcome(run, 0.0, sentence, "")
    outcome: Outcome = future.result()
    if outcome.error is None and not store.is_finished(run):
        store.put_failure(run, {"error": _UNSEEN, "traceback": ""})
        return Outcome(run, outcome.seconds, _UNSEEN, "")
    return outcome


def _distributed() -> Any:
    need("distributed", "run on a cluster")
    return importlib.import_module("distributed")
