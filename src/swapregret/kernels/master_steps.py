"""The steps of the multi-scale master that do not depend on the set: Algorithm 1 for compiled runs of any family.

A driver (``kernels.m_set_master``, ``kernels.matching_master``, ``kernels.path_master``) draws, projects and decomposes in
the way of its set and takes everything else from here; ``learners.master`` says the same in words.

May touch: ``kernels.compile``, ``kernels.cholesky``, ``kernels.master_arrays``, ``kernels.vectors``.
"""

import numpy as np
import numpy.typing as npt

from swapregret.kernels.cholesky import cholesky, cholesky_inverse, cholesky_solve, sum_rows
from swapregret.compiled.kernel import kernel
from swapregret.kernels.master_arrays import Explore, Log, Memory, Rule
from swapregret.kernels.vectors import action_total, centred_square, tilt

__all__ = [
    "begin_turn",
    "collect",
    "component_table",
    "draw_component",
    "draw_listed",
    "end_day",
    "end_meta_day",
    "end_turn",
    "factor_mixture",
    "grid_weights",
    "mix_scales",
    "places_of",
    "slots_of",
    "solve_action",
    "split_explorer",
]

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
def component_table(rule: Rule, counts: Integers) -> tuple[Integers, Floats]:
    """Return the components of the mixture and their weights, in the order of ``policy.mix``.

    Component −1 is the exploration law, k ≥ 0 the exploit law of scale k; scales of one learner that have just begun
    share one law, listed under the first of them.
    """
    n_scales = rule.groups.size
    share = 1.0 / n_scales
    members = np.empty(n_scales + 1, dtype=np.int64)
    weights = np.zeros(n_scales + 1)
    first_fresh = np.full(n_scales, -1, dtype=np.int64)
    count = 0
    explorer = -1
    for k in range(n_scales):
        is_fresh, group = counts[k, 0] == 0, rule.groups[k]
        if is_fresh and first_fresh[group] >= 0:
            weights[first_fresh[group]] += share * rule.shares[0]
        else:
            if is_fresh:
                first_fresh[group] = count
            members[count] = k
            weights[count] = share * rule.shares[0]
            count += 1
        if rule.shares[1] > 0.0:
            if explorer < 0:
                explorer = count
                members[count] = -1
                count += 1
            weights[explorer] += share * rule.shares[1]
    return members[:count], grid_weights(weights[:count])


@kernel
def split_explorer(members: Integers, weights: Floats, counts: Integers) -> tuple[Integers, Floats, float]:
    """Return the slots and weights of the exploit laws of a mixture, and the weight of the exploration law."""
    n_scales = counts.shape[0]
    slots, shares = np.empty(members.size, dtype=np.int64), np.empty(members.size)
    n, explore = 0, 0.0
    for c in range(members.size):
        if members[c] < 0:
            explore = weights[c]
        else:
            slots[n] = n_scales if counts[members[c], 0] == 0 else members[c]
            shares[n] = weights[c]
            n += 1
    return slots[:n], shares[:n], explore


@kernel
def slots_of(members: Integers, counts: Integers) -> Integers:
    """Return where the laws of a mixture are kept: scale k in slot k, a fresh one in slot K, exploration in slot K + 1."""
    n_scales = counts.shape[0]
    slots = np.empty(members.size, dtype=np.int64)
    for c in range(members.size):
        member = members[c]
        slots[c] = n_scales + 1 if member < 0 else (n_scales if counts[member, 0] == 0 else member)
    return slots


@kernel
def draw_component(rng: np.random.Generator, members: Integers, cumulative: Floats) -> int:
    """Draw which law plays; a law alone takes no random number."""
    if members.size == 1:
        return int(members[0])
    return int(members[np.searchsorted(cumulative, rng.random(), side="right")])


@kernel
def draw_listed(rng: np.random.Generator, explore: Explore) -> Integers:
    """Draw from an exploration law that is a list."""
    action: Integers = explore.atoms[np.searchsorted(explore.cumulative, rng.random(), side="right")].copy()
    return action


