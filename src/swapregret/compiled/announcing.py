"""Saying that kernels are being compiled, while they are: a line when it begins, a line when it ends, and how far it has come.

Numba tells when it compiles a function (``numba.core.event``). What is loaded from the disk is not announced, nor what takes less
than a second. On terminals and in notebooks a line counts what is compiled; elsewhere the two lines are warnings of the logger
``swapregret.compiled``, so that a program that stands still for a minute says why, whatever it does about logging.
"""

import atexit
import logging
import sys
import time
from multiprocessing import parent_process
from threading import Event, Lock, Thread

from swapregret.compiled.kernel import Numba, load_numba

_log = logging.getLogger("swapregret.compiled")
_PATIENCE, _EVERY = 1.0, 0.25
_events: Numba = load_numba("numba.core.event").core.event


class Announcer(_events.Listener):  # type: ignore[misc]
    """Counts the kernels that are compiled in this process, and announces them."""

    def __init__(self) -> None:
        self.n_done = 0
        self.is_shown_elsewhere = False
        self._n_open, self._last, self._lock, self._ends = 0, 0.0, Lock(), Event()
        self._watcher: Thread | None = None
        atexit.register(self.finish)

    def on_start(self, event: Numba) -> None:
        """Note that Numba begins to compile something, a kernel or not."""
        if getattr(event.data["dispatcher"], "is_kernel", False):
            with self._lock:
                self._n_open += 1
                if self._watcher is None:
                    self._ends.clear()
                    self._watcher = Thread(target=self._watch, args=(self.n_done,), daemon=True)
                    self._watcher.start()

    def on_end(self, event: Numba) -> None:
        """Note that it has."""
        if getattr(event.data["dispatcher"], "is_kernel", False):
            with self._lock:
                self._n_open, self._last = self._n_open - 1, time.monotonic()
                self.n_done += 1

    def finish(self) -> None:
        """Have the last line said now."""
        watcher = self._watcher
        if watcher is not None:
            self._ends.set()
            watcher.join()

    def _watch(self, n_before: int) -> None:
        began, is_told, line = time.monotonic(), False, ""
        has_bar = not self.is_shown_elsewhere and parent_process() is None and _is_seen()
        level = logging.INFO if has_bar or self.is_shown_elsewhere or parent_process() else logging.WARNING
        while True:
            is_last, now = self._ends.wait(_EVERY), time.monotonic()
            if not is_told and now - began > _PATIENCE and self._n_open:
                _log.log(level, "compiling, once on this machine: this can take a minute")
                is_told = True
            if is_told and has_bar:
                line = f"Compiling, once: {self.n_done - n_before} functions in {now - began:.0f} s"
                sys.stderr.write(f"\r{line}")
                sys.stderr.flush()
            with self._lock:
                if is_last or (self._n_open == 0 and now - self._last > _PATIENCE):
                    self._watcher = None
                    break
        if line:
            sys.stderr.write("\r" + " " * len(line) + "\r")
            sys.stderr.flush()
        if is_told:
            _log.log(level, "%d functions compiled in %.0f s", self.n_done - n_before, self._last - began)


def _is_seen() -> bool:
    """Tell whether somebody sees a line that changes: on a terminal, or in a notebook."""
    return "ipykernel" in sys.modules or (sys.stderr is not None and sys.stderr.isatty())


announcer = Announcer()
_events.register("numba:compile", announcer)
