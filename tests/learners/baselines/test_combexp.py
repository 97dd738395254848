"""CombEXP: its constants, a trace by hand, and what the appendix says of it."""

import math

import numpy as np

import swapregret as sr


def test_constants_are_the_appendix_formulas() -> None:
    """γ and η from μ_min = m/d, λ = m(d−m)/(d(d−1)) and C = λ/m^{3/2}, written out for m-sets (8, 3) at T = 1000."""
    d, m, T = 8, 3, 1000
    C = m * (d - m) / (d * (d - 1)) / m**1.5
    root = math.sqrt(m * math.log(d / m))
    gamma = root / (root + math.sqrt(C * (C * m**2 * d + m) * T))
    player = sr.baselines.combexp(sr.MSets(d, m), T)
    assert math.isclose(player.exploration, gamma, rel_tol=1e-12)
    assert math.isclose(player.learning_rate, gamma * C, rel_tol=1e-12)


def test_three_rounds_by_hand(walk, weights_of) -> None:
    """On single elements p = q', Σ is diagonal, the estimate r/q'(i) and the projection a normalisation."""
    eta, gamma = 0.5, 0.1
    player = sr.baselines.combexp(sr.MSets(3, 1), 100, learning_rate=eta, exploration=gamma)
    arms = np.eye(3, dtype=np.int64)
    plays, rewards = [0, 2, 0], [0.4, 1.0, 0.8]
    states = walk(player, arms[plays], rewards)
    q = np.full(3, 1 / 3)
    for j, reward, state in zip(plays, rewards, states[1:], strict=True):
        mixed = (1 - gamma) * q + gamma / 3
        q = q * np.exp(eta * reward / mixed[j] * (np.arange(3) == j))
        q /= q.sum()
        assert np.allclose(weights_of(player, state, arms), (1 - gamma) * q + gamma / 3, atol=1e-11)


def test_policy_has_the_mixed_marginals(walk) -> None:
    """On m-sets the policy of every day has marginals (1 − γ)·mq + γ·mμ⁰."""
    player = sr.baselines.combexp(sr.MSets(6, 2), 50, learning_rate=0.3, exploration=0.2)
    rows = sr.MSets(6, 2).enumerate()
    for state in walk(player, rows[[0, 5, 9]], [1.0, 0.5, 0.5]):
        point = state.state.learners.points[0]
        assert np.allclose(player.policy(state).marginals(), 0.8 * point + 0.2 / 3, atol=1e-12)


def test_shortcut_has_the_probability_of_the_appendix() -> None:
    """At the start the shortcut is played with probability 1/(2ⁿ+1), and a day that pays nothing moves nothing but counts."""
    world = sr.environments.shortcut_dag(6, 100)
    player = sr.baselines.combexp(world.actions, 100)
    state = player.start(np.random.default_rng(0))
    shortcut = world.actions.action_of([("S", "D")])
    policy = player.policy(state)
    assert math.isclose(policy.marginals()[shortcut.argmax()], 1 / 65, rel_tol=1e-9)
    long_path = world.actions.argmax(np.ones(world.actions.dimension))
    before = player.dump(state)
    after = player.observe(state, sr.Decision(0, long_path, (), player.hold(state)), 0.0)
    changed = [name for name, array in player.dump(after).items() if not np.array_equal(array, before[name])]
    assert changed == ["tally.day", "tally.n_seen"]
    assert np.array_equal(player.policy(after).cooccurrence(), policy.cooccurrence())


def test_external_regret_is_within_its_bound() -> None:
    """Mean external regret of 4 runs below 2√(m³T(d + √m/λ) log 1/μ_min)/m + m^{3/2}/λ log 1/μ_min: totals here are ≤ 1, not m."""
    d, m, T = 6, 2, 2000
    actions = sr.MSets(d, m)
    least, smallest = m / d, m * (d - m) / (d * (d - 1))
    log = math.log(1 / least)
    bound = 2 * math.sqrt(m**3 * T * (d + math.sqrt(m) / smallest) * log) / m + m**1.5 / smallest * log
    for world in (sr.environments.random_walk(actions, T, rng=1), sr.environments.cyclic(actions, T, rng=2)):
        result = sr.play(sr.baselines.combexp(actions, T), world, rng=0, replications=4)
        assert result.external_regret.value < bound
