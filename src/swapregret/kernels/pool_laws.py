"""What members of the pool recommend on m-sets, what is played instead, and what was seen meanwhile.

May touch: ``kernels.compile``, ``kernels.subsets``, ``kernels.pool_arrays``.
"""

import numpy as np
import numpy.typing as npt

from swapregret.compiled.kernel import kernel
from swapregret.kernels.pool_arrays import ActionTable, PoolArrays, PoolConfig, has_bit, place_of, thin_table
from swapregret.kernels.subsets import UNIT, round_to_units

__all__ = ["account_for_law", "add_to_table", "make_law", "table_gain"]

Floats = npt.NDArray[np.float64]
Integers = npt.NDArray[np.int64]
Words = npt.NDArray[np.uint64]
Word = np.uint64

_ONE = np.uint64(1)
_ZERO = np.uint64(0)
_LEAST_PAIR = 1e-3
_ODD = np.uint64(0x9E3779B97F4A7C15)
_SHIFT = np.uint64(20)


@kernel
def list_atoms(point: Floats, size: int, orders: Integers, words: Words, chances: Floats) -> int:
    """List the systematic law of a point: its different sets, in the order they are met, and their chances.

    Round the circle the set changes only where an arc begins: there its element enters and the one laid before it leaves.
    """
    n, d = orders.shape
    units = round_to_units(point, size)
    n_slots = 16
    while n_slots < 2 * n * d:
        n_slots *= 2
    slots = np.zeros(n_slots, dtype=np.int64)
    begins = np.empty(d, dtype=np.int64)
    changes = np.empty(d, dtype=np.uint64)
    scale = float(UNIT) * n
    count = 0
    for v in range(n):
        order = orders[v]
        word = _ZERO
        position = np.int64(0)
        before = _ONE << np.uint64(order[d - 1])
        for j in range(d):
            i = order[j]
            bit = _ONE << np.uint64(i)
            if (-position) % UNIT < units[i]:
                word |= bit
            place = j
            while place > 0 and begins[place - 1] > position:
                begins[place] = begins[place - 1]
                changes[place] = changes[place - 1]
                place -= 1
            begins[place] = position
            changes[place] = bit ^ before
            before = bit
            position = (position + units[i]) % UNIT
        begin = np.int64(0)
        for j in range(d + 1):
            end = begins[j] if j < d else np.int64(UNIT)
            if end > begin:
                count = add_atom(words, chances, slots, count, word, float(end - begin) / scale)
                begin = end
            if j < d and end > 0:
                word ^= changes[j]
    return count


@kernel
def add_atom(words: Words, chances: Floats, slots: Integers, count: int, word: Word, chance: float) -> int:
    """Add the chance of a set to its place in a list of different sets; return the length of the list."""
    mask = slots.size - 1
    slot = np.int64((word * _ODD) >> _SHIFT) & mask
    while slots[slot] != 0 and words[slots[slot] - 1] != word:
        slot = (slot + 1) & mask
    if slots[slot] == 0:
        words[count] = word
        chances[count] = chance
        slots[slot] = count + 1
        return count + 1
    chances[slots[slot] - 1] += chance
    return count


@kernel
def elements_of(word: Word, elements: Integers) -> int:
    """Write the elements of a set into an array, in order; return how many there are."""
    count = 0
    for i in range(elements.size):
        if has_bit(word, i):
            elements[count] = i
            count += 1
    return count


@kernel
def filter_sets(
    words: Words,
    n: int,
    size: int,
    table: ActionTable,
    pair_values: Floats,
    pair_counts: Floats,
    pair_squares: Floats,
    prior: float,
    scale: float,
    played: Words,
) -> None:
    """Write what to play when each set is recommended: exchanges that gain more than ``scale`` · √noise.

    ``pair_counts`` of size 0 switches the pooling off. Everything is in one loop, for arrays cost more to hand over than
    a set costs to filter.
    """
    keys, values, squares = table.keys, table.values, table.squares
    d = values.shape[1]
    v = np.empty(d)
    elements = np.empty(d, dtype=np.int64)
    for index in range(n):
        word = words[index]
        place = place_of(keys, word)
        noise = 0.0
        if keys[place] == word:
            known = values[place]
            for k in range(d):
                v[k] = known[k]
            noise = squares[place]
        else:
            v[:] = 0.0
        if pair_counts.size:
            elements_of(word, elements)
            n_pairs = 0
            for a in range(size):
                counts = pair_counts[elements[a]]
                for b in range(a):
                    if counts[elements[b]] > _LEAST_PAIR:
                        n_pairs += 1
            if n_pairs:
                share = prior / n_pairs
                spread = 0.0
                for a in range(size):
                    i = elements[a]
                    for b in range(a):
                        j = elements[b]
                        weight = pair_counts[i, j]
                        if weight > _LEAST_PAIR:
                            factor = share / weight
                            other = pair_values[i, j]
                            for k in range(d):
                                v[k] += factor * other[k]
                            spread += pair_squares[i, j] / (weight * weight)
                noise += share * share * spread
        threshold = scale * np.sqrt(noise)
        while threshold > 0.0:
            worst = -1
            best = -1
            for i in range(d):
                if has_bit(word, i):
                    if worst < 0 or v[i] < v[worst]:
                        worst = i
                elif best < 0 or v[i] > v[best]:
                    best = i
            if best < 0 or not v[best] - v[worst] > threshold:
                break
            word ^= (_ONE << np.uint64(worst)) | (_ONE << np.uint64(best))
        played[index] = word


@kernel
def count_pairs(words: Words, chances: Floats, n: int, size: int, pairs: Floats) -> None:
    """Write Σ of a law over sets of ``size`` elements."""
    d = pairs.shape[0]
    elements = np.empty(d, dtype=np.int64)
    pairs[:] = 0.0
    for index in range(n):
        elements_of(words[index], elements)
        chance = chances[index]
        for a in range(size):
            line = pairs[elements[a]]
            for b in range(a + 1):
                line[elements[b]] += chance
    for i in range(d):
        for j in range(i):
            pairs[j, i] = pairs[i, j]


@kernel
def make_law(pool: PoolArrays, table: ActionTable, config: PoolConfig, g: int) -> None:
    """Decompose what member g recommends, and filter it."""
    recommended, played, chances = pool.recommended[g], pool.played[g], pool.chances[g]
    n = list_atoms(pool.points[g], config.size, config.orders, recommended, chances)
    pool.n_atoms[g] = n
    count_pairs(recommended, chances, n, config.size, pool.recommended_pairs[g])
    if config.switches[0] and pool.clock[3] == 0:
        filter_sets(
            recommended,
            n,
            config.size,
            table,
            pool.pair_values,
            pool.pair_counts,
            pool.pair_squares,
            config.prior,
            config.standard_errors * np.sqrt(2.0 * pool.numbers[1]),
            played,
        )
        count_pairs(played, chances, n, config.size, pool.played_pairs[g])
    else:
        played[:n] = recommended[:n]
        pool.played_pairs[g] = pool.recommended_pairs[g]


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
