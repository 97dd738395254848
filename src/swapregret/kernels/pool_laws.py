"""What members of the pool recommend on m-sets, what is played instead, and what was seen meanwhile.

May touch: ``kernels.compile``, ``kernels.subsets``, ``kernels.pool_arrays``.
"""

import numpy as np
import numpy.typing as npt

from swapregret.kernels.compile import kernel
from swapregret.kernels.pool_arrays import ActionTable, PoolArrays, PoolConfig, has_bit, place_of, thin_table
from swapregret.kernels.subsets import UNIT, round_to_units, systematic_starts

__all__ = ["account_for_law", "add_to_table", "make_law", "table_gain"]

Floats = npt.NDArray[np.float64]
Integers = npt.NDArray[np.int64]
Words = npt.NDArray[np.uint64]
Word = np.uint64

_ONE = np.uint64(1)
_ZERO = np.uint64(0)
_LEAST_PAIR = 1e-3


@kernel
def list_atoms(point: Floats, size: int, orders: Integers, words: Words, chances: Floats) -> int:
    """List the systematic law of a point: different sets in increasing order of their words, and their chances."""
    units = round_to_units(point, size)
    starts = systematic_starts(units, orders)
    n, d = starts.shape
    raw = np.empty(n * d, dtype=np.uint64)
    lengths = np.empty(n * d)
    count = 0
    for v in range(n):
        row = starts[v]
        order = np.argsort(row, kind="mergesort")
        word = _ZERO
        for i in range(d):
            if (-row[i]) % UNIT < units[i]:
                word |= _ONE << np.uint64(i)
        for j in range(d):
            begin = row[order[j]]
            end = row[order[j + 1]] if j + 1 < d else np.int64(UNIT)
            if end > begin:
                if begin > 0 or j > 0:
                    word = _ZERO
                    for i in range(d):
                        if (begin - row[i]) % UNIT < units[i]:
                            word |= _ONE << np.uint64(i)
                raw[count] = word
                lengths[count] = end - begin
                count += 1
    scale = float(UNIT) * n
    order = np.argsort(raw[:count], kind="mergesort")
    kept = -1
    for index in order:
        if kept >= 0 and words[kept] == raw[index]:
            chances[kept] += lengths[index] / scale
        else:
            kept += 1
            words[kept] = raw[index]
            chances[kept] = lengths[index] / scale
    return kept + 1


@kernel
def add_pairs(pairs: Floats, word: Word, chance: float) -> None:
    """Add the chance of a set to all pairs of its elements."""
    d = pairs.shape[0]
    for i in range(d):
        if has_bit(word, i):
            for j in range(i + 1):
                if has_bit(word, j):
                    pairs[i, j] += chance
                    if j < i:
                        pairs[j, i] += chance


@kernel
def better_set(word: Word, pool: PoolArrays, table: ActionTable, config: PoolConfig, v: Floats) -> Word:
    """Return what to play when a set is recommended: exchanges that gain more than a standard error."""
    d = v.size
    place = place_of(table.keys, word)
    noise = 0.0
    if table.keys[place] == word:
        for k in range(d):
            v[k] = table.values[place, k]
        noise = table.squares[place]
    else:
        v[:] = 0.0
    if config.switches[1]:
        n_pairs = 0
        for i in range(d):
            if has_bit(word, i):
                for j in range(i):
                    if has_bit(word, j) and pool.pair_counts[i, j] > _LEAST_PAIR:
                        n_pairs += 1
        if n_pairs:
            share = config.prior / n_pairs
            spread = 0.0
            for i in range(d):
                if has_bit(word, i):
                    for j in range(i):
                        weight = pool.pair_counts[i, j]
                        if has_bit(word, j) and weight > _LEAST_PAIR:
                            factor = share / weight
                            other = pool.pair_values[i, j]
                            for k in range(d):
                                v[k] += factor * other[k]
                            spread += pool.pair_squares[i, j] / (weight * weight)
            noise += share * share * spread
    threshold = config.standard_errors * np.sqrt(2.0 * pool.numbers[1] * noise)
    if not threshold > 0.0:
        return word
    while True:
        worst = -1
        best = -1
        for i in range(d):
            if has_bit(word, i):
                if worst < 0 or v[i] < v[worst]:
                    worst = i
            elif best < 0 or v[i] > v[best]:
                best = i
        if best < 0 or not v[best] - v[worst] > threshold:
            return word
        word ^= (_ONE << np.uint64(worst)) | (_ONE << np.uint64(best))


