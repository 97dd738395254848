"""What was played, in one form: windows of days, the weights of the slots in them, and the policies that were in the slots.

Whoever measures a run reads its tape: ledgers, bounds, windows, certificates. Slot s held policy e from window ``begins[e]`` on,
until the next policy in that slot. The last slot is the exploration policy, which is not written down.
"""

from typing import Any, NamedTuple

import numpy as np

from swapregret.arrays import Floats, Integers, Words


class Tape(NamedTuple):
    """Room for windows, policies and actions; S slots, d elements."""

    # (1,) the day of the run the tape begins with, and how much is on it
    first_day: Integers
    n_windows: Integers
    n_policies: Integers
    n_atoms: Integers
    n_words: Integers
    longest: Integers  # (1,) how many actions a policy may have
    is_full: Integers  # (1,) whether there may be no room for another window
    stops: Integers  # window t ends before day ``stops[t]`` of the tape
    shares: Floats  # (windows, S)
    slots: Integers  # where each policy was
    begins: Integers  # from which window on; −1 for one that goes on from the tape before
    starts: Integers  # policy e has the chances ``starts[e]`` up to ``starts[e + 1]``; none if it is not kept as a list
    # its actions are the words from ``places[e]`` on; a policy with the actions of the one before it shares its words
    places: Integers
    marginals: Floats  # (policies, d) E[M]
    exponents: Floats  # (policies, d) the logarithm of the point; of a Gibbs policy its exponents
    words: Words
    chances: Floats


def empty_tape(n_windows: int, n_slots: int, n_policies: int, n_atoms: int, dimension: int) -> Tape:
    """Return a tape with nothing on it; one without room for windows is never written to."""
    numbers: Any = [np.zeros(1, dtype=np.int64) for _ in range(7)]
    rest: Any = (
        np.empty(n_windows, dtype=np.int64),
        np.empty((n_windows, n_slots)),
        np.empty(n_policies, dtype=np.int64),
        np.empty(n_policies, dtype=np.int64),
        np.zeros(n_policies + 1, dtype=np.int64),
        np.empty(n_policies, dtype=np.int64),
        np.empty((n_policies, dimension)),
        np.empty((n_policies, dimension)),
        np.empty((n_atoms, (dimension + 63) // 64), dtype=np.uint64),
        np.empty(n_atoms),
    )
    return Tape(*numbers, *rest)
