"""The inequalities of docs/guarantee.md, one by one."""

from collections.abc import Callable
from itertools import product
from typing import Any

import numpy as np
import pytest
from numpy.random import SeedSequence

import swapregret as sr
from swapregret.compiled.bits import pack_rows
from swapregret.learners.adaptive.adaptive_master import AdaptiveMaster
from swapregret.learners.adaptive.guard import split_gain
from swapregret.learners.adaptive.vector_table import empty_vectors, make_row
from swapregret.learners.ladder.ladder_master import LadderMaster
from swapregret.learners.player import Decision
from swapregret.learners.round.running import Running
from swapregret.playing.course import Course
from swapregret.policy import FinitePolicy, Policy, mix
from swapregret.regret.ledgers.answers import answer
from swapregret.regret.ledgers.ledger import SwapLedger
from swapregret.regret.notions import swap_regret

UNMEASURED = {"measure": "none", "realised": False, "windows": (), "certificate": False, "capacity": None}


def _swap(actions: sr.ActionSet, policies: list[Policy], rewards: np.ndarray) -> float:
    ledger = SwapLedger(actions)
    for policy, row in zip(policies, rewards, strict=True):
        ledger.record(policy, row)
    return swap_regret(answer(actions, [ledger.close()])).value


def test_swap_regret_is_subadditive() -> None:
    """The swap regret of a mixture with fixed weights is at most the mixture of the swap regrets."""
    rng = np.random.default_rng(0)
    actions = sr.MSets(5, 2)
    atoms = actions.enumerate()
    for _ in range(20):
        rewards = rng.random((12, 5)) / 2
        parts = [[FinitePolicy(atoms, rng.dirichlet(np.full(10, 0.2))) for _ in range(12)] for _ in range(3)]
        weights = rng.dirichlet(np.ones(3))
        mixed = [mix(day, weights) for day in zip(*parts, strict=True)]
        split = sum(w * _swap(actions, part, rewards) for w, part in zip(weights, parts, strict=True))
        assert _swap(actions, mixed, rewards) <= split + 1e-9


def _adversary(marginals: np.ndarray, beyond: int = 2) -> np.ndarray:
    """Pay what the learner will want tomorrow: the elements some places beyond those it now prefers."""
    rewards = np.zeros(marginals.size)
    rewards[(np.argsort(-marginals, kind="stable")[:2] + beyond) % marginals.size] = 0.5
    return rewards


def _play(
    player: AdaptiveMaster, n_days: int, seed: int, beyond: int = 2
) -> tuple[Running, list[np.ndarray], np.ndarray]:
    """Play against the adversary; return the state, the points of the cold scales of every day, and the rewards."""
    rng = np.random.default_rng(seed)
    state = player.start(rng)
    points, rewards = [], []
    for day in range(n_days):
        row = _adversary(state.state.mix.mean, beyond)
        points.append(state.state.learners.points[: player.n_scales].copy())
        rewards.append(row)
        action = player.act(state, rng)
        player.observe(state, Decision(day, action, player.actions, player.hold(state)), float(row @ action))
    return state, points, np.array(rewards)


def _adaptive_player(slack: float) -> AdaptiveMaster:
    schedule = sr.Schedule([4 * 2**k for k in range(9)])
    player = sr.swap_combcp(
        sr.MSets(6, 2), 2000, preset="adaptive", schedule=schedule, guard_slack=slack, experts=False
    )
    assert isinstance(player, AdaptiveMaster)
    return player


def test_the_lemma_holds_for_the_cold_scales() -> None:
    """Pathwise, the swap regret of their mixture is at most the external regrets of the scales over K plus T/K."""
    player = _adaptive_player(0.25)
    state, points, rewards = _play(player, 600, seed=1)
    actions, k, windows = player.actions, player.n_scales, player.schedule.windows
    offset, n_days = int(state.state.tally.offset[0]), len(rewards)
    variants = player.learner.plan.variants
    known: dict[bytes, Policy] = {}

    def policy(point: np.ndarray) -> Policy:
        return known.setdefault(point.tobytes(), actions.decompose(point, variants=variants).finite())

    mixed = [mix([policy(point) for point in each], np.full(k, 1.0 / k)) for each in points]
    left, right = _swap(actions, mixed, rewards), n_days / k
    for scale in range(k - 1):
        interval = (np.arange(n_days) + offset) // windows[scale + 1]
        for number in np.unique(interval):
            days = np.flatnonzero(interval == number)
            total = rewards[days].sum(axis=0)
            earned = sum(float(points[day][scale] @ rewards[day]) for day in days)
            right += (float(actions.argmax(total) @ total) - earned) / k
    assert left <= right + 1e-9


