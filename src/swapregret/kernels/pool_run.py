"""Days and turns of the adaptive master on m-sets, compiled; ``learners.adaptive.master`` has the algorithm in words.

May touch: the kernels it is made of.
"""

import numpy as np
import numpy.typing as npt

from swapregret.kernels.capped_simplex import project_capped
from swapregret.kernels.cholesky import cholesky_solve
from swapregret.compiled.kernel import kernel
from swapregret.kernels.pool_arrays import ActionTable, LawTape, PoolArrays, PoolConfig
from swapregret.kernels.pool_draw import draw_into, mix_laws
from swapregret.kernels.pool_laws import account_for_law, make_law, table_gain
from swapregret.kernels.pool_tape import tape_law, tape_window
from swapregret.kernels.pool_weights import pool_weights
from swapregret.kernels.vectors import action_total, centred_square, learn_prediction

__all__ = ["absorb_day", "run_days", "turn_pool"]

Floats = npt.NDArray[np.float64]
Integers = npt.NDArray[np.int64]

_LEAST_WEIGHT = 1e-3
_FORGET = 0.01


@kernel
def absorb_total(
    factor: Floats,
    action: Integers,
    reward: float,
    step: float,
    prediction: Floats,
    running: Floats,
    total: Floats,
) -> None:
    """Estimate a day of bandit feedback, and let the predictor learn."""
    d = action.size
    right = np.empty(d)
    for i in range(d):
        right[i] = action[i]
    solution = cholesky_solve(factor, right)
    surprise = reward - action_total(prediction, action)
    for i in range(d):
        estimate = solution[i] * surprise + prediction[i]
        running[i] += estimate
        total[i] += estimate
    if step != 0.0:
        prediction[:] = learn_prediction(prediction, action, reward, step)


@kernel
def absorb_day(pool: PoolArrays, config: PoolConfig, action: Integers, rewards: Floats, reward: float) -> None:
    """Estimate a day: feedback 0 is bandit, 1 semi-bandit, 2 full; ``rewards`` is what is seen of the vector."""
    pool.numbers[2] += reward
    prediction = pool.prediction
    if config.feedback == 0:
        absorb_total(pool.factor, action, reward, config.predictor_step, prediction, pool.running, pool.total)
        return
    d = action.size
    n = pool.points.shape[0]
    n_cold = pool.shares.size - n - 1
    for i in range(d):
        estimate = rewards[i]
        if config.feedback == 1:
            estimate = prediction[i]
            if action[i]:
                chance = pool.shares[n + n_cold] * config.size / d
                for g in range(n):
                    chance += pool.shares[g] * pool.played_pairs[g, i, i]
                for k in range(n_cold):
                    chance += pool.shares[n + k] * pool.recommended_pairs[k, i, i]
                estimate += (rewards[i] - prediction[i]) / chance
                prediction[i] += config.predictor_step * (rewards[i] - prediction[i])
        pool.running[i] += estimate
        pool.total[i] += estimate


@kernel
def advance_members(pool: PoolArrays, config: PoolConfig, n_ending: int, changed: Integers) -> None:
    """Let the members learn: cold scales on the calendar (Algorithm 1), the others every few base windows."""
    n, d = pool.points.shape
    n_cold = config.windows.size - 1
    for g in range(n):
        for i in range(d):
            pool.aggregates[g, i] += pool.running[i]
    for g in range(n):
        if g < n_cold and g != n_ending - 1:
            continue
        if g == n_cold + 1:
            changed[g] = n_ending > 1
            continue
        if g > n_cold - 1 and pool.clock[2] % config.update_every[g]:
            continue
        aggregate = pool.aggregates[g]
        keep = config.retention[g]
        spread = centred_square(pool.points[g], aggregate, True)
        pool.spreads[g, 0] = keep * pool.spreads[g, 0] + spread
        pool.spreads[g, 1] += spread
        pool.spreads[g, 2] += 1.0
        noise = pool.spreads[g, 0] + pool.spreads[g, 1] / pool.spreads[g, 2]
        eta = config.rates[g] * np.sqrt(config.diameter / noise) if noise > 0.0 else 0.0
        tilted = np.empty(d)
        for i in range(d):
            pool.scores[g, i] = keep * pool.scores[g, i] + aggregate[i]
            tilted[i] = config.first_log[i] + eta * pool.scores[g, i]
        point, _, _ = project_capped(tilted, config.size)
        pool.points[g] = point
        pool.aggregates[g] = 0.0
        changed[g] = 1
    for k in range(min(n_ending - 1, n_cold)):
        pool.points[k] = config.first_point
        pool.scores[k] = 0.0
        pool.spreads[k, 0] = 0.0
        pool.aggregates[k] = 0.0
        changed[k] = 1


