"""The atoms of a systematic law as packed words, without building the sets one by one.

Round the circle, at the point where the arc of an element begins its element enters and the one laid before it leaves:
two bits change, so an order of d elements is listed in O(d) word operations instead of O(d²).
"""

import numpy as np

from swapregret.actions.m_sets.kernels.subsets import UNIT, round_to_units, systematic_starts
from swapregret.arrays import Floats, Integers, Words
from swapregret.compiled.kernel import kernel
from swapregret.compiled.selection import ranked

_ONE = np.uint64(1)


@kernel
def systematic_words(units: Integers, starts: Integers, orders: Integers, circle: int) -> tuple[Words, Integers]:
    """List the packed sets the needle can draw in each order, with the lengths of the arcs that draw them.

    ``circle`` is the length of the circle in units; ``starts[v, i]`` is where the arc of element i begins in order v.
    Sets that several orders share are listed once an order.
    """
    n, d = starts.shape
    words = np.empty((n * d, (d + 63) // 64), dtype=np.uint64)
    lengths = np.empty(n * d, dtype=np.int64)
    current = np.empty(words.shape[1], dtype=np.uint64)
    before = np.empty(d, dtype=np.int64)
    ranks = np.empty(d, dtype=np.int64)
    count = 0
    for v in range(n):
        row, order = starts[v], orders[v]
        current[:] = np.uint64(0)
        for j in range(d):
            i = order[j]
            before[i] = order[j - 1]
            if (circle - 1 - row[i]) % circle < units[i]:  # covers the last unit of the circle
                current[i >> 6] |= _ONE << np.uint64(i & 63)
        ranked(row, ranks)
        for j in range(d):
            i = ranks[j]
            leaving = before[i]
            if leaving != i:
                current[i >> 6] ^= _ONE << np.uint64(i & 63)
                current[leaving >> 6] ^= _ONE << np.uint64(leaving & 63)
            end = row[ranks[j + 1]] if j + 1 < d else np.int64(circle)
            if end > row[i]:
                lengths[count] = end - row[i]
                for w in range(current.size):
                    words[count, w] = current[w]
                count += 1
    return words[:count], lengths[:count]


@kernel
def list_systematic(point: Floats, size: int, orders: Integers) -> tuple[Words, Floats]:
    """Return the sets of the systematic law of a point, averaged over some orders, and their chances."""
    units = round_to_units(point, size)
    words, lengths = systematic_words(units, systematic_starts(units, orders), orders, UNIT)
    chances = np.empty(lengths.size)
    scale = float(UNIT * len(orders))
    for a in range(lengths.size):
        chances[a] = lengths[a] / scale
    return words, chances
