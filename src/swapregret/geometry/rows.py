"""Lists of 0/1 rows by their elements: ``elements`` has those of all rows, ``ends`` where each row begins and ends.

*Notation*: n rows of M in d coordinates, most of whose entries are 0.
"""

import numpy as np

from swapregret.arrays import Flags, Floats, Integers, Words
from swapregret.compiled.bits import elements_of, set_bit
from swapregret.compiled.kernel import kernel


@kernel
def elements_of_rows(table: Floats) -> tuple[Integers, Integers]:
    """Return the elements of all rows, one row after the other, and where each begins and ends: most entries are 0."""
    n, d = table.shape
    elements, ends = np.empty(n * d, dtype=np.int64), np.zeros(n + 1, dtype=np.int64)
    at = 0
    for a in range(n):
        for i in range(d):
            if table[a, i] != 0.0:
                elements[at] = i
                at += 1
        ends[a + 1] = at
    return elements[:at].copy(), ends


@kernel
def elements_of_words(words: Words, is_meant: Flags, dimension: int) -> tuple[Integers, Integers]:
    """Return the elements of some packed actions, one after the other, and where each begins and ends."""
    row, n, at = np.empty(dimension, dtype=np.int64), 0, 0
    elements, ends = np.empty(is_meant.size * dimension, dtype=np.int64), np.zeros(is_meant.size + 1, dtype=np.int64)
    for a in range(is_meant.size):
        if is_meant[a]:
            for e in range(elements_of(words[a], row)):
                elements[at] = row[e]
                at += 1
            n += 1
            ends[n] = at
    return elements[:at].copy(), ends[: n + 1].copy()


@kernel
def packed_rows(elements: Integers, ends: Integers, first: int, weights: Floats, n_words: int) -> Words:
    """Return the rows from a place on whose weight is positive, packed."""
    count = 0
    for a in range(first, weights.size):
        count += weights[a] > 0.0
    words, at = np.zeros((count, n_words), dtype=np.uint64), 0
    for a in range(first, weights.size):
        if weights[a] > 0.0:
            for e in range(ends[a], ends[a + 1]):
                set_bit(words[at], elements[e])
            at += 1
    return words


@kernel
def padded_rows(elements: Integers, ends: Integers, dimension: int) -> Integers:
    """Return the k-th element of every row in line k, and d where a row has fewer: loops over rows are long ones then."""
    n, width = ends.size - 1, 0
    for a in range(n):
        width = max(width, ends[a + 1] - ends[a])
    padded = np.full((width, n), dimension, dtype=np.int64)
    for a in range(n):
        for e in range(ends[a], ends[a + 1]):
            padded[e - ends[a], a] = elements[e]
    return padded


@kernel
def add_totals(padded: Integers, vector: Floats, totals: Floats) -> None:
    """Add M v to a vector; entry d of v must be 0."""
    for k in range(padded.shape[0]):
        line = padded[k]
        for a in range(totals.size):
            totals[a] += vector[line[a]]


@kernel
def mean_of_rows(elements: Integers, ends: Integers, weights: Floats, dimension: int) -> Floats:
    """Return Mᵀλ."""
    result = np.zeros(dimension)
    for a in range(weights.size):
        for e in range(ends[a], ends[a + 1]):
            result[elements[e]] += weights[a]
    return result


@kernel
def totals_of_rows(elements: Integers, ends: Integers, vector: Floats) -> Floats:
    """Return M v."""
    result = np.zeros(ends.size - 1)
    for a in range(result.size):
        for e in range(ends[a], ends[a + 1]):
            result[a] += vector[elements[e]]
    return result


@kernel
def with_row(elements: Integers, ends: Integers, action: Integers) -> tuple[Integers, Integers]:
    """Add an action to the rows; or none twice."""
    n, size = ends.size - 1, 0
    for i in range(action.size):
        size += action[i] != 0
    for a in range(n):
        is_same = ends[a + 1] - ends[a] == size
        for e in range(ends[a], ends[a + 1]):
            if not is_same:
                break
            is_same = action[elements[e]] != 0
        if is_same:
            return elements, ends
    row, at = np.empty(size, dtype=np.int64), 0
    for i in range(action.size):
        if action[i] != 0:
            row[at] = i
            at += 1
    return np.append(elements, row), np.append(ends, ends[n] + size)