@kernel
def places_of(coordinates: Integers, dimension: int) -> Integers:
    """Return the place of every coordinate among the independent ones, −1 for those that are not."""
    place = np.full(dimension, -1, dtype=np.int64)
    for j in range(coordinates.size):
        place[coordinates[j]] = j
    return place


@kernel
def factor_mixture(
    rule: Rule, members: Integers, weights: Floats, counts: Integers, moments: Floats, explore: Floats
) -> tuple[Floats, bool]:
    """Return what solves with Σ = Σ_c w_c Σ_c, and whether Σ was safely definite.

    ``moments[k]`` belongs to scale k and ``moments[K]`` to a fresh one; ``explore`` to the exploration law. Only the upper
    triangle of Σ is made.
    """
    n = explore.shape[0]
    n_scales = counts.shape[0]
    sigma = np.zeros((n, n))
    for c in range(members.size):
        member, weight = members[c], weights[c]
        source = explore
        if member >= 0:
            source = moments[n_scales if counts[member, 0] == 0 else member]
        for i in range(n):
            line, part = sigma[i, i:], source[i, i:]
            for j in range(line.size):
                line[j] += weight * part[j]
    factor, is_definite = cholesky(sigma)
    if is_definite and rule.has_inverse:
        factor = cholesky_inverse(factor)
    return factor, is_definite


@kernel
def mixture_marginals(
    members: Integers, weights: Floats, counts: Integers, marginals: Floats, explore: Floats
) -> Floats:
    """Return Σ_c w_c E_c[M], in the order of ``Mixture.marginals``; rows as in :func:`factor_mixture`."""
    n_scales = counts.shape[0]
    total = np.zeros(explore.size)
    for c in range(members.size):
        member, weight = members[c], weights[c]
        part = explore
        if member >= 0:
            part = marginals[n_scales if counts[member, 0] == 0 else member]
        for i in range(total.size):
            total[i] += weight * part[i]
    return total


@kernel
def mix_scales(
    rule: Rule,
    memory: Memory,
    explore: Explore,
    moments: Floats,
    marginals: Floats,
    is_dense: bool,
    factor: Floats,
    aid: Floats,
) -> tuple[Integers, Floats, Floats, bool]:
    """Return the components of the mixture of a window, their weights, and what solves with its Σ, which must be definite.

    With semi-bandit feedback E[M] is written into ``aid``. Where Σ is not factored, ``factor`` comes back as it is.
    """
    members, weights = component_table(rule, memory.counts)
    is_definite = True
    if is_dense:
        factor, is_definite = factor_mixture(rule, members, weights, memory.counts, moments, explore.moment)
    elif rule.feedback == 1:
        aid[:] = mixture_marginals(members, weights, memory.counts, marginals, explore.marginals)
    return members, weights, factor, is_definite


@kernel
def solve_action(rule: Rule, factor: Floats, coordinates: Integers, action: Integers, solution: Floats) -> None:
    """Write y with Σ y = M into ``solution``: on the independent ``coordinates``, 0 elsewhere."""
    n = coordinates.size
    right = np.empty(n)
    for j in range(n):
        right[j] = action[coordinates[j]]
    part = sum_rows(factor, right) if rule.has_inverse else cholesky_solve(factor, right)
    solution[:] = 0.0
    for j in range(n):
        solution[coordinates[j]] = part[j]


