"""Thompson sampling, upper bounds and ε-greedy on a Gaussian posterior: what the policy is, and how well LinUCB climbs."""

from itertools import combinations
from typing import Any

import numpy as np
import pytest
from scipy import stats
from tests.late import Late

import swapregret as sr
from swapregret.compiled.bits import pack_rows
from swapregret.learners.adaptive.total_bounds import bold_action
from swapregret.learners.baselines.posterior.gaussian import draw_normals
from swapregret.learners.baselines.posterior.lin_ucb import starts_of
from swapregret.learners.player import Decision
from swapregret.learners.round.posterior_sums import fit_totals
from swapregret.learners.round.upper_bound import best_climbed, best_listed

SETS: Late[sr.ActionSet] = Late(
    {
        "m-sets": lambda: sr.MSets(10, 4),
        "permutations": lambda: sr.Permutations(5),
        "trees": lambda: sr.SpanningTrees(list(combinations(range(5), 2))),
    }
)


def played(player: Any, n_days: int) -> Any:
    """Return a player after some days of a world that stands still."""
    running, rng = player.start(np.random.default_rng(1)), np.random.default_rng(2)
    rewards = sr.environments.iid(player.actions, n_days, rng=3).rewards(0, n_days)
    for day in range(n_days):
        held, action = player.hold(running), player.act(running, rng)
        seen = float(action @ rewards[day]) if player.feedback == "bandit" else rewards[day] * action
        running = player.observe(running, Decision(day, action, player.actions, held), seen)
    return running


@pytest.mark.parametrize("name", ["lin_ts", "comb_ts"])
def test_a_drawn_action_is_distributed_as_thompsons(name: str) -> None:
    """The policy of 4,096 draws agrees with the best actions of independent normal draws; false alarm rate 1e-6."""
    actions = sr.MSets(4, 2)
    running = played(getattr(sr.baselines, name)(actions, 30, draws=4096), 12)
    policy = running.view().policy().finite()
    rule, own = running.rule, running.state.own
    if name == "lin_ts":
        mean, factor, _ = fit_totals(rule, own, 0)
        covariance = np.linalg.inv(np.triu(factor).T @ np.triu(factor))
    else:
        precision = rule.precision + rule.gain * own.counts
        mean, covariance = (rule.origin + rule.gain * own.sums) / precision, np.diag(1.0 / precision)
    rows = actions.enumerate(10)
    draws = np.random.default_rng(5).multivariate_normal(mean, covariance, size=100_000)
    expected = np.bincount((draws @ rows.T).argmax(axis=1), minlength=len(rows)) / len(draws)
    place = {tuple(row): a for a, row in enumerate(rows.tolist())}
    found = np.zeros(len(rows))
    for atom, weight in zip(policy.atoms.tolist(), policy.weights, strict=True):
        found[place[tuple(atom)]] = weight
    met = expected > 0.002
    counts = np.append(found[met], found[~met].sum()) * 4096
    shares = np.append(expected[met], expected[~met].sum()) * 4096
    kept = shares > 0.0
    # both sides are samples: the expected shares have 1/24 of the variance
    statistic = float(((counts - shares)[kept] ** 2 / (shares[kept] * (1.0 + 4096 / 100_000))).sum())
    assert stats.chi2.sf(statistic, kept.sum() - 1) > 1e-6


def test_drawn_numbers_are_normal() -> None:
    """20,000 numbers of one seed pass the test of Kolmogorov and Smirnov; false alarm rate 1e-6."""
    numbers = np.empty(20_000)
    draw_normals(12345, 7, numbers)
    assert stats.kstest(numbers, "norm").pvalue > 1e-6
    assert abs(np.corrcoef(numbers[:-1], numbers[1:])[0, 1]) < 5.0 / np.sqrt(20_000)


