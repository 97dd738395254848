"""Compiled inner loops of the adaptive master: a table of vectors by action, pooling by pairs, exchanges, weights.

Rows are found by open addressing: ``slots`` holds row + 1, or 0 where it is empty; its length is a power of two, at least
twice the number of rows.

May touch: ``kernels.compile``, ``kernels.packed_laws``.
"""

import numpy as np
import numpy.typing as npt

from swapregret.kernels.compile import kernel
from swapregret.kernels.packed_laws import elements_of_row

__all__ = [
    "add_to_pairs",
    "add_to_rows",
    "best_exchanges",
    "favour_kept",
    "find_rows",
    "gain_of_answers",
    "keep_rows",
    "make_rows",
    "pool_weights",
    "shrunken_vectors",
    "slot_of",
    "stationary_law",
    "variance",
    "write_actions",
]

Floats = npt.NDArray[np.float64]
Integers = npt.NDArray[np.int64]
Words = npt.NDArray[np.uint64]

_LEAST_PAIR = 1e-3
_LEAST_EXPONENT = -30.0
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


@kernel
def variance(vector: Floats) -> float:
    """Return the variance of the entries of a vector."""
    return float(np.var(vector))


@kernel
def stationary_law(transition: Floats) -> Floats:
    """Return π with πQ = π by elimination without subtractions (Grassmann, Taksar and Heyman)."""
    n = transition.shape[0]
    q = transition.copy()
    for k in range(n - 1, 0, -1):
        total = 0.0
        for j in range(k):
            total += q[k, j]
        if total <= 0.0:
            total = 1e-300
        for i in range(k):
            q[i, k] /= total
            for j in range(k):
                q[i, j] += q[i, k] * q[k, j]
    law = np.empty(n)
    law[0] = 1.0
    mass = 1.0
    for k in range(1, n):
        value = 0.0
        for i in range(k):
            value += law[i] * q[i, k]
        law[k] = value
        mass += value
    for k in range(n):
        law[k] /= mass
    return law


@kernel
def pool_weights(
    scores: Floats,
    variances: Floats,
    transition: Floats,
    law: Floats,
    gains: Floats,
    typical: float,
    step: float,
    spread: float,
) -> tuple[Floats, Floats, Floats, Floats]:
    """One step of Blum and Mansour's reduction over the members of a pool, exponential weights in each row.

    Row a is the learner that answers for member a: S_ag += π_a z_g, and Q_ag ∝ (½[a=g] + ½/G) exp(η_a S_ag) with
    η_a = step · √(log(G+1)/(Σ π_a² Var_{Q_a} z + 4·typical)). Returns S, the variances, Q and its stationary law, a share
    ``spread`` of which is dealt out evenly.
    """
    n = gains.size
    s = scores.copy()
    v = variances.copy()
    q = np.empty((n, n))
    for a in range(n):
        first = 0.0
        second = 0.0
        for g in range(n):
            first += transition[a, g] * gains[g]
            second += transition[a, g] * gains[g] * gains[g]
        v[a] += law[a] * law[a] * max(0.0, second - first * first)
        for g in range(n):
            s[a, g] += law[a] * gains[g]
        noise = v[a] + 4.0 * typical
        eta = 0.0
        if noise > 0.0:
            eta = step * np.sqrt(np.log(n + 1.0) / noise)
        top = s[a, 0]
        for g in range(n):
            top = max(top, s[a, g])
        total = 0.0
        for g in range(n):
            prior = 0.5 / n + (0.5 if a == g else 0.0)
            q[a, g] = prior * np.exp(
                max(eta * (s[a, g] - top), _LEAST_EXPONENT)
            )  # no entry may vanish: Q stays irreducible
            total += q[a, g]
        for g in range(n):
            q[a, g] /= total
    law = stationary_law(q)
    for g in range(n):
        law[g] = (1.0 - spread) * law[g] + spread / n
    return s, v, q, law
