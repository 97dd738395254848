r"""What to play instead: the swap function itself, learned online and applied to the play.

For a recommended action a, :math:`v = V[a] + \tfrac{2}{|P|}\sum_P V_2/N_2` is what the world paid while a was recommended,
shrunk towards what it paid while pairs of its elements were. In place of a the filter plays the M that maximises
:math:`v\cdot M - \tau\,|a \setminus M|`: every element that is given up must be worth it. One call of the oracle finds M, with τ
added to the entries of a. On a set known by an oracle alone, M is the best of the known actions, and the oracle is not asked.
After n base windows τ is

.. math:: c\,\max\bigl(1, \tfrac2m\bigr)\,\sqrt{2\log d}\,\sqrt{1 + 200/n}

standard errors of an exchange of two elements. The first root is what the largest of d errors reaches; the second is for the
heavy tails of sums of few estimates. With m = 1 an exchange gives up all that was recommended, of which nothing more is learned
then: it must gain twice as much.
"""

from typing import Any

import numpy as np

from swapregret.actions.family import best
from swapregret.actions.listed_laws import put_best_known
from swapregret.arrays import Flags, Floats, Integers, Words
from swapregret.compiled.bits import elements_of, pack_action
from swapregret.compiled.kernel import kernel
from swapregret.compiled.vector_table import VectorTable, find_row, make_row, thin_table
from swapregret.compiled.vectors import add_rows
from swapregret.learners.adaptive.state import Memory, Pairs, Recommended

_LEAST_PAIR = 1e-3
_HEAVY_WINDOWS = 200.0


@kernel
def row_of_pairs(i: int) -> int:
    """Return the row of the first pair of an element with one before it; pair i > j is j rows further on."""
    return i * (i - 1) // 2


@kernel
def add_pooled(pairs: Pairs, elements: Integers, prior: float, v: Floats, which: Integers, factors: Floats) -> float:
    """Add what was paid while pairs of an action's elements were recommended; return its variance in units of σ².

    ``which`` and ``factors`` are room for all pairs.
    """
    n_pairs, spread = 0, 0.0
    for a in range(elements.size):
        first = row_of_pairs(elements[a])
        for b in range(a):
            k = first + elements[b]
            weight = pairs.counts[k]
            if weight > _LEAST_PAIR:
                inverse = 1.0 / weight
                which[n_pairs], factors[n_pairs] = k, prior * inverse
                spread += pairs.squares[k] * inverse * inverse
                n_pairs += 1
    for k in range(n_pairs):
        factors[k] /= n_pairs
    add_rows(v, pairs.values, which[:n_pairs], factors[:n_pairs])
    share = prior / max(1, n_pairs)
    return share * share * spread


@kernel
def tilted_values(memory: Memory, words: Words, prior: float, scale: float) -> tuple[Floats, Flags]:
    """Return v of each action with τ added to its own elements, and whether anything is known of it."""
    table, pairs = memory.table, memory.pairs
    n, d = words.shape[0], table.values.shape[1]
    values, is_known = np.empty((n, d)), np.zeros(n, dtype=np.bool_)
    elements = np.empty(d, dtype=np.int64)
    which, factors = np.empty(pairs.counts.size, dtype=np.int64), np.empty(pairs.counts.size)
    for a in range(n):
        at, v = find_row(table, words[a]), values[a]
        noise = table.squares[at] if at >= 0 else 0.0
        for k in range(d):
            v[k] = table.values[at, k] if at >= 0 else 0.0
        count = elements_of(words[a], elements)
        if pairs.counts.size:
            noise += add_pooled(pairs, elements[:count], prior, v, which, factors)
        if noise > 0.0:
            tau = scale * np.sqrt(noise)
            for e in range(count):
                v[elements[e]] += tau
            is_known[a] = True
    return values, is_known


@kernel
def filter_list(family: Any, rule: Any, memory: Memory, laws: Any, words: Words, n_windows: int) -> Words:
    """Return what is played when each of some actions is recommended, after so many base windows; nothing if ``best`` fails."""
    tails = 1.0 + _HEAVY_WINDOWS / max(1, n_windows)
    d = family.common.dimension
    errors = rule.standard_errors * max(1.0, 2.0 / max(1, family.common.size))
    scale = errors * np.sqrt(2.0 * np.log(max(2, d)) * tails * 2.0 * memory.noise[0])
    values, is_known = tilted_values(memory, words, rule.prior, scale)
    played = words.copy()
    if laws.used.size:
        put_best_known(laws, values, is_known, played)
        return played
    for a in range(words.shape[0]):
        if is_known[a]:
            action = best(family, values[a])
            if action.size == 0:
                return words[:0].copy()
            pack_action(action, played[a])
    return played


@kernel
def keep_recommended(recommended: Recommended, g: int, words: Words, chances: Floats) -> None:
    """Keep what member g recommends until its policy ends."""
    recommended.n_atoms[g] = chances.size
    kept, shares = recommended.words[g], recommended.chances[g]
    for a in range(chances.size):
        shares[a] = chances[a]
        for w in range(words.shape[1]):
            kept[a, w] = words[a, w]


@kernel
def enter_recommended(memory: Memory, g: int) -> None:
    """Enter what was seen while a policy of member g was recommended: Σ w X by action and by pair, with n = Σ w and Σ w²."""
    table, pairs, seen, square = memory.table, memory.pairs, memory.seen[g], memory.squares[g]
    n = memory.recommended.n_atoms[g]
    words, chances = memory.recommended.words[g, :n], memory.recommended.chances[g, :n]
    if table.n_rows[0] + n > table.squares.size:
        thin_table(table)
    _add(table, words, chances, seen, square)
    if pairs.counts.size:
        _add_pairs(pairs, words, chances, seen, memory.counts[g], square)


@kernel
def _add(table: VectorTable, words: Words, chances: Floats, seen: Floats, square: float) -> None:
    """Add p·E to the row of each action and p²·n² to its square; actions without a row, where there is no room, are left out."""
    for a in range(chances.size):
        row = make_row(table, words[a])
        if row >= 0:
            p, line = chances[a], table.values[row]
            for k in range(seen.size):
                line[k] += p * seen[k]
            table.squares[row] += p * p * square


@kernel
def _add_pairs(pairs: Pairs, words: Words, chances: Floats, seen: Floats, count: float, square: float) -> None:
    """Add c·E, c·n and c²·n² for each pair, c the chance that it is recommended together."""
    together, elements = np.zeros(pairs.counts.size), np.empty(seen.size, dtype=np.int64)
    for a in range(chances.size):
        n = elements_of(words[a], elements)
        for e in range(n):
            first = row_of_pairs(elements[e])
            for f in range(e):
                together[first + elements[f]] += chances[a]
    for k in range(together.size):
        c = together[k]
        if c > 0.0:
            line = pairs.values[k]
            for i in range(seen.size):
                line[i] += c * seen[i]
            pairs.counts[k] += c * count
            pairs.squares[k] += c * c * square