@pytest.mark.parametrize("name", SETS)
def test_a_climb_ends_near_the_exact_maximum(name: str) -> None:
    """Over 60 days the bound at its end is .99 of the exact maximum on average, and never below .95 of it."""
    actions = SETS[name]
    player = sr.baselines.lin_ucb(actions, 100, limit=0)
    running, listed = player.start(np.random.default_rng(1)), sr.baselines.lin_ucb(actions, 100).listed
    rewards, shares = sr.environments.piecewise(actions, 60, rng=3).rewards(0, 60), []
    rng = np.random.default_rng(2)
    for day in range(60):
        mean, factor, _ = fit_totals(running.rule, running.state.own, 0)
        covariance = np.linalg.inv(np.triu(factor).T @ np.triu(factor))

        def bound(action: Any, mean: Any = mean, covariance: Any = covariance) -> float:
            return float(mean @ action + 1.5 * np.sqrt(action @ covariance @ action))

        exact = best_listed(listed, mean, covariance, 1.5)
        starts = starts_of(running.rule, running.state, mean, factor, 0)
        climbed = best_climbed(running.family, mean, covariance, 1.5, starts)
        assert bound(exact) == pytest.approx(max(bound(row) for row in actions.enumerate(2000)), abs=1e-12)
        shares.append(bound(climbed) / bound(exact))
        held, action = player.hold(running), player.act(running, rng)
        running = player.observe(running, Decision(day, action, player.actions, held), float(action @ rewards[day]))
    assert min(shares) >= 0.95
    assert np.mean(shares) >= 0.99


def test_a_memory_follows_what_moves() -> None:
    """Where the good action changes eight times, forgetting earns more than .05 more per day, on each of four seeds."""
    actions = sr.MSets(8, 2)
    for seed in range(4):
        world = sr.environments.piecewise(actions, 4000, rng=seed)
        one, other = (
            sr.play(sr.baselines.lin_ts(actions, 4000, memory=memory), world, rng=0) for memory in (None, 150.0)
        )
        assert other.reward > one.reward + 0.05


def test_an_oracle_of_ones_own_is_played() -> None:
    """A set known only by its oracle: LinUCB climbs, where N is not known and cannot be listed."""
    unknown = sr.OracleSet(5, lambda w: (np.argsort(np.argsort(-w, kind="stable")) < 2).astype(int))
    player = sr.baselines.lin_ucb(unknown, 100, limit=3)
    assert player.listed.shape[0] == 0
    assert played(player, 20).state.tally.day[0] == 20


@pytest.mark.parametrize("name", SETS)
def test_what_is_climbed_for_the_forecaster_is_near_the_exact_maximum(name: str) -> None:
    """For posteriors after 400 days of four actions its bound is .99 of the exact maximum on average, and never below .96 of it."""
    actions, rng, shares = SETS[name], np.random.default_rng(8), []
    running = sr.swap_combcp(actions, 100).start(np.random.default_rng(1))
    listed = pack_rows(actions.enumerate(2000))
    rows, d, m = actions.enumerate(2000), actions.dimension, actions.size
    for _ in range(20):
        days = rows[rng.choice(len(rows), 4)[rng.integers(4, size=400)]]
        precision = np.eye(d) * (m / 0.35) ** 2 + 4.0 * m * days.T @ days
        covariance = np.linalg.inv(precision)
        mean = covariance @ (precision @ np.full(d, 0.5 / m) + 4.0 * m * days.T @ rng.normal(0.0, 0.1, 400))
        exact = bold_action(running.family, listed, mean, covariance, 1.2)
        climbed = bold_action(running.family, listed[:0], mean, covariance, 1.2)
        bounds = [float(mean @ each + 1.2 * np.sqrt(each @ covariance @ each)) for each in (climbed, exact)]
        shares.append(bounds[0] / bounds[1])
    assert max(shares) <= 1.0 + 1e-12
    assert min(shares) >= 0.96
    assert np.mean(shares) >= 0.99
