"""Estimates from bandit feedback: exact expectations by enumeration, and honest errors."""

import math
from itertools import product

import numpy as np
import pytest

from swapregret.actions.action_set import ActionSet
from swapregret.actions.m_sets.m_sets import MSets
from swapregret.errors import InvalidInput, InvalidReward
from swapregret.policy import FinitePolicy
from swapregret.regret.estimated import EstimateLedger


def test_regret_against_a_fixed_action_is_unbiased(tiny_set: ActionSet) -> None:
    """Summed over every sequence of two draws, the estimate has the true regret as its mean, window by window."""
    rng = np.random.default_rng(1)
    table = tiny_set.enumerate()
    n = len(table)
    policies = [FinitePolicy(table, rng.dirichlet(np.ones(n))) for _ in range(2)]
    rewards = rng.random((2, tiny_set.dimension))
    target = table[0]
    mean, windows = 0.0, np.zeros(2)
    for drawn in product(range(n), repeat=2):
        ledger = EstimateLedger(tiny_set, window=1)
        chance = 1.0
        for policy, row, reward in zip(policies, drawn, rewards, strict=True):
            chance *= policy.probability(table[row])
            ledger.record(policy, table[row], float(table[row] @ reward))
        mean += chance * ledger.regret_against(target).value
        windows += [chance * window.value for window in ledger.windows_against(target)]
    daily = [
        float(reward @ target) - float(policy.marginals() @ reward)
        for policy, reward in zip(policies, rewards, strict=True)
    ]
    assert mean == pytest.approx(sum(daily), abs=1e-9)
    assert windows == pytest.approx(daily, abs=1e-9)


def test_the_standard_error_is_that_of_a_sum(tiny_set: ActionSet) -> None:
    """The error from Gram matrices equals √n times the sample deviation of the daily terms."""
    rng = np.random.default_rng(2)
    ledger, terms = EstimateLedger(tiny_set), []
    target = tiny_set.enumerate()[-1]
    for _ in range(50):
        estimate, reward = rng.normal(size=tiny_set.dimension), rng.random()
        ledger.record_estimate(estimate, reward)
        terms.append(float(estimate @ target) - reward)
    found = ledger.regret_against(target)
    assert found.value == pytest.approx(sum(terms))
    assert found.standard_error == pytest.approx(math.sqrt(50) * np.std(terms, ddof=1))


def test_two_sides_of_external_regret() -> None:
    """Over all 2⁶ sequences of draws, the estimate from above has a mean above the truth, the split one below."""
    actions = MSets(2, 1)
    policy, rewards = actions.uniform_policy(), np.array([0.75, 0.5])
    truth = 6 * (rewards.max() - rewards.mean())
    above = below = 0.0
    for drawn in product(range(2), repeat=6):
        ledger = EstimateLedger(actions)
        for element in drawn:
            ledger.record(policy, np.eye(2, dtype=np.int64)[element], float(rewards[element]))
        high, low = ledger.external_regret()
        above += high.value / 2**6
        below += low.value / 2**6
    assert below < truth < above
    assert "at least" in high.definition
    assert "at most" in low.definition


def test_what_cannot_be_estimated_is_refused() -> None:
    """No days, too few days for two halves, and rewards that are no numbers are refused."""
    actions = MSets(3, 1)
    ledger = EstimateLedger(actions)
    with pytest.raises(InvalidInput, match="at least 1 day"):
        ledger.regret_against([1, 0, 0])
    ledger.record(actions.uniform_policy(), [1, 0, 0], 1.0)
    with pytest.raises(InvalidInput, match="at least 4"):
        ledger.external_regret()
    with pytest.raises(InvalidReward, match="finite"):
        ledger.record(actions.uniform_policy(), [1, 0, 0], math.nan)
    with pytest.raises(InvalidInput, match="shape"):
        ledger.record_estimate([1.0], 0.5)
