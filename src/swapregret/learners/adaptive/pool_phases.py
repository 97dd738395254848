r"""The end of a window of the adaptive master: weigh the members, let them learn, remember, filter, mix.

The policy of a day is :math:`(1-\gamma)\pi + \gamma\mu`, π what the experts of small sets make of the pool's
:math:`p = \sum_g w_g f(\tilde p_g)`, and p itself on others: :math:`\tilde p_g` what member g recommends, f the filter, w the
learned weights. After the guard has tripped it is that of Algorithm 1, made of the cold scales.
"""

import numpy as np

from swapregret.actions.family import Family
from swapregret.actions.hull import list_policy, project, span_part
from swapregret.actions.policy_slots import put_again, put_policy
from swapregret.arrays import Flags, Floats, Integers
from swapregret.compiled.bits import is_same_row, merge_rows, unpack_rows
from swapregret.compiled.kernel import kernel
from swapregret.compiled.vectors import dot
from swapregret.learners.adaptive.experts import mix_agreed, tell_experts
from swapregret.learners.adaptive.fit import (
    fitted_tilt,
    forget_days,
    keep_rewards,
    remember_elements,
    remember_total,
    restore_rewards,
)
from swapregret.learners.adaptive.forecaster import foretold, wait_day
from swapregret.learners.adaptive.guard import check_guard, enter_played, is_due
from swapregret.learners.adaptive.state import AdaptiveRule, AdaptiveState
from swapregret.learners.adaptive.swap_filter import enter_recommended, filter_list, keep_recommended
from swapregret.learners.adaptive.weights import FORGET, weigh
from swapregret.learners.round.day import BANDIT, NOT_PROJECTED, OUT_OF_ROOM, PLAYED, end_windows, mix_slots, remember
from swapregret.learners.round.scale import begin_interval, end_meta_day, tilt_learner

LEAST_WEIGHT = 1e-3
"""Members with less weight have no policy. Those with less than this beyond the even share are light: theirs may be old."""
_RENEWED = 2
"""Policies that are made anew, at most, where only a base window ends."""


@kernel
def remember_day(
    state: AdaptiveState, rule: AdaptiveRule, action: Integers, seen: Floats, reward: float, times: float
) -> None:
    """Add a day to what least squares are made of."""
    if rule.has_fit:
        if times > 0.0:
            keep_rewards(state.fit)
        if rule.feedback == BANDIT:
            remember_total(state.fit, rule.basis.place, action, reward, times)
        else:
            remember_elements(state.fit, action, seen, times)
        if times < 0.0:
            restore_rewards(state.fit)


@remember.of(AdaptiveState)
def remember_both(
    state: AdaptiveState, rule: AdaptiveRule, action: Integers, seen: Floats, reward: float, times: float
) -> None:
    """Add a day to what least squares are made of, and keep it for the forecaster."""
    if state.forecast.evidence.size:
        wait_day(rule.forecast, state.forecast, action, seen, reward, times)
    remember_day(state, rule, action, seen, reward, times)


@kernel
def move_members(
    family: Family, rule: AdaptiveRule, state: AdaptiveState, window_sum: Floats, n_ending: int, is_light: Flags
) -> bool:
    """Let the members learn: cold scales on the calendar (Algorithm 1), the others every few base windows.

    Light members that fit do so every fourth time only. Projections come first: if one fails, nothing has changed.
    """
    learners, fit, is_old = state.learners, state.fit, state.memory.is_old
    n, d = learners.points.shape
    n_cold = rule.windows.size - 1
    count = state.guard.n_windows[0] + 1
    points, logs = np.empty((n, d)), np.empty((n, d))
    spreads, kept, has_moved = np.zeros(n), np.ones(n), np.zeros(n, dtype=np.bool_)
    for g in range(n):
        is_cold, every = g < n_cold, rule.update_every[g]
        if (is_cold and g != n_ending - 1) or (not is_cold and (every == 0 or count % every != 0)):
            continue
        kept[g] = rule.retention[g]
        if rule.has_fit and not is_cold:
            if is_light[g] and count // every % 4 != 0:
                continue
            noise = state.tally.noise[0]
            tilted = fitted_tilt(family, fit, rule.basis, g - n_cold, noise, rule.boldness, rule.first_log)
        else:
            tilted, v = tilt_learner(family, rule, learners, state.policies, g, g, learners.aggregates[g] + window_sum)
            spreads[g] = v
        point, log_point, gap = project(family, tilted, learners.log_points[g])
        if not gap < np.inf:
            return False
        points[g] = point
        logs[g] = log_point
        has_moved[g] = True
    for g in range(n):
        if has_moved[g]:
            is_old[g] = 1
            end_meta_day(learners, g, kept[g], learners.aggregates[g] + window_sum, spreads[g], points[g], logs[g])
        elif g < n_cold and g < n_ending - 1:
            begin_interval(learners, g, rule.first_point, rule.first_log)
            is_old[g] = 1
        else:
            for i in range(d):
                learners.aggregates[g, i] += window_sum[i]
    if rule.has_fit:
        forget_days(fit, kept[n_cold:], count)
    return True