@kernel
def end_day(rule: Rule, memory: Memory, log: Log, row: int, rewards: Floats, action: Integers, aid: Floats) -> int:
    """Receive the reward of a day, add its estimate to the sums and learn the prediction.

    ``aid`` is Σ⁺M with bandit feedback and E[M] with semi-bandit feedback. Returns how many of the windows L_0, L_1, …
    end with the day.
    """
    prediction, running, total = memory.prediction, memory.running, memory.total
    step = rule.predictor_step
    earned = action_total(rewards, action)
    reward = min(max(earned, 0.0), 1.0)
    log.received[row] = reward
    if len(log.plays):
        log.plays[row] = action
    if rule.feedback == 0:
        memory.earned[0] += reward
        surprise = reward - action_total(prediction, action)
        count = 0
        for i in range(action.size):
            estimate = aid[i] * surprise + prediction[i]
            running[i] += estimate
            total[i] += estimate
            count += action[i]
        if step != 0.0 and count > 0:
            change = step * surprise / count
            for i in range(action.size):
                if action[i]:
                    prediction[i] += change
    else:
        memory.earned[0] += earned
        for i in range(action.size):
            estimate = rewards[i]
            if rule.feedback == 1:
                estimate = prediction[i]
                if action[i]:
                    estimate += (rewards[i] - prediction[i]) / aid[i]
                if step != 0.0:
                    seen = rewards[i] if action[i] else 0.0
                    prediction[i] += step * action[i] * (seen - prediction[i])
            running[i] += estimate
            total[i] += estimate
    memory.clock[0] += 1
    position = memory.clock[0] + memory.clock[1]
    n_ending = 0
    while n_ending < rule.windows.size and position % rule.windows[n_ending] == 0:
        n_ending += 1
    return n_ending


@kernel
def collect(memory: Memory, on_span: Floats) -> None:
    """Hand what was estimated since the last turn, its part in the span, to every scale."""
    for each in range(memory.aggregates.shape[0]):
        aggregate = memory.aggregates[each]
        for i in range(on_span.size):
            aggregate[i] += on_span[i]
    memory.running[:] = 0.0


@kernel
def end_meta_day(rule: Rule, memory: Memory, k: int, spread: float) -> Floats:
    """End the meta-day of scale k, ``spread`` being the local variance of its aggregate; return the tilted log-weights."""
    aggregate, score = memory.aggregates[k], memory.scores[k]
    scalars, counts = memory.scalars[k], memory.counts[k]
    for i in range(score.size):
        score[i] += aggregate[i]
    scalars[0] += spread
    scalars[1] += spread
    counts[0] += 1
    counts[1] += 1
    if rule.is_adaptive:
        noise = scalars[0] + scalars[1] / counts[1]
        rate = 0.0
        if noise > 0.0 and rule.diameter > 0.0:
            rate = rule.rates[k] * np.sqrt(rule.diameter / noise)
        return tilt(memory.first_log, score, rate, rule.is_uniform)
    tilted = np.empty(score.size)
    log_weights = memory.log_weights[k]
    for i in range(score.size):
        tilted[i] = log_weights[i] + rule.rates[k] * aggregate[i]
    return tilted


@kernel
def begin_turn(rule: Rule, memory: Memory, on_span: Floats, k: int) -> Floats:
    """Collect, and end the meta-day of scale k of Lazy-ComBCP; nothing comes back if there is no such scale."""
    collect(memory, on_span)
    if k >= memory.points.shape[0]:
        return np.empty(0)
    spread = centred_square(memory.points[k], memory.aggregates[k], rule.is_uniform)
    return end_meta_day(rule, memory, k, spread)


@kernel
def end_turn(memory: Memory, log: Log, n_events: int, n_ending: int, point: Floats, log_point: Floats) -> None:
    """Take the projected point of the scale that updates, begin the intervals of those that restart, and write it down.

    The weight of an element of no action is never looked at; only the memory of the noise survives a restart.
    """
    n_scales = memory.points.shape[0]
    if n_ending <= n_scales:
        k = n_ending - 1
        memory.points[k] = point
        log_weights = memory.log_weights[k]
        for i in range(point.size):
            log_weights[i] = 0.0 if log_point[i] == -np.inf else log_point[i]
        memory.aggregates[k] = 0.0
        if len(log.points):
            log.points[n_events] = point
    for k in range(min(n_ending - 1, n_scales)):
        memory.points[k] = memory.first_point
        memory.log_weights[k] = memory.first_log
        memory.scores[k] = 0.0
        memory.scalars[k, 0] = 0.0
        memory.counts[k, 0] = 0
        memory.aggregates[k] = 0.0
    log.events[n_events, 0] = memory.clock[0] - 1
    log.events[n_events, 1] = n_ending
