"""The steps of the proofs of docs/guarantee.md that need no run: choices, shares, weights, prices, exploration, experts."""

import math
from typing import Any

import numpy as np
import pytest

import swapregret as sr
from swapregret.learners.adaptive.experts import list_actions, start_experts, tell_experts
from swapregret.learners.ladder.ladder_state import Weights, start_weights
from swapregret.learners.ladder.shares import deal, first_share, note, settle

ACTIONS = sr.MSets(6, 2)


def _weights(n_levels: int, top: int, bottom: int = 0) -> Weights:
    n_members = 2 * n_levels + 2
    weights = start_weights(np.array([first_share(n_members, choice, 0) for choice in range(2 * n_members)]), 3)
    weights.top[0], weights.bottom[0] = top, bottom
    return weights


def _levels(weights: Weights, n_levels: int) -> np.ndarray:
    """Return the weight of each level."""
    deal(weights)
    levels = weights.policy[:n_levels] + weights.policy[n_levels : 2 * n_levels]
    levels[weights.bottom[0]] += weights.policy[2 * n_levels :].sum()
    return levels


@pytest.fixture(scope="module")
def rule() -> Any:
    """Return the constants of the shares."""
    return sr.swap_combcp(ACTIONS).start(np.random.default_rng(0)).rule