@pytest.mark.parametrize(
    ("preset", "ingredients"),
    [
        ("adaptive", {}),
        ("adaptive", {"forecaster": False}),
        ("adaptive", {"forecaster": False, "guard_slack": 0.001}),
        ("ladder", {}),
    ],
)
def test_the_swap_regret_of_what_experts_agree_on_is_at_most_their_regrets(preset: str, ingredients: Any) -> None:
    """In a world that misleads the pool, also beyond a trip: SR(π) ≤ Σ Reg_x, and π earns as the pool less regrets."""
    player = sr.swap_combcp(sr.MSets(6, 2), 2000, preset=preset, **ingredients)
    assert isinstance(player, AdaptiveMaster | LadderMaster)
    rng = np.random.default_rng(5)
    state = player.start(rng)
    atoms = player.actions.enumerate()
    n = len(atoms)
    agreed: list[Policy] = []
    rewards, regrets, beyond_pool = [], np.zeros((n, n + 1)), 0.0
    for day in range(2000):
        experts, row = state.state.experts, _adversary(state.state.mix.mean, 1)
        policy, pool = experts.policy.copy(), experts.pool.copy()
        options = np.append(atoms @ row, pool @ row)
        followed = experts.rows @ options
        regrets += policy[:, None] * (options - followed[:, None])
        beyond_pool += policy @ (atoms @ row) - pool @ row
        np.testing.assert_allclose(policy @ followed, policy @ options[:n], atol=1e-9)
        gamma = float(state.state.mix.weights[-1])
        np.testing.assert_allclose(state.state.mix.mean, (1.0 - gamma) * policy @ atoms + gamma / 3.0, atol=1e-6)
        agreed.append(FinitePolicy(atoms, policy / policy.sum()))
        rewards.append(row)
        action = player.act(state, rng)
        player.observe(state, Decision(day, action, player.actions, player.hold(state)), float(row @ action))
    assert "guard_slack" not in ingredients or state.state.guard.has_tripped[0] == 1
    swap = _swap(player.actions, agreed, np.array(rewards))
    assert swap <= regrets[:, :n].max(axis=1).sum() + 1e-6
    assert abs(beyond_pool + regrets[:, n].sum()) < 1e-6
    foretells = (
        isinstance(player, AdaptiveMaster) and player.foretells
    )  # which such a world misleads more, over 2,000 days
    assert swap < (0.16 if foretells else 0.12) * len(rewards)


def test_a_rule_of_the_guard_is_judged_without_bias() -> None:
    """With fixed policies, the mean of Ŝ over all draws of four days is what its two rules gain: exact finite sums."""
    rng = np.random.default_rng(2)
    actions = sr.MSets(3, 2)
    atoms, mu = actions.enumerate(), actions.uniform_policy()
    family, words = actions.family(mu), pack_rows(atoms)
    chances, rewards = rng.dirichlet(np.ones(3), size=4), rng.random((4, 3)) / 2
    policies = [mix([FinitePolicy(atoms, row), mu], [0.8, 0.2]).finite() for row in chances]
    paid = [policy.atoms @ row for policy, row in zip(policies, rewards, strict=True)]
    estimates = [
        np.linalg.solve(policy.cooccurrence(), policy.atoms.T).T * totals[:, None]
        for policy, totals in zip(policies, paid, strict=True)
    ]
    halves = [[0, 2], [1, 3]]  # even and odd windows, of a day each
    mean = gained = 0.0
    for draws in product(range(3), repeat=4):
        chance = np.prod([policy.weights[index] for policy, index in zip(policies, draws, strict=True)])
        seen = np.array([each[index] for each, index in zip(estimates, draws, strict=True)])
        table = empty_vectors(8, 1, 6)
        for index in range(3):
            row = make_row(table, words[index])
            table.values[row] = np.concatenate([chances[half, index] @ seen[half] for half in halves])
        mean += chance * split_gain(family, table)
        for half, other in (halves, halves[::-1]):
            rule = actions.argmax_many(chances[half].T @ seen[half])
            gained += chance * float(np.sum((chances[other].T @ rewards[other]) * (rule - atoms)))
    assert abs(mean - gained) < 1e-12
    assert abs(gained) > 1e-3


