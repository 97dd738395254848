"""Whole runs of the multi-scale master on m-sets, compiled: Algorithm 1 with Lazy-ComBCP and bandit feedback.

The same kernels in the same order as stepping a ``Session`` day by day, so both give the same bits; see
``learners.engine`` for the glue and ``learners.master`` for the algorithm in words.

May touch: the kernels it is made of.
"""

import numpy as np
import numpy.typing as npt

from swapregret.kernels.cholesky import cholesky, cholesky_solve
from swapregret.kernels.compile import kernel
from swapregret.kernels.subsets import (
    UNIT,
    project_capped,
    round_to_units,
    systematic_cooccurrence,
    systematic_draw,
    systematic_starts,
)
from swapregret.kernels.vectors import action_total, centred_square, learn_prediction, tilt

__all__ = ["run_master"]

Floats = npt.NDArray[np.float64]
Integers = npt.NDArray[np.int64]

_GRID = 2**52


@kernel
def grid_weights(weights: Floats) -> Floats:
    """Round weights that add up to 1 to multiples of 2⁻⁵² that do so exactly (``policy.on_grid``)."""
    n = weights.size
    units = np.empty(n, dtype=np.int64)
    missing = np.int64(_GRID)
    largest = 0
    for i in range(n):
        units[i] = np.int64(np.floor(weights[i] * _GRID))
        missing -= units[i]
        if units[i] > units[largest]:
            largest = i
    units[largest] += missing
    result = np.empty(n)
    for i in range(n):
        result[i] = units[i] / _GRID
    return result


@kernel
def component_table(fresh: Integers, exploit_share: float, explore_share: float) -> tuple[Integers, Floats]:
    """Return the components of the mixture and their weights, in the order of ``policy.mix``.

    Component −1 is the exploration law, k ≥ 0 the exploit law of scale k; scales that have just begun share one law,
    listed under the first of them.
    """
    n_scales = fresh.size
    share = 1.0 / n_scales
    members = np.empty(n_scales + 1, dtype=np.int64)
    weights = np.zeros(n_scales + 1)
    count = 0
    first_fresh = -1
    explorer = -1
    for k in range(n_scales):
        if fresh[k] and first_fresh >= 0:
            weights[first_fresh] += share * exploit_share
        else:
            if fresh[k]:
                first_fresh = count
            members[count] = k
            weights[count] = share * exploit_share
            count += 1
        if explore_share > 0.0:
            if explorer < 0:
                explorer = count
                members[count] = -1
                count += 1
            weights[explorer] += share * explore_share
    return members[:count], grid_weights(weights[:count])


@kernel
def draw_uniform(rng: np.random.Generator, dimension: int, size: int) -> Integers:
    """Draw an m-set by Floyd's rule (``UniformSubsets.sample``)."""
    action = np.zeros(dimension, dtype=np.int64)
    for top in range(dimension - size, dimension):
        element = int(rng.random() * (top + 1))
        if action[element]:
            action[top] = 1
        else:
            action[element] = 1
    return action


