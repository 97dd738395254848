"""The swap filter of the adaptive master: pooling by pairs, shrunken vectors, exchanges and replacements.

May touch: ``kernels.compile``, ``kernels.packed_laws``, ``kernels.vector_table``.
"""

import numpy as np
import numpy.typing as npt

from swapregret.compiled.kernel import kernel
from swapregret.kernels.packed_laws import elements_of_row
from swapregret.kernels.vector_table import slot_of

__all__ = [
    "add_to_pairs",
    "best_exchanges",
    "favour_kept",
    "gain_of_answers",
    "shrunken_vectors",
    "write_actions",
]

Floats = npt.NDArray[np.float64]
Integers = npt.NDArray[np.int64]
Words = npt.NDArray[np.uint64]

_LEAST_PAIR = 1e-3
_ONE = np.uint64(1)


@kernel
def add_to_pairs(
    values: Floats, counts: Floats, squares: Floats, pairs: Floats, vector: Floats, count: float, square: float
) -> None:
    """Add c·vector, c·count and c²·square for each pair i > j, c its probability of being recommended together."""
    d = vector.size
    for i in range(d):
        for j in range(i):
            c = pairs[i, j]
            if c > 0.0:
                line = values[i, j]
                for k in range(d):
                    line[k] += c * vector[k]
                counts[i, j] += c * count
                squares[i, j] += c * c * square


@kernel
def shrink(
    row: int,
    elements: Integers,
    values: Floats,
    squares: Floats,
    pair_values: Floats,
    pair_counts: Floats,
    pair_squares: Floats,
    prior: float,
    line: Floats,
) -> float:
    """Write V[a] + prior · mean over its pairs of V2/N2 for one action; return the variance of that in units of σ².

    ``row`` is its place in the table, −1 without one; ``pair_counts`` of size 0 switches the pooling off.
    """
    d = line.size
    noise = 0.0
    if row >= 0:
        for k in range(d):
            line[k] = values[row, k]
        noise = squares[row]
    else:
        line[:] = 0.0
    if pair_counts.size == 0:
        return noise
    count = elements.size
    n_pairs = 0
    for a in range(count):
        for b in range(a):
            if pair_counts[elements[a], elements[b]] > _LEAST_PAIR:
                n_pairs += 1
    if n_pairs == 0:
        return noise
    share = prior / n_pairs
    spread = 0.0
    for a in range(count):
        for b in range(a):
            weight = pair_counts[elements[a], elements[b]]
            if weight > _LEAST_PAIR:
                factor = share / weight
                other = pair_values[elements[a], elements[b]]
                for k in range(d):
                    line[k] += factor * other[k]
                spread += pair_squares[elements[a], elements[b]] / (weight * weight)
    return noise + share * share * spread


@kernel
def shrunken_vectors(
    words: Words,
    slots: Integers,
    keys: Words,
    values: Floats,
    squares: Floats,
    pair_values: Floats,
    pair_counts: Floats,
    pair_squares: Floats,
    prior: float,
) -> tuple[Integers, Floats, Floats]:
    """Return which of the packed actions something is known about, and of those ``shrink``: vectors and variances."""
    n, d = words.shape[0], values.shape[1]
    known = np.empty(n, dtype=np.int64)
    vectors, noise = np.empty((n, d)), np.empty(n)
    elements = np.empty(d, dtype=np.int64)
    n_known = 0
    for index in range(n):
        row = slots[slot_of(slots, keys, words[index])] - 1
        if row < 0 and pair_counts.size == 0:
            continue
        count = elements_of_row(words, index, elements)
        variance = shrink(
            row,
            elements[:count],
            values,
            squares,
            pair_values,
            pair_counts,
            pair_squares,
            prior,
            vectors[n_known],
        )
        if variance > 0.0:
            known[n_known] = index
            noise[n_known] = variance
            n_known += 1
    return known[:n_known].copy(), vectors[:n_known], noise[:n_known]


@kernel
def best_exchanges(actions: Integers, vectors: Floats, thresholds: Floats) -> Integers:
    """Exchange the worst element inside with the best outside while the difference exceeds the threshold (m-sets)."""
    n, d = actions.shape
    result = actions.copy()
    for index in range(n):
        action, v = result[index], vectors[index]
        if thresholds[index] <= 0.0:
            continue
        while True:
            worst = -1
            best = -1
            for i in range(d):
                if action[i]:
                    if worst < 0 or v[i] < v[worst]:
                        worst = i
                elif best < 0 or v[i] > v[best]:
                    best = i
            if worst < 0 or best < 0 or not v[best] - v[worst] > thresholds[index]:
                break
            action[worst] = 0
            action[best] = 1
    return result


@kernel
def answer_gain(words: Words, row: int, vector: Floats, answer: Integers) -> tuple[float, int]:
    """Return v·(answer − action) for a packed action, and in how many elements they differ."""
    gain = 0.0
    n_changed = 0
    for i in range(vector.size):
        chosen = np.int64((words[row, i >> 6] >> np.uint64(i & 63)) & _ONE)
        if answer[i] != chosen:
            gain += vector[i] if answer[i] else -vector[i]
            n_changed += 1
    return gain, n_changed


@kernel
def favour_kept(words: Words, known: Integers, vectors: Floats, thresholds: Floats) -> None:
    """Add τ to the entries of v that belong to the action itself: what is given up must be worth it."""
    for place in range(known.size):
        line = words[known[place]]
        for i in range(vectors.shape[1]):
            if (line[i >> 6] >> np.uint64(i & 63)) & _ONE:
                vectors[place, i] += thresholds[place]


@kernel
def write_actions(words: Words, known: Integers, actions: Integers) -> Words:
    """Return the packed actions with those ``known`` replaced."""
    result = words.copy()
    for place in range(known.size):
        write_action(actions[place], result[known[place]])
    return result


@kernel
def write_action(action: Integers, line: Words) -> None:
    """Pack one action into a line of words."""
    line[:] = np.uint64(0)
    for i in range(action.size):
        if action[i]:
            line[i >> 6] |= _ONE << np.uint64(i & 63)


@kernel
def gain_of_answers(words: Words, n_rows: int, vectors: Floats, answers: Integers) -> float:
    """Return Σ v·(answer − action) over the first rows of a table of packed actions."""
    total = 0.0
    for row in range(n_rows):
        gain, _ = answer_gain(words, row, vectors[row], answers[row])
        total += gain
    return total
