"""Blum–Mansour: a trace by hand with an independent eigenvector, full feedback, the lemma, and the bound."""

import math

import numpy as np

import swapregret as sr
from swapregret.learners.baselines.drivers.listed_steps import exponential_rows, shift_column

ARMS = np.eye(3, dtype=np.int64)


def softmax_rows(scores: np.ndarray) -> np.ndarray:
    """Exponentiate and normalise every row."""
    Q = np.exp(scores)
    return Q / Q.sum(axis=1, keepdims=True)


def fixed_point(Q: np.ndarray) -> np.ndarray:
    """Return the left eigenvector of eigenvalue 1, by LAPACK."""
    values, vectors = np.linalg.eig(Q.T)
    p = np.real(vectors[:, int(np.argmin(np.abs(values - 1.0)))])
    return p / p.sum()


def test_three_rounds_by_hand(walk, weights_of) -> None:
    """Expert i adds p(i)·(r − 1)/p(j) to arm j; the play is the left eigenvector of the experts' softmax matrix.

    Arm j of ``MSets(3, 1)`` is the j-th unit vector; rows of the table are in the same order.
    """
    eta, gamma = 0.8, 0.1
    player = sr.baselines.blum_mansour(sr.MSets(3, 1), 100, learning_rate=eta, exploration=gamma)
    plays, rewards = [0, 2, 2], [0.25, 0.5, 0.0]
    states = walk(player, [ARMS[j] for j in plays], rewards)
    order = [player.mu.atoms.tolist().index(list(row)) for row in ARMS]
    S, p = np.zeros((3, 3)), np.full(3, 1 / 3)
    for j, reward, state in zip(plays, rewards, states[1:], strict=True):
        S[:, j] += p * (reward - 1.0) / p[j]
        p = fixed_point((1 - gamma) * softmax_rows(eta * S) + gamma / 3)
        assert np.allclose(weights_of(player, state, ARMS), p, atol=1e-13)
        assert np.allclose(state.state.own.scores[np.ix_(order, order)], S, atol=1e-13)


def test_full_feedback_by_hand(walk, weights_of) -> None:
    """With full feedback expert i adds p(i)·R: multiplicative weights a row, as other libraries have it."""
    player = sr.baselines.blum_mansour(sr.MSets(3, 1), 100, learning_rate=1.5, feedback="full")
    vectors = [np.array([1.0, 0.0, 0.2]), np.array([0.0, 0.6, 1.0]), np.array([0.3, 1.0, 0.0])]
    states = walk(player, [ARMS[0]] * 3, vectors)
    S, p = np.zeros((3, 3)), np.full(3, 1 / 3)
    for vector, state in zip(vectors, states[1:], strict=True):
        S += np.outer(p, vector)
        p = fixed_point(softmax_rows(1.5 * S))
        assert np.allclose(weights_of(player, state, ARMS), p, atol=1e-13)


def test_columns_are_shifted_as_if_taken_afresh() -> None:
    """Rescaling rows after a change of one column equals taking all exponentials again, to 1e-12 relative."""
    rng = np.random.default_rng(0)
    scores = rng.normal(size=(6, 6)) * 30
    weights, totals, fresh, fresh_totals = np.empty((6, 6)), np.empty(6), np.empty((6, 6)), np.empty(6)
    exponential_rows(scores, 0.7, weights, totals)
    for _ in range(50):
        column, steps = int(rng.integers(6)), rng.normal(size=6) * 20
        shift_column(scores, weights, totals, column, steps, 0.7)
        exponential_rows(scores, 0.7, fresh, fresh_totals)
        assert np.allclose(weights, fresh, rtol=1e-9, atol=1e-200)
        assert np.allclose(totals, fresh_totals, rtol=1e-12)


def test_swap_regret_is_the_sum_of_the_experts_external_regrets() -> None:
    """With full feedback Σ_i max_j Σ_t p_t(i)(R_t(j) − q_{i,t}·R_t) equals the swap regret of the play, to rounding."""
    rng = np.random.default_rng(3)
    actions = sr.MSets(4, 1)
    player = sr.baselines.blum_mansour(actions, 200, feedback="full")
    state, n = player.start(rng), 4
    told, earned = np.zeros((n, n)), np.zeros(n)
    V, total = np.zeros((n, n)), 0.0
    rows = player.mu.atoms
    for _ in range(200):
        p, Q, vector = state.state.own.point.copy(), state.state.own.rows.copy(), rng.random(4)
        values = rows @ vector
        told += np.outer(p, values)
        earned += p * (Q @ values)
        V += np.outer(p, values)
        total += p @ values
        policy = player.policy(state)
        state = player.observe(state, sr.Decision(0, rows[0], (), policy), vector)
    experts = (told.max(axis=1) - earned).sum()
    assert math.isclose(experts, V.max(axis=1).sum() - total, abs_tol=1e-9)


def test_swap_regret_is_within_its_bound() -> None:
    """With the cautious step √(2 ln N / T) the mean swap regret of 4 runs stays below N √(2 T ln N), on two sequences."""
    T, actions = 2000, sr.MSets(4, 2)
    eta = math.sqrt(2 * math.log(6) / T)
    for world in (sr.environments.cyclic(actions, T, rng=1), sr.environments.random_walk(actions, T, rng=1)):
        result = sr.play(sr.baselines.blum_mansour(actions, T, learning_rate=eta), world, rng=0, replications=4)
        assert result.swap_regret.value < 6 * math.sqrt(2 * T * math.log(6))


def test_default_step_beats_exp3_on_cycles() -> None:
    """On the cycle with 15 actions the tuned default has less than half of the swap regret of Exp3."""
    T, actions = 6_000, sr.MSets(6, 2)
    world = sr.environments.cyclic(actions, T, rng=1)
    ours = sr.play(sr.baselines.blum_mansour(actions, T), world, rng=0).swap_regret.value
    single = sr.play(sr.baselines.exp3(actions, T), world, rng=0).swap_regret.value
    assert ours < single / 2
