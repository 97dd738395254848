"""Running independent tasks side by side, in several processes or in threads of this one.

Processes are spawned, so nothing of the parent leaks into them and a result cannot depend on where it was computed.
Functions defined inside others (the levels of an environment, the oracle of a set) travel by value: their code, and what
they hold on to. Threads start at once and share what is loaded; they are for tasks that spend their time in compiled code,
which runs without the interpreter's lock.
"""

import io
import marshal
import pickle
import sys
import types
from collections.abc import Callable, Iterator, Sequence
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
        for task in tasks:
            yield function(*task)
    elif threads:
        yield from _in_threads(function, tasks, n_workers)
    else:
        yield from _in_processes(function, tasks, n_workers)


def _in_threads(function: Callable[..., Result], tasks: Sequence[tuple[Any, ...]], n_workers: int) -> Iterator[Result]:
    from concurrent.futures import ThreadPoolExecutor

    pool = ThreadPoolExecutor(n_workers)
    try:
        waiting = [pool.submit(function, *task) for task in tasks]
        for future in waiting:
            yield future.result()
    finally:
        pool.shutdown(cancel_futures=True)


def _in_processes(
    function: Callable[..., Result], tasks: Sequence[tuple[Any, ...]], n_workers: int
) -> Iterator[Result]:
    import multiprocessing
    from concurrent.futures import ProcessPoolExecutor
    from concurrent.futures.process import BrokenProcessPool

    payloads = [_dumps((function, task)) for task in tasks]
    context = multiprocessing.get_context("spawn")
    with ProcessPoolExecutor(max_workers=n_workers, mp_context=context) as pool:
        try:
            yield from pool.map(_run, payloads)
        except BrokenProcessPool:
            raise InvalidInput(
                "processes for `n_jobs` above 1 must be able to start and import the main script",
                "a process that died",
                'Guard the script with `if __name__ == "__main__":`, or use n_jobs=1.',
            ) from None


def _run(payload: bytes) -> Any:
    function, task = pickle.loads(payload)
    return function(*task)


def _dumps(value: object) -> bytes:
    buffer = io.BytesIO()
    try:
        _Pickler(buffer, protocol=pickle.HIGHEST_PROTOCOL).dump(value)
    except (pickle.PicklingError, TypeError, AttributeError, ValueError) as error:
        raise InvalidInput(
            "what is sent to other processes must be data and functions", str(error), "Use n_jobs=1 for this one."
        ) from None
    return buffer.getvalue()


class _Pickler(pickle.Pickler):
    """Pickle, and write functions that no other process could import by value."""

    def reducer_override(self, obj: Any) -> Any:
        if not isinstance(obj, types.FunctionType) or _is_importable(obj):
            return NotImplemented
        cells = obj.__closure__ or ()
        made = (marshal.dumps(obj.__code__), obj.__module__, obj.__name__, len(cells))
        state = (obj.__defaults__, obj.__kwdefaults__, tuple(cell.cell_contents for cell in cells))
        return _make_function, made, state, None, None, _fill_function


def _is_importable(function: types.FunctionType) -> bool:
    found: Any = sys.modules.get(function.__module__)
    for part in function.__qualname__.split("."):
        found = getattr(found, part, None)
    return found is function


def _make_function(code: bytes, module: str, name: str, n_cells: int) -> types.FunctionType:
    """Make a function with empty cells; they are filled later, so that a function may refer to itself."""
    __import__(module)
    cells = tuple(types.CellType() for _ in range(n_cells))
    return types.FunctionType(marshal.loads(code), vars(sys.modules[module]), name, None, cells)


def _fill_function(function: types.FunctionType, state: tuple[Any, ...]) -> None:
    function.__defaults__, function.__kwdefaults__, contents = state
    for cell, value in zip(function.__closure__ or (), contents, strict=True):
        cell.cell_contents = value
