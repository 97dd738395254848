"""TreeSwap: both kinds of feedback by hand, estimates without bias, and the decomposition."""

import math

import numpy as np
import pytest

import swapregret as sr
from swapregret.learners.baselines.drivers.listed_steps import daily_uniform

ARMS = np.eye(2, dtype=np.int64)


def softmax(scores: np.ndarray) -> np.ndarray:
    """Exponentiate and normalise."""
    w = np.exp(scores - scores.max())
    return w / w.sum()


def test_full_feedback_by_hand(walk, weights_of) -> None:
    """Windows (1, 2, 4): scale 1 updates after odd days and restarts every second, scale 2 updates every second day.

    After day 0: scale 1 has seen day 0. After day 1: scale 1 restarts, scale 2 has seen days 0 and 1. After day 2: scale 1 has seen
    day 2. After day 3: both restart.
    """
    player = sr.baselines.treeswap(
        sr.MSets(2, 1), 4, schedule=sr.Schedule([1, 2, 4]), feedback="full", random_offset=False
    )
    eta1, eta2 = player.rates
    assert math.isclose(eta1, math.sqrt(8 * math.log(2) / 2))
    assert math.isclose(eta2, math.sqrt(8 * math.log(2) / 2) / 2)
    days = [np.array([1.0, 0.0]), np.array([0.2, 0.4]), np.array([0.0, 0.9]), np.array([1.0, 1.0])]
    states = walk(player, [ARMS[0]] * 4, days)
    even = np.array([0.5, 0.5])
    expected = [
        even,
        (softmax(eta1 * days[0]) + even) / 2,
        (even + softmax(eta2 * (days[0] + days[1]))) / 2,
        (softmax(eta1 * days[2]) + softmax(eta2 * (days[0] + days[1]))) / 2,
        even,
    ]
    for state, policy in zip(states, expected, strict=True):
        assert np.allclose(weights_of(player, state, ARMS), policy, atol=1e-13)


@pytest.mark.parametrize("estimator", ["own", "shared"])
def test_bandit_feedback_by_hand(walk, weights_of, estimator: str) -> None:
    """One scale of three days: K = 1, so own and shared estimates are both (r − 1)/p."""
    player = sr.baselines.treeswap(
        sr.MSets(2, 1), 3, schedule=sr.Schedule([1, 4]), estimator=estimator, random_offset=False
    )
    (eta,) = player.rates
    assert math.isclose(eta, 3 * math.sqrt(2 * math.log(2) / (4 * (2 + 1))))
    states = walk(player, [ARMS[0], ARMS[1], ARMS[0]], [0.5, 0.25, 1.0])
    S, p = np.zeros(2), np.array([0.5, 0.5])
    for arm, reward, state in zip((0, 1, 0), (0.5, 0.25, 1.0), states[1:], strict=True):
        S[arm] += (reward - 1) / p[arm]
        p = softmax(eta * S)
        assert np.allclose(weights_of(player, state, ARMS), p, atol=1e-13)


def test_estimates_are_unbiased() -> None:
    """Averaged exactly over arms and scales, own and shared estimates of arm j are r(j) − b for every scale."""
    rows = np.array([[0.7, 0.2, 0.1], [0.1, 0.1, 0.8]])
    mixture = rows.mean(axis=0)
    rewards, b = np.array([0.3, 0.9, 0.5]), 1.0
    for k in range(2):
        own = np.zeros(3)
        shared = np.zeros(3)
        for j in range(3):
            chosen = rows[k, j] / rows[:, j].sum()
            own[j] = mixture[j] * chosen * 2 * (rewards[j] - b) / rows[k, j]
            shared[j] = mixture[j] * (rewards[j] - b) / mixture[j]
        assert np.allclose(own, rewards - b)
        assert np.allclose(shared, rewards - b)


def test_own_estimates_go_to_the_scale_that_was_drawn(walk) -> None:
    """The aggregate of exactly one scale changes, by K(r − b)/q_k(j), and it is the one the day's number falls on."""
    player = sr.baselines.treeswap(sr.MSets(2, 1), 64, schedule=sr.Schedule([4, 16, 64]), random_offset=False)
    states = walk(player, [ARMS[0]] * 3, [0.5] * 3)
    column = player.mu.atoms.tolist().index(list(ARMS[0]))
    for day in range(3):
        change = (states[day + 1].state.own.aggregates - states[day].state.own.aggregates)[:, column]
        scale = 0 if daily_uniform(states[0].state.own.seed[0], day) < 0.5 else 1
        expected = np.zeros(2)
        expected[scale] = 2 * (0.5 - 1) / 0.5
        assert np.allclose(change, expected)


def test_full_feedback_beats_a_single_learner_on_cycles() -> None:
    """On the cycle, with full feedback, TreeSwap has less than half the swap regret of Hedge."""
    T, actions = 4096, sr.MSets(6, 2)
    world = sr.environments.cyclic(actions, T, rng=0)
    tree = sr.play(sr.baselines.treeswap(actions, T, feedback="full"), world, rng=0).swap_regret.value
    hedge = sr.play(sr.baselines.exp3(actions, T, feedback="full"), world, rng=0).swap_regret.value
    assert tree < hedge / 2


def test_swap_regret_is_within_its_bound() -> None:
    """With full feedback: T/K + (1/K) Σ_k (T/L_k)·L_{k−1}·√(H ln N / 2), Hedge's bound a scale, on two sequences."""
    T, actions = 1024, sr.MSets(4, 2)
    player = sr.baselines.treeswap(actions, T, feedback="full", random_offset=False)
    K = player.schedule.n_scales
    hedge = sum(T / 4 * math.sqrt(4 * math.log(6) / 2) for _ in range(K))
    for world in (sr.environments.cyclic(actions, T, rng=0), sr.environments.random_walk(actions, T, rng=0)):
        assert sr.play(player, world, rng=0).swap_regret.value < T / K + hedge / K
