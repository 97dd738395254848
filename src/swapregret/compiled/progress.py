"""How far compiling has come, for people who wait for it."""

import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager
from threading import Event, Thread

from swapregret.compiled.kernel import cache_folder

_PATIENCE, _EVERY = 1.0, 0.25


def compiled_files() -> set[str]:
    """Return the files that hold compiled code."""
    return {str(path) for path in cache_folder().parent.rglob("*.nbc")}


@contextmanager
def show_compiling() -> Iterator[None]:
    """Show on a terminal how many functions were compiled, if the block takes more than a second."""
    if not sys.stderr.isatty():
        yield
        return
    before, is_over, began = compiled_files(), Event(), time.perf_counter()

    def show() -> None:
        line = ""
        if not is_over.wait(_PATIENCE):
            while not is_over.wait(_EVERY):
                count, seconds = len(compiled_files() - before), time.perf_counter() - began
                line = f"Compiling, once: {count} functions in {seconds:.0f} s"
                sys.stderr.write(f"\r{line}")
                sys.stderr.flush()
        if line:
            sys.stderr.write("\r" + " " * len(line) + "\r")
            sys.stderr.flush()

    watcher = Thread(target=show, daemon=True)
    watcher.start()
    try:
        yield
    finally:
        is_over.set()
        watcher.join()
