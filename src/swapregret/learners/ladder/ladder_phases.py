r"""The end of a base window of the ladder: note what was gained, let the members learn, remember, filter, mix.

The policy of a day is :math:`\gamma_t\mu + (1-\gamma_t)\pi`, π what the experts of small sets make of the ladder's
:math:`p = \sum_g w_g (\varphi_g F(\tilde p_g) + (1 - \varphi_g)\,\tilde p_g)`, and p itself on others: :math:`\tilde p_g` what
member g recommends, F the filter, w and φ from the choices of ``ladder.shares``.

Level k keeps its policy for blocks of :math:`w_k` days, which grow about fourfold. On day t the base window, within which nothing
changes, is the longest w up to 64 days with :math:`w^3 \le t\,r\,m / 240`, and the top level is the last with
:math:`w_k \log_2(t + 2) \le t`; both wait for the end of a block. The steady member has a new policy every t/64 days, the fast one
every base window. So nothing depends on a horizon.
"""

import numpy as np

from swapregret.actions.family import Family
from swapregret.actions.hull import list_policy, project, span_part
from swapregret.actions.policy_slots import put_again, put_policy
from swapregret.arrays import Flags, Floats
from swapregret.compiled.bits import is_same_row, merge_rows
from swapregret.compiled.kernel import kernel
from swapregret.compiled.vectors import dot
from swapregret.learners.adaptive.experts import mix_agreed, tell_experts
from swapregret.learners.adaptive.fit import fitted_tilt, forget_days
from swapregret.learners.adaptive.pool_phases import remember_day
from swapregret.learners.adaptive.swap_filter import enter_recommended, filter_list, keep_recommended
from swapregret.learners.adaptive.weights import FORGET
from swapregret.learners.ladder.ladder_state import LadderRule, LadderState, Weights
from swapregret.learners.ladder.shares import deal, note_filter, note_gains, settle
from swapregret.learners.round.day import NOT_PROJECTED, OUT_OF_ROOM, PLAYED, end_windows, mix_slots, remember
from swapregret.learners.round.scale import end_meta_day, forget_interval, tilt_learner

_RENEWALS = 64
"""How often the steady member has a new policy while the days so far are doubled, about."""


remember.of(LadderState)(remember_day)


@kernel
def block_of(rule: LadderRule, weights: Weights, g: int, day: int) -> int:
    """Return the window at whose end member g has a new policy."""
    n_levels = int(rule.windows.size) - 1
    if g < 2 * n_levels:
        return g % n_levels
    k = int(weights.bottom[0])
    while g == 2 * n_levels and k + 1 < n_levels and rule.windows[k + 1] * _RENEWALS <= day:
        k += 1
    return k


@kernel
def are_ending(rule: LadderRule, state: LadderState, n_ending: int) -> Flags:
    """Tell whose block ends with the ``n_ending`` shortest windows; levels below the base window are past."""
    n = state.weights.policy.size
    is_ending, bottom = np.zeros(n, dtype=np.bool_), state.weights.bottom[0]
    for g in range(n):
        k = block_of(rule, state.weights, g, state.tally.day[0])
        is_ending[g] = bottom <= k < n_ending
    return is_ending


@kernel
def move_levels(
    family: Family, rule: LadderRule, state: LadderState, window_sum: Floats, n_ending: int, is_ending: Flags
) -> bool:
    """Let the members learn whose blocks end. Projections come first: if one fails, nothing has changed.

    A cold learner whose interval ends with the block begins another: it forgets, and plays what it played for one block more.
    """
    learners, fit = state.learners, state.fit
    n, d = learners.points.shape
    n_levels = rule.windows.size - 1
    points, logs = np.empty((n, d)), np.empty((n, d))
    spreads, kept, has_moved = np.zeros(n), np.ones(n), np.zeros(n, dtype=np.bool_)
    for g in range(n):
        if not is_ending[g] or g < min(n_levels, n_ending - 1):
            continue
        kept[g] = rule.retention[g]
        if rule.has_fit and g >= n_levels:
            tilted = fitted_tilt(
                family, fit, rule.basis, g - n_levels, state.tally.noise[0], rule.boldness, rule.first_log
            )
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
            end_meta_day(learners, g, kept[g], learners.aggregates[g] + window_sum, spreads[g], points[g], logs[g])
        elif is_ending[g]:
            forget_interval(learners, g)
        else:
            for i in range(d):
                learners.aggregates[g, i] += window_sum[i]
    if rule.has_fit:
        forget_days(fit, kept[n_levels:], state.weights.n_windows[0] + 1)
    return True


