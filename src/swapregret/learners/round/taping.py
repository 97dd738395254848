"""Writing down what is played, as compiled code goes along."""

from typing import Any

from swapregret.actions.family import show_law
from swapregret.arrays import Floats, Integers, Words
from swapregret.compiled.kernel import kernel
from swapregret.policy.tape import Tape


@kernel
def tape_window(tally: Any, mix: Any, tape: Tape) -> None:
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
def write_law(tape: Tape, slot: int, begin: int, words: Words, chances: Floats, marginals: Floats, log: Floats) -> None:
    """Write down a policy; its actions only if they are not those of the policy before it."""
    e, first, n = tape.n_laws[0], tape.n_atoms[0], chances.size
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
    tape.n_laws[0] = e + 1
    tape.n_atoms[0] = first + n


@kernel
def tape_laws(family: Any, rule: Any, laws: Any, logs: Floats, is_new: Integers, tape: Tape) -> None:
    """Write down the policies that are new, from the next window on; slots beyond the learners hold the first policy."""
    n_slots = is_new.size
    for s in range(n_slots - 1):
        if is_new[s]:
            is_new[s] = 0
            words, chances = show_law(family, laws, s)
            log = logs[s] if s < len(logs) else rule.first_log
            write_law(tape, s, tape.n_windows[0], words, chances, laws.marginals[s], log)
    has_windows = tape.n_windows[0] + 2 <= tape.stops.size
    has_laws = tape.n_laws[0] + n_slots <= tape.slots.size
    has_atoms = tape.n_atoms[0] + n_slots * tape.longest[0] <= tape.chances.size
    tape.is_full[0] = 0 if has_windows and has_laws and has_atoms else 1


@kernel
def begin_tape(family: Any, rule: Any, state: Any, tape: Tape) -> None:
    """Begin a tape with the policies in all slots: one without weight now may have some later, and be the same."""
    laws, is_new, logs = state.laws, state.mix.is_new, state.learners.log_points
    tape.first_day[0] = state.tally.day[0]
    tape.n_windows[0] = 0
    tape.n_laws[0] = 0
    tape.n_atoms[0] = 0
    tape.n_words[0] = 0
    tape.is_full[0] = 0
    for s in range(is_new.size - 1):
        words, chances = show_law(family, laws, s)
        begin = 0 if is_new[s] else -1
        log = logs[s] if s < len(logs) else rule.first_log
        write_law(tape, s, begin, words, chances, laws.marginals[s], log)
        is_new[s] = 0