@kernel
def run_master(
    rng: np.random.Generator,
    rewards: Floats,
    windows: Integers,
    orders: Integers,
    rates: Floats,
    is_adaptive: bool,
    diameter: float,
    shares: Floats,
    pair: float,
    size: int,
    predictor_step: float,
    clock: Integers,
    first_point: Floats,
    first_log: Floats,
    points: Floats,
    log_weights: Floats,
    scores: Floats,
    aggregates: Floats,
    scalars: Floats,
    counts: Integers,
    prediction: Floats,
    running: Floats,
    total: Floats,
    events: Integers,
    event_units: Integers,
    received: Floats,
) -> tuple[int, int]:
    """Play one day a row of ``rewards``; every array after ``clock`` is the state and is changed in place.

    ``clock`` is (day, offset); ``shares`` (exploit, explore); ``scalars[k]`` (variation, memory_sum) and ``counts[k]``
    (n_updates, memory_count) of scale k. Each turn of the calendar is logged: ``events`` gets (day just ended, number of
    windows that end), ``event_units`` the new law of the scale that updated. Returns the number of days played and of
    turns; fewer days than rows means that Σ was singular, and the caller must go on by stepping.
    """
    n_days, d = rewards.shape
    n_scales = windows.size - 1
    n_orders = orders.shape[0]
    single = size / d
    fresh_units = round_to_units(first_point, size)
    units = np.empty((n_scales, d), dtype=np.int64)
    starts = np.empty((n_scales, n_orders, d), dtype=np.int64)
    moments = np.empty((n_scales, d, d))
    fresh = np.empty(n_scales, dtype=np.int64)
    fresh_starts = systematic_starts(fresh_units, orders)
    fresh_moment = systematic_cooccurrence(fresh_units, fresh_starts)
    for k in range(n_scales):
        fresh[k] = counts[k, 0] == 0
        units[k] = fresh_units if fresh[k] else round_to_units(points[k], size)
        starts[k] = fresh_starts if fresh[k] else systematic_starts(units[k], orders)
        moments[k] = fresh_moment if fresh[k] else systematic_cooccurrence(units[k], starts[k])
    n_events = 0
    must_factor = True
    factor = np.empty((d, d))
    members = np.empty(0, dtype=np.int64)
    cumulative = np.empty(0)
    for row in range(n_days):
        if must_factor:
            members, weights = component_table(fresh, shares[0], shares[1])
            cumulative = np.cumsum(weights)
            sigma = np.zeros((d, d))
            for c in range(members.size):
                if members[c] < 0:
                    for i in range(d):
                        for j in range(d):
                            sigma[i, j] += weights[c] * (single if i == j else pair)
                else:
                    moment = moments[members[c]]
                    for i in range(d):
                        for j in range(d):
                            sigma[i, j] += weights[c] * moment[i, j]
            factor, is_definite = cholesky(sigma)
            if not is_definite:
                return row, n_events
            must_factor = False
        member = members[0]
        if members.size > 1:
            member = members[np.searchsorted(cumulative, rng.random(), side="right")]
        if member < 0:
            action = draw_uniform(rng, d, size)
        else:
            order = int(rng.random() * n_orders)
            action = systematic_draw(units[member], starts[member, order], int(rng.random() * UNIT))
        reward = action_total(rewards[row], action)
        reward = min(max(reward, 0.0), 1.0)
        received[row] = reward
        right = np.empty(d)
        for i in range(d):
            right[i] = action[i]
        solution = cholesky_solve(factor, right)
        surprise = reward - action_total(prediction, action)
        for i in range(d):
            estimate = solution[i] * surprise + prediction[i]
            running[i] += estimate
            total[i] += estimate
        if predictor_step != 0.0:
            prediction[:] = learn_prediction(prediction, action, reward, predictor_step)
        clock[0] += 1
        position = clock[0] + clock[1]
        if position % windows[0]:
            continue
        n_ending = 1
        while n_ending < windows.size and position % windows[n_ending] == 0:
            n_ending += 1
        for k in range(n_scales):
            for i in range(d):
                aggregates[k, i] += running[i]
        running[:] = 0.0
        must_factor = True
        if n_ending <= n_scales:
            k = n_ending - 1
            aggregate = aggregates[k]
            for i in range(d):
                scores[k, i] += aggregate[i]
            spread = centred_square(points[k], aggregate, True)
            scalars[k, 0] += spread
            scalars[k, 1] += spread
            counts[k, 0] += 1
            counts[k, 1] += 1
            tilted = np.empty(d)
            if is_adaptive:
                noise = scalars[k, 0] + scalars[k, 1] / counts[k, 1]
                eta = 0.0
                if noise > 0.0 and diameter > 0.0:
                    eta = rates[k] * np.sqrt(diameter / noise)
                tilted = tilt(first_log, scores[k], eta, True)
            else:
                for i in range(d):
                    tilted[i] = log_weights[k, i] + rates[k] * aggregate[i]
            point, log_point, _ = project_capped(tilted, size)
            points[k] = point
            log_weights[k] = log_point
            aggregates[k] = 0.0
            fresh[k] = 0
            units[k] = round_to_units(point, size)
            starts[k] = systematic_starts(units[k], orders)
            moments[k] = systematic_cooccurrence(units[k], starts[k])
            event_units[n_events] = units[k]
        for k in range(min(n_ending - 1, n_scales)):
            points[k] = first_point
            log_weights[k] = first_log
            scores[k] = 0.0
            scalars[k, 0] = 0.0
            counts[k, 0] = 0
            aggregates[k] = 0.0
            fresh[k] = 1
            units[k] = fresh_units
            starts[k] = fresh_starts
            moments[k] = fresh_moment
        events[n_events, 0] = clock[0] - 1
        events[n_events, 1] = n_ending
        n_events += 1
    return n_days, n_events
