"""Stoltz's rules and regret matching, on pairs of actions: sums and chains."""

import numpy as np

from swapregret.arrays import Floats, Integers
from swapregret.compiled.kernel import kernel
from swapregret.learners.baselines.listed.exponential import exponential_weights
from swapregret.learners.baselines.listed.stationary import eliminate

__all__ = ["add_gains", "add_regrets", "matching_weights", "mixed_weights", "rule_rates"]


@kernel
def mixed_weights(weights: Floats, exploration: float) -> Floats:
    """Return (1 − γ) weights + γ/N."""
    floor = exploration / weights.size
    result = np.empty(weights.size)
    for i in range(weights.size):
        result[i] = (1.0 - exploration) * weights[i] + floor
    return result


@kernel
def rule_rates(gains: Floats, functions: Integers, learning_rate: float) -> Floats:
    """Return the chain whose stationary distribution is the fixed point of exponential weights on rules.

    The rules are the given functions, one per row, or, if there are none, all that move one action to one other; then
    rates are multiplied by what makes them add up to N.
    """
    n = gains.shape[0]
    rates = np.zeros((n, n))
    if functions.shape[0]:
        totals = np.zeros(functions.shape[0])
        for f in range(functions.shape[0]):
            for i in range(n):
                totals[f] += gains[i, functions[f, i]]
        weights = exponential_weights(totals, learning_rate, 0.0)
        for f in range(functions.shape[0]):
            for i in range(n):
                rates[i, functions[f, i]] += weights[f]
        return rates
    differences = np.empty(n * n)
    for i in range(n):
        for j in range(n):
            differences[i * n + j] = gains[i, j] - gains[i, i]
    weights = exponential_weights(differences, learning_rate, 0.0)
    total = 0.0
    for i in range(n):
        for j in range(n):
            if i != j:
                rates[i, j] = weights[i * n + j]
                total += rates[i, j]
    factor = n / total if n > 1 else 0.0
    for i in range(n):
        for j in range(n):
            rates[i, j] *= factor
    return rates


@kernel
def add_gains(gains: Floats, shares: Floats, column: int, estimate: float, totals: Floats) -> None:
    """Add p(i) times the estimate to one column, or, if ``column`` is −1, p(i) times what every action paid, in place."""
    for i in range(shares.size):
        if column >= 0:
            gains[i, column] += shares[i] * estimate
        else:
            for j in range(totals.size):
                gains[i, j] += shares[i] * totals[j]


@kernel
def add_regrets(
    regrets: Floats, shares: Floats, index: int, estimate: float, totals: Floats, is_bandit: bool, is_own: bool
) -> None:
    """Add a day to the regrets R(i, j) for having played i and not j, in place.

    With bandit feedback the action played is estimated and all others 0. ``is_own`` counts only the action that was
    played, all of it; otherwise every action counts by its probability.
    """
    n = shares.size
    if is_bandit:
        for i in range(n):
            if i != index:
                regrets[i, index] += shares[i] * estimate
                regrets[index, i] -= shares[index] * estimate
        return
    for i in range(n):
        if is_own:
            regrets[index, i] += totals[i] - totals[index]
        else:
            own = shares[i] * totals[i]
            for j in range(n):
                regrets[i, j] += shares[i] * totals[j] - own


@kernel
def matching_weights(
    regrets: Floats, last: int, day: int, inertia: float, is_inert: bool, exploration: float, leak: float
) -> Floats:
    """Return the law that regret matching plays next, γ of the uniform law mixed in.

    The leak makes the law unique where regrets leave it open; from day to day the chain changes too much for
    yesterday's solution to help.
    """
    n = regrets.shape[0]
    weights = np.full(n, 1.0 / n)
    if is_inert:
        most, moved = 1.0 / max(1, n - 1), 0.0
        for j in range(n):
            weights[j] = 0.0 if j == last else min(max(regrets[last, j], 0.0) / (inertia * day), most)
            moved += weights[j]
        weights[last] = 1.0 - moved
    else:
        rates = np.empty((n, n))
        total = 0.0
        for i in range(n):
            for j in range(n):
                rates[i, j] = max(regrets[i, j], 0.0)
                total += rates[i, j]
        if total > 0.0:
            factor = n / total
            for i in range(n):
                for j in range(n):
                    rates[i, j] = rates[i, j] * factor + leak
            weights = eliminate(rates)
    return mixed_weights(weights, exploration) if exploration > 0.0 else weights
