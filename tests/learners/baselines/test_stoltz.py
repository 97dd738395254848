"""Stoltz: both algorithms by hand, and the factorisation of the first into Blum and Mansour's experts."""

import math
from itertools import product

import numpy as np
import pytest

import swapregret as sr
from swapregret.errors import TooLarge

ARMS = np.eye(3, dtype=np.int64)
PLAYS, REWARDS = [1, 0, 1], [0.5, 0.0, 1.0]


def test_all_swaps_by_hand(walk, weights_of) -> None:
    """27 functions with weights exp(η G(φ)); the play is the p with p = Σ_φ Δ_φ p^φ, found here by iterating the map."""
    eta = 0.6
    player = sr.baselines.stoltz(sr.MSets(3, 1), 100, rules="swap", learning_rate=eta)
    states = walk(player, [ARMS[j] for j in PLAYS], REWARDS)
    functions = list(product(range(3), repeat=3))
    gains, p = dict.fromkeys(functions, 0.0), np.full(3, 1 / 3)
    for j, reward, state in zip(PLAYS, REWARDS, states[1:], strict=True):
        for phi in functions:
            gains[phi] += sum(p[i] * (reward - 1.0) / p[j] for i in range(3) if phi[i] == j)
        weights = {phi: math.exp(eta * gain) for phi, gain in gains.items()}
        total = sum(weights.values())
        for _ in range(2000):
            q = np.zeros(3)
            for phi, weight in weights.items():
                for i in range(3):
                    q[phi[i]] += weight / total * p[i]
            p = q
        assert np.allclose(weights_of(player, state, ARMS), p, atol=1e-12)


def test_pairs_by_hand(walk, weights_of) -> None:
    """Six rules "j for i" with weights exp(η(G_ij − G_ii)); the play is the fixed point of their mixture, by iteration."""
    eta = 0.9
    player = sr.baselines.stoltz(sr.MSets(3, 1), 100, learning_rate=eta)
    states = walk(player, [ARMS[j] for j in PLAYS], REWARDS)
    G, p = np.zeros((3, 3)), np.full(3, 1 / 3)
    for j, reward, state in zip(PLAYS, REWARDS, states[1:], strict=True):
        G[:, j] += p * (reward - 1.0) / p[j]
        pairs = {(a, b): math.exp(eta * (G[a, b] - G[a, a])) for a in range(3) for b in range(3) if a != b}
        total = sum(pairs.values())
        for _ in range(5000):
            q = np.zeros(3)
            for (a, b), weight in pairs.items():
                moved = p.copy()
                moved[b] += moved[a]
                moved[a] = 0.0
                q += weight / total * moved
            p = q
        assert np.allclose(weights_of(player, state, ARMS), p, atol=1e-12)


def test_all_swaps_are_blum_and_mansour() -> None:
    """Exponential weights on all N^N functions play exactly as N experts with the same step: the weights factorise."""
    actions = sr.MSets(5, 1)
    world = sr.environments.random_walk(actions, 60, rng=0)
    a = sr.baselines.stoltz(actions, 60, rules="swap", learning_rate=0.3)
    b = sr.baselines.blum_mansour(actions, 60, learning_rate=0.3)
    sa, sb = sr.Session(a, rng=4), sr.Session(b, rng=4)
    for row in world.rewards(0, 60):
        da, db = sa.act(), sb.act()
        assert np.array_equal(da.action, db.action)
        assert np.allclose(da.policy.weights, db.policy.weights, atol=1e-10)
        sa.observe(float(row @ da.action))
        sb.observe(float(row @ db.action))


def test_all_swaps_are_refused_above_five_actions() -> None:
    """The refusal says how many functions there would be."""
    with pytest.raises(TooLarge, match=r"3\.2·10²⁴⁹ functions"):
        sr.baselines.stoltz(sr.MSets(10, 3), 1000, rules="swap")


def test_swap_regret_is_within_its_bound() -> None:
    """Mean swap regret of 4 runs below N √(2 T ln N) for all swaps with N = 4, on a cyclic sequence."""
    T, actions = 2000, sr.MSets(4, 1)
    world = sr.environments.cyclic(actions, T, rng=1)
    player = sr.baselines.stoltz(actions, T, rules="swap", learning_rate=math.sqrt(2 * math.log(4) / T))
    result = sr.play(player, world, rng=0, replications=4)
    assert result.swap_regret.value < 4 * math.sqrt(2 * T * math.log(4))
