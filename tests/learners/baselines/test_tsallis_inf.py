"""Tsallis-INF: the weights solve their equation, a trace by hand, and the bound."""

import math

import numpy as np
from hypothesis import given, settings
from hypothesis import strategies as st

import swapregret as sr
from swapregret.learners.baselines.tsallis_inf import tsallis_weights

ARMS = np.eye(2, dtype=np.int64)


@settings(deadline=None, max_examples=100)
@given(
    st.lists(st.floats(-1e6, 1e6), min_size=1, max_size=30),
    st.floats(1e-4, 10.0),
)
def test_weights_solve_their_equation(losses: list[float], rate: float) -> None:
    """The weights add up to 1 and 2/(η√p_i) − L_i is the same number −x for all i, to rounding."""
    L = np.array(losses)
    p, x = tsallis_weights(L, rate)
    assert abs(p.sum() - 1.0) < 1e-12
    assert (p > 0).all()
    residual = 2.0 / (rate * np.sqrt(p)) - (L - x)
    assert np.abs(residual).max() < 1e-9 * (1.0 + np.abs(L - x).max())


def test_two_equal_losses_by_hand() -> None:
    """For equal losses p = 1/N and x = L − 2√N/η: with L = (3, 3), η = ½ it is 3 − 4√2."""
    p, x = tsallis_weights(np.array([3.0, 3.0]), 0.5)
    assert np.allclose(p, 0.5, atol=1e-15)
    assert math.isclose(x, 3.0 - 4.0 * math.sqrt(2.0), rel_tol=1e-14)


def reference(losses: list[float], rate: float) -> np.ndarray:
    """Find x by bisection, slowly and surely."""
    L = np.array(losses)
    low, high = L.min() - 2.0 * math.sqrt(len(L)) / rate - 1.0, L.min()
    for _ in range(300):
        x = (low + high) / 2
        total = (4.0 / (rate * (L - x)) ** 2).sum() if x < L.min() else math.inf
        low, high = (x, high) if total < 1.0 else (low, x)
    return 4.0 / (rate * (L - low)) ** 2


def test_three_rounds_by_hand(walk, weights_of) -> None:
    """Importance weights: η = 2/√t; losses .5/½ = 1 for arm 0 on day 1, then ℓ/p with p found by bisection."""
    player = sr.baselines.tsallis_inf(sr.MSets(2, 1), 10)
    states = walk(player, [ARMS[0], ARMS[1], ARMS[0]], [0.5, 0.0, 1.0])
    losses = [1.0, 0.0]
    p = reference(losses, 2 / math.sqrt(2))
    assert np.allclose(weights_of(player, states[1], ARMS), p, atol=1e-12)
    losses[1] += 1.0 / p[1]
    p = reference(losses, 2 / math.sqrt(3))
    assert np.allclose(weights_of(player, states[2], ARMS), p, atol=1e-12)
    assert np.allclose(weights_of(player, states[3], ARMS), reference(losses, 2 / math.sqrt(4)), atol=1e-12)


def test_variance_reduction_by_hand() -> None:
    """The estimate is taken about ½ only where p ≥ η²: η = 4/√t is below 1/√2 from t = 33 on."""
    player = sr.baselines.tsallis_inf(sr.MSets(2, 1), 10, is_variance_reduced=True)
    rng = np.random.default_rng(1)
    state, reduced = player.start(rng), 0
    for day in range(80):
        policy, before = player.policy(state), state.state.own.scores.copy()
        arm = policy.sample(rng)
        state = player.observe(state, sr.Decision(day, arm, (), policy), 0.25)
        p = float(policy.probability(arm))
        middle = 0.5 if p >= 16 / (day + 1) else 0.0
        reduced += middle > 0.0
        change = state.state.own.scores - before
        assert math.isclose(change[player.mu.atoms.tolist().index(list(arm))], (0.75 - middle) / p, rel_tol=1e-9)
    assert 0 < reduced < 80


def test_external_regret_is_within_its_bound() -> None:
    """On a drifting and on a cyclic sequence the mean external regret of 4 runs stays below 4√(NT) + 1."""
    T, actions = 2000, sr.MSets(5, 2)
    for world in (sr.environments.random_walk(actions, T, rng=1), sr.environments.cyclic(actions, T, rng=2)):
        player = sr.baselines.tsallis_inf(actions, T)
        result = sr.play(player, world, rng=0, replications=4)
        assert result.external_regret.value < 4 * math.sqrt(10 * T) + 1
