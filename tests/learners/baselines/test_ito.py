"""Ito: a trace by hand, the joint policy of expert and action, and the bound."""

import math

import numpy as np

import swapregret as sr
from swapregret.learners.baselines.drivers.listed_steps import choose, daily_uniform
from swapregret.learners.baselines.tsallis_inf import tsallis_weights

ARMS = np.eye(3, dtype=np.int64)


def test_rounds_by_hand(walk, weights_of) -> None:
    """Only the drawn expert learns: its loss grows by (1 − r)/q_i(j), its row becomes Tsallis weights with η = c/√(n + 1)."""
    player = sr.baselines.ito(sr.MSets(3, 1), 100, scale=1.0)
    plays, rewards = [0, 1, 1, 2, 0], [0.5, 0.2, 0.9, 0.0, 0.3]
    states = walk(player, [player.mu.atoms[j] for j in plays], rewards, seed=7)
    L, Q, counts, p = np.zeros((3, 3)), np.full((3, 3), 1 / 3), np.zeros(3), np.full(3, 1 / 3)
    for day, (j, reward) in enumerate(zip(plays, rewards, strict=True)):
        posterior = p * Q[:, j]
        expert = int(
            np.searchsorted(np.cumsum(posterior) / posterior.sum(), daily_uniform(states[0].state.own.seed[0], day))
        )
        L[expert, j] += (1 - reward) / Q[expert, j]
        counts[expert] += 1
        Q[expert], _ = tsallis_weights(L[expert], 1 / math.sqrt(counts[expert] + 1))
        values, vectors = np.linalg.eig(Q.T)
        p = np.real(vectors[:, int(np.argmin(np.abs(values - 1)))])
        p /= p.sum()
        assert np.allclose(weights_of(player, states[day + 1], player.mu.atoms), p, atol=1e-12)
        assert np.array_equal(states[day + 1].state.own.counts, counts)


def test_expert_given_action_has_the_right_policy() -> None:
    """Over 20,000 days the expert drawn for an action follows p(i) q_i(j)/p(j) (chi-square, 2 degrees, 1e-6: 27.63)."""
    weights = np.array([0.1, 0.6, 0.3])
    counts = np.bincount([choose(weights, daily_uniform(5, day)) for day in range(20_000)], minlength=3)
    expected = 20_000 * weights
    assert ((counts - expected) ** 2 / expected).sum() < 27.63


def test_swap_regret_is_within_its_bound() -> None:
    """Mean swap regret of 4 runs below 4 N √T + N, on two sequences."""
    T, actions = 2000, sr.MSets(4, 2)
    for world in (sr.environments.cyclic(actions, T, rng=1), sr.environments.random_walk(actions, T, rng=1)):
        player = sr.baselines.ito(actions, T, scale=2.0)
        assert sr.play(player, world, rng=0, replications=4).swap_regret.value < 4 * 6 * math.sqrt(T) + 6