@kernel
def account(state: LadderState, rule: LadderRule, window_sum: Floats) -> None:
    """Account for a window under the weights that were in force, and note what everybody gained."""
    weights, memory, policies = state.weights, state.memory, state.policies
    n, d = state.learners.points.shape
    gains, learned, day = np.zeros(n), np.zeros(n), state.tally.day[0]
    for g in range(n):
        weight = weights.policy[g]
        if weight > 0.0:
            for i in range(d):
                memory.seen[g, i] += weight * window_sum[i]
            memory.counts[g] += weight
            memory.squares[g] += weight * weight
            gains[g] = dot(policies.marginals[g], window_sum)
            learned[g] = dot(weights.plain[g], window_sum)
            note_filter(weights, g, policies.marginals[g], window_sum)
    price = rule.price / np.sqrt(np.log2(day + 2.0))
    note_gains(weights, gains, learned, float(day - weights.closed[0]), price)
    weights.n_windows[0] += 1
    weights.closed[0] = day
    mean, square = 0.0, 0.0
    for i in range(d):
        mean += window_sum[i] / d
    for i in range(d):
        square += (window_sum[i] - mean) ** 2 / d
    memory.noise[0] += max(FORGET, 1.0 / weights.n_windows[0]) * (square - memory.noise[0])
    if state.experts.policy.size:
        tell_experts(state.experts, rule.listed, window_sum)


@kernel
def settle_choices(rule: LadderRule, state: LadderState, n_ending: int, is_ending: Flags) -> None:
    """Decide anew where blocks end, and let levels in and out."""
    weights, day = state.weights, state.tally.day[0]
    n_members, n_levels = weights.policy.size, rule.windows.size - 1
    for k in range(weights.bottom[0], min(n_levels, n_ending)):
        settle(weights, rule, k)
        settle(weights, rule, n_levels + k)
    settle(weights, rule, 2 * n_levels)
    settle(weights, rule, 2 * n_levels + 1)
    for g in range(n_members):
        if is_ending[g]:
            settle(weights, rule, n_members + g)
    longest = day / np.log2(day + 2.0)
    while weights.top[0] + 1 < min(n_levels, n_ending) and rule.windows[weights.top[0] + 1] <= longest:
        weights.top[0] += 1
    while weights.bottom[0] + 1 < min(n_levels, n_ending) and rule.first_days[weights.bottom[0] + 1] <= day:
        weights.bottom[0] += 1
    weights.top[0] = max(weights.top[0], weights.bottom[0])
    state.tally.base[0] = weights.bottom[0]
    deal(weights)


@kernel
def close_policy(state: LadderState, g: int) -> None:
    """Enter what was seen under the policy of member g, which ends."""
    memory = state.memory
    if memory.table.squares.size and memory.counts[g] > 0.0:
        enter_recommended(memory, g)
    for i in range(memory.seen.shape[1]):
        memory.seen[g, i] = 0.0
    memory.counts[g] = 0.0
    memory.squares[g] = 0.0


