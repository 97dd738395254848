"""What people see while inner loops are compiled: how many are done, how many are to come, the time left."""

import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from threading import Event, Thread

from rich.progress import BarColumn, Progress, TimeElapsedColumn, TimeRemainingColumn

from swapregret.cli.console import Words, status_console

__all__ = ["watch_compiling"]

_EVERY = 0.25


def _compiled() -> set[str]:
    from swapregret.compiled.kernel import cache_folder

    return {str(path) for path in cache_folder().parent.rglob("*.nbc")}


@contextmanager
def watch_compiling(expected: int | None = None) -> Iterator[Callable[[], int]]:
    """Show how many functions were compiled since, by any process, until the block ends; yield what counts them.

    Parameters
    ----------
    expected : int, optional
        About how many there will be, for the time left.
    """
    before, is_over, began = _compiled(), Event(), time.perf_counter()
    said = f"about {expected} functions" if expected is not None else "a minute or more the first time"
    bar = Progress(
        Words(),
        BarColumn(bar_width=20),
        Words("count"),
        TimeElapsedColumn(),
        TimeRemainingColumn(),
        console=status_console,
        disable=not status_console.is_terminal,
        transient=True,
    )

    def n_new() -> int:
        return len(_compiled() - before)

    def show() -> None:
        while not is_over.wait(_EVERY):
            done = n_new()
            total = None if expected is None else max(expected, done + 1)
            of = "" if total is None else f" of about {total}"
            bar.update(task, completed=done, total=total, count=f"{done}{of} functions")

    if not status_console.is_terminal:
        status_console.print(f"Compiling the inner loops, where that was not done before ({said}) ...", style="dim")
    with bar:
        task = bar.add_task("Compiling, once", total=expected, count="")
        watcher = Thread(target=show, daemon=True)
        watcher.start()
        try:
            yield n_new
        finally:
            is_over.set()
            watcher.join()
    seconds = time.perf_counter() - began
    status_console.print(f"{n_new()} functions compiled in {seconds:.0f} s.", style="dim")