@kernel
def make_law(pool: PoolArrays, table: ActionTable, config: PoolConfig, g: int) -> None:
    """Decompose what member g recommends, and filter it."""
    d = pool.prediction.size
    n = list_atoms(pool.points[g], config.size, config.orders, pool.recommended[g], pool.chances[g])
    pool.n_atoms[g] = n
    pool.recommended_pairs[g] = 0.0
    pool.played_pairs[g] = 0.0
    is_filtering = config.switches[0] and pool.clock[3] == 0
    v = np.empty(d)
    for a in range(n):
        word, chance = pool.recommended[g, a], pool.chances[g, a]
        add_pairs(pool.recommended_pairs[g], word, chance)
        instead = better_set(word, pool, table, config, v) if is_filtering else word
        pool.played[g, a] = instead
        add_pairs(pool.played_pairs[g], instead, chance)


@kernel
def add_to_table(table: ActionTable, words: Words, chances: Floats, n: int, vector: Floats, square: float) -> None:
    """Add p·vector and p²·square to the entry of each set; room for all must be there."""
    d = vector.size
    for a in range(n):
        place = place_of(table.keys, words[a])
        if table.keys[place] == _ZERO:
            table.keys[place] = words[a]
            table.n_used[0] += 1
        p = chances[a]
        line = table.values[place]
        for k in range(d):
            line[k] += p * vector[k]
        table.squares[place] += p * p * square


@kernel
def table_gain(table: ActionTable, size: int) -> float:
    """Return Σ_b max_{M'} U[b]·(M' − b) over the entries of a table."""
    d = table.values.shape[1]
    total = 0.0
    for place in range(table.keys.size):
        word = table.keys[place]
        if word == _ZERO:
            continue
        line = table.values[place]
        ranked = np.sort(line)
        for k in range(d - size, d):
            total += ranked[k]
        for k in range(d):
            if has_bit(word, k):
                total -= line[k]
    return total


@kernel
def account_for_law(pool: PoolArrays, table: ActionTable, guard: ActionTable, config: PoolConfig, g: int) -> None:
    """Enter what was seen under a law that ends: by recommended set, by pair, and by played set."""
    d, n = pool.prediction.size, pool.n_atoms[g]
    count, square = pool.counts[g, 0], pool.counts[g, 1]
    room = 7 * table.keys.size // 10
    if config.switches[0] and count > 0.0:
        if table.n_used[0] + n > room:
            thin_table(table.keys, table.values, table.squares, table.n_used)
        add_to_table(table, pool.recommended[g], pool.chances[g], n, pool.seen[g], square)
        if config.switches[1]:
            for i in range(d):
                for j in range(i):
                    c = pool.recommended_pairs[g, i, j]
                    if c > 0.0:
                        line = pool.pair_values[i, j]
                        for k in range(d):
                            line[k] += c * pool.seen[g, k]
                        pool.pair_counts[i, j] += c * count
                        pool.pair_squares[i, j] += c * c * square
    if config.switches[3]:
        if guard.n_used[0] + n > room:
            pool.numbers[3] += table_gain(guard, config.size)
            guard.keys[:] = _ZERO
            guard.values[:] = 0.0
            guard.n_used[0] = 0
        add_to_table(guard, pool.played[g], pool.chances[g], n, pool.adaptive[g], 0.0)
    pool.seen[g] = 0.0
    pool.counts[g] = 0.0
    pool.adaptive[g] = 0.0
