"""The common turn of the adaptive master, step by step, for compiled runs of any family.

``learners.adaptive.master`` has the algorithm in words and does every turn that is not a common one: scales that restart,
the guard, tables that are full. A driver adds how its set projects, decomposes and answers.

May touch: the kernels they are made of.
"""

import numpy as np
import numpy.typing as npt

from swapregret.kernels.cholesky import cholesky, cholesky_inverse
from swapregret.kernels.compile import kernel
from swapregret.kernels.master_arrays import Log, Memory, Rule
from swapregret.kernels.master_steps import end_day, grid_weights, solve_action
from swapregret.kernels.packed_laws import merge_law, packed_marginals, packed_pairs, unpack_action
from swapregret.kernels.swap_filter import (
    add_to_pairs,
    add_to_rows,
    favour_kept,
    keep_rows,
    pool_weights,
    shrunken_vectors,
    slot_of,
    variance,
    write_actions,
)
from swapregret.kernels.turn_arrays import MUST_DRAW, MUST_TURN, PLAYED, Pool, PoolRule, Table
from swapregret.kernels.vectors import centred_square, dot, tilt
from swapregret.kernels.weighted_sums import gain_over, mixture_shares, sum_of

__all__ = [
    "account",
    "end_calm",
    "filter_law",
    "known_thresholds",
    "known_vectors",
    "list_law",
    "mix_laws",
    "play_window",
    "set_point",
    "tilted_scores",
    "weigh",
]

Floats = npt.NDArray[np.float64]
Integers = npt.NDArray[np.int64]
Words = npt.NDArray[np.uint64]

_FORGET = 0.01


@kernel
def play_window(
    rng: np.random.Generator, rewards: Floats, received: Floats, row: int, handed: Integers, rule: PoolRule, pool: Pool
) -> tuple[int, int]:
    """Play days up to the end of the base window; return the first that is not played, and how it ended.

    ``MUST_TURN`` stands for the end of the window; ``handed`` are the actions of the first days, drawn elsewhere.
    """
    none, nothing, empty = np.empty(0, dtype=np.int64), np.empty(0), np.empty((0, 0))
    no_events = np.empty((0, 2), dtype=np.int64)
    days = Rule(none, none, nothing, nothing, 0.0, rule.predictor_step, True, True, rule.feedback, rule.has_inverse)
    earned = pool.numbers[2:3]
    clock = pool.clock[:2]
    memory = Memory(
        clock,
        pool.prediction,
        pool.running,
        pool.total,
        empty,
        empty,
        empty,
        empty,
        empty,
        no_events,
        nothing,
        nothing,
        earned,
        none,
    )
    log = Log(received, no_events, empty, nothing, np.empty((0, 0), dtype=np.int64))
    d = pool.prediction.size
    explorer = 2 * pool.law.size
    action = np.zeros(d, dtype=np.int64)
    aid = pool.chances
    if rule.feedback == 0:
        aid = np.zeros(d)
    n = pool.n_components[0]
    n_handed = 0
    while row < rewards.shape[0]:
        if n_handed < len(handed):
            action[:] = handed[n_handed]
            n_handed += 1
        elif pool.clock[3]:
            return row, MUST_DRAW
        else:
            component = np.searchsorted(pool.shares[:n], rng.random(), side="right")
            slot = pool.components[component]
            if slot == explorer:
                return row, MUST_DRAW
            reached = pool.cumulative[slot, : pool.sizes[slot]]
            unpack_action(pool.words[slot], int(np.searchsorted(reached, rng.random(), side="right")), action)
        if rule.feedback == 0:
            solve_action(days, pool.factor, rule.coordinates, action, aid)
        end_day(days, memory, log, row, rewards[row], action, aid)
        row += 1
        if (clock[0] + clock[1]) % rule.windows[0] == 0:
            return row, MUST_TURN
    return row, PLAYED