@kernel
def open_policy(family: Family, rule: LadderRule, state: LadderState, g: int) -> int:
    """List what member g recommends, filter it, and mix both."""
    memory, policies, weights = state.memory, state.policies, state.weights
    words, chances, is_inside = list_policy(family, state.learners.points[g])
    if not is_inside:
        return NOT_PROJECTED
    n = merge_rows(words, chances)
    words, chances = words[:n], chances[:n]
    if 2 * n > policies.chances.shape[1]:
        return OUT_OF_ROOM
    keep_recommended(memory.recommended, g, words, chances)
    has_changed = False
    if memory.table.squares.size:
        days = state.tally.day[0]
        played = filter_list(family, rule.prior, rule.standard_errors, memory, policies, words, chances, days)
        if played.shape[0] < n:
            return NOT_PROJECTED
        for a in range(n):
            has_changed = has_changed or not is_same_row(played[a], words[a])
        if has_changed:
            share = weights.shares[weights.policy.size + g]
            words, chances = np.concatenate((played, words)), np.concatenate((share * chances, (1.0 - share) * chances))
            n = merge_rows(words, chances)
    put_policy(policies, g, words[:n], chances[:n], family.common.place)
    weights.plain[g] = state.learners.points[g] if has_changed else policies.marginals[g]
    state.mix.is_new[g] = 1
    return PLAYED


@kernel
def mix_members(family: Family, rule: LadderRule, state: LadderState) -> None:
    """Mix the policies by the weights of their members and what experts play instead."""
    weights, policies = state.mix.weights, state.policies
    n = state.weights.policy.size
    gamma = rule.exploration
    if rule.seen_per_day > 0.0:
        gamma = min(gamma, (rule.seen_per_day * (state.tally.day[0] + 1.0)) ** (-1.0 / 3.0))
    for g in range(n):
        weights[g] = state.weights.policy[g] if policies.n_atoms[g] else 0.0
    mix_agreed(family, rule.listed, state.experts, policies, state.mix, gamma)
    mix_slots(state)


@kernel
def open_missing(family: Family, rule: LadderRule, state: LadderState) -> int:
    """Make the policies that members with weight lack, or that are to be made anew: ``n_atoms`` below 0.

    A member whose point cannot be listed keeps the list it had until its block ends.
    """
    policies, weights = state.policies, state.weights.policy
    for g in range(weights.size):
        if weights[g] == 0.0:
            policies.n_atoms[g] = 0
        elif policies.n_atoms[g] <= 0:
            code = open_policy(family, rule, state, g)
            if code == NOT_PROJECTED and policies.n_atoms[g] < 0:
                policies.n_atoms[g] = -policies.n_atoms[g]
            elif code != PLAYED:
                return code
    return PLAYED


@kernel
def close_window(family: Family, rule: LadderRule, state: LadderState, n_ending: int) -> int:
    """Let the members learn from a window, decide anew whom to follow, and say which policies are to be made anew."""
    tally, policies, weights = state.tally, state.policies, state.weights
    window_sum = span_part(family, tally.running).copy()
    is_ending = are_ending(rule, state, n_ending)
    if not move_levels(family, rule, state, window_sum, n_ending, is_ending):
        return NOT_PROJECTED
    account(state, rule, window_sum)
    settle_choices(rule, state, n_ending, is_ending)
    for g in range(weights.policy.size):
        if policies.n_atoms[g] and (is_ending[g] or weights.policy[g] == 0.0):
            close_policy(state, g)
            policies.n_atoms[g] = -policies.n_atoms[g]
    return PLAYED


@end_windows.of(LadderRule)
def end_ladder_window(rule: LadderRule, family: Family, state: LadderState, n_ending: int) -> int:
    """End a base window; make the policies that are missing, and mix."""
    policies = state.policies
    code = PLAYED
    if n_ending > 0:
        code = close_window(family, rule, state, n_ending)
    elif n_ending == 0:  # lists come from a file, all else from them
        for g in range(state.weights.policy.size):
            if policies.n_atoms[g]:
                put_again(policies, g, family.common.place)
    if n_ending == 0:
        deal(state.weights)
    if code == PLAYED and (n_ending != 0 or state.weights.n_windows[0] == 0):
        code = open_missing(family, rule, state)
    if code == PLAYED:
        mix_members(family, rule, state)
    return code
