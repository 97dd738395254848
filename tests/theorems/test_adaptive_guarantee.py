"""The inequalities of docs/guarantee.md, one by one."""

from itertools import product

import numpy as np
from swapregret.learners.adaptive.m_set_master import MSetAdaptiveMaster, MSetPoolState
from swapregret.learners.adaptive.pool_policy import PackedLaw

import swapregret as sr
from swapregret.learners.player import Decision
from swapregret.policy import FinitePolicy, Policy, mix
from swapregret.regret.ledger import SwapLedger
from swapregret.regret.swap import swap_regret


def _swap(actions: sr.ActionSet, laws: list[Policy], rewards: np.ndarray) -> float:
    ledger = SwapLedger(actions)
    for law, row in zip(laws, rewards, strict=True):
        ledger.record(law, row)
    return swap_regret(actions, [ledger.close()]).value


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


def _adversary(marginals: np.ndarray) -> np.ndarray:
    """Pay what the learner will want tomorrow: the elements two beyond those it now prefers."""
    rewards = np.zeros(marginals.size)
    rewards[(np.argsort(-marginals, kind="stable")[:2] + 2) % marginals.size] = 0.5
    return rewards


def _play(player: MSetAdaptiveMaster, n_days: int, seed: int) -> tuple[list[MSetPoolState], np.ndarray]:
    rng = np.random.default_rng(seed)
    state = player.start(rng)
    states, rewards = [], []
    for day in range(n_days):
        policy = player.policy(state)
        row = _adversary(policy.marginals())
        action = policy.sample(rng)
        states.append(state)
        rewards.append(row)
        state = player.observe(state, Decision(day, action, (), policy), float(row @ action))
    return states, np.array(rewards)


def _adaptive_player(slack: float) -> MSetAdaptiveMaster:
    schedule = sr.Schedule([4 * 2**k for k in range(9)])
    player = sr.swap_combcp(sr.MSets(6, 2), 2000, preset="adaptive", schedule=schedule, guard_slack=slack, calm=0.0)
    assert isinstance(player, MSetAdaptiveMaster)
    return player


def _law_of(parts: list[PackedLaw], weights: np.ndarray) -> Policy:
    return mix([part.finite() for part in parts], weights / weights.sum())


def test_the_lemma_holds_for_the_floor() -> None:
    """Pathwise, the floor's swap regret is at most the external regrets of its scales over K plus T/K."""
    player = _adaptive_player(2.0)
    states, rewards = _play(player, 600, seed=1)
    actions, k, windows = player.actions, player.n_scales, player.schedule.windows
    offset = int(states[0].pool.clock[1])
    floors = [_law_of([law for law in state.recommended if law is not None], np.ones(k)) for state in states]
    left = _swap(actions, floors, rewards)
    right = len(states) / k
    for scale in range(k - 1):
        interval = (np.arange(len(states)) + offset) // windows[scale + 1]
        for number in np.unique(interval):
            days = np.flatnonzero(interval == number)
            total = rewards[days].sum(axis=0)
            laws = [states[day].recommended[scale] for day in days]
            earned = sum(float(law.marginals() @ rewards[day]) for law, day in zip(laws, days, strict=True) if law)
            right += (float(actions.argmax(total) @ total) - earned) / k
    assert left <= right + 1e-9


def test_the_guard_estimate_is_at_least_the_swap_regret_on_average() -> None:
    """Averaged over all draws of two days, Σ_b max U[b]·(M'−b) is at least the swap regret: exact finite sums."""
    rng = np.random.default_rng(2)
    actions = sr.MSets(4, 2)
    atoms = actions.enumerate()
    laws = [FinitePolicy(atoms, rng.dirichlet(np.ones(6))) for _ in range(2)]
    played = [mix([law, actions.uniform_policy()], [0.8, 0.2]).finite() for law in laws]
    rewards = rng.random((2, 4)) / 2
    mean = 0.0
    for draws in product(*(range(len(law.weights)) for law in played)):
        chance, seen = 1.0, np.zeros((6, 4))
        for day, index in enumerate(draws):
            chance *= played[day].weights[index]
            action = played[day].atoms[index]
            estimate = (rewards[day] @ action) * np.linalg.solve(played[day].cooccurrence(), action)
            seen += np.array([laws[day].probability(atom) for atom in atoms])[:, None] * estimate
        gains = [(atoms - atom) @ row for atom, row in zip(atoms, seen, strict=True)]
        mean += chance * sum(float(gain.max()) for gain in gains)
    assert mean >= _swap(actions, list(laws), rewards) - 1e-12


def test_an_adversary_that_turns_trips_the_guard() -> None:
    """A world that pays what was not preferred trips a tight guard; a slack one lets the adaptive part play on."""
    tight, _ = _play(_adaptive_player(0.3), 2000, seed=0)
    assert tight[-1].pool.clock[3] == 1
    slack, _ = _play(_adaptive_player(2.0), 400, seed=0)
    assert slack[-1].pool.clock[3] == 0


def test_after_the_trip_only_the_floor_is_played() -> None:
    """From the trip on the law is (1−γ)·floor + γ·exploration, to the last share."""
    player = _adaptive_player(0.3)
    states, _ = _play(player, 2000, seed=0)
    last = states[-1]
    assert last.pool.clock[3] == 1
    floor = _law_of([law for law in last.recommended if law is not None], np.ones(player.n_scales))
    expected = mix([floor, player.actions.uniform_policy()], [0.98, 0.02])
    np.testing.assert_allclose(player.policy(last).cooccurrence(), expected.cooccurrence(), atol=1e-12)


def test_the_swap_regret_of_calm_is_external_regret() -> None:
    """A law that never changes has as much swap regret as external regret, for any rewards."""
    rng = np.random.default_rng(4)
    actions = sr.MSets(5, 2)
    for _ in range(10):
        rewards = rng.random((30, 5)) / 2
        law = FinitePolicy(actions.enumerate(), rng.dirichlet(np.ones(10)))
        total = rewards.sum(axis=0)
        external = float((actions.argmax(total) - law.marginals()) @ total)
        assert abs(_swap(actions, [law] * 30, rewards) - external) < 1e-9


def test_the_summary_shows_the_guard() -> None:
    """A session tells Ŝ/T and whether the guard has tripped."""
    session = sr.Session(_adaptive_player(0.3), rng=0)
    for _ in range(2000):
        rewards = _adversary(session.marginals())
        decision = session.act()
        session.observe(float(rewards @ decision.action))
    summary = session.summary().player
    assert summary is not None
    assert summary.guard_has_tripped is True
    assert summary.guard_estimate is not None
    assert summary.guard_estimate > 0.3 / 8