@kernel
def make_room(table: Table, extra: int) -> None:
    """Thin a table that has grown to its capacity and has no room for so many actions."""
    n, capacity = table.size[0], table.size[1]
    if n + extra > len(table.keys):
        kept = np.sort(np.argsort(-table.squares[:n], kind="mergesort")[: capacity // 2])
        keep_rows(table.slots, table.keys, table.values, table.squares, n, kept)
        table.size[0] = kept.size


@kernel
def has_room(table: Table, pool: Pool, first_slot: int) -> bool:
    """Tell whether the laws that end can be entered into a table one after the other without making it larger."""
    n_rows = table.size[0]
    for g in range(pool.law.size):
        if not pool.changed[g]:
            continue
        slot = first_slot + g
        if n_rows + pool.sizes[slot] > len(table.keys):
            return False
        for a in range(pool.sizes[slot]):
            if table.slots[slot_of(table.slots, table.keys, pool.words[slot, a])] == 0:
                n_rows += 1
    return True


@kernel
def weigh(rule: PoolRule, pool: Pool, aggregate: Floats) -> bool:
    """Weigh the members after a window with the part in the span of its estimates, and mark the laws that change.

    False, and nothing changed, if the turn is not a common one.
    """
    n, d = pool.points.shape
    if (pool.clock[0] + pool.clock[1]) % rule.windows[1] == 0:
        return False
    count = pool.clock[2] + 1
    for g in range(n):
        pool.changed[g] = 1 if g == 0 else 0
        if g >= rule.n_cold and rule.update_every[g] > 0 and count % rule.update_every[g] == 0:
            pool.changed[g] = 1
    table, guard = pool.table, pool.guard
    if rule.is_guarded and not has_room(guard, pool, n):
        return False
    if rule.has_filter and len(table.keys) < table.size[1] and not has_room(table, pool, 0):
        return False
    for g in range(n):
        if pool.sizes[g] > table.size[1] // 2:
            return False
    gains = np.empty(n)
    for g in range(n):
        gains[g] = dot(pool.marginals[n + g], aggregate)
    forget = max(_FORGET, 1.0 / count)
    typical = pool.numbers[0] + forget * (variance(gains) - pool.numbers[0])
    noise = pool.numbers[1] + forget * (variance(aggregate) - pool.numbers[1])
    scores, spreads, transition, law = pool.gain_scores, pool.gain_spreads, pool.transition, pool.law
    if rule.learns:
        scores, spreads, transition, law = pool_weights(
            scores, spreads, transition, law, gains, typical, rule.weight_step, rule.weight_spread
        )
    for g in range(n):
        share = (1.0 - rule.floor) * law[g]
        if g < rule.n_cold:
            share += rule.floor / rule.n_cold
        if share <= rule.least_weight:
            return False
    mass = sum_of(pool.law)
    for g in range(n):
        share = (1.0 - rule.floor) * pool.law[g]
        if g < rule.n_cold:
            share += rule.floor / rule.n_cold
        followed = pool.law[g] / mass
        for i in range(d):
            pool.seen[g, i] += share * aggregate[i]
            if pool.clock[3] == 0:
                pool.adaptive[g, i] += followed * aggregate[i]
            pool.aggregates[g, i] += aggregate[i]
        pool.counts[g, 0] += share
        pool.counts[g, 1] += share * share
    if pool.clock[3]:
        pool.numbers[3] += variance(aggregate)
    pool.clock[2] = count
    pool.numbers[0] = typical
    pool.numbers[1] = noise
    pool.gain_scores[:] = scores
    pool.gain_spreads[:] = spreads
    pool.transition[:] = transition
    pool.law[:] = law
    pool.running[:] = 0.0
    return True


@kernel
def end_calm(rule: PoolRule, pool: Pool, best: Integers) -> None:
    """End calm if the best fixed action is so much better than exploring that learning pays."""
    gain = gain_over(best, pool.marginals[2 * pool.law.size], pool.total)
    if gain > rule.calm_budget + rule.calm_width * np.sqrt(pool.numbers[3]):
        pool.clock[3] = 0


@kernel
def tilted_scores(rule: PoolRule, pool: Pool, g: int) -> Floats:
    """End the meta-day of member g: forget, add what was seen, and return the log-weights to be projected."""
    aggregate, keep = pool.aggregates[g], rule.retention[g]
    score, scalars, updates = pool.scores[g], pool.scalars[g], pool.updates[g]
    spread = centred_square(pool.points[g], aggregate, rule.is_uniform)
    for i in range(score.size):
        score[i] = keep * score[i] + aggregate[i]
        aggregate[i] = 0.0
    scalars[0] = keep * scalars[0] + spread
    scalars[1] += spread
    updates[0] += 1
    updates[1] += 1
    noise = scalars[0] + scalars[1] / updates[1]
    rate = 0.0
    if noise > 0.0 and rule.diameter > 0.0:
        rate = rule.rates[g] * np.sqrt(rule.diameter / noise)
    return tilt(pool.origins[g], score, rate, rule.is_uniform)


@kernel
def set_point(pool: Pool, g: int, point: Floats, log_point: Floats) -> None:
    """Take a projected point; the weight of an element of no action is never looked at."""
    pool.points[g] = point
    line = pool.log_weights[g]
    for i in range(line.size):
        line[i] = 0.0 if log_point[i] == -np.inf else log_point[i]


@kernel
def account(rule: PoolRule, pool: Pool) -> None:
    """Enter what was seen under the laws that end: by recommended action, by pair, and by played action."""
    n = pool.law.size
    table, guard = pool.table, pool.guard
    for g in range(n):
        if not pool.changed[g]:
            continue
        size, seen = pool.sizes[g], pool.seen[g]
        if rule.has_filter and pool.counts[g, 0] > 0.0:
            words, weights = pool.words[g, :size], pool.weights[g, :size]
            make_room(table, size)
            table.size[0] = add_to_rows(
                table.slots,
                table.keys,
                table.values,
                table.squares,
                table.size[0],
                words,
                weights,
                seen,
                pool.counts[g, 1],
            )
            if pool.pair_counts.size:
                count, square = pool.counts[g, 0], pool.counts[g, 1]
                add_to_pairs(pool.pair_values, pool.pair_counts, pool.pair_squares, pool.pairs[g], seen, count, square)
        if rule.is_guarded and pool.adaptive[g].any():
            played = pool.sizes[n + g]
            guard.size[0] = add_to_rows(
                guard.slots,
                guard.keys,
                guard.values,
                guard.squares,
                guard.size[0],
                pool.words[n + g, :played],
                pool.weights[n + g, :played],
                pool.adaptive[g],
                1.0,
            )
        pool.seen[g] = 0.0
        pool.counts[g] = 0.0
        pool.adaptive[g] = 0.0


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
