"""ComBand: a trace by hand, the three explorations, the Gibbs policy in place of the list, and the bound."""

import math

import numpy as np
import pytest

import swapregret as sr
from swapregret.learners.baselines import comband as factory
from swapregret.learners.baselines.comband import ComBand
from swapregret.learners.baselines.drivers.design import d_optimal, leverages

ACTIONS = sr.Explicit([[1, 1, 0, 0], [0, 1, 1, 0], [0, 0, 1, 1], [1, 0, 0, 1], [1, 0, 1, 0]])


def test_three_rounds_by_hand(walk, weights_of) -> None:
    """S grows by r Σ⁺M with the pseudo-inverse of Σ under the policy that drew M; weights are exp(η S·M), mixed with γ/N."""
    eta, gamma = 0.4, 0.2
    player = factory(ACTIONS, 100, learning_rate=eta, exploration=gamma, exploration_policy="uniform")
    rows = ACTIONS.enumerate()
    plays, rewards = [0, 3, 1], [0.5, 1.0, 0.25]
    states = walk(player, rows[plays], rewards)
    S, p = np.zeros(4), np.full(5, 0.2)
    for j, reward, state in zip(plays, rewards, states[1:], strict=True):
        sigma = sum(weight * np.outer(row, row) for weight, row in zip(p, rows, strict=True))
        S = S + reward * np.linalg.pinv(sigma) @ rows[j]
        raw = np.exp(eta * rows @ S)
        p = (1 - gamma) * raw / raw.sum() + gamma / 5
        assert np.allclose(weights_of(player, state, rows), p, atol=1e-10)


def test_gibbs_policy_takes_the_place_of_the_list(monkeypatch: pytest.MonkeyPatch) -> None:
    """With the list forbidden the exact Gibbs policy gives the same marginals and the same play of estimates."""
    actions = sr.MSets(6, 2)
    listed = factory(actions, 200, exploration=0.1, learning_rate=0.2)
    module = __import__("sys").modules["swapregret.learners.baselines.comband"]
    monkeypatch.setattr(module, "_LISTED", 3)
    implicit = ComBand(actions, 200, "uniform", 0.2, 0.1)
    assert implicit.listed is None
    rng = np.random.default_rng(0)
    a, b = listed.start(rng), implicit.start(rng)
    for day in range(20):
        action = actions.argmax(rng.random(6))
        reward = float(rng.random())
        a = listed.observe(a, sr.Decision(day, action, (), listed.hold(a)), reward)
        b = implicit.observe(b, sr.Decision(day, action, (), implicit.hold(b)), reward)
        assert np.allclose(a.state.tally.total, b.state.tally.total, rtol=1e-8, atol=1e-8)
        assert np.allclose(listed.policy(a).marginals(), implicit.policy(b).marginals(), atol=1e-9)


@pytest.mark.parametrize("kind", ["uniform", "spanner", "d-optimal"])
def test_exploration_policies_are_mixed_in(kind: str) -> None:
    """With γ = 1 the play is the exploration policy itself: uniform, on the spanner, or of largest leverage near r."""
    player = factory(ACTIONS, 100, exploration=1.0, exploration_policy=kind)
    policy = player.policy(player.start(np.random.default_rng(0)))
    rows = ACTIONS.enumerate()
    shares = np.array([policy.probability(row) for row in rows])
    if kind == "uniform":
        assert np.allclose(shares, 0.2)
    elif kind == "spanner":
        assert (shares > 1e-12).sum() == ACTIONS.rank
    else:
        assert leverages(rows, ACTIONS.span, sr.FinitePolicy(rows, shares)).max() <= ACTIONS.rank * 1.0011


@pytest.mark.parametrize("seed", range(4))
def test_d_optimal_policy_is_optimal(seed: int) -> None:
    """Largest leverage at most 1.001 r certifies it (Kiefer–Wolfowitz), and no other tried policy has a larger determinant."""
    rng = np.random.default_rng(seed)
    rows = np.unique((rng.random((30, 7)) < 0.4).astype(np.int64), axis=0)
    actions = sr.Explicit(rows[rows.sum(axis=1) > 0])
    rows, span = actions.enumerate(), actions.span
    weights = d_optimal(rows, span)
    assert math.isclose(weights.sum(), 1.0)
    assert weights.min() >= 0.0
    assert leverages(rows, span, sr.FinitePolicy(rows, weights)).max() <= span.rank * (1 + 1e-3) + 1e-9

    def log_det(policy: np.ndarray) -> float:
        V = rows[:, span.coordinates]
        return float(np.linalg.slogdet((V.T * policy) @ V)[1])

    best = log_det(weights)
    for other in rng.dirichlet(np.ones(len(rows)), size=50):
        assert log_det(other) <= best + 1e-3 * span.rank


def test_uniform_policy_of_m_sets_is_d_optimal() -> None:
    """By symmetry: the search ends where it begins."""
    actions = sr.MSets(6, 3)
    assert np.allclose(d_optimal(actions.enumerate(), actions.span), 1 / 20)


def test_external_regret_is_within_its_bound() -> None:
    """Mean external regret of 4 runs below 2√(3 r T ln N) on a drifting and on a cyclic sequence."""
    T, actions = 2000, sr.MSets(6, 2)
    bound = 2 * math.sqrt(3 * 6 * T * math.log(15))
    for world in (sr.environments.random_walk(actions, T, rng=1), sr.environments.cyclic(actions, T, rng=2)):
        assert sr.play(factory(actions, T), world, rng=0, replications=4).external_regret.value < bound
