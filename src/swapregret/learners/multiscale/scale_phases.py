r"""Algorithm 1 in compiled code: K lazy learners, each updating and restarting on its own scale, one estimate for all.

Slot k holds the policy of scale k, slot K that of every scale that has just begun, slot K + 1 the exploration policy μ. What is
played is :math:`\hat p = \frac{1-\gamma}{K}\sum_k \tilde p_k + \gamma\mu` (lines 3 and 4).
"""

from typing import NamedTuple

import numpy as np

from swapregret.actions.family import Family
from swapregret.actions.hull import project, span_part
from swapregret.actions.policy_slots import FULL, MADE, OUTSIDE, make_policy, remake_policy
from swapregret.arrays import Floats, Integers
from swapregret.compiled.kernel import kernel
from swapregret.learners.round.day import NOT_PROJECTED, OUT_OF_ROOM, PLAYED, RoundState, end_windows, mix_slots
from swapregret.learners.round.scale import Learners, begin_interval, end_meta_day, forget_interval, tilt_learner


class MultiscaleRule(NamedTuple):
    """What does not change."""

    windows: Integers  # (K + 1,)
    rates: Floats  # (K,) c of the adaptive step, or η
    retention: Floats  # (K,) what a scale keeps of the past within an interval: all, 1
    is_adaptive: bool  # which of the two steps; with an adaptive one restarts are warm
    diameter: float
    exploration: float  # γ
    feedback: int
    predictor_step: float
    first_point: Floats  # (d,) where a scale begins
    first_log: Floats  # (d,)


@kernel
def has_moved(rule: MultiscaleRule, learners: Learners, k: int) -> bool:
    """Tell whether scale k has a policy of its own: within this interval or, where restarts are warm, at all."""
    return bool(learners.memory_count[k] > 0 if rule.is_adaptive else learners.n_updates[k] > 0)


@kernel
def mix_scales(rule: MultiscaleRule, state: RoundState) -> None:
    """Mix the scales uniformly, scales that have just begun as one (lines 3 and 4)."""
    weights, learners = state.mix.weights, state.learners
    n = learners.n_updates.size
    for slot in range(n + 1):
        weights[slot] = 0.0
    for k in range(n):
        weights[k if has_moved(rule, learners, k) else n] += (1.0 - rule.exploration) / n
    weights[n + 1] = rule.exploration
    mix_slots(state)


@kernel
def make_policies(state: RoundState, family: Family, rule: MultiscaleRule) -> int:
    """Make all policies from the points of their scales."""
    learners, policies = state.learners, state.policies
    n = learners.n_updates.size
    code = MADE
    for k in range(n + 1):
        if k == n:
            code = max(code, remake_policy(family, policies, n, rule.first_point, rule.first_log))
        elif has_moved(rule, learners, k):
            code = max(code, remake_policy(family, policies, k, learners.points[k], learners.log_points[k]))
        state.mix.is_new[k] = 1
    return code


@kernel
def advance_scale(state: RoundState, family: Family, rule: MultiscaleRule, k: int, seen: Floats) -> int:
    """End the meta-day of scale k: tilt, project, decompose; or change nothing and say why not."""
    learners, policies = state.learners, state.policies
    n = learners.n_updates.size
    aggregate = learners.aggregates[k] + seen
    tilted, v = tilt_learner(family, rule, learners, policies, k if has_moved(rule, learners, k) else n, k, aggregate)
    point, log_point, gap = project(family, tilted, learners.log_points[k])  # Algorithm 2, line 9
    if not gap < np.inf:
        return OUTSIDE
    code = make_policy(family, policies, k, point, log_point)  # Algorithm 2, line 5
    if code == MADE:
        state.mix.is_new[k] = 1
        end_meta_day(learners, k, rule.retention[k], aggregate, v, point, log_point)
    return code


@end_windows.of(MultiscaleRule)
def end_scales(rule: MultiscaleRule, family: Family, state: RoundState, n_ending: int) -> int:
    """Hand the estimates to all scales (line 7); scale c = ``n_ending`` updates (line 14), scales below it restart (line 13)."""
    learners = state.learners
    n, k = learners.n_updates.size, abs(n_ending) - 1
    code = MADE
    if k < 0:
        code = make_policies(state, family, rule)
    else:
        seen = span_part(family, state.tally.running)
        if k < n:
            code = advance_scale(state, family, rule, k, seen)
        if code == MADE:
            for g in range(k + 1, n):
                for i in range(seen.size):
                    learners.aggregates[g, i] += seen[i]
            for g in range(min(k, n)):
                if rule.is_adaptive:
                    forget_interval(learners, g)
                else:
                    begin_interval(learners, g, rule.first_point, rule.first_log)
    if code != MADE:
        return OUT_OF_ROOM if code == FULL else NOT_PROJECTED
    mix_scales(rule, state)
    return PLAYED
