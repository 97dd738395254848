"""Compiled inner loops of the ledger: packed actions, a hash table of rows, sums into rows and pools.

An action is packed into 64-bit words, element i as bit i mod 64 of word i div 64. Rows are found by open addressing:
``slots`` holds row + 1, or 0 where it is empty; its length is a power of two, at least twice the number of rows.
"""

import numpy as np

from swapregret.arrays import Flags, Floats, Integers, Words
from swapregret.compiled.bits import hash_row
from swapregret.compiled.kernel import kernel

__all__ = [
    "accumulate_days",
    "accumulate_law",
    "dot_rows",
    "locate_rows",
    "pool_days",
    "pool_law",
    "pool_of",
    "rebuild_slots",
]


_ODD = np.uint64(0x9E3779B97F4A7C15)
_FACTOR = np.uint64(0xBF58476D1CE4E5B9)
_HALF = np.uint64(32)
_TAIL = np.uint64(29)
_ONE = np.uint64(1)
_ZERO = np.uint64(0)
_TOP = np.uint64(58)
_DE_BRUIJN = np.uint64(0x03F79D71B4CB0A89)
_PLACES = np.zeros(64, dtype=np.int64)
_PLACES[[((1 << i) * 0x03F79D71B4CB0A89 & (2**64 - 1)) >> 58 for i in range(64)]] = np.arange(64)


@kernel
def pool_of(words: Words, n_pools: int) -> Integers:
    """Return the pool each packed action belongs to: a fixed partition of all actions."""
    pools = np.empty(words.shape[0], dtype=np.int64)
    for row in range(words.shape[0]):
        pools[row] = (hash_row(words[row]) >> 32) % n_pools
    return pools


@kernel
def rebuild_slots(slots: Integers, keys: Words, n_rows: int) -> None:
    """Enter rows 0..n_rows−1 into empty slots."""
    mask = slots.size - 1
    for row in range(n_rows):
        place = hash_row(keys[row]) & mask
        while slots[place] != 0:
            place = (place + 1) & mask
        slots[place] = row + 1


@kernel
def locate_rows(
    slots: Integers, keys: Words, whole: Flags, pool_counts: Integers, n_rows: int, limit: int, words: Words
) -> tuple[Integers, int]:
    """Find the row of each packed action, making new rows up to ``limit``; −1 where there is no room.

    A new row is ``whole`` if nothing was pooled yet where the action would have gone.
    """
    n, width = words.shape
    rows = np.empty(n, dtype=np.int64)
    mask = slots.size - 1
    for index in range(n):
        hashed = hash_row(words[index])
        place = hashed & mask
        row = -1
        while slots[place] != 0:
            candidate = slots[place] - 1
            same = True
            for w in range(width):
                if keys[candidate, w] != words[index, w]:
                    same = False
                    break
            if same:
                row = candidate
                break
            place = (place + 1) & mask
        if row < 0 and n_rows < limit:
            row = n_rows
            n_rows += 1
            slots[place] = row + 1
            for w in range(width):
                keys[row, w] = words[index, w]
            whole[row] = pool_counts.size == 0 or pool_counts[(hashed >> 32) % pool_counts.size] == 0
        rows[index] = row
    return rows, n_rows


@kernel
def accumulate_law(
    values: Floats, days: Floats, scores: Floats, rows: Integers, weights: Floats, vector: Floats, n_days: float
) -> int:
    """Add weight · vector to the row of each atom of one law; return how many atoms have no row."""
    d = vector.size
    n_missing = 0
    for index in range(rows.size):
        row = rows[index]
        if row < 0:
            n_missing += 1
            continue
        weight = weights[index]
        line = values[row]
        for i in range(d):
            line[i] += weight * vector[i]
        days[row] += weight * n_days
        scores[row] += weight * n_days
    return n_missing


@kernel
def accumulate_days(values: Floats, days: Floats, scores: Floats, rows: Integers, vectors: Floats) -> int:
    """Add one vector to the row of each action of a list of days; return how many days have no row."""
    d = vectors.shape[1]
    n_missing = 0
    for index in range(rows.size):
        row = rows[index]
        if row < 0:
            n_missing += 1
            continue
        line, vector = values[row], vectors[index]
        for i in range(d):
            line[i] += vector[i]
        days[row] += 1.0
        scores[row] += 1.0
    return n_missing


@kernel
def dot_line(vector: Floats, words: Words, row: int) -> float:
    """Return vector · M for one packed action, element by element: bits are found by a de Bruijn sequence."""
    total = 0.0
    for w in range(words.shape[1]):
        word = words[row, w]
        while word != _ZERO:
            rest = word & (word - _ONE)
            total += vector[64 * w + _PLACES[((word ^ rest) * _DE_BRUIJN) >> _TOP]]
            word = rest
    return total


@kernel
def dot_rows(values: Floats, words: Words) -> Floats:
    """Return values[row] · M[row] for packed actions."""
    result = np.empty(values.shape[0])
    for row in range(values.shape[0]):
        result[row] = dot_line(values[row], words, row)
    return result


@kernel
def pool_law(
    pools: Floats,
    gains: Floats,
    counts: Integers,
    words: Words,
    rows: Integers,
    weights: Floats,
    vector: Floats,
    best: float,
) -> float:
    """Pool the atoms of one law that have no row; return their total weight. ``best`` is max vector·M'."""
    pooled = 0.0
    for index in range(rows.size):
        if rows[index] >= 0:
            continue
        weight = weights[index]
        place = (hash_row(words[index]) >> 32) % counts.size
        pool = pools[place]
        for i in range(vector.size):
            pool[i] += weight * vector[i]
        gains[place] += weight * (best - dot_line(vector, words, index))
        counts[place] += 1
        pooled += weight
    return pooled


@kernel
def pool_days(pools: Floats, gains: Floats, counts: Integers, words: Words, vectors: Floats, bests: Floats) -> None:
    """Pool actions with a vector each; ``bests`` are their max vector·M'."""
    for index in range(words.shape[0]):
        vector = vectors[index]
        place = (hash_row(words[index]) >> 32) % counts.size
        pool = pools[place]
        for i in range(vector.size):
            pool[i] += vector[i]
        gains[place] += bests[index] - dot_line(vector, words, index)
        counts[place] += 1
