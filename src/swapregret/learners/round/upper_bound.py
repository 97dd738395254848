r"""The action of largest upper bound under a Gaussian posterior of the rewards of elements, from totals.

.. math:: \arg\max_M f(M), \qquad f(M) = \hat\theta\cdot M + \alpha \sqrt{M^\top C M}

Up to so many actions, all are listed and the best is exact. Above, f is climbed with the oracle: f is convex, so the best action
for its gradient at M is at least as good as M. From each of several starts this is done until nothing gets better, and the best
end is taken. ``baselines.posterior.lin_ucb`` and the forecaster of the adaptive preset play it.
"""

import numpy as np

from swapregret.actions.action_set import ActionSet
from swapregret.actions.family import Family
from swapregret.actions.hull import best
from swapregret.arrays import Floats, Integers, Words
from swapregret.compiled.bits import elements_of, pack_rows, unpack
from swapregret.compiled.cholesky import cholesky_solve
from swapregret.compiled.kernel import kernel
from swapregret.compiled.vectors import action_total
from swapregret.errors import TooLarge

_GAIN = 1e-12


def list_up_to(actions: ActionSet, limit: int) -> Words:
    """Return all actions, packed; none where there are more than so many."""
    count = actions.n_actions
    try:
        rows = actions.enumerate(limit) if count is None or count <= limit else ()
    except TooLarge:
        rows = ()
    return pack_rows(np.array(rows, dtype=np.int64).reshape(-1, actions.dimension))


@kernel
def add_covariance(factor: Floats, times: float, covariance: Floats) -> None:
    """Add Λ⁻¹ to a matrix, so many times, for the factor of Λ = UᵀU."""
    d = factor.shape[0]
    unit = np.zeros(d)
    for i in range(d):
        unit[i] = 1.0
        row = cholesky_solve(factor, unit)
        unit[i] = 0.0
        for j in range(d):
            covariance[i, j] += times * row[j]


@kernel
def best_listed(listed: Words, mean: Floats, covariance: Floats, alpha: float) -> Integers:
    """Return the action of a list with the largest upper bound, the first of them on a tie."""
    d, top, found = mean.size, -np.inf, 0
    elements = np.empty(d, dtype=np.int64)
    for a in range(listed.shape[0]):
        count, total, variance = elements_of(listed[a], elements), 0.0, 0.0
        for e in range(count):
            i = elements[e]
            total += mean[i]
            variance += covariance[i, i]
            for f in range(e):
                variance += 2.0 * covariance[i, elements[f]]
        value = total + alpha * np.sqrt(max(variance, 0.0))
        if value > top:
            top, found = value, a
    return unpack(listed[found], d)


@kernel
def spread_of(covariance: Floats, action: Integers) -> tuple[Floats, float]:
    """Return CM and MᵀCM."""
    d, variance = action.size, 0.0
    spread = np.zeros(d)
    for i in range(d):
        if action[i]:
            for j in range(d):
                spread[j] += covariance[i, j]
    for i in range(d):
        variance += action[i] * spread[i]
    return spread, variance


@kernel
def climb(family: Family, mean: Floats, covariance: Floats, alpha: float, start: Floats) -> tuple[Integers, float]:
    """Climb the upper bound from the best action for some weights; return where that ends, and the bound there."""
    found, top, weights = np.empty(0, dtype=np.int64), -np.inf, start
    while True:
        action = best(family, weights)
        if action.size == 0:
            return action, np.inf
        spread, variance = spread_of(covariance, action)
        deviation = np.sqrt(max(variance, 0.0))
        value = action_total(mean, action) + alpha * deviation
        if found.size and value <= top + _GAIN * abs(top):
            return found, top
        found, top = action, value
        if deviation == 0.0:
            return found, top
        weights = mean + alpha / deviation * spread


@kernel
def best_climbed(family: Family, mean: Floats, covariance: Floats, alpha: float, starts: Floats) -> Integers:
    """Return the best end of a climb from each row of weights; nothing where the oracle has failed."""
    found, top = np.empty(0, dtype=np.int64), -np.inf
    for j in range(starts.shape[0]):
        action, value = climb(family, mean, covariance, alpha, starts[j])
        if action.size == 0:
            return action
        if value > top:
            found, top = action, value
    return found
