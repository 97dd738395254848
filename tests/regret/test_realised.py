"""How far realised swap regret is from that of the policies, and how far it may be."""

import math

import numpy as np
import pytest

import swapregret as sr
from swapregret.errors import InvalidInput, TooLarge
from swapregret.regret.realised import farthest, most_apart

ACTIONS = sr.MSets(4, 2)


def test_the_bound_holds_on_a_thousand_runs() -> None:
    """With confidence .95 none of 1,000 runs of a learner is farther from its policies than it may be.

    At most 5 % may be; a bound a fortieth as large is passed by half of them, so the test can fail.
    """
    world = sr.environments.cyclic(ACTIONS, 64, phases=2, rng=1)
    player = sr.baselines.exp3(ACTIONS, 64)
    result = sr.play(player, world, rng=2, replications=1000, realised=True)
    apart, most = [], []
    for run in result.runs:
        assert run.ledger is not None
        assert run.realised is not None
        own = sr.PlayResult(ACTIONS, (run,), "ledger", 0)
        apart.append(abs(own.realised_gap().value))
        most.append(most_apart(ACTIONS, run.ledger, run.realised, 0.95))
        assert own.realised_gap().bracket == (-most[-1], most[-1])
    assert np.all(np.array(apart) <= np.array(most))
    assert np.mean(np.array(apart) > np.array(most) / 40.0) > 0.4


def test_one_sum_stays_within_freedman() -> None:
    """A sum of n draws of chance p leaves x(np) on one side with a chance of at most 1/e, and a fourth of x much more often.

    In 100,000 sums; 1/e is not exceeded by luck, as the true chance is below .1.
    """
    n, chance = 400, 0.2
    sums = np.random.default_rng(7).binomial(n, chance, 100_000) - n * chance
    x = farthest(np.array([n * chance]), 1.0, n)[0]
    assert np.mean(sums > x) < math.exp(-1.0)
    assert np.mean(sums > x / 4.0) > 0.2


def test_exploration_without_a_list_counts() -> None:
    """Where exploration is a policy without a list, its days count: both ways of the bound, by hand."""
    world = sr.environments.iid(ACTIONS, 50, rng=3)
    result = sr.play(sr.baselines.uniform(ACTIONS), world, rng=1, realised=True)
    ledger, drawn = result.runs[0].ledger, result.runs[0].realised
    assert ledger is not None
    assert drawn is not None
    log_ratio = math.log(4.0 * 7) + 2.0 * math.log(6) - math.log(0.05)
    each = farthest(np.full(6, 50 / 6), log_ratio, 50.0)
    counts = {action.tobytes(): days for action, days in zip(drawn.actions, drawn.rows.days, strict=True)}
    rule = 6.0 * math.log(6) + math.log(4.0) - math.log(0.05)
    by_rule = 2.0 * rule / 3.0 + math.sqrt(4.0 * rule * rule / 9.0 + 100.0 * rule)
    seen = np.array([counts.get(action.tobytes(), 0.0) for action in ACTIONS.enumerate()])
    found = most_apart(ACTIONS, ledger, drawn, 0.95)
    assert found == pytest.approx(min(by_rule, np.minimum(each, seen + 50 / 6).sum()))


def test_the_share_of_days_falls_like_a_root() -> None:
    """From 1,000 to 64,000 days of uniform play the bound per day falls more than four times."""
    found = []
    for days in (1_000, 64_000):
        world = sr.environments.iid(ACTIONS, days, rng=3)
        found.append(sr.play(sr.baselines.uniform(ACTIONS), world, rng=1, realised=True).realised_gap().upper / days)
    assert found[1] < found[0] / 4.0


def test_what_cannot_be_told_is_refused() -> None:
    """A play without realised=True, a confidence of 1, and ledgers that reached their capacity."""
    world = sr.environments.iid(ACTIONS, 60, rng=3)
    player = sr.baselines.exp3(ACTIONS, 60)
    with pytest.raises(InvalidInput, match="realised=True"):
        sr.play(player, world, rng=0).realised_gap()
    with pytest.raises(InvalidInput, match="confidence"):
        sr.play(player, world, rng=0, realised=True).realised_gap(1.0)
    with pytest.raises(TooLarge, match="capacity"):
        sr.play(player, world, rng=0, realised=True, capacity=1).realised_gap()


def test_the_gap_is_in_units_of_costs() -> None:
    """Where elements cost between 0 and 40 and totals between 0 and 80, gap and bracket are 80 times as large."""
    rewards = np.random.default_rng(5).random((30, 4)) / 2.0
    plain = sr.environments.replay(ACTIONS, rewards)
    costs = sr.environments.replay(ACTIONS, 20.0 - 40.0 * rewards, cost_range=(0.0, 40.0))
    player = sr.baselines.uniform(ACTIONS)
    small, large = (sr.play(player, each, rng=4, realised=True).realised_gap() for each in (plain, costs))
    assert large.value == pytest.approx(80.0 * small.value, abs=1e-9)
    assert large.upper == pytest.approx(80.0 * small.upper)
