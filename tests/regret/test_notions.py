"""Dynamic and interval regret, the best swap function, rules, the laziness bound, the result type."""

import numpy as np
import pytest
from tests.regret.conftest import enumerated

from swapregret.actions.action_set import ActionSet
from swapregret.actions.m_sets.m_sets import MSets
from swapregret.errors import InvalidInput
from swapregret.files.values import is_same
from swapregret.policy import FinitePolicy, mix
from swapregret.regret.best_swap import best_swap
from swapregret.regret.interval import IntervalLedger, interval_regret, windows_of
from swapregret.regret.laziness import LazinessLedger, laziness_bound
from swapregret.regret.ledgers.answers import AnswerRule, answer
from swapregret.regret.ledgers.ledger import SwapLedger
from swapregret.regret.ledgers.merge import mean_ledger
from swapregret.regret.notions import external_regret, swap_regret


def test_dynamic_regret_is_the_sum_of_daily_maxima(tiny_set: ActionSet) -> None:
    """Dynamic regret equals enumeration day by day and is at least swap regret."""
    run = enumerated(tiny_set, 25, seed=1)
    earned = ((run.chances @ run.table) * run.rewards).sum(axis=1)
    found = interval_regret([windows_of(tiny_set, run.rewards, earned, 1)])
    assert found.value == pytest.approx(run.dynamic(), abs=1e-9)
    assert found.value >= swap_regret(answer(tiny_set, [run.ledger()])).value - 1e-9


@pytest.mark.parametrize("window", [1, 4, 7, 25, 100])
def test_windows_recorded_in_pieces_are_the_windows_of_the_whole(window: int) -> None:
    """Streaming days in uneven pieces gives the windows that slicing the arrays gives."""
    actions = MSets(5, 2)
    run = enumerated(actions, 25, seed=2)
    marginals = run.chances @ run.table
    ledger = IntervalLedger(actions, window)
    for day in range(25):
        ledger.record(marginals[day], run.rewards[day : day + 1])
    streamed = ledger.close()
    whole = windows_of(actions, run.rewards, (marginals * run.rewards).sum(axis=1), window)
    assert streamed.regrets == pytest.approx(whole.regrets, abs=1e-9)
    for index, regret in enumerate(streamed.regrets):
        days = slice(index * window, (index + 1) * window)
        best = (run.table @ run.rewards[days].sum(axis=0)).max()
        assert regret == pytest.approx(best - (marginals[days] * run.rewards[days]).sum(), abs=1e-9)


def test_one_window_is_external_regret_and_more_windows_ask_more() -> None:
    """A window as long as the run gives external regret; shorter windows that divide it only raise the sum."""
    actions = MSets(5, 2)
    run = enumerated(actions, 24, seed=3)
    earned = ((run.chances @ run.table) * run.rewards).sum(axis=1)
    sums = [interval_regret([windows_of(actions, run.rewards, earned, window)]).value for window in (24, 12, 4, 1)]
    assert sums[0] == pytest.approx(run.external(), abs=1e-9)
    assert sums == sorted(sums)
    with pytest.raises(InvalidInput, match="same days"):
        interval_regret([windows_of(actions, run.rewards, earned, 2), windows_of(actions, run.rewards, earned, 3)])


def test_the_best_swap_function_gains_the_swap_regret(tiny_set: ActionSet) -> None:
    """Gains of all exchanges add up to swap regret, come largest first, and applying φ earns them."""
    run = enumerated(tiny_set, 30, seed=4)
    found = best_swap(answer(tiny_set, [run.ledger()]))
    assert sum(exchange.gain for exchange in found.exchanges) == pytest.approx(run.swap(), abs=1e-9)
    assert [exchange.gain for exchange in found.exchanges] == sorted(
        (exchange.gain for exchange in found.exchanges), reverse=True
    )
    assert sum(exchange.days for exchange in found.exchanges) == pytest.approx(30.0)
    total = 0.0
    for action, value in zip(run.table, run.values, strict=True):
        total += float(value @ (found(action) - action))
    assert total == pytest.approx(run.swap(), abs=1e-9)
    assert found.remainder == 0.0
    assert len(best_swap(answer(tiny_set, [run.ledger()]), limit=1)) == 1


