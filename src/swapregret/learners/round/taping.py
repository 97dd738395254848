"""The tape of what is played: written by compiled code as it goes along, read by Python when it is full."""

from collections.abc import Callable
from typing import TYPE_CHECKING

import numpy as np

from swapregret.actions.family import Family
from swapregret.actions.policy_slots import show_policy
from swapregret.arrays import Floats, Integers, Words
from swapregret.compiled.kernel import kernel
from swapregret.learners.round.day import Mix, State, Tally
from swapregret.learners.round.scale import Rule
from swapregret.policy.tape import Tape, empty_tape

if TYPE_CHECKING:
    from swapregret.learners.round.running import Running

_TAPED = 2**15
_POLICIES, _ATOMS = 2**12, 2**19


@kernel
def tape_window(tally: Tally, mix: Mix, tape: Tape) -> None:
    """Write down that a window ends here, unless it has no days, and with which weights it was played."""
    t = tape.n_windows[0]
    stop = tally.day[0] - tape.first_day[0]
    if stop == (tape.stops[t - 1] if t else 0):
        return
    tape.stops[t] = stop
    shares, weights = tape.shares[t], mix.weights
    for s in range(weights.size):
        shares[s] = weights[s]
    tape.n_windows[0] = t + 1


@kernel
def write_policy(
    tape: Tape, slot: int, begin: int, words: Words, chances: Floats, marginals: Floats, log: Floats
) -> None:
    """Write down a policy; its actions only if they are not those of the policy before it."""
    e, first, n = tape.n_policies[0], tape.n_atoms[0], chances.size
    place = tape.places[e - 1] if e and first - tape.starts[e - 1] == n else tape.n_words[0]
    kept, width = tape.words, words.shape[1]
    is_same = place < tape.n_words[0]
    for a in range(n if is_same else 0):
        for w in range(width):
            is_same = is_same and kept[place + a, w] == words[a, w]
        if not is_same:
            break
    if not is_same:
        place = tape.n_words[0]
        tape.n_words[0] += n
        for a in range(n):
            for w in range(width):
                kept[place + a, w] = words[a, w]
    tape.places[e] = place
    tape.slots[e] = slot
    tape.begins[e] = begin
    tape.starts[e + 1] = first + n
    for i in range(marginals.size):
        tape.marginals[e, i] = marginals[i]
        tape.exponents[e, i] = log[i]
    for a in range(n):
        tape.chances[first + a] = chances[a]
    tape.n_policies[0] = e + 1
    tape.n_atoms[0] = first + n


@kernel
def tape_policies(family: Family, rule: Rule, state: State, tape: Tape, are_all: bool) -> None:
    """Write down the policies that are new, from the next window on, or all; slots beyond the learners hold the first policy."""
    is_new, logs = state.mix.is_new, state.learners.log_points
    n_slots = is_new.size
    for s in range(n_slots - 1):
        if is_new[s] or are_all:
            words, chances = show_policy(family, state.policies, s)
            log = logs[s] if s < len(logs) else rule.first_log
            begin = tape.n_windows[0] if is_new[s] else -1
            write_policy(tape, s, begin, words, chances, state.policies.marginals[s], log)
            is_new[s] = 0
    has_windows = tape.n_windows[0] + 2 <= tape.stops.size
    has_policies = tape.n_policies[0] + n_slots <= tape.slots.size
    has_atoms = tape.n_atoms[0] + n_slots * tape.longest[0] <= tape.chances.size
    tape.is_full[0] = 0 if has_windows and has_policies and has_atoms else 1


@kernel
def begin_tape(family: Family, rule: Rule, state: State, tape: Tape) -> None:
    """Begin a tape with the policies in all slots: one without weight now may have some later, and be the same."""
    tape.first_day[0] = state.tally.day[0]
    tape.n_windows[0] = 0
    tape.n_policies[0] = 0
    tape.n_atoms[0] = 0
    tape.n_words[0] = 0
    tape_policies(family, rule, state, tape, True)


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
        running: "Running",
        rng: np.random.Generator,
        n_days: int,
        read: Callable[[Tape, int, int], None] | None,
        is_full: Integers | None = None,
    ) -> None:
        self._running, self._rng, self._read, self._is_full, self._begun = running, rng, read, is_full, 0
        self._open(n_days)

    def _open(self, n_days: int) -> None:
        self._tape = None if self._read is None else _tape_for(self._running, n_days)
        if self._tape is not None and self._is_full is not None:
            self._tape = self._tape._replace(is_full=self._is_full)
        self.handle = self._running.open(self._rng, self._tape)
        if self._tape is not None:
            self._running.do.start_tape(self.handle)

    def go_on(self, day: int) -> None:
        """Go on after windows have ended: on the same tape, or on a new one."""
        has_changed = self._running.handle(self._rng) is not self.handle  # lists have become longer
        if self._read is not None and self._tape is not None and (has_changed or self._tape.is_full[0]):
            self._read(self._tape, self._begun, day)
            self._begun = day
            if not has_changed:
                self._running.do.start_tape(self.handle)
        if has_changed:
            self._open(_TAPED)

    def stop(self, day: int) -> None:
        """Have what is on the tape read."""
        if self._read is not None and self._tape is not None and self._begun < day:
            self._running.do.stop_tape(self.handle)
            self._read(self._tape, self._begun, day)


def _tape_for(running: "Running", n_days: int) -> Tape:
    """Return a tape for so many days, or as many as fit into some megabytes."""
    state, d = running.state, running.family.common.dimension
    n_slots = state.mix.weights.size
    n_windows = n_days // int(running.rule.windows[0]) + 3
    n_policies = min(n_windows * n_slots, _POLICIES) + 2 * n_slots
    longest = state.policies.chances.shape[1]
    n_atoms = min(n_policies * longest, max(_ATOMS // ((d + 63) // 64), 4 * n_slots * longest))
    tape = empty_tape(n_windows, n_slots, n_policies, n_atoms, d)
    tape.longest[0] = longest
    return tape
