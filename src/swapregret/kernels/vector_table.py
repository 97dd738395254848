"""A table of vectors by action, for the adaptive master.

Rows are found by open addressing: ``slots`` holds row + 1, or 0 where it is empty; its length is a power of two, at least
twice the number of rows.

May touch: ``kernels.compile``.
"""

import numpy as np
import numpy.typing as npt

from swapregret.compiled.kernel import kernel

__all__ = [
    "add_to_rows",
    "find_rows",
    "keep_rows",
    "make_rows",
    "slot_of",
]

Floats = npt.NDArray[np.float64]
Integers = npt.NDArray[np.int64]
Words = npt.NDArray[np.uint64]

_ODD = np.uint64(0x9E3779B97F4A7C15)
_SHIFT = np.uint64(29)
_ONE = np.uint64(1)


@kernel
def slot_of(slots: Integers, keys: Words, line: Words) -> int:
    """Return the slot of a packed action, or the empty one where it would go."""
    state = _ODD
    for word in line:
        state = (state ^ word) * _ODD
        state ^= state >> _SHIFT
    mask = slots.size - 1
    place = np.int64(state >> _ONE) & mask
    while slots[place] != 0:
        other = keys[slots[place] - 1]
        is_same = True
        for w in range(line.size):
            if other[w] != line[w]:
                is_same = False
                break
        if is_same:
            break
        place = (place + 1) & mask
    return int(place)


@kernel
def find_rows(slots: Integers, keys: Words, words: Words) -> Integers:
    """Return the row of each packed action in the table, −1 where it has none."""
    rows = np.empty(words.shape[0], dtype=np.int64)
    for index in range(words.shape[0]):
        rows[index] = slots[slot_of(slots, keys, words[index])] - 1
    return rows


@kernel
def make_rows(slots: Integers, keys: Words, n_rows: int, words: Words) -> tuple[Integers, int]:
    """Return the row of each packed action, making those that are missing; room must be there."""
    rows = np.empty(words.shape[0], dtype=np.int64)
    for index in range(words.shape[0]):
        place = slot_of(slots, keys, words[index])
        if slots[place] == 0:
            keys[n_rows] = words[index]
            n_rows += 1
            slots[place] = n_rows
        rows[index] = slots[place] - 1
    return rows, n_rows


@kernel
def add_to_rows(
    slots: Integers,
    keys: Words,
    values: Floats,
    squares: Floats,
    n_rows: int,
    words: Words,
    weights: Floats,
    vector: Floats,
    square: float,
) -> int:
    """Add p·vector to the row of each atom and p²·square to its variance, making rows that are missing; room must be there.

    Returns the number of rows.
    """
    for index in range(words.shape[0]):
        place = slot_of(slots, keys, words[index])
        if slots[place] == 0:
            keys[n_rows] = words[index]
            n_rows += 1
            slots[place] = n_rows
        row = slots[place] - 1
        p = weights[index]
        line = values[row]
        for i in range(vector.size):
            line[i] += p * vector[i]
        squares[row] += p * p * square
    return n_rows


@kernel
def keep_rows(slots: Integers, keys: Words, values: Floats, squares: Floats, n_rows: int, kept: Integers) -> None:
    """Keep some of the rows, given in increasing order: they become the first ones, what follows is empty."""
    n, width = kept.size, keys.shape[1]
    for row in range(n):
        source = kept[row]
        if source != row:
            for w in range(width):
                keys[row, w] = keys[source, w]
            for i in range(values.shape[1]):
                values[row, i] = values[source, i]
            squares[row] = squares[source]
    keys[n:n_rows] = np.uint64(0)
    values[n:n_rows] = 0.0
    squares[n:n_rows] = 0.0
    slots[:] = 0
    for row in range(n):
        slots[slot_of(slots, keys, keys[row])] = row + 1
