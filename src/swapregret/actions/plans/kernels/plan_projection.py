r"""Compiled projections for plans: KL onto their hull, orthogonal onto their span. The tree is as in ``kernels.plan_best``.

The KL projection of w has :math:`\log x_k = \log w_k + \pi_j - \sum_{j'} \pi_{j'}`, j the information set of k and j' those that
follow k. The multipliers π make every information set add up to what enters it, in logarithms:
:math:`\log \sum_{k \in j} x_k = \log x_{p(j)}`. Newton's step on these equations, and the orthogonal projection, are one linear
system each, eliminated from the leaves to the root and back: O(d).
"""

import numpy as np

from swapregret.actions.plans.kernels.plan_best import best_plan
from swapregret.actions.plans.kernels.plan_chances import to_chances
from swapregret.arrays import Floats, Integers
from swapregret.compiled.kernel import kernel

_STEPS, _HALVINGS, _BALANCED = 100, 40, 1e-14


@kernel
def _solve_tree(
    start: Integers, parent: Integers, weights: Floats, error: Floats, is_free: bool, change: Floats
) -> None:
    """Find changes ``change[k]`` = δ_j − Σ δ_j' with Σ_{k in j} weights[k]·change[k] = change[parent] + error[j].

    At the root what stands in for the parent's change is 0; or where ``is_free``, whatever makes the δ of the root add up to 0.
    """
    n = parent.size
    slope, shift = np.zeros(change.size), np.zeros(change.size)  # of Σ δ_j' after sequence k, linear in change[k]
    alpha, beta, root_slope, root_shift = np.empty(n), np.empty(n), 0.0, 0.0
    for j in range(n - 1, -1, -1):
        total, right = 0.0, error[j]
        for k in range(start[j], start[j + 1]):
            part = weights[k] / (1.0 + slope[k])
            total += part
            right += part * shift[k]
        alpha[j], beta[j] = 1.0 / total, right / total
        if parent[j] >= 0:
            slope[parent[j]] += alpha[j]
            shift[parent[j]] += beta[j]
        else:
            root_slope += alpha[j]
            root_shift += beta[j]
    top = -root_shift / root_slope if is_free else 0.0
    for j in range(n):
        delta = alpha[j] * (top if parent[j] < 0 else change[parent[j]]) + beta[j]
        for k in range(start[j], start[j + 1]):
            change[k] = (delta - shift[k]) / (1.0 + slope[k])


@kernel
def _balance(start: Integers, parent: Integers, logs: Floats, chances: Floats, error: Floats) -> float:
    """Write the chances at every information set, and how far its sum is from what enters, in logarithms; return the worst."""
    worst = 0.0
    for j in range(parent.size):
        here = to_chances(logs[start[j] : start[j + 1]], chances[start[j] : start[j + 1]])
        error[j] = (0.0 if parent[j] < 0 else logs[parent[j]]) - here
        worst = max(worst, abs(error[j]))
    return worst


@kernel
def project_plan(start: Integers, parent: Integers, log_weights: Floats) -> tuple[Floats, Floats, float]:
    r"""Project exp(log_weights) onto the hull of plans in unnormalised KL divergence, by Newton's method with halved steps.

    What leaves each information set is scaled to what enters it, so the point is a mean of plans to rounding.

    Returns the point, its logarithm, and the certified gap :math:`\max_M g\cdot(x - M)` with g = log x − log w.
    """
    d, n = log_weights.size, parent.size
    logs, change, error, chances = log_weights.copy(), np.empty(d), np.empty(n), np.empty(d)
    other_error, other_chances = np.empty(n), np.empty(d)
    enough = _BALANCED * (1.0 + np.abs(log_weights).max())
    worst = _balance(start, parent, logs, chances, error)
    for _ in range(_STEPS):
        if worst <= enough:
            break
        # Newton's step on the balances, halved until the worst of them is better
        _solve_tree(start, parent, chances, error, False, change)
        step, is_better = 1.0, False
        for _ in range(_HALVINGS):
            found = _balance(start, parent, logs + step * change, other_chances, other_error)
            if found < worst:
                is_better = True
                break
            step *= 0.5
        if not is_better:
            break
        logs += step * change
        worst = found
        chances[:] = other_chances
        error[:] = other_error
    # x from the root down, chance by chance, and −g with its mean under x
    point, log_point, gain, mean = np.empty(d), np.empty(d), np.empty(d), 0.0
    for j in range(n):
        first, last = start[j], start[j + 1]
        above, log_above = (1.0, 0.0) if parent[j] < 0 else (point[parent[j]], log_point[parent[j]])
        here = to_chances(logs[first:last], chances[first:last])
        for k in range(first, last):
            point[k], log_point[k] = above * chances[k], log_above + logs[k] - here
            gain[k] = log_weights[k] - log_point[k]
            mean += gain[k] * point[k]
    # the gap: the best plan under −g
    best = 0.0
    for k, is_in in enumerate(best_plan(start, parent, gain)):
        if is_in:
            best += gain[k]
    return point, log_point, max(best - mean, 0.0)


@kernel
def plan_span_part(start: Integers, parent: Integers, vector: Floats) -> Floats:
    """Return the part of a vector in the span of plans: where every information set adds up to what enters it."""
    error, change = np.empty(parent.size), np.empty(vector.size)
    for j in range(parent.size):
        error[j] = 0.0 if parent[j] < 0 else vector[parent[j]]
        for k in range(start[j], start[j + 1]):
            error[j] -= vector[k]
    _solve_tree(start, parent, np.ones(vector.size), error, True, change)
    return vector + change
