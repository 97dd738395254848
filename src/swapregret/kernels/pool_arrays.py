"""The state of the adaptive master on m-sets as arrays, and its hash table of actions.

An action of at most 63 elements is one word, element i as bit i. Tables use open addressing with the word itself as key;
the empty set is never an action, so 0 marks a free place.

May touch: ``kernels.compile``.
"""

from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from swapregret.compiled.kernel import kernel

__all__ = [
    "ActionTable",
    "LawTape",
    "PoolArrays",
    "PoolConfig",
    "empty_table",
    "empty_tape",
    "has_bit",
    "place_of",
    "thin_table",
]

Floats = npt.NDArray[np.float64]
Integers = npt.NDArray[np.int64]
Words = npt.NDArray[np.uint64]
Word = np.uint64

_ODD = np.uint64(0x9E3779B97F4A7C15)
_SHIFT = np.uint64(20)
_ONE = np.uint64(1)
_ZERO = np.uint64(0)


class ActionTable(NamedTuple):
    """Vectors by action: ``keys`` (room,), ``values`` (room, d), ``squares`` (room,), ``n_used`` (1,)."""

    keys: Words
    values: Floats
    squares: Floats
    n_used: Integers


class PoolConfig(NamedTuple):
    """What does not change during a run.

    ``windows`` and ``orders`` as of the schedule and the set; ``retention[g]``, ``rates[g]`` and
    ``update_every[g]`` (base windows) of each member, cold
    scales first, then the steady learner and uniform play; ``switches`` are (filter, pooling, learned weights, guard).
    """

    size: int
    feedback: int
    exploration: float
    floor: float
    diameter: float
    predictor_step: float
    prior: float
    standard_errors: float
    weight_step: float
    weight_spread: float
    budget: float
    width: float
    threshold: float
    windows: Integers
    orders: Integers
    retention: Floats
    rates: Floats
    update_every: Integers
    switches: Integers
    first_point: Floats
    first_log: Floats


class PoolArrays(NamedTuple):
    """What changes. G members, K cold scales, A atoms at most a law, d elements.

    ``clock`` (day, offset, windows seen, tripped, calm); ``numbers`` (typical, noise, earned, split, estimate, noise in calm);
    ``points``, ``scores`` (G, d) and ``spreads`` (G, 3: variation, memory sum, memory count); ``aggregates`` (G, d);
    ``recommended``, ``played`` words (G, A) with ``chances`` (G, A) and ``n_atoms`` (G), 0 for members without a law;
    ``recommended_pairs``, ``played_pairs`` (G, d, d); the weights ``gain_scores``, ``transition`` (G, G), ``gain_spreads``,
    ``law`` (G); ``seen``, ``adaptive`` (G, d), ``counts`` (G, 2); ``pair_values`` (d, d, d), ``pair_counts``, ``pair_squares``;
    ``prediction``, ``running``, ``total`` (d); ``shares``, ``cumulative`` (G + K + 1) and the ``factor`` of Σ (d, d).
    """

    clock: Integers
    numbers: Floats
    points: Floats
    scores: Floats
    spreads: Floats
    aggregates: Floats
    recommended: Words
    played: Words
    chances: Floats
    n_atoms: Integers
    recommended_pairs: Floats
    played_pairs: Floats
    gain_scores: Floats
    gain_spreads: Floats
    transition: Floats
    law: Floats
    seen: Floats
    adaptive: Floats
    counts: Floats
    pair_values: Floats
    pair_counts: Floats
    pair_squares: Floats
    prediction: Floats
    running: Floats
    total: Floats
    shares: Floats
    cumulative: Floats
    factor: Floats


class LawTape(NamedTuple):
    """What was played in a block of days, for whoever measures it. Room for E laws and W windows; C = G + K + 1 components.

    Window t of the block ends before day ``stops[t]`` and was played with ``shares[t]`` (C). Law e was component
    ``places[e, 1]`` up to and with window ``places[e, 0]``: ``words``, ``chances`` (E, A), ``counts`` (E) of its sets.
    ``filled`` is (laws, windows); a tape without room (W = 0) is not written to.
    """

    places: Integers
    words: Words
    chances: Floats
    counts: Integers
    stops: Integers
    shares: Floats
    filled: Integers


def empty_tape(n_laws: int, n_windows: int, n_atoms: int, n_components: int) -> LawTape:
    """Return a tape with room for so many laws and windows."""
    return LawTape(
        np.zeros((n_laws, 2), dtype=np.int64),
        np.zeros((n_laws, n_atoms), dtype=np.uint64),
        np.zeros((n_laws, n_atoms)),
        np.zeros(n_laws, dtype=np.int64),
        np.zeros(n_windows, dtype=np.int64),
        np.zeros((n_windows, n_components)),
        np.zeros(2, dtype=np.int64),
    )


@kernel
def has_bit(word: Word, index: int) -> bool:
    """Tell whether an element is chosen."""
    return bool((word >> np.uint64(index)) & _ONE != _ZERO)


def empty_table(room: int, dimension: int) -> ActionTable:
    """Return a table with a power of two of places."""
    return ActionTable(
        np.zeros(room, dtype=np.uint64), np.zeros((room, dimension)), np.zeros(room), np.zeros(1, dtype=np.int64)
    )


@kernel
def place_of(keys: Words, word: Word) -> int:
    """Return where an action is, or where it would go."""
    mask = keys.size - 1
    place = np.int64((word * _ODD) >> _SHIFT) & mask
    while keys[place] != _ZERO and keys[place] != word:
        place = (place + 1) & mask
    return int(place)


@kernel
def thin_table(keys: Words, values: Floats, squares: Floats, count: Integers) -> None:
    """Keep the half with the largest squares: the actions about which most is known."""
    used = np.flatnonzero(keys)
    order = used[np.argsort(-squares[used], kind="mergesort")]
    kept = order[: used.size // 2]
    kept_keys, kept_values, kept_squares = keys[kept], values[kept], squares[kept]
    keys[:] = _ZERO
    values[:] = 0.0
    squares[:] = 0.0
    for index in range(kept.size):
        place = place_of(keys, kept_keys[index])
        keys[place] = kept_keys[index]
        values[place] = kept_values[index]
        squares[place] = kept_squares[index]
    count[0] = kept.size
