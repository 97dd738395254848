"""The hybrid regulariser: optimality, one method against the other, a trace by hand, and the bound."""

import math

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.optimize import minimize

import swapregret as sr
from swapregret.actions.hybrid import hybrid_capped
from swapregret.geometry.hybrid_step import minimise_hybrid


def objective(x: np.ndarray, costs: np.ndarray, mix: float) -> float:
    """Return c·x − Σ√x + γ Σ (1 − x) log(1 − x)."""
    rest = 1.0 - x
    return float(costs @ x - np.sqrt(x).sum() + mix * (rest * np.log(rest)).sum())


@settings(deadline=None, max_examples=60)
@given(st.lists(st.floats(-15, 15), min_size=3, max_size=9), st.floats(0.2, 1.0), st.data())
def test_slopes_are_equal_at_the_minimum(costs: list[float], mix: float, data: st.DataObject) -> None:
    """Σx = m, 0 < x < 1, and every coordinate has the same slope ν, to rounding."""
    c = np.array(costs)
    m = data.draw(st.integers(1, len(c) - 1))
    x, nu = hybrid_capped(c, m, mix)
    assert abs(x.sum() - m) < 1e-12 * m
    assert x.min() > 0.0
    assert x.max() <= 1.0
    inner = x < 1.0 - 1e-9  # where 1 − x still has digits to check with
    slope = c[inner] - 0.5 / np.sqrt(x[inner]) - mix * (1.0 + np.log1p(-x[inner]))
    assert np.abs(slope - nu).max() < 1e-5


@pytest.mark.parametrize("seed", range(3))
def test_oracle_method_agrees_with_the_scalar_one(seed: int) -> None:
    """On m-sets the method that only knows the oracle finds the same point."""
    rng = np.random.default_rng(seed)
    c = 4 * rng.normal(size=7)
    x, _ = hybrid_capped(c, 3, 0.8)
    assert np.allclose(minimise_hybrid(sr.MSets(7, 3), c, 0.8), x, atol=1e-5)


def test_oracle_method_agrees_with_slsqp_on_a_listed_set() -> None:
    """On a set without structure the value is that of SLSQP over weights of the actions, to 1e-6."""
    rows = np.array([[1, 1, 0, 0], [0, 1, 1, 0], [0, 0, 1, 1], [1, 0, 0, 1], [1, 0, 1, 0]])
    c = np.array([0.5, -1.0, 2.0, 0.3])
    x = minimise_hybrid(sr.Explicit(rows), c, 1.0)
    found = minimize(
        lambda w: objective(np.clip(w @ rows, 1e-12, 1 - 1e-12), c, 1.0),
        np.full(5, 0.2),
        bounds=[(0, 1)] * 5,
        constraints={"type": "eq", "fun": lambda w: w.sum() - 1},
        options={"ftol": 1e-14, "maxiter": 500},
    )
    assert abs(objective(x, c, 1.0) - found.fun) < 1e-6


def test_elements_that_all_actions_have_are_left_out() -> None:
    """A coordinate that is always 1 (or always 0) does not disturb the others."""
    plain = minimise_hybrid(sr.Explicit([[1, 0], [0, 1]]), np.array([0.3, -0.2]), 1.0)
    padded = minimise_hybrid(sr.Explicit([[1, 0, 1, 0], [0, 1, 1, 0]]), np.array([0.3, -0.2, 5.0, 5.0]), 1.0)
    assert np.allclose(padded, [*plain, 1.0, 0.0], atol=1e-7)


def test_three_rounds_by_hand(walk) -> None:
    """Losses grow by −1 for all and by (ℓ + 1)/x for the chosen, ℓ = 1 − 2mR; the point minimises with η = 1/√t."""
    player = sr.baselines.hybrid_omd(sr.MSets(4, 2), 10)
    plays = [[1, 1, 0, 0], [0, 1, 0, 1], [1, 0, 1, 0]]
    rewards = [np.array([0.5, 0.0, 0, 0]), np.array([0, 0.5, 0, 0.25]), np.array([0.1, 0, 0.2, 0])]
    states = walk(player, plays, rewards)
    L, x = np.zeros(4), np.full(4, 0.5)
    for t, (play, reward, state) in enumerate(zip(plays, rewards, states[1:], strict=True), start=2):
        L += np.array(play) * ((1 - 2 * 2 * reward) + 1) / x - 1
        costs = L / math.sqrt(t)
        found = minimize(
            lambda y, c=costs: objective(y, c, 1.0),
            np.full(4, 0.5),
            bounds=[(1e-9, 1 - 1e-9)] * 4,
            constraints={"type": "eq", "fun": lambda y: y.sum() - 2},
            options={"ftol": 1e-15, "maxiter": 500},
        )
        tally = state.state.tally
        assert np.allclose(tally.n_seen - 2 * 2 * tally.total, L, atol=1e-9)
        x = state.state.learners.points[0]
        assert np.allclose(x, found.x, atol=1e-5)


def test_external_regret_is_of_the_right_order() -> None:
    """On independent days semi-bandit feedback leaves less than √(m d T)/m, the bound's order in our unit of reward, of 4 runs."""
    T, actions = 2000, sr.MSets(6, 2)
    world = sr.environments.iid(actions, T, rng=1)
    result = sr.play(sr.baselines.hybrid_omd(actions, T), world, rng=0, replications=4)
    assert result.external_regret.value < math.sqrt(2 * 6 * T) / 2
