"""Laws of the adaptive master in compiled turns: what a member recommends, what is played instead, their mixture.

May touch: the kernels they are made of.
"""

import numpy as np
import numpy.typing as npt

from swapregret.kernels.cholesky import cholesky, cholesky_inverse
from swapregret.compiled.kernel import kernel
from swapregret.kernels.master_steps import grid_weights
from swapregret.kernels.packed_laws import merge_law, packed_marginals, packed_pairs
from swapregret.kernels.swap_filter import favour_kept, shrunken_vectors, write_actions
from swapregret.kernels.turn_arrays import Pool, PoolRule
from swapregret.kernels.weighted_sums import mixture_shares

__all__ = [
    "filter_law",
    "known_thresholds",
    "known_vectors",
    "list_law",
    "mix_laws",
]

Floats = npt.NDArray[np.float64]
Integers = npt.NDArray[np.int64]
Words = npt.NDArray[np.uint64]


@kernel
def set_law(rule: PoolRule, pool: Pool, slot: int, words: Words, weights: Floats) -> None:
    """Take a law into its slot."""
    n = weights.size
    pool.sizes[slot] = n
    pool.words[slot, :n] = words
    pool.weights[slot, :n] = weights
    reached = 0.0
    for a in range(n):
        reached += weights[a]
        pool.cumulative[slot, a] = reached
    pool.marginals[slot] = packed_marginals(words, weights, pool.prediction.size)
    if rule.coordinates.size:
        pool.moments[slot] = packed_pairs(words, weights, rule.places, rule.coordinates.size)


@kernel
def list_law(rule: PoolRule, pool: Pool, g: int, words: Words, weights: Floats) -> bool:
    """Take what member g recommends; False if there is no room for it."""
    if weights.size > pool.weights.shape[1]:
        return False
    set_law(rule, pool, g, words, weights)
    if pool.pair_counts.size:
        d = pool.prediction.size
        pool.pairs[g] = packed_pairs(words, weights, np.arange(d), d)
    return True


@kernel
def known_vectors(rule: PoolRule, pool: Pool, words: Words) -> tuple[Integers, Floats]:
    """Return what the filter asks the oracle about: which actions, and their vectors with τ more for what is kept."""
    known, vectors, thresholds = known_thresholds(rule, pool, words)
    favour_kept(words, known, vectors, thresholds)
    return known, vectors


@kernel
def known_thresholds(rule: PoolRule, pool: Pool, words: Words) -> tuple[Integers, Floats, Floats]:
    """Return about which actions the filter knows something, their vectors, and the τ a gain must exceed."""
    table = pool.table
    known, vectors, spread = shrunken_vectors(
        words,
        table.slots,
        table.keys,
        table.values,
        table.squares,
        pool.pair_values,
        pool.pair_counts,
        pool.pair_squares,
        rule.prior,
    )
    noise = pool.numbers[1]
    if not (rule.has_filter and noise > 0.0):
        return known[:0], vectors[:0], spread[:0]
    for place in range(known.size):
        spread[place] = rule.standard_errors * np.sqrt(2.0 * noise * spread[place])
    return known, vectors, spread


@kernel
def filter_law(
    rule: PoolRule,
    pool: Pool,
    g: int,
    words: Words,
    weights: Floats,
    known: Integers,
    answers: Integers,
) -> None:
    """Take what is played for what member g recommends, given the oracle's answers."""
    n = pool.law.size
    instead = words
    if known.size:
        instead = write_actions(words, known, answers)
    is_same = True
    for a in range(words.shape[0]):
        for w in range(words.shape[1]):
            is_same = is_same and instead[a, w] == words[a, w]
    pool.is_same[g] = 1 if is_same else 0
    pool.instead[g, : words.shape[0]] = instead
    if is_same:
        slot = n + g
        size = pool.sizes[g]
        pool.sizes[slot] = size
        pool.words[slot, :size] = pool.words[g, :size]
        pool.weights[slot, :size] = pool.weights[g, :size]
        pool.cumulative[slot, :size] = pool.cumulative[g, :size]
        pool.marginals[slot] = pool.marginals[g]
        pool.moments[slot] = pool.moments[g]
        return
    different, merged = merge_law(instead, weights)
    set_law(rule, pool, n + g, different, merged)


@kernel
def mix_laws(rule: PoolRule, pool: Pool) -> bool:
    """Mix the laws into the one that is played, and prepare the estimator for it; False if Σ is singular. In calm all stays."""
    n, n_cold = pool.law.size, rule.n_cold
    if pool.clock[3]:
        return True
    parts = mixture_shares(pool.law, n_cold, rule.floor, rule.exploration)
    shares, count = np.empty(parts.size), 0
    for c in range(parts.size):
        if not parts[c] > 0.0:
            continue
        slot = c if c < n_cold else (n + c - n_cold)
        if n_cold <= c < 2 * n_cold and pool.is_same[c - n_cold]:
            shares[c - n_cold] += parts[c]
            continue
        pool.components[count] = slot
        shares[count] = parts[c]
        count += 1
    rounded = grid_weights(shares[:count])
    reached = 0.0
    for c in range(count):
        reached += rounded[c]
        pool.shares[c] = reached
    pool.n_components[0] = count
    if rule.feedback == 1:
        pool.chances[:] = 0.0
        for c in range(count):
            part = pool.marginals[pool.components[c]]
            for i in range(part.size):
                pool.chances[i] += rounded[c] * part[i]
    if rule.feedback != 0:
        return True
    rank = rule.coordinates.size
    total = np.zeros((rank, rank))
    for c in range(count):
        part, weight = pool.moments[pool.components[c]], rounded[c]
        for i in range(rank):
            line, source = total[i, i:], part[i, i:]
            for j in range(line.size):
                line[j] += weight * source[j]
    factor, is_definite = cholesky(total)
    if is_definite and rule.has_inverse:
        factor = cholesky_inverse(factor)
    pool.factor[:] = factor
    return is_definite