def test_an_exchange_reads_as_a_sentence() -> None:
    """Exchanges speak in labels; an action that was best is said to be so."""
    actions = MSets(3, 1, labels=["ale", "bread", "corn"])
    ledger = SwapLedger(actions)
    ledger.record(FinitePolicy([[1, 0, 0]], [1.0]), np.array([0.0, 0.5, 0.25]), 2)
    ledger.record(FinitePolicy([[0, 0, 1]], [1.0]), np.array([0.0, 0.0, 1.0]), 1)
    lines = str(best_swap(answer(actions, [ledger.close()]))).splitlines()
    assert lines[0] == "when you chose {ale}, {bread} would have earned +0.25 per day (2 days, +0.5 in total)"
    assert lines[1] == "when you chose {corn}, nothing would have been better (1 day)"


def test_a_rule_gains_the_same_on_the_ledger_it_came_from(tiny_set: ActionSet) -> None:
    """The best rule of a ledger, tried on that ledger, gains its swap regret; gains are linear in the ledger."""
    runs = [enumerated(tiny_set, 20, seed).ledger() for seed in (5, 6)]
    mean = mean_ledger(runs)
    answers = answer(tiny_set, [mean])
    rule = AnswerRule.of(answers)
    assert rule.gain(mean) == pytest.approx(swap_regret(answer(tiny_set, runs)).value, abs=1e-9)
    assert np.mean([rule.gain(run) for run in runs]) == pytest.approx(rule.gain(mean), abs=1e-9)


def test_the_laziness_bound_is_above_swap_regret_and_tight_for_fixed_play() -> None:
    """External ≤ swap ≤ laziness on random mixtures; all three are equal for one fixed policy."""
    actions = MSets(5, 2)
    rng = np.random.default_rng(7)
    table = actions.enumerate()
    policies = [FinitePolicy(table[rng.choice(10, 3, replace=False)], [0.5, 0.25, 0.25]) for _ in range(6)]
    exact, lazy = SwapLedger(actions), LazinessLedger(actions)
    for day in range(60):
        policy = mix([policies[day // 10], policies[(day // 20 + 3) % 6], actions.uniform_policy()], [0.5, 0.3, 0.2])
        rewards = rng.random(5)
        exact.record(policy, rewards)
        lazy.record(policy, rewards)
    swap = swap_regret(answer(actions, [exact.close()]))
    bound = laziness_bound(actions, [lazy.close()])
    assert bound.lower - 1e-9 <= swap.value <= bound.upper + 1e-9
    assert bound.lower == pytest.approx(external_regret(actions, [exact.close()]).value)
    fixed, steady = SwapLedger(actions), LazinessLedger(actions)
    for _ in range(20):
        rewards = rng.random(5)
        fixed.record(policies[0], rewards)
        steady.record(policies[0], rewards)
    bracket = laziness_bound(actions, [steady.close()])
    assert bracket.upper == pytest.approx(bracket.lower)
    assert bracket.upper == pytest.approx(swap_regret(answer(actions, [fixed.close()])).value)


def test_same_policy_compares_contents() -> None:
    """Copies of a policy are recognised, whatever they have computed on demand; other parameters are told apart."""
    one, other = (MSets(30, 4).uniform_policy() for _ in range(2))
    one.cooccurrence()
    assert one is not other
    assert is_same(one, other)
    assert not is_same(one, MSets(30, 5).uniform_policy())
    assert not is_same(one, MSets(4, 2).decompose([0.5] * 4))


def test_copies_of_one_exploration_policy_merge_into_one() -> None:
    """Replications that hold equal copies of an unlisted policy still give an exact value."""
    runs = []
    for seed in range(2):
        actions = MSets(20, 5)
        run = enumerated(MSets(20, 19), 10, seed)
        ledger = SwapLedger(actions)
        for row in run.rewards:
            listed = FinitePolicy([actions.argmax(row)], [1.0])
            ledger.record(mix([listed, actions.uniform_policy()], [0.5, 0.5]), row)
        runs.append(ledger.close())
    merged = mean_ledger(runs)
    assert len(merged.policies) == 1
    assert swap_regret(answer(MSets(20, 5), runs)).is_exact


def test_a_bound_that_goes_on_from_a_file_is_one() -> None:
    """A policy that changes while the ledger is in a file ends its stretch: the bound stays above swap regret, here 2."""
    actions = MSets(2, 1)
    before, after = LazinessLedger(actions), LazinessLedger(actions)
    before.record(FinitePolicy([[1, 0]], [1.0]), np.array([0.0, 1.0]))
    after.restore(before.dump())
    after.record(FinitePolicy([[0, 1]], [1.0]), np.array([1.0, 0.0]))
    assert laziness_bound(actions, [after.close()]).value == pytest.approx(2.0)
