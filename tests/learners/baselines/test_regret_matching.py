"""Regret matching: both rules by hand, and the bound of the invariant one."""

import math

import numpy as np

import swapregret as sr

ARMS = np.eye(3, dtype=np.int64)


def test_inertia_by_hand(walk, weights_of) -> None:
    """After playing i: go to j with probability min(R⁺(i, j)/(μ t), ½), stay with the rest.

    Day 0 plays arm 0 against (0, 1, .5): R(0, ·) = (0, 1, .5); μ = 4: policy (1 − .25 − .125, .25, .125). Day 1 plays arm 1 against
    (.2, .4, 1): R(1, ·) = (−.2, 0, .6), t = 2: to arm 2 with .6/8. Day 2 plays arm 0 against (1, 0, 0): R(0, ·) = (0, 0, −.5).
    """
    player = sr.baselines.regret_matching(sr.MSets(3, 1), 10, rule="inertia", feedback="full", inertia=4.0)
    vectors = [np.array([0.0, 1.0, 0.5]), np.array([0.2, 0.4, 1.0]), np.array([1.0, 0.0, 0.0])]
    states = walk(player, ARMS[[0, 1, 0]], vectors)
    assert np.allclose(weights_of(player, states[1], ARMS), [0.625, 0.25, 0.125], atol=1e-14)
    assert np.allclose(weights_of(player, states[2], ARMS), [0.0, 0.925, 0.075], atol=1e-14)
    assert np.allclose(weights_of(player, states[3], ARMS), [1.0, 0.0, 0.0], atol=1e-14)


def test_invariant_by_hand(walk) -> None:
    """The policy balances the positive regrets: Σ_i p(i) R⁺(i, j) = p(j) Σ_k R⁺(j, k) for every j, with R from expected play."""
    player = sr.baselines.regret_matching(sr.MSets(3, 1), 10, feedback="full")
    rng = np.random.default_rng(0)
    vectors = [rng.random(3) for _ in range(6)]
    states = walk(player, ARMS[[0] * 6], vectors)
    R, p = np.zeros((3, 3)), np.full(3, 1 / 3)
    rows = player.mu.atoms
    for vector, state in zip(vectors, states[1:], strict=True):
        values = rows @ vector
        R += np.outer(p, values) - (p * values)[:, None]
        assert np.allclose(state.state.own.regrets, R, atol=1e-12)
        p = state.state.policies.chances[0]
        positive = np.maximum(R, 0.0)
        assert np.allclose(p @ positive, p * positive.sum(axis=1), atol=1e-7)


def test_bandit_estimates_by_hand(walk) -> None:
    """With bandit feedback the reward of the arm played is divided by its probability, and γ/N is always kept."""
    player = sr.baselines.regret_matching(sr.MSets(3, 1), 10, exploration=0.3)
    states = walk(player, [player.mu.atoms[2]], [0.6])
    expected = np.zeros((3, 3))
    expected[:, 2] += 0.6  # p(i) · .6 / p(2), all a third
    expected[2, :] -= 0.6
    assert np.allclose(states[1].state.own.regrets, expected, atol=1e-14)
    assert states[1].state.policies.chances[0].min() >= 0.1 - 1e-12


def test_internal_regret_of_the_invariant_rule_is_within_its_bound() -> None:
    """With full feedback the largest pair regret is at most √(N T), pathwise, on a cyclic sequence."""
    T, actions = 2000, sr.MSets(6, 2)
    world = sr.environments.cyclic(actions, T, rng=0)
    player = sr.baselines.regret_matching(actions, T, feedback="full")
    result = sr.play(player, world, rng=0)
    assert result.internal_regret.value < math.sqrt(15 * T)
    assert result.swap_regret.value < 15 * math.sqrt(15 * T)
