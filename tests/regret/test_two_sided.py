"""Plug-in and sample-split swap regret on a case whose expectations are finite sums."""

import math
from itertools import product

import numpy as np
import pytest

from swapregret.actions.m_sets.m_sets import MSets
from swapregret.errors import InvalidInput
from swapregret.policy import FinitePolicy
from swapregret.regret.ledgers.answers import answer
from swapregret.regret.ledgers.closed_ledger import Ledger
from swapregret.regret.ledgers.ledger import SwapLedger
from swapregret.regret.notions import swap_regret
from swapregret.regret.two_sided import two_sided_swap

ACTIONS = MSets(2, 1)
POLICIES = [FinitePolicy([[1, 0]], [1.0]), FinitePolicy([[1, 0], [0, 1]], [0.5, 0.5])]
MEANS = np.array([[0.5, 0.75], [0.25, 0.5]])


def _run(outcome: tuple[int, ...]) -> Ledger:
    """Two days; element i of day t pays 1 where the outcome says so."""
    ledger = SwapLedger(ACTIONS)
    for policy, rewards in zip(POLICIES, np.array(outcome, dtype=float).reshape(2, 2), strict=True):
        ledger.record(policy, rewards)
    return ledger.close()


def test_split_and_plug_in_bracket_the_truth_in_expectation() -> None:
    """Over all 2⁸ outcomes of two replications, E[split] ≤ truth ≤ E[plug-in], as exact finite sums."""
    truth_ledger = SwapLedger(ACTIONS)
    for policy, mean in zip(POLICIES, MEANS, strict=True):
        truth_ledger.record(policy, mean)
    truth = swap_regret(answer(ACTIONS, [truth_ledger.close()])).value
    outcomes = list(product((0, 1), repeat=4))
    chance = [math.prod(p if bit else 1 - p for bit, p in zip(o, MEANS.ravel(), strict=True)) for o in outcomes]
    ledgers = [_run(outcome) for outcome in outcomes]
    plug_in = split = total = 0.0
    for (first, p), (second, q) in product(zip(ledgers, chance, strict=True), repeat=2):
        both = two_sided_swap(answer(ACTIONS, [first, second]))
        plug_in += p * q * both.plug_in.value
        split += p * q * both.sample_split.value
        total += p * q
    assert total == pytest.approx(1.0)
    assert split < truth < plug_in
    assert truth == pytest.approx(0.25 + 0.125)


def test_equal_replications_leave_no_doubt() -> None:
    """If all replications are the same run, split, plug-in and the bootstrap interval are its swap regret."""
    ledgers = [_run((1, 0, 0, 1))] * 4
    both = two_sided_swap(answer(ACTIONS, ledgers))
    exact = swap_regret(answer(ACTIONS, ledgers[:1])).value
    assert both.plug_in.value == pytest.approx(exact)
    assert both.sample_split.value == pytest.approx(exact)
    assert both.interval == (pytest.approx(exact), pytest.approx(exact))
    assert both.plug_in.standard_error == pytest.approx(0.0, abs=1e-12)


def test_the_interval_spans_both_estimates_and_repeats() -> None:
    """The interval reaches from below the split value to above the plug-in value, the same every time."""
    rng = np.random.default_rng(3)
    ledgers = [_run(tuple((rng.random(4) < MEANS.ravel()).astype(int))) for _ in range(8)]
    first, second = two_sided_swap(answer(ACTIONS, ledgers)), two_sided_swap(answer(ACTIONS, ledgers))
    assert first.interval == second.interval
    assert first.interval[0] <= first.sample_split.value <= first.plug_in.value <= first.interval[1]
    assert "8 replications" in str(first)


def test_the_interval_is_one_of_a_number_that_is_not_negative() -> None:
    """Where rules fitted on other runs lose, the lower end is 0, not what they lose."""
    both = two_sided_swap(answer(ACTIONS, [_run((1, 0, 1, 0)), _run((0, 1, 0, 1))]))
    assert both.sample_split.value < 0.0
    assert both.interval[0] == 0.0
    assert both.interval[1] >= both.plug_in.value >= 0.0


@pytest.mark.parametrize("seed", range(40))
def test_no_interval_is_the_wrong_way_round(seed: int) -> None:
    """Where all runs are the same the ends are the value but for rounding, and rounding never turns them around."""
    actions, rewards = MSets(4, 2), np.random.default_rng(seed).random((3, 4)) / 2
    ledgers = []
    for _ in range(3):
        ledger = SwapLedger(actions)
        for row in rewards:
            ledger.record(FinitePolicy(actions.enumerate(), np.full(6, 1 / 6)), row)
        ledgers.append(ledger.close())
    both = two_sided_swap(answer(actions, ledgers))
    assert both.interval[0] <= both.plug_in.value <= both.interval[1]


def test_one_replication_is_refused() -> None:
    """A single run has no other half."""
    with pytest.raises(InvalidInput, match="two replications"):
        two_sided_swap(answer(ACTIONS, [_run((1, 1, 0, 0))]))


def test_capped_ledgers_split_too() -> None:
    """With a capacity that was reached the split value stays below the upper end of the plug-in bracket."""
    actions = MSets(6, 2)
    rng = np.random.default_rng(5)
    table = actions.enumerate()
    ledgers = []
    for _ in range(4):
        ledger = SwapLedger(actions, capacity=5)
        for _ in range(30):
            ledger.record(FinitePolicy(table[rng.choice(15, 3, replace=False)], [0.4, 0.3, 0.3]), rng.random(6))
        ledgers.append(ledger.close())
    both = two_sided_swap(answer(actions, ledgers))
    assert both.sample_split.value <= both.plug_in.upper
