"""The common turn of the adaptive master, step by step, for compiled runs of any family.

``learners.adaptive.master`` has the algorithm in words and does every turn that is not a common one: scales that restart,
the guard, tables that are full. A driver adds how its set projects, decomposes and answers.

May touch: the kernels they are made of.
"""

import numpy as np
import numpy.typing as npt

from swapregret.compiled.kernel import kernel
from swapregret.kernels.master_arrays import Log, Memory, Rule
from swapregret.kernels.master_steps import end_day, solve_action
from swapregret.kernels.packed_laws import unpack_action
from swapregret.kernels.pool_weights import pool_weights, variance
from swapregret.kernels.swap_filter import add_to_pairs
from swapregret.kernels.turn_arrays import MUST_DRAW, MUST_TURN, PLAYED, Pool, PoolRule, Table
from swapregret.kernels.vector_table import add_to_rows, keep_rows, slot_of
from swapregret.kernels.vectors import centred_square, dot, tilt
from swapregret.kernels.weighted_sums import gain_over, sum_of

__all__ = [
    "account",
    "end_calm",
    "play_window",
    "set_point",
    "tilted_scores",
    "weigh",
]

Floats = npt.NDArray[np.float64]
Integers = npt.NDArray[np.int64]

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