def test_an_adversary_that_turns_trips_the_guard_and_then_the_cold_scales_play() -> None:
    """A world that pays what was not preferred trips a tight guard; from then on the policy is Algorithm 1's, to the last share."""
    player = _adaptive_player(0.05)
    state, points, _ = _play(player, 2000, seed=0)
    assert state.state.guard.has_tripped[0] == 1
    cold = state.state.learners.points[: player.n_scales]
    policies = [player.actions.decompose(point.copy(), variants=player.learner.plan.variants) for point in cold]
    floor = mix([policy.finite() for policy in policies], np.full(player.n_scales, 1.0 / player.n_scales))
    gamma = player.learner.exploration
    expected = mix([floor, player.actions.uniform_policy()], [1.0 - gamma, gamma])
    np.testing.assert_allclose(player.policy(state).cooccurrence(), expected.cooccurrence(), atol=1e-9)
    assert len(points) == 2000


def test_a_slack_guard_lets_the_pool_play_on() -> None:
    """With the usual slack the same world does not trip it in 400 days."""
    state, _, _ = _play(_adaptive_player(0.25), 400, seed=0)
    assert state.state.guard.has_tripped[0] == 0


def test_the_guard_as_it_comes_trips_in_a_world_that_breaks_the_pool() -> None:
    """Paying the elements next to those that are preferred misleads the pool; the default notices within the horizon."""
    player = sr.swap_combcp(sr.MSets(6, 2), 10_000, experts=False)
    assert isinstance(player, AdaptiveMaster)
    state, _, _ = _play(player, 10_000, seed=3, beyond=1)
    assert state.state.guard.has_tripped[0] == 1


@pytest.mark.parametrize("world", [sr.environments.iid, sr.environments.cyclic, sr.environments.piecewise])
@pytest.mark.parametrize("horizon", [300, 3_000])
def test_the_guard_as_it_comes_leaves_benign_worlds_alone(world: Callable[..., Any], horizon: int) -> None:
    """Noise does not trip it, on short horizons either."""
    actions = sr.MSets(6, 2)
    for seed in range(4):
        course = Course(
            sr.swap_combcp(actions, horizon), world(actions, horizon, rng=seed), SeedSequence(seed), UNMEASURED
        )
        course.advance(horizon)
        assert course.state.state.guard.has_tripped[0] == 0


def test_the_swap_regret_of_a_fixed_policy_is_external_regret() -> None:
    """A policy that never changes has as much swap regret as external regret, for any rewards."""
    rng = np.random.default_rng(4)
    actions = sr.MSets(5, 2)
    for _ in range(10):
        rewards = rng.random((30, 5)) / 2
        policy = FinitePolicy(actions.enumerate(), rng.dirichlet(np.ones(10)))
        total = rewards.sum(axis=0)
        external = float((actions.argmax(total) - policy.marginals()) @ total)
        assert abs(_swap(actions, [policy] * 30, rewards) - external) < 1e-9


def test_the_summary_shows_the_guard() -> None:
    """A session tells Ŝ/T and whether the guard has tripped."""
    session = sr.Session(_adaptive_player(0.05), rng=0)
    for _ in range(2000):
        rewards = _adversary(session.policy().marginals())
        decision = session.act()
        session.observe(float(rewards @ decision.action))
    summary = session.summary().player
    assert summary is not None
    assert summary.guard_has_tripped is True
    assert summary.guard_estimate is not None
    assert summary.guard_estimate > 0.05 / 8
