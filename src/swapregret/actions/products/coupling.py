"""Two lists of actions as one list of pairs, with the two lists as its marginals and few pairs.

Both lists are laid along a line of length 1, each in a fixed pseudo-random order, and cut where either of them changes: of n and
n' actions come at most n + n' − 1 pairs. Lengths are whole multiples of 2⁻⁵², so that nothing is left over.
"""

import numpy as np

from swapregret.arrays import Floats, Integers, Words
from swapregret.compiled.bits import hash_row
from swapregret.compiled.kernel import kernel
from swapregret.compiled.selection import in_order

_GRID = 2**52
_ONE_WORD = np.uint64(64)
_TURN = 0x5851F42D4C957F2D


@kernel
def _in_units(chances: Floats) -> Integers:
    """Round chances that add up to about 1 to units of 2⁻⁵² that do so exactly; the rest goes to the largest."""
    total = 0.0
    for chance in chances:
        total += chance
    units = np.empty(chances.size, dtype=np.int64)
    rest, largest = _GRID, 0
    for a in range(chances.size):
        units[a] = np.int64(chances[a] * (_GRID / total))
        rest -= units[a]
        if units[a] > units[largest]:
            largest = a
    units[largest] += rest
    return units


@kernel
def _in_order(words: Words, is_turned: bool) -> Integers:
    """Return a pseudo-random order that depends on the actions alone, one of two."""
    keys = np.empty(words.shape[0], dtype=np.int64)
    for a in range(keys.size):
        keys[a] = hash_row(words[a]) * _TURN if is_turned else hash_row(words[a])
    return in_order(keys)


@kernel
def _join(first: Words, second: Words, split: int, row: Words) -> None:
    """Write two packed actions one after the other: the second begins at bit ``split``."""
    for w in range(first.size):
        row[w] |= first[w]
    at, shift = split >> 6, np.uint64(split & 63)
    for w in range(second.size):
        row[at + w] |= second[w] << shift
        if shift != np.uint64(0) and at + w + 1 < row.size:
            row[at + w + 1] |= second[w] >> (_ONE_WORD - shift)


@kernel
def couple(
    words: Words, chances: Floats, other_words: Words, other_chances: Floats, split: int, dimension: int
) -> tuple[Words, Floats]:
    """Return pairs of actions of two lists, packed one after the other, and their chances, multiples of 2⁻⁵² that add up to 1.

    ``split`` is the dimension of the first list, ``dimension`` that of the pairs. All pairs are different if the actions of
    each list are.
    """
    left, right = _in_units(chances), _in_units(other_chances)
    one, two = _in_order(words, False), _in_order(other_words, True)
    most = left.size + right.size
    pairs, lengths = np.zeros((most, (dimension + 63) // 64), dtype=np.uint64), np.empty(most)
    n, a, b = 0, 0, 0
    while a < left.size and b < right.size:
        i, j = one[a], two[b]
        length = min(left[i], right[j])
        if length > 0:
            _join(words[i], other_words[j], split, pairs[n])
            lengths[n] = length / _GRID
            n += 1
        left[i] -= length
        right[j] -= length
        if left[i] == 0:
            a += 1
        if right[j] == 0:
            b += 1
    return pairs[:n].copy(), lengths[:n].copy()
