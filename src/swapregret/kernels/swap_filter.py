"""Compiled inner loops of the adaptive master: a table of vectors by action, pooling by pairs, exchanges, weights.

Rows are found by open addressing: ``slots`` holds row + 1, or 0 where it is empty; its length is a power of two, at least
twice the number of rows.

May touch: ``kernels.compile``.
"""

import numpy as np
import numpy.typing as npt

from swapregret.kernels.compile import kernel

__all__ = [
    "add_to_pairs",
    "add_to_rows",
    "best_exchanges",
    "find_rows",
    "gain_of_answers",
    "make_rows",
    "pool_weights",
    "shrunken_vectors",
    "stationary_law",
    "take_answers",
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
    values: Floats, squares: Floats, rows: Integers, weights: Floats, vector: Floats, square: float
) -> None:
    """Add p·vector to the row of each atom and p²·square to its variance; atoms without a row are left out."""
    for index in range(rows.size):
        row = rows[index]
        if row >= 0:
            p = weights[index]
            line = values[row]
            for i in range(vector.size):
                line[i] += p * vector[i]
            squares[row] += p * p * square


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
def shrunken_vectors(
    atoms: Integers,
    rows: Integers,
    values: Floats,
    squares: Floats,
    pair_values: Floats,
    pair_counts: Floats,
    pair_squares: Floats,
    prior: float,
) -> tuple[Floats, Floats]:
    """Return, for each atom a, V[a] + prior · mean over its pairs of V2/N2, and the variance of that in units of σ².

    ``pair_counts`` of size 0 switches the pooling off.
    """
    n, d = atoms.shape
    vectors = np.zeros((n, d))
    noise = np.zeros(n)
    elements = np.empty(d, dtype=np.int64)
    for index in range(n):
        line = vectors[index]
        row = rows[index]
        if row >= 0:
            for k in range(d):
                line[k] = values[row, k]
            noise[index] = squares[row]
        if pair_counts.size == 0:
            continue
        count = 0
        for i in range(d):
            if atoms[index, i]:
                elements[count] = i
                count += 1
        n_pairs = 0
        for a in range(count):
            for b in range(a):
                if pair_counts[elements[a], elements[b]] > _LEAST_PAIR:
                    n_pairs += 1
        if n_pairs == 0:
            continue
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
        noise[index] += share * share * spread
    return vectors, noise


@kernel
def best_exchanges(atoms: Integers, vectors: Floats, thresholds: Floats) -> Integers:
    """Exchange the worst element inside with the best outside while the difference exceeds the threshold (m-sets)."""
    n, d = atoms.shape
    result = atoms.copy()
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
def take_answers(atoms: Integers, vectors: Floats, errors: Floats, asked: Integers, answers: Integers) -> Integers:
    """Replace the atoms ``asked`` by their answers where v gains more than the error of a sum of that many entries."""
    result = atoms.copy()
    d = atoms.shape[1]
    for place in range(asked.size):
        index = asked[place]
        action, best, v = atoms[index], answers[place], vectors[index]
        gain = 0.0
        n_changed = 0
        for i in range(d):
            if best[i] != action[i]:
                gain += v[i] if best[i] else -v[i]
                n_changed += 1
        if gain > errors[index] * np.sqrt(float(n_changed)):
            result[index] = best
    return result


@kernel
def gain_of_answers(atoms: Integers, vectors: Floats, answers: Integers) -> float:
    """Return Σ v·(answer − atom) over the rows."""
    n, d = atoms.shape
    total = 0.0
    for index in range(n):
        action, best, v = atoms[index], answers[index], vectors[index]
        for i in range(d):
            if best[i] != action[i]:
                total += v[i] if best[i] else -v[i]
    return total


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