@kernel
def weigh_members(pool: PoolArrays, config: PoolConfig) -> None:
    """Account for the window under the weights that were in force, then move them by what each member gained."""
    n, d = pool.points.shape
    n_cold = config.windows.size - 1
    gains = np.empty(n)
    mass = 0.0
    for g in range(n):
        value = 0.0
        for i in range(d):
            value += pool.running[i] * (pool.played_pairs[g, i, i] if pool.n_atoms[g] else pool.points[g, i])
        gains[g] = value
        if pool.n_atoms[g]:
            mass += pool.law[g]
    for g in range(n):
        share = (1.0 - config.floor) * pool.law[g]
        if g < n_cold:
            share += config.floor / n_cold
        followed = pool.law[g] / mass if pool.n_atoms[g] and mass > 0.0 and pool.clock[4] == 0 else 0.0
        for i in range(d):
            pool.seen[g, i] += share * pool.running[i]
            pool.adaptive[g, i] += followed * pool.running[i]
        pool.counts[g, 0] += share
        pool.counts[g, 1] += share * share
    pool.clock[2] += 1
    forget = max(_FORGET, 1.0 / pool.clock[2])
    pool.numbers[0] += forget * (np.var(gains) - pool.numbers[0])
    noise = np.var(pool.running)
    pool.numbers[1] += forget * (noise - pool.numbers[1])
    if pool.clock[4]:
        pool.numbers[5] += noise
    if config.switches[2]:
        scores, spreads, transition, law = pool_weights(
            pool.gain_scores,
            pool.gain_spreads,
            pool.transition,
            pool.law,
            gains,
            pool.numbers[0],
            config.weight_step,
            config.weight_spread,
        )
        pool.gain_scores[:] = scores
        pool.gain_spreads[:] = spreads
        pool.transition[:] = transition
        pool.law[:] = law


@kernel
def calm_is_over(pool: PoolArrays, config: PoolConfig) -> bool:
    """Tell whether the best fixed action is so much better than exploring that learning pays."""
    d = pool.total.size
    ranked = np.sort(pool.total)
    gain = 0.0
    for i in range(d):
        gain += ranked[i] * ((1.0 if i >= d - config.size else 0.0) - config.size / d)
    return bool(gain > config.budget + config.width * np.sqrt(pool.numbers[5]))


@kernel
def turn_pool(
    pool: PoolArrays, table: ActionTable, guard: ActionTable, config: PoolConfig, changed: Integers, tape: LawTape
) -> bool:
    """End a base window; ``changed`` is set where a law was made anew or dropped. False if the new Σ is singular."""
    n = pool.points.shape[0]
    n_cold = config.windows.size - 1
    position = pool.clock[0] + pool.clock[1]
    n_ending = 1
    while n_ending < config.windows.size and position % config.windows[n_ending] == 0:
        n_ending += 1
    changed[:] = 0
    weigh_members(pool, config)
    if pool.clock[4] and calm_is_over(pool, config):
        pool.clock[4] = 0
    advance_members(pool, config, n_ending, changed)
    pool.running[:] = 0.0
    for g in range(n):
        if changed[g] and pool.n_atoms[g]:
            account_for_law(pool, table, guard, config, g)
    if config.switches[3] and n_ending > 1 and pool.clock[3] == 0:
        every = max(config.windows[1], config.windows[0] * guard.n_used[0])
        if position // every > (position - config.windows[1]) // every:
            pool.numbers[4] = pool.numbers[3] + table_gain(guard, config.size)
            if pool.numbers[4] > config.threshold:
                pool.clock[3] = 1
                changed[:] = 1
    for g in range(n):
        if not changed[g] and pool.n_atoms[g]:
            continue
        changed[g] = 1
        if tape.stops.size and pool.n_atoms[g]:
            tape_law(pool, tape, g)
            if g < n_cold:
                tape_law(pool, tape, n + g)
        share = (1.0 - config.floor) * pool.law[g]
        if g < n_cold:
            share += config.floor / n_cold
        if share <= _LEAST_WEIGHT:
            pool.n_atoms[g] = 0
        else:
            make_law(pool, table, config, g)
    return mix_laws(pool, config)


@kernel
def run_days(
    rng: np.random.Generator,
    pool: PoolArrays,
    table: ActionTable,
    guard: ActionTable,
    config: PoolConfig,
    rewards: Floats,
    received: Floats,
    plays: Integers,
    changed: Integers,
    tape: LawTape,
) -> tuple[int, bool]:
    """Play one day a row, until the rows run out, the tape is full, or Σ of a new mixture is singular.

    Returns the number of days, and False in the last case. ``plays`` takes the actions, if it has rows; ``changed`` tells
    which laws the last turn made anew or dropped.
    """
    size = config.size
    most_laws = tape.counts.size - 2 * pool.shares.size
    most_windows = tape.stops.size - 1
    action = np.zeros(rewards.shape[1], dtype=np.int64)
    cumulative, n_atoms, chances = pool.cumulative, pool.n_atoms, pool.chances
    played, recommended = pool.played, pool.recommended
    factor, prediction, running, total = pool.factor, pool.prediction, pool.running, pool.total
    clock, numbers = pool.clock, pool.numbers
    is_bandit, step, base = config.feedback == 0, config.predictor_step, config.windows[0]
    for row in range(rewards.shape[0]):
        draw_into(rng, cumulative, n_atoms, chances, played, recommended, size, action)
        reward = min(max(action_total(rewards[row], action), 0.0), 1.0)
        received[row] = reward
        if plays.shape[0]:
            plays[row] = action
        if is_bandit:
            numbers[2] += reward
            absorb_total(factor, action, reward, step, prediction, running, total)
        else:
            absorb_day(pool, config, action, rewards[row], reward)
        clock[0] += 1
        if (clock[0] + clock[1]) % base == 0:
            if tape.stops.size:
                tape_window(pool, tape, row + 1)
            if not turn_pool(pool, table, guard, config, changed, tape):
                return row + 1, False
            if tape.stops.size and (tape.filled[0] > most_laws or tape.filled[1] >= most_windows):
                return row + 1, True
    return int(rewards.shape[0]), True
