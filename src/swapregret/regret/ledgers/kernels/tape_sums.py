"""Reading a tape: what the world paid while each policy was played, and its policies into the log of a ledger."""

import numpy as np

from swapregret.arrays import Floats
from swapregret.compiled.kernel import kernel
from swapregret.policy.tape import Tape
from swapregret.regret.ledgers.kernels.row_sums import PieceLog, append_law

__all__ = ["append_laws", "law_vectors"]


@kernel
def law_vectors(tape: Tape, rewards: Floats) -> tuple[Floats, Floats, Floats, Floats]:
    """Return Σ w_t R_t and Σ w_t of every policy of a tape, and last of exploration; Σ R_t; and the last policy of each slot.

    Row t of ``rewards`` is the reward vector of day t of the tape.
    """
    n_laws, n_windows = tape.n_laws[0], tape.n_windows[0]
    n_slots, d = tape.shares.shape[1], rewards.shape[1]
    vectors, days = np.zeros((n_laws + 1, d)), np.zeros(n_laws + 1)
    total, sums = np.zeros(d), np.empty(d)
    current = np.full(n_slots, -1.0)
    law, day = 0, 0
    for t in range(n_windows):
        while law < n_laws and tape.begins[law] <= t:
            current[tape.slots[law]] = law
            law += 1
        for i in range(d):
            sums[i] = 0.0
        first = day
        while day < tape.stops[t]:
            row = rewards[day]
            for i in range(d):
                sums[i] += row[i]
            day += 1
        for i in range(d):
            total[i] += sums[i]
        for s in range(n_slots):
            share = tape.shares[t, s]
            if share == 0.0:
                continue
            e = n_laws if s == n_slots - 1 else int(current[s])
            line = vectors[e]
            for i in range(d):
                line[i] += share * sums[i]
            days[e] += share * (day - first)
    while law < n_laws:  # what begins with the tape that comes next
        current[tape.slots[law]] = law
        law += 1
    return vectors, days, total, current


@kernel
def append_laws(log: PieceLog, tape: Tape, vectors: Floats, held: Floats, n_done: int) -> int:
    """Add policies ``n_done``.. with the rewards of their days to a log, until it may have no room for another.

    Returns the number of policies done. Policies that are no lists are passed over.
    """
    for e in range(n_done, tape.n_laws[0]):
        first, last, place = tape.starts[e], tape.starts[e + 1], tape.places[e]
        n = last - first
        if held[e] == 0.0 or n == 0:
            continue
        if log.counts[0] + n > log.at.size or log.counts[1] == log.vector_days.size:
            return e
        append_law(log, tape.words[place : place + n], tape.chances[first:last], vectors[e], held[e])
    return int(tape.n_laws[0])
