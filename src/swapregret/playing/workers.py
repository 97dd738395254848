"""Running independent tasks side by side, in several processes or in threads of this one.

Processes are spawned, so nothing of the parent leaks into them and a result cannot depend on where it was computed.
Functions that another process cannot import (the levels of an environment, the oracle of a set) travel by value: their code,
and what they hold on to. Threads start at once and share what is loaded; they are for tasks that spend their time in compiled code,
which runs without the interpreter's lock.
"""

import pickle
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from itertools import starmap
from typing import Any, TypeVar

from swapregret.errors import InvalidInput

Result = TypeVar("Result")


def run_tasks(
    function: Callable[..., Result], tasks: Sequence[tuple[Any, ...]], n_jobs: int, *, threads: bool = False
) -> Iterator[Result]:
    """Yield ``function(*task)`` for each task, in order, computed by up to ``n_jobs`` processes or threads.

    With one job everything happens here, one task after another. For processes ``function`` must be defined at the top
    of a module.

    Examples
    --------
    >>> list(run_tasks(max, [(1, 2), (4, 3)], n_jobs=1))
    [2, 4]
    >>> list(run_tasks(max, [(1, 2), (4, 3)], n_jobs=2, threads=True))
    [2, 4]
    """
    n_workers = min(n_jobs, len(tasks))
    if n_workers <= 1:
        yield from starmap(function, tasks)
    elif threads:
        with ThreadPoolExecutor(n_workers) as pool:
            yield from pool.map(lambda task: function(*task), tasks)
    else:
        yield from _in_processes(function, tasks, n_workers)


def _in_processes(
    function: Callable[..., Result], tasks: Sequence[tuple[Any, ...]], n_workers: int
) -> Iterator[Result]:
    from concurrent.futures.process import BrokenProcessPool, ProcessPoolExecutor
    from multiprocessing import get_context

    payloads = [pickled((function, task)) for task in tasks]
    with ProcessPoolExecutor(n_workers, mp_context=get_context("spawn")) as pool:
        try:
            for is_done, value in map(pickle.loads, pool.map(run_pickled, payloads)):
                if not is_done:
                    raise value
                yield value
        except BrokenProcessPool:
            raise InvalidInput(
                "processes for `n_jobs` above 1 must be able to start and import the main script",
                "a process that died",
                'Guard the script with `if __name__ == "__main__":`, or use n_jobs=1.',
            ) from None


def run_pickled(payload: bytes) -> bytes:
    """Return whether a task went well, and its result or its error, both by value: their classes may be the main script's."""
    function, task = pickle.loads(payload)
    try:
        return pickled((True, function(*task)))
    except Exception as error:
        return pickled((False, error))


def pickled(value: object) -> bytes:
    """Write a value for another process, functions of one's own too."""
    from numba import cloudpickle  # a copy that comes with Numba: `make test-numba` sees to it

    try:
        data: bytes = cloudpickle.dumps(value)  # type: ignore[no-untyped-call]
    except (pickle.PicklingError, TypeError, AttributeError, ValueError) as error:
        raise InvalidInput(
            "what is sent to other processes must be data and functions", str(error), "Use n_jobs=1 for this one."
        ) from None
    return data
