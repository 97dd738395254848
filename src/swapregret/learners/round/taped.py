"""A master that is played and written down: through which handle, on which tape, and who reads it."""

from collections.abc import Callable
from typing import Any

import numpy as np
import numpy.typing as npt

from swapregret.policy.tape import Tape, empty_tape

_TAPED = 2**15
_LAWS, _ATOMS = 2**12, 2**19


class Taped:
    """Tapes one after the other, each read when it is full.

    Parameters
    ----------
    running : Running
    rng : Generator
    n_days : int
        How many days the first tape should last, if it does not become too long.
    read : callable, optional
        ``read(tape, first, last)`` is told of what was played on days first..last − 1, in order. Without it nothing is written.
    is_full : int64 array, shape (1,), optional
        Where tapes note that they are full.
    """

    def __init__(
        self,
        running: Any,
        rng: np.random.Generator,
        n_days: int,
        read: Callable[[Tape, int, int], None] | None,
        is_full: npt.NDArray[np.int64] | None = None,
    ) -> None:
        self._running, self._rng, self._read, self._is_full, self._begun = running, rng, read, is_full, 0
        self._open(n_days)

    def _open(self, n_days: int) -> None:
        self._tape = None if self._read is None else _tape_for(self._running, n_days)
        if self._tape is not None and self._is_full is not None:
            self._tape = self._tape._replace(is_full=self._is_full)
        self.handle = self._running.open(self._rng, self._tape)

    def go_on(self, day: int) -> None:
        """Go on after windows have ended: on the same tape, or on a new one."""
        has_changed = not self._running.is_open(self.handle)  # lists have become longer
        if self._read is not None and self._tape is not None and (has_changed or self._tape.is_full[0]):
            self._read(self._tape, self._begun, day)
            self._begun = day
            if not has_changed:
                self._running.start_tape()
        if has_changed:
            self._open(_TAPED)

    def stop(self, day: int) -> None:
        """Have what is on the tape read."""
        if self._read is not None and self._tape is not None and self._begun < day:
            self._running.stop_tape()
            self._read(self._tape, self._begun, day)


def _tape_for(running: Any, n_days: int) -> Tape:
    """Return a tape for so many days, or as many as fit into some megabytes."""
    state, d = running.state, running.family.common.dimension
    n_slots = state.mix.weights.size
    n_windows = n_days // int(running.rule.windows[0]) + 3
    n_laws = min(n_windows * n_slots, _LAWS) + 2 * n_slots
    chances = getattr(state.laws, "chances", None)
    longest = 0 if chances is None else chances.shape[1]
    n_atoms = min(n_laws * longest, max(_ATOMS // ((d + 63) // 64), 4 * n_slots * longest))
    tape = empty_tape(n_windows, n_slots, n_laws, n_atoms, d)
    tape.longest[0] = longest
    return tape
