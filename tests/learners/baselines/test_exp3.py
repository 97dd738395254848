"""Exp3: traces by hand, Auer's original, Hedge, and the bound."""

import math

import numpy as np

import swapregret as sr

ARMS = np.eye(3, dtype=np.int64)[::1]


def test_three_rounds_by_hand(walk, weights_of) -> None:
    """Losses (1 − r)/p on the arm played, softmax of η times the negative sums.

    Day 0: p = 1/3 each, arm 0 earns .7: score −.3·3 = −.9. Day 1: p(1) = 1/(2 + e^{−.45}) with η = ½, arm 1 earns 0: score −1/p(1).
    Day 2: arm 0 earns 1: nothing changes.
    """
    player = sr.baselines.exp3(sr.MSets(3, 1), 100, learning_rate=0.5)
    states = walk(player, [ARMS[0], ARMS[1], ARMS[0]], [0.7, 0.0, 1.0])
    p1 = 1.0 / (2.0 + math.exp(-0.45))
    first = np.array([math.exp(-0.45) * p1, p1, p1])
    assert np.allclose(weights_of(player, states[1], ARMS), first, atol=1e-14)
    raw = np.exp(0.5 * np.array([-0.9, -1.0 / p1, 0.0]))
    assert np.allclose(weights_of(player, states[2], ARMS), raw / raw.sum(), atol=1e-14)
    assert np.allclose(weights_of(player, states[3], ARMS), raw / raw.sum(), atol=1e-14)


def test_original_of_auer(walk, weights_of) -> None:
    """With baseline 0 and η = γ/N the weights are w ← w·exp(γ r / (p N)), mixed with γ/N, as in Auer et al. and in river."""
    gamma, n = 0.3, 3
    player = sr.baselines.exp3(sr.MSets(3, 1), 100, learning_rate=gamma / n, exploration=gamma, baseline=0.0)
    plays, rewards = [2, 0, 2, 1, 2], [1.0, 0.4, 0.9, 0.0, 0.6]
    states = walk(player, [ARMS[i] for i in plays], rewards)
    w = np.ones(n)
    for arm, reward, state in zip(plays, rewards, states, strict=False):
        p = (1 - gamma) * w / w.sum() + gamma / n
        assert np.allclose(weights_of(player, state, ARMS), p, atol=1e-14)
        w[arm] *= math.exp(gamma * (reward / p[arm]) / n)


def test_full_feedback_is_hedge(walk, weights_of) -> None:
    """With the whole reward vector the weights are exp(η Σ R·M)."""
    actions = sr.MSets(3, 2)
    player = sr.baselines.exp3(actions, 50, feedback="full", learning_rate=2.0)
    vectors = [np.array([0.5, 0.1, 0.0]), np.array([0.0, 0.3, 0.5])]
    states = walk(player, [actions.enumerate()[0]] * 2, vectors)
    rows = actions.enumerate()
    raw = np.exp(2.0 * rows @ (vectors[0] + vectors[1]))
    assert np.allclose(weights_of(player, states[2], rows), raw / raw.sum(), atol=1e-14)


def test_external_regret_is_within_its_bound() -> None:
    """On random and on cyclic sequences the mean external regret of 4 runs stays below √(2 N T ln N)."""
    T, actions = 2000, sr.MSets(5, 2)
    bound = math.sqrt(2 * 10 * T * math.log(10))
    worlds = (sr.environments.random_walk(actions, T, rng=1), sr.environments.cyclic(actions, T, rng=2))
    for world in worlds:
        result = sr.play(sr.baselines.exp3(actions, T), world, rng=0, replications=4)
        assert result.external_regret.value < bound
