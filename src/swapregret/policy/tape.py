"""What was played, in one form: windows of days, the weights of the slots in them, and the policies that were in the slots.

Whoever measures a run reads its tape: ledgers, bounds, windows, certificates. Slot s held policy e from window ``begins[e]`` on,
until the next policy in that slot. The last slot is the exploration policy, which is not written down.
"""

from typing import Any, NamedTuple

import numpy as np

from swapregret.arrays import Floats, Integers, Words


class Tape(NamedTuple):
    """Room for windows, policies and actions; S slots, d elements.

    Attributes
    ----------
    first_day, n_windows, n_policies, n_atoms, n_words : int64 arrays, shape (1,)
        The day of the run the tape begins with, and how much is on it.
    longest, is_full : int64 arrays, shape (1,)
        How many actions a policy may have, and whether there may be no room for another window.
    stops : int64 array
        Window t ends before day ``stops[t]`` of the tape.
    shares : float64 array, shape (windows, S)
    slots, begins : int64 arrays
        Where each policy was, and from which window on; −1 for one that goes on from the tape before.
    starts : int64 array
        Policy e has the chances ``starts[e]`` up to ``starts[e + 1]``; none if it is not kept as a list.
    places : int64 array
        Its actions are the words from ``places[e]`` on; a policy with the actions of the one before it shares its words.
    marginals, exponents : float64 arrays, shape (policies, d)
        E[M], and the logarithm of the point; for a Gibbs policy, these are its exponents.
    words : uint64 array
    chances : float64 array
    """

    first_day: Integers
    n_windows: Integers
    n_policies: Integers
    n_atoms: Integers
    n_words: Integers
    longest: Integers
    is_full: Integers
    stops: Integers
    shares: Floats
    slots: Integers
    begins: Integers
    starts: Integers
    places: Integers
    marginals: Floats
    exponents: Floats
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
