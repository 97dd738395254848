"""Actions as bits, and lists of them: element i is bit i mod 64 of word i div 64."""

import numpy as np

from swapregret.arrays import Floats, Integers, Words
from swapregret.compiled.kernel import kernel

UNIT = 2**44
"""One, in fixed point: sums of such numbers are exact."""
_ONE, _ZERO, _LOW = np.uint64(1), np.uint64(0), np.uint64(63)
_TOP = np.uint64(58)
_DE_BRUIJN = np.uint64(0x03F79D71B4CB0A89)
_PLACES = np.zeros(64, dtype=np.int64)
_PLACES[[((1 << i) * 0x03F79D71B4CB0A89 & (2**64 - 1)) >> 58 for i in range(64)]] = np.arange(64)
_ODD = np.uint64(0x9E3779B97F4A7C15)
_FACTOR = np.uint64(0xBF58476D1CE4E5B9)
_HALF, _TAIL = np.uint64(32), np.uint64(29)


@kernel
def lowest_bit(word: np.uint64) -> int:
    """Return the position of the lowest bit that is set, by a de Bruijn sequence."""
    return int(_PLACES[((word & (~word + _ONE)) * _DE_BRUIJN) >> _TOP])


@kernel
def elements_of(row: Words, elements: Integers) -> int:
    """Write the elements of a packed action into an array, in order; return how many there are."""
    count = 0
    for w in range(row.size):
        word = row[w]
        while word != _ZERO:
            elements[count] = 64 * w + lowest_bit(word)
            count += 1
            word &= word - _ONE
    return count


@kernel
def sum_chosen(vector: Floats, row: Words, elements: Integers) -> float:
    """Return vector · M for one packed action; ``elements`` is room for its elements."""
    total = 0.0
    for j in range(elements_of(row, elements)):
        total += vector[elements[j]]
    return total


@kernel
def unpack(row: Words, dimension: int) -> Integers:
    """Return a packed action as zeros and ones."""
    action = np.empty(dimension, dtype=np.int64)
    for i in range(dimension):
        action[i] = np.int64((row[i >> 6] >> np.uint64(i & 63)) & _ONE)
    return action


@kernel
def set_bit(line: Words, element: int) -> None:
    """Choose an element of a packed action."""
    line[element >> 6] |= _ONE << np.uint64(element & 63)


@kernel
def clear_bit(line: Words, element: int) -> None:
    """Leave out an element of a packed action."""
    line[element >> 6] &= ~(_ONE << np.uint64(element & 63))


@kernel
def pack_action(action: Integers, row: Words) -> None:
    """Write an action of zeros and ones into a row of words."""
    for w in range(row.size):
        row[w] = _ZERO
    for i in range(action.size):
        row[i >> 6] |= np.uint64(action[i]) << np.uint64(i & 63)


@kernel
def pack_rows(actions: Integers) -> Words:
    """Pack 0/1 rows into words."""
    n, d = actions.shape
    words = np.empty((n, (d + 63) // 64), dtype=np.uint64)
    for row in range(n):
        pack_action(actions[row], words[row])
    return words


@kernel
def unpack_rows(words: Words, dimension: int) -> Integers:
    """Undo :func:`pack_rows`."""
    n = words.shape[0]
    actions, elements = np.zeros((n, dimension), dtype=np.int64), np.empty(dimension, dtype=np.int64)
    for row in range(n):
        for e in range(elements_of(words[row], elements)):
            actions[row, elements[e]] = 1
    return actions


@kernel
def hash_row(row: Words) -> int:
    """Return a well-mixed 63-bit hash of a packed action."""
    state = _ODD
    for w in range(row.size):
        state = (state ^ row[w]) * _FACTOR
        state ^= state >> _HALF
        state *= _ODD
        state ^= state >> _TAIL
    return int(np.int64(state >> _ONE))


@kernel
def is_same_row(one: Words, other: Words) -> bool:
    """Tell whether two packed actions are equal."""
    for w in range(one.size):  # noqa: SIM110 (compiled code has no generators)
        if one[w] != other[w]:
            return False
    return True


@kernel
def merge_rows(words: Words, chances: Floats) -> int:
    """Merge equal actions of a list in place, adding up their chances; return how many are left, in the order they are met."""
    n = chances.size
    n_slots = 16
    while n_slots < 2 * n:
        n_slots *= 2
    slots = np.zeros(n_slots, dtype=np.int64)
    mask = n_slots - 1
    count = 0
    for a in range(n):
        if chances[a] == 0.0:
            continue
        row = words[a]
        at = hash_row(row) & mask
        while slots[at] != 0 and not is_same_row(words[slots[at] - 1], row):
            at = (at + 1) & mask
        if slots[at] != 0:
            chances[slots[at] - 1] += chances[a]
            continue
        if count != a:
            kept = words[count]
            for w in range(row.size):
                kept[w] = row[w]
            chances[count] = chances[a]
        count += 1
        slots[at] = count
    return count


_GRID = 2**52


@kernel
def grid_weights(weights: Floats) -> Floats:
    """Round weights that add up to 1 to multiples of 2⁻⁵² that do so exactly (``policy.on_grid``)."""
    n = weights.size
    units = np.empty(n, dtype=np.int64)
    missing = np.int64(_GRID)
    largest = 0
    for i in range(n):
        units[i] = np.int64(np.floor(weights[i] * _GRID))
        missing -= units[i]
        if units[i] > units[largest]:
            largest = i
    units[largest] += missing
    result = np.empty(n)
    for i in range(n):
        result[i] = units[i] / _GRID
    return result


@kernel
def merge_policy(words: Words, weights: Floats) -> tuple[Words, Floats]:
    """Return the different actions of a list, in the order they are met, and the sums of their weights.

    Weights, which add up to 1 within rounding, come back as multiples of 2⁻⁵² that do so exactly, those that are 0 left out.
    """
    merged, sums = words.copy(), weights.copy()
    count = merge_rows(merged, sums)
    rounded = grid_weights(sums[:count])
    n_kept = 0
    for index in range(count):
        if rounded[index] > 0.0:
            merged[n_kept] = merged[index]
            rounded[n_kept] = rounded[index]
            n_kept += 1
    return merged[:n_kept].copy(), rounded[:n_kept].copy()