def _play_choice(choice: int, seed: int, rule: Any) -> tuple[np.ndarray, np.ndarray, float, float]:
    """Return the shares of a choice and its totals by block, Σ c z²/(8√V), and the last √V/c."""
    rng, weights = np.random.default_rng(seed), _weights(4, 3)
    drift, room, shares, totals = rng.normal(0.0, 0.5), 0.0, [], []
    for block in range(40):
        known, total = weights.variance[choice], 0.0
        shares.append(weights.shares[choice])
        for _ in range(int(rng.integers(1, 5))):
            gain = float(drift * (-1.0) ** (block // 7) + rng.normal())
            note(weights, choice, gain)
            total += gain
        settle(weights, rule, choice)
        totals.append(total)
        room += rule.weight_step * total**2 / (8.0 * math.sqrt(known or weights.variance[choice]))
    return np.array(shares), np.array(totals), room, math.sqrt(weights.variance[choice]) / rule.weight_step


@pytest.mark.parametrize("choice", [1, 3, 4, 11])
def test_a_choice_regrets_little_against_its_first_share(choice: int, rule: Any) -> None:
    """Σ (s⁰ − s) z is at most Σ c z²/(8√V) over blocks, V what was known when the block began; after the first one, there."""
    for seed in range(30):
        shares, totals, room, _ = _play_choice(choice, seed, rule)
        assert (shares[0] - shares) @ totals <= room + 1e-9


@pytest.mark.parametrize("choice", [1, 3, 4, 11])
@pytest.mark.parametrize("share", [0.0, 0.3, 1.0])
def test_a_choice_regrets_little_against_any_share(choice: int, share: float, rule: Any) -> None:
    """Against another share it is KL(s ‖ s⁰) √V/c and ε |Σ (s − s⁰) z| more, and not less than without the first of these."""
    beyond = 0
    for seed in range(30):
        shares, totals, room, step = _play_choice(choice, seed, rule)
        first = shares[0]
        apart = sum(p * math.log(p / q) for p, q in ((share, first), (1.0 - share, 1.0 - first)) if p > 0.0)
        spread = rule.weight_spread * abs((share - first) * totals.sum())
        regret = (share - shares) @ totals
        assert regret <= room + apart * step + spread + 1e-9
        beyond += regret > room + spread
    assert beyond > 0 or share < 1.0 or choice == 11


def test_a_first_share_that_changes_costs_little() -> None:
    """log(s e^x + 1 − s) falls by at most log(4/3) where the bottom moves by a level, whatever x is."""
    falls = []
    for level in range(2, 9):
        for bottom in range(level - 1):
            old, new = (first_share(20, level, each) for each in (bottom, bottom + 1))
            for x in np.linspace(-40.0, 40.0, 81):
                falls.append(math.log(old * math.exp(x) + 1.0 - old) - math.log(new * math.exp(x) + 1.0 - new))
    assert math.log(4 / 3) - 1e-6 < max(falls) <= math.log(4 / 3) + 1e-12


@pytest.mark.parametrize("bottom", [0, 1, 3])
def test_the_weights_compare_with_even_ones_choice_by_choice(bottom: int) -> None:
    """Σ (W − W*) u = Σ (k+1)/K (s − s*) (u − U below): an identity."""
    rng, n = np.random.default_rng(5), 5
    for _ in range(20):
        weights, u = _weights(n, n - 1, bottom), rng.normal(size=n)
        even = np.where(np.arange(n) > bottom, 1.0, np.where(np.arange(n) == bottom, bottom + 1.0, 0.0)) / n
        weights.shares[1:n] = 1.0 / (np.arange(1, n) + 1.0)
        np.testing.assert_allclose(_levels(weights, n), even)
        weights.shares[1:n] = rng.uniform(0.01, 0.99, n - 1)
        below, right = u[bottom], 0.0
        for k in range(bottom + 1, n):
            share = weights.shares[k]
            right += (k + 1) / n * (share - 1.0 / (k + 1)) * (u[k] - below)
            below = share * u[k] + (1.0 - share) * below
        assert (_levels(weights, n) - even) @ u == pytest.approx(right, abs=1e-12)


@pytest.mark.parametrize("bottom", [0, 1, 3])
def test_even_weights_telescope(bottom: int) -> None:
    """Σ W* (f below − r) is at most (b + 1)/K + Σ (f − r)/K for rewards in [0, 1]; equal without rewards of b and of the top."""
    rng, n = np.random.default_rng(6), 6
    even = np.where(np.arange(n) == bottom, bottom + 1.0, 1.0)[bottom:] / n
    for _ in range(50):
        r, f = rng.random((2, n - bottom))
        below = np.append(1.0, f[:-1])
        left, right = even @ (below - r), (bottom + 1) / n + (f - r).sum() / n
        assert left <= right + 1e-12
        assert left == pytest.approx(right - bottom * r[0] / n - f[-1] / n)


def test_the_price_turns_worth_into_cost() -> None:
    """Σ W c = Σ W* c + λ Σ (W* − W) u + λ Σ (W − W*) r for u = r − c/λ."""
    rng = np.random.default_rng(7)
    for _ in range(20):
        W, even = rng.dirichlet(np.ones(5), size=2)
        r, c, price = rng.random(5), rng.normal(size=5), rng.uniform(1.0, 128.0)
        right = even @ c + price * (even - W) @ (r - c / price) + price * (W - even) @ r
        assert W @ c == pytest.approx(right)


def _swap(p: np.ndarray, rewards: np.ndarray) -> float:
    gains = p.T @ rewards
    return float((gains.max(axis=1) - np.diag(gains)).sum())


def test_exploration_that_falls_costs_at_most_twice_its_sum() -> None:
    """SR(γ_t μ + (1 − γ_t) a_t) ≤ SR(a) + 2 Σ γ_t; where γ falls, Σ γ_t would not be enough."""
    n, days = 20, 1000
    gamma = np.minimum(0.05, np.arange(1, days + 1.0) ** (-1.0 / 3.0))
    gamma[days // 2 :] = 0.001
    rewards, played = np.zeros((days, n)), np.eye(n)[np.zeros(days, dtype=int)]
    rewards[: days // 2, 0] = rewards[days // 2 :, 1] = 1.0
    mixed = gamma[:, None] / n + (1.0 - gamma[:, None]) * played
    assert gamma.sum() < _swap(mixed, rewards) - _swap(played, rewards) <= 2.0 * gamma.sum()
    rng = np.random.default_rng(8)
    for _ in range(20):
        rewards, played = rng.random((50, 4)), rng.dirichlet(np.ones(4), size=50)
        gamma = np.sort(rng.random(50))[::-1, None]
        assert _swap(gamma / 4 + (1.0 - gamma) * played, rewards) <= _swap(played, rewards) + 2.0 * gamma.sum()


@pytest.mark.parametrize("tail", [1.2, 2.0, 30.0])
def test_an_expert_regrets_at_most_what_it_has_seen(tail: float) -> None:
    """Σ (z_y − q·z) ≤ (√2 N + 5√N + log(N/.03)/2) √V for every action y and for the pool, on estimates with tails of any kind."""
    listed = list_actions(ACTIONS, has_experts=True)
    n, rng = len(listed.rows), np.random.default_rng(9)
    most = math.sqrt(2.0) * n + 5.0 * math.sqrt(n) + 0.5 * math.log(n / 0.03)
    worst = 0.0
    for drift in (0.0, 0.1):
        experts, regrets = start_experts(listed), np.zeros((n, n + 1))
        for window in range(300):
            experts.policy[:] = rng.dirichlet(np.full(n, 0.2))
            experts.pool[:] = rng.dirichlet(np.ones(n)) @ listed.rows
            seen = rng.standard_t(tail, size=6) + drift * np.sin(window / 40 + np.arange(6))
            z = np.append((listed.rows - experts.pool) @ seen, 0.0) * experts.policy[:, None]
            regrets += z - (experts.rows * z).sum(axis=1, keepdims=True)
            tell_experts(experts, listed, seen)
        assert (regrets <= most * np.sqrt(experts.squares)[:, None] + 1e-9).all()
        worst = max(worst, float((regrets / np.sqrt(experts.squares)[:, None]).max()))
    assert worst > 0.5


def test_the_proposition_is_about_players_that_exist() -> None:
    """With the paper's step and exploration a scale has γ = H^{-1/3} and η = C/(L H^{2/3}), and H and K grow with T."""
    found = []
    for horizon in (10**5, 10**9, 10**16):
        player = sr.swap_combcp(ACTIONS, horizon, preset="multiscale", rate="paper", exploration="paper")
        windows = player.schedule.windows
        ratio = windows[-1] // windows[-2]
        assert player.learner.exploration == pytest.approx(ratio ** (-1 / 3))
        for k in range(1, player.n_scales):
            assert windows[k + 1] == ratio * windows[k]
            step = player.learner.rates[k].learning_rate
            assert step == pytest.approx(1.0 / (6**3 * math.sqrt(2.0) * windows[k] * ratio ** (2 / 3)))
        assert windows[1] <= 80 * ACTIONS.rank * ACTIONS.size
        found.append((ratio, player.n_scales))
    assert found == sorted(found)
    assert found[0][0] < found[1][0] < found[2][0]
