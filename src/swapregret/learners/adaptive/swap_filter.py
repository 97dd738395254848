r"""What to play instead: the swap function itself, learned online and applied to the play.

For a recommended action a, :math:`v = V[a] + \tfrac{2}{|P|}\sum_P V_2/N_2` is what the world paid while a was recommended,
shrunk towards what it paid while its parts P were: pairs of its elements or, on sets with more than 48 elements, single ones.
In place of a the filter plays the M that maximises :math:`v\cdot M - \tau\,|a \setminus M|`: every element that is given up must
be worth it. One call of the oracle finds M, with τ added to the entries of a. On a set known by an oracle alone, M is the best of
the known actions, and the oracle is not asked.
After t days τ is

.. math:: c\,\max\bigl(1, \tfrac2m\bigr)\,\sqrt{2\log d}\,\sqrt{1 + 100\,r/t}

standard errors of an exchange of two elements. The first root is what the largest of d errors reaches; the second is for the
heavy tails of sums of few estimates, the heavier the larger the rank r. With m = 1 an exchange gives up all that was recommended,
of which nothing more is learned then: it must gain twice as much, and nothing is exchanged in the first 100 r days, when a single
large estimate can be all that is known of an action.
"""

import numpy as np

from swapregret.actions.family import Family
from swapregret.actions.hull import best
from swapregret.actions.policy_slots import Policies, put_best_known
from swapregret.arrays import Flags, Floats, Integers, Words
from swapregret.compiled.bits import elements_of, pack_action
from swapregret.compiled.kernel import kernel
from swapregret.compiled.vectors import add_rows
from swapregret.learners.adaptive.state import Memory, Parts, Recommended
from swapregret.learners.adaptive.vector_table import VectorTable, find_row, make_row, thin_table

PAIRS_LIMIT = 48
"""Elements above which parts are single elements: pairs would take d³ numbers."""
_LEAST_SEEN = 1e-3
_LEAST_CHANCE = 2e-4
"""Actions that are recommended less often are played as they are, and not remembered: often most of a list, and never much."""
_HEAVY_DAYS = 100.0


@kernel
def rows_of_parts(elements: Integers, d: int, rows: Integers) -> int:
    """Write the rows of an action's pairs, or of its elements where there are more than PAIRS_LIMIT; return how many they are."""
    n = 0
    for e in range(elements.size):
        i = elements[e]
        if d > PAIRS_LIMIT:
            rows[n] = i
            n += 1
        else:
            for f in range(e):
                rows[n] = i * (i - 1) // 2 + elements[f]
                n += 1
    return n


@kernel
def add_pooled(parts: Parts, elements: Integers, prior: float, v: Floats, rows: Integers, factors: Floats) -> float:
    """Add what was paid while parts of an action were recommended; return its variance in units of σ².

    ``rows`` and ``factors`` are room for all rows.
    """
    n_known, spread = 0, 0.0
    for k in range(rows_of_parts(elements, v.size, rows)):
        weight = parts.counts[rows[k]]
        if weight > _LEAST_SEEN:
            inverse = 1.0 / weight
            spread += parts.squares[rows[k]] * inverse * inverse
            rows[n_known], factors[n_known] = rows[k], prior * inverse
            n_known += 1
    for k in range(n_known):
        factors[k] /= n_known
    add_rows(v, parts.values, rows[:n_known], factors[:n_known])
    share = prior / max(1, n_known)
    return share * share * spread


@kernel
def tilted_values(memory: Memory, words: Words, chances: Floats, prior: float, scale: float) -> tuple[Floats, Flags]:
    """Return v of each action with τ added to its own elements, and whether it is to be exchanged by it."""
    table, parts = memory.table, memory.parts
    n, d = words.shape[0], table.values.shape[1]
    values, is_open = np.empty((n, d)), np.zeros(n, dtype=np.bool_)
    elements = np.empty(d, dtype=np.int64)
    rows, factors = np.empty(parts.counts.size, dtype=np.int64), np.empty(parts.counts.size)
    for a in range(n):
        if chances[a] < _LEAST_CHANCE:
            continue
        at, v = find_row(table, words[a]), values[a]
        noise = table.squares[at] if at >= 0 else 0.0
        for k in range(d):
            v[k] = table.values[at, k] if at >= 0 else 0.0
        count = elements_of(words[a], elements)
        if parts.counts.size:
            noise += add_pooled(parts, elements[:count], prior, v, rows, factors)
        if noise > 0.0:
            tau = scale * np.sqrt(noise)
            for e in range(count):
                v[elements[e]] += tau
            is_open[a] = True
    return values, is_open


@kernel
def filter_list(
    family: Family,
    prior: float,
    standard_errors: float,
    memory: Memory,
    policies: Policies,
    words: Words,
    chances: Floats,
    days: int,
) -> Words:
    """Return what is played when each of some actions is recommended, after so many days; nothing if ``best`` fails."""
    d, heavy = family.common.dimension, _HEAVY_DAYS * family.common.rank
    if family.common.size <= 1 and days < heavy:
        return words
    tails = 1.0 + heavy / max(1, days)
    errors = standard_errors * max(1.0, 2.0 / max(1, family.common.size))
    scale = errors * np.sqrt(2.0 * np.log(max(2, d)) * tails * 2.0 * memory.noise[0])
    values, is_open = tilted_values(memory, words, chances, prior, scale)
    played = words.copy()
    if policies.used.size:
        put_best_known(policies, values, is_open, played)
        return played
    for a in range(words.shape[0]):
        if is_open[a]:
            action = best(family, values[a])
            if action.size == 0:
                return words[:0].copy()
            pack_action(action, played[a])
    return played


@kernel
def keep_recommended(recommended: Recommended, g: int, words: Words, chances: Floats) -> None:
    """Keep what member g recommends until its policy ends."""
    kept, shares, n = recommended.words[g], recommended.chances[g], 0
    for a in range(chances.size):
        if chances[a] >= _LEAST_CHANCE:
            shares[n] = chances[a]
            for w in range(words.shape[1]):
                kept[n, w] = words[a, w]
            n += 1
    recommended.n_atoms[g] = n


@kernel
def enter_recommended(memory: Memory, g: int) -> None:
    """Enter what was seen while a policy of member g was recommended: Σ w X by action and by part, with n = Σ w and Σ w²."""
    table, parts, seen, square = memory.table, memory.parts, memory.seen[g], memory.squares[g]
    n = memory.recommended.n_atoms[g]
    words, chances = memory.recommended.words[g, :n], memory.recommended.chances[g, :n]
    if table.n_rows[0] + n > table.squares.size:
        thin_table(table)
    _add(table, words, chances, seen, square)
    if parts.counts.size:
        _add_parts(parts, words, chances, seen, memory.counts[g], square)


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
def _add_parts(parts: Parts, words: Words, chances: Floats, seen: Floats, count: float, square: float) -> None:
    """Add c·E, c·n and c²·n² to the row of each part, c the chance that it is recommended."""
    n_rows = parts.counts.size
    together, elements = np.zeros(n_rows), np.empty(seen.size, dtype=np.int64)
    rows = np.empty(n_rows, dtype=np.int64)
    for a in range(chances.size):
        n = elements_of(words[a], elements)
        for k in range(rows_of_parts(elements[:n], seen.size, rows)):
            together[rows[k]] += chances[a]
    for k in range(n_rows):
        c = together[k]
        if c > 0.0:
            line = parts.values[k]
            for i in range(seen.size):
                line[i] += c * seen[i]
            parts.counts[k] += c * count
            parts.squares[k] += c * c * square
