"""Stoltz's rules and regret matching, on pairs of actions: their chains, and whole runs on a list, compiled."""

import numpy as np
import numpy.typing as npt

from swapregret.compiled.kernel import kernel
from swapregret.kernels.exponential import exponential_weights
from swapregret.kernels.listed_steps import ListedLog, listed_shares, listed_totals, note_law, play_listed
from swapregret.kernels.stationary import eliminate, restation

__all__ = [
    "add_gains",
    "add_regrets",
    "matching_weights",
    "mixed_weights",
    "rule_rates",
    "run_matching",
    "run_rules",
]

Floats = npt.NDArray[np.float64]
Integers = npt.NDArray[np.int64]


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

    The rules are the given functions, one a row, or, if there are none, all that move one action to one other; then
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


@kernel
def run_rules(
    rng: np.random.Generator,
    rewards: Floats,
    columns: Floats,
    first: int,
    functions: Integers,
    is_full: bool,
    rate: float,
    exploration: float,
    baseline: float,
    least: float,
    tolerance: float,
    patience: int,
    gains: Floats,
    point: Floats,
    inverse: Floats,
    log: ListedLog,
) -> tuple[int, bool]:
    """Play Stoltz from row ``first`` of ``rewards`` on; returns what ``kernels.expert_run.run_experts`` does."""
    for index in range(first, len(rewards)):
        shares = listed_shares(mixed_weights(point, exploration), least)
        note_law(log, index, shares)
        chosen, reward = play_listed(rng, columns, rewards[index], shares, log, index)
        if is_full:
            add_gains(gains, shares, -1, 0.0, listed_totals(columns, rewards[index]))
        else:
            add_gains(gains, shares, chosen, (reward - baseline) / shares[chosen], shares)
        if not restation(rule_rates(gains, functions, rate), point, inverse, tolerance, patience):
            return index + 1, False
    return len(rewards), True


@kernel
def run_matching(
    rng: np.random.Generator,
    rewards: Floats,
    columns: Floats,
    is_inert: bool,
    is_bandit: bool,
    inertia: float,
    exploration: float,
    baseline: float,
    leak: float,
    least: float,
    day: int,
    regrets: Floats,
    shares: Floats,
    log: ListedLog,
) -> Floats:
    """Play regret matching, one day a row of ``rewards``, from the law ``shares`` on; return the law after them."""
    for index in range(len(rewards)):
        note_law(log, index, shares)
        chosen, reward = play_listed(rng, columns, rewards[index], shares, log, index)
        totals = shares if is_bandit else listed_totals(columns, rewards[index])
        add_regrets(regrets, shares, chosen, (reward - baseline) / shares[chosen], totals, is_bandit, is_inert)
        weights = matching_weights(regrets, chosen, day + index + 1, inertia, is_inert, exploration, leak)
        shares = listed_shares(weights, least)
    return shares
