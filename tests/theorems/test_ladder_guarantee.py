"""The inequalities of docs/guarantee.md for the ladder, one by one."""

from typing import Any

import numpy as np
import pytest

import swapregret as sr
from swapregret.learners.ladder.ladder_master import LadderMaster
from swapregret.learners.ladder.ladder_state import Weights, start_weights
from swapregret.learners.ladder.shares import deal, first_share, note, settle
from swapregret.learners.player import Decision

ACTIONS = sr.MSets(6, 2)
TABLE = ACTIONS.enumerate()
PLACES = {tuple(row): index for index, row in enumerate(TABLE.tolist())}


def _adversary(marginals: np.ndarray) -> np.ndarray:
    """Pay what the learner will want tomorrow: the elements two places beyond those it now prefers."""
    rewards = np.zeros(marginals.size)
    rewards[(np.argsort(-marginals, kind="stable")[:2] + 2) % marginals.size] = 0.5
    return rewards


def _chances(policies: Any, g: int) -> np.ndarray:
    """Return what is played for a member, by action."""
    chances = np.zeros(len(TABLE))
    bits = np.unpackbits(policies.words[g].view(np.uint8), axis=1, bitorder="little")[:, : ACTIONS.dimension]
    for row, p in zip(bits[: policies.n_atoms[g]].tolist(), policies.chances[g], strict=False):
        chances[PLACES[tuple(row)]] += p
    return chances


def _levels(state: Any, n_levels: int) -> tuple[np.ndarray, np.ndarray]:
    """Return the weight of each level, and its policy by action."""
    weights, n = state.weights, n_levels
    mass, played = np.zeros(n), np.zeros((n, len(TABLE)))
    for g, weight in enumerate(weights.policy):
        k = g % n if g < 2 * n else int(weights.bottom[0])
        if weight > 0.0:
            mass[k] += weight
            played[k] += weight * _chances(state.policies, g)
    return mass, played


def test_the_lemma_holds_pathwise() -> None:
    """Weights and policies of a level stay fixed on its blocks, and swap regret is at most Σ W (f − r + ρ), with what is true."""
    player = sr.swap_combcp(ACTIONS, preset="ladder", horizon=700, schedule=sr.Schedule([1, 2, 8, 32, 128]))
    assert isinstance(player, LadderMaster)
    n, windows, rng = player.n_scales, player.schedule.windows, np.random.default_rng(3)
    running = player.start(rng)
    offset = int(running.state.tally.offset[0])
    masses, policies, rewards, colds, bottoms = [], [], [], [], []
    for day in range(700):
        state = running.state
        mass, played = _levels(state, n)
        masses.append(mass)
        policies.append(played)
        colds.append(state.weights.plain[:n].copy())
        bottoms.append(int(state.weights.bottom[0]))
        row = _adversary(state.mix.mean)
        rewards.append(row)
        action = player.act(running, rng)
        player.observe(running, Decision(day, action, ACTIONS, player.hold(running)), float(row @ action))
    W, p, R, f = np.array(masses), np.array(policies), np.array(rewards), np.array(colds)
    assert np.allclose(W.sum(axis=1), 1.0)
    assert bottoms[-1] == 1
    values = R @ TABLE.T
    held = p.sum(axis=1).T @ values - np.diag(p.sum(axis=1).T @ values)[:, None]
    swap = float(held.max(axis=1).sum())
    first, second = 0.0, 0.0
    for k in range(n):
        blocks = (np.arange(len(R)) + offset) // windows[k]
        for block in np.unique(blocks):
            for is_bottom in (False, True):
                days = np.flatnonzero((blocks == block) & (W[:, k] > 0.0) & ((np.array(bottoms) == k) == is_bottom))
                if not days.size:
                    continue
                assert np.ptp(W[days, k]) <= 1e-12
                assert np.ptp(p[days, k], axis=0).max() <= 1e-12
                best, weight = values[days].sum(axis=0).max(), W[days[0], k]
                earned = float((p[days, k] / weight * values[days]).sum())
                below = float(len(days)) if is_bottom else float((f[days, k - 1] * R[days]).sum())
                rho = 0.0 if is_bottom else best - below
                first += weight * (best - earned)
                second += weight * (below + rho - earned)
    assert swap <= first + 1e-9
    assert first <= second + 1e-9
    assert swap > 1.0


def _weights(n_levels: int, top: int) -> Weights:
    n_members = 2 * n_levels + 2
    weights = start_weights(np.array([first_share(n_members, choice, 0) for choice in range(2 * n_members)]), 3)
    weights.top[0] = top
    return weights


@pytest.mark.parametrize("choice", [1, 3, 4, 11])
def test_a_choice_regrets_little_against_its_first_share(choice: int) -> None:
    """Σ (s* − s) z is at most Σ c z²/(8√V) over blocks, V what was known when the block began, on sequences of any kind."""
    rule = player_rule()
    for seed in range(30):
        rng, weights = np.random.default_rng(seed), _weights(4, 3)
        first = weights.shares[choice]
        drift, regret, room = rng.normal(0.0, 0.5), 0.0, 0.0
        for block in range(40):
            known, share, total = weights.variance[choice], weights.shares[choice], 0.0
            for _ in range(int(rng.integers(1, 5))):
                gain = float(drift * (-1.0) ** (block // 7) + rng.normal())
                note(weights, choice, gain)
                total += gain
            settle(weights, rule, choice)
            regret += (first - share) * total
            room += rule.weight_step * total**2 / (8.0 * np.sqrt(known)) if known > 0.0 else 0.0
        assert regret <= room + 1e-9


def player_rule() -> Any:
    """Return the constants of the shares."""
    return sr.swap_combcp(ACTIONS).start(np.random.default_rng(0)).rule


def test_the_weights_compare_with_even_ones_choice_by_choice() -> None:
    """Σ (W − W*) u = Σ M* (s − s*) (u − U below), M* the weight that comes down under even shares: an identity."""
    rng, n = np.random.default_rng(5), 5
    for _ in range(20):
        weights, u = _weights(n, n - 1), rng.normal(size=n)
        weights.shares[1:n] = rng.uniform(0.01, 0.99, n - 1)
        deal(weights)
        levels = weights.policy[:n] + weights.policy[n : 2 * n]
        levels[0] += weights.policy[2 * n :].sum()
        assert levels.sum() == pytest.approx(1.0)
        below, right = u[0], 0.0
        for k in range(1, n):
            share = weights.shares[k]
            right += (k + 1) / n * (share - 1.0 / (k + 1)) * (u[k] - below)
            below = share * u[k] + (1.0 - share) * below
        assert levels @ u - u.mean() == pytest.approx(right, abs=1e-12)
