"""Laws over packed actions: merging, moments, draws. Element i of an action is bit i mod 64 of its word i div 64.

May touch: ``kernels.compile``, ``kernels.master_steps``.
"""

import numpy as np
import numpy.typing as npt

from swapregret.compiled.kernel import kernel
from swapregret.kernels.exploration import grid_weights

__all__ = ["elements_of_row", "merge_law", "packed_marginals", "packed_moment", "packed_pairs", "unpack_action"]

Floats = npt.NDArray[np.float64]
Integers = npt.NDArray[np.int64]
Words = npt.NDArray[np.uint64]

_ONE = np.uint64(1)
_ZERO = np.uint64(0)
_TOP = np.uint64(58)
_DE_BRUIJN = np.uint64(0x03F79D71B4CB0A89)
_PLACES = np.zeros(64, dtype=np.int64)
_PLACES[[((1 << i) * 0x03F79D71B4CB0A89 & (2**64 - 1)) >> 58 for i in range(64)]] = np.arange(64)
_ODD = np.uint64(0x9E3779B97F4A7C15)
_SHIFT = np.uint64(29)


@kernel
def unpack_action(words: Words, row: int, action: Integers) -> None:
    """Write one packed action as zeros and ones."""
    for i in range(action.size):
        action[i] = np.int64((words[row, i >> 6] >> np.uint64(i & 63)) & _ONE)


@kernel
def elements_of_row(words: Words, row: int, elements: Integers) -> int:
    """Write the elements of one packed action into an array, in order; return how many there are.

    The lowest bit that is set is found by a de Bruijn sequence.
    """
    count = 0
    for w in range(words.shape[1]):
        word = words[row, w]
        while word != _ZERO:
            rest = word & (word - _ONE)
            elements[count] = 64 * w + _PLACES[((word ^ rest) * _DE_BRUIJN) >> _TOP]
            count += 1
            word = rest
    return count


@kernel
def merge_law(words: Words, weights: Floats) -> tuple[Words, Floats]:
    """Return the different actions of a list, in the order they are met, and the sums of their weights.

    Weights, which add up to 1 within rounding, come back as multiples of 2⁻⁵² that do so exactly, those that are 0 left out.
    """
    n, width = words.shape
    n_slots = 16
    while n_slots < 2 * n:
        n_slots *= 2
    slots = np.zeros(n_slots, dtype=np.int64)
    mask = n_slots - 1
    merged, sums = np.empty((n, width), dtype=np.uint64), np.empty(n)
    count = 0
    for index in range(n):
        line = words[index]
        state = _ODD
        for w in range(width):
            state = (state ^ line[w]) * _ODD
            state ^= state >> _SHIFT
        place = np.int64(state >> _ONE) & mask
        while slots[place] != 0:
            other = merged[slots[place] - 1]
            is_same = True
            for w in range(width):
                if other[w] != line[w]:
                    is_same = False
                    break
            if is_same:
                break
            place = (place + 1) & mask
        if slots[place] == 0:
            merged[count] = line
            sums[count] = weights[index]
            count += 1
            slots[place] = count
        else:
            sums[slots[place] - 1] += weights[index]
    rounded = grid_weights(sums[:count])
    n_kept = 0
    for index in range(count):
        if rounded[index] > 0.0:
            merged[n_kept] = merged[index]
            rounded[n_kept] = rounded[index]
            n_kept += 1
    return merged[:n_kept].copy(), rounded[:n_kept].copy()


@kernel
def packed_pairs(words: Words, weights: Floats, places: Integers, rank: int) -> Floats:
    """Return Σ_a w_a M_a M_aᵀ on some coordinates: ``places[i]`` is the row of element i in it, or −1."""
    pairs = np.zeros((rank, rank))
    elements = np.empty(places.size, dtype=np.int64)
    for row in range(words.shape[0]):
        weight = weights[row]
        count = 0
        for a in range(elements_of_row(words, row, elements)):
            place = places[elements[a]]
            if place >= 0:
                elements[count] = place
                count += 1
        for a in range(count):
            line = pairs[elements[a]]
            for b in range(count):
                line[elements[b]] += weight
    return pairs


@kernel
def packed_marginals(words: Words, weights: Floats, dimension: int) -> Floats:
    """Return Σ_a w_a M_a."""
    total = np.zeros(dimension)
    elements = np.empty(dimension, dtype=np.int64)
    for row in range(words.shape[0]):
        for a in range(elements_of_row(words, row, elements)):
            total[elements[a]] += weights[row]
    return total


@kernel
def packed_moment(words: Words, weights: Floats, vector: Floats) -> Floats:
    """Return Σ_a w_a M_a (M_a · v)."""
    total = np.zeros(vector.size)
    elements = np.empty(vector.size, dtype=np.int64)
    for row in range(words.shape[0]):
        count = elements_of_row(words, row, elements)
        value = 0.0
        for a in range(count):
            value += vector[elements[a]]
        value *= weights[row]
        for a in range(count):
            total[elements[a]] += value
    return total