@kernel
def move_forecaster(family: Family, rule: AdaptiveRule, state: AdaptiveState) -> None:
    """Let the forecaster recommend what it foretells; what it did before, where that stays or the oracle has failed."""
    words, plays = foretold(rule.forecast, family, state.forecast), state.forecast.plays
    g, n = state.weights.policy.size - 1, words.shape[0]
    is_new = False
    for a in range(n):
        is_new = is_new or not is_same_row(words[a], plays[a])
    if is_new:
        state.memory.is_old[g] = 1
        plays[:] = words
        rows = unpack_rows(words, state.learners.points.shape[1])
        state.learners.points[g] = rows.sum(axis=0) / n


@kernel
def are_light(rule: AdaptiveRule, state: AdaptiveState) -> Flags:
    """Tell which members have hardly more than the even share of the weights; none once the guard has tripped."""
    policy, is_light = state.weights.policy, np.zeros(state.weights.policy.size, dtype=np.bool_)
    for g in range(policy.size):
        is_light[g] = (
            state.guard.has_tripped[0] == 0 and policy[g] <= LEAST_WEIGHT + rule.weight_spread * rule.first_weights[g]
        )
    return is_light


@kernel
def gains_of(state: AdaptiveState, window_sum: Floats, is_light: Flags) -> Floats:
    """Return what each member gained in a window, by its policy, or by its point where the policy may be old."""
    policies, points = state.policies, state.learners.points
    gains = np.empty(points.shape[0])
    for g in range(gains.size):
        gains[g] = dot(policies.marginals[g] if policies.n_atoms[g] and not is_light[g] else points[g], window_sum)
    return gains


@kernel
def account(state: AdaptiveState, rule: AdaptiveRule, window_sum: Floats, gains: Floats) -> None:
    """Account for a window under the weights that were in force, then move them by what each member gained."""
    weights, memory, guard = state.weights, state.memory, state.guard
    n, d = state.learners.points.shape
    parity = guard.n_windows[0] % 2
    for g in range(n + 1):
        for i in range(d):
            guard.held[g, parity, i] += state.mix.weights[g] * window_sum[i]
    for g in range(n):
        weight = weights.policy[g]
        for i in range(d):
            memory.seen[g, i] += weight * window_sum[i]
        memory.counts[g] += weight
        memory.squares[g] += weight * weight
    guard.n_windows[0] += 1
    forget = max(FORGET, 1.0 / guard.n_windows[0])
    mean, square = 0.0, 0.0
    for i in range(d):
        mean += window_sum[i] / d
    for i in range(d):
        square += (window_sum[i] - mean) ** 2 / d
    memory.noise[0] += forget * (square - memory.noise[0])
    weigh(weights, rule.first_weights, gains, forget, rule.weight_step, rule.weight_spread)
    if state.experts.policy.size:
        tell_experts(state.experts, rule.listed, window_sum)


@kernel
def close_policy(family: Family, state: AdaptiveState, g: int) -> None:
    """Enter what was seen under the policy of member g, which ends."""
    memory = state.memory
    if memory.table.squares.size and memory.counts[g] > 0.0:
        enter_recommended(memory, g)
    for i in range(memory.seen.shape[1]):
        memory.seen[g, i] = 0.0
    memory.counts[g] = 0.0
    memory.squares[g] = 0.0
    close_played(family, state, g)


@kernel
def close_played(family: Family, state: AdaptiveState, slot: int) -> None:
    """Tell the guard what was seen under the policy in a slot, which ends."""
    guard, policies = state.guard, state.policies
    if guard.table.squares.size:
        n = policies.n_atoms[slot]
        enter_played(family, guard, policies.words[slot, :n], policies.chances[slot, :n], slot)


@kernel
def open_policy(family: Family, rule: AdaptiveRule, state: AdaptiveState, g: int) -> int:
    """List what member g recommends, and filter it unless it is the forecaster, who learns what pays in other ways."""
    memory, policies = state.memory, state.policies
    is_foretold = state.forecast.evidence.size > 0 and g == state.weights.policy.size - 1
    if is_foretold and np.any(state.forecast.plays[0]):
        words = state.forecast.plays.copy()
        chances = np.full(words.shape[0], 1.0 / words.shape[0])
    else:
        words, chances, is_inside = list_policy(family, state.learners.points[g])
        if not is_inside:
            return NOT_PROJECTED
    n = merge_rows(words, chances)
    words, chances = words[:n], chances[:n]
    if n > policies.chances.shape[1]:
        return OUT_OF_ROOM
    keep_recommended(memory.recommended, g, words, chances)
    if memory.table.squares.size and state.guard.has_tripped[0] == 0 and not is_foretold:
        days = state.guard.n_windows[0] * rule.windows[0]
        words = filter_list(family, rule.prior, rule.standard_errors, memory, policies, words, chances, days)
        if words.shape[0] < n:
            return NOT_PROJECTED
        n = merge_rows(words, chances)
    put_policy(policies, g, words[:n], chances[:n], family.common.place)
    state.mix.is_new[g] = 1
    memory.is_old[g] = 0
    return PLAYED


@kernel
def mix_members(family: Family, rule: AdaptiveRule, state: AdaptiveState) -> None:
    """Mix the policies by the weights of their members, after a trip of the cold scales, and what experts play instead."""
    weights, policies = state.mix.weights, state.policies
    n = state.weights.policy.size
    n_cold = rule.windows.size - 1
    for g in range(n):
        weights[g] = 0.0
        if policies.n_atoms[g]:
            if state.guard.has_tripped[0]:
                weights[g] = 1.0 / n_cold if g < n_cold else 0.0
            else:
                weights[g] = state.weights.policy[g]
    mix_agreed(family, rule.listed, state.experts, policies, state.mix, rule.exploration)
    mix_slots(state)


@kernel
def open_missing(family: Family, rule: AdaptiveRule, state: AdaptiveState) -> int:
    """Make the policies that members with weight lack, or that are to be made anew: ``n_atoms`` below 0.

    A member whose point cannot be listed keeps the list it had until the next window.
    """
    policies, has_tripped = state.policies, state.guard.has_tripped[0]
    n_cold = rule.windows.size - 1
    for g in range(state.weights.policy.size):
        is_wanted = g < n_cold if has_tripped else state.weights.policy[g] > LEAST_WEIGHT
        if not is_wanted:
            policies.n_atoms[g] = max(0, policies.n_atoms[g])
        elif policies.n_atoms[g] <= 0:
            code = open_policy(family, rule, state, g)
            if code == NOT_PROJECTED and policies.n_atoms[g] < 0:
                policies.n_atoms[g] = -policies.n_atoms[g]
                state.memory.is_old[g] = 1
            elif code != PLAYED:
                return code
    return PLAYED


@kernel
def are_renewed(rule: AdaptiveRule, state: AdaptiveState, n_ending: int) -> Flags:
    """Tell whose policies are made anew: all where a longer window ends, else few of those whose point has moved.

    At most two, not of light members: those that were followed most since their policy was made. After the guard has tripped,
    all whose point has moved.
    """
    memory, counts = state.memory, state.memory.counts
    n = counts.size
    is_renewed, is_light = np.zeros(n, dtype=np.bool_), are_light(rule, state)
    is_renewed[n - 1] = state.forecast.evidence.size > 0 and memory.is_old[n - 1] == 1 and not is_light[n - 1]
    for _ in range(n if n_ending > 1 or state.guard.has_tripped[0] else _RENEWED):
        most = -1
        for g in range(n):
            is_open = state.policies.n_atoms[g] > 0 and not is_renewed[g]
            is_wanted = n_ending > 1 or (memory.is_old[g] == 1 and not is_light[g])
            if is_open and is_wanted and (most < 0 or counts[g] > counts[most]):
                most = g
        if most >= 0:
            is_renewed[most] = True
    return is_renewed


@kernel
def close_window(family: Family, rule: AdaptiveRule, state: AdaptiveState, n_ending: int) -> int:
    """Let the members learn from a window, move the weights, and say which policies are to be made anew."""
    tally, guard, policies = state.tally, state.guard, state.policies
    n = state.weights.policy.size
    window_sum = span_part(family, tally.running).copy()
    is_light = are_light(rule, state)
    gains = gains_of(state, window_sum, is_light)
    if not move_members(family, rule, state, window_sum, n_ending, is_light):
        return NOT_PROJECTED
    account(state, rule, window_sum, gains)
    if state.forecast.evidence.size:
        move_forecaster(family, rule, state)
    is_renewed = are_renewed(rule, state, n_ending)
    close_played(family, state, n)
    for g in range(n):
        if is_renewed[g]:
            close_policy(family, state, g)
    if guard.table.squares.size and n_ending > 1 and guard.has_tripped[0] == 0:
        position = tally.day[0] + tally.offset[0]
        if is_due(rule.windows, position, guard.table.n_rows[0]):
            check_guard(family, guard, rule.threshold)
    for g in range(n):
        if is_renewed[g]:
            policies.n_atoms[g] = -policies.n_atoms[g]
    return PLAYED


@end_windows.of(AdaptiveRule)
def end_pool_window(rule: AdaptiveRule, family: Family, state: AdaptiveState, n_ending: int) -> int:
    """End a base window; make the policies that are missing, and mix."""
    policies = state.policies
    code = PLAYED
    if n_ending > 0:
        code = close_window(family, rule, state, n_ending)
    elif n_ending == 0:  # lists come from a file, all else from them
        for g in range(state.weights.policy.size):
            if policies.n_atoms[g]:
                put_again(policies, g, family.common.place)
    if code == PLAYED and (n_ending != 0 or state.guard.n_windows[0] == 0):
        code = open_missing(family, rule, state)
    if code == PLAYED:
        mix_members(family, rule, state)
    return code
