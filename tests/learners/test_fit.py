"""Least squares of the members that do not restart: worlds without noise, where the standard error goes to 0."""

import numpy as np
import pytest

import swapregret as sr
from swapregret.learners.adaptive.fit import fitted_tilt, forget_days, keep_rewards, remember_total, restore_rewards
from swapregret.learners.adaptive.state import Basis, Fit, start_fit

PATHS = sr.DagPaths([("s", "a"), ("s", "b"), ("a", "b"), ("a", "t"), ("b", "t")], source="s", sink="t")


def _basis(actions: sr.ActionSet) -> Basis:
    """Return what the default fits on."""
    return sr.swap_combcp(actions, 1000)._basis


def _seen(actions: sr.ActionSet, rewards: np.ndarray) -> Fit:
    """Return what least squares know once every action was played ten times."""
    fit = start_fit(1, actions.dimension, actions.rank)
    for row in actions.enumerate():
        remember_total(fit, _basis(actions).place, row, float(rewards @ row), 10.0)
    return fit


def _tilt(actions: sr.ActionSet, rewards: np.ndarray, noise: float) -> np.ndarray:
    """Return the log-weights of a member that knows all that."""
    family = sr.swap_combcp(actions, 1000)._family
    return fitted_tilt(family, _seen(actions, rewards), _basis(actions), 0, noise, 2.5, np.zeros(actions.dimension))


@pytest.mark.parametrize("actions", [PATHS, sr.Permutations(3), sr.Partitions(3, 2), sr.MSets(4, 2)], ids=repr)
def test_a_smaller_matrix_gives_the_same(actions: sr.ActionSet) -> None:
    """On the independent coordinates the fit is that of all d elements: (A + ρI)⁻¹(b − c A1), and c where sizes differ."""
    rng, rows, d = np.random.default_rng(3), actions.enumerate(), actions.dimension
    fit, basis = start_fit(2, d, actions.rank), _basis(actions)
    A, b = np.zeros((2, d, d)), np.zeros((2, d))
    for window in range(1, 70):
        action, reward = rows[rng.integers(len(rows))], float(rng.random())
        remember_total(fit, basis.place, action, reward, 1.0)
        A, b = A + np.outer(action, action), b + reward * action
        kept = np.array([0.7, 1.0])
        forget_days(fit, kept, window)
        A, b = A * kept[:, None, None], b * kept[:, None]
        for f in range(2):
            ridge, level = A[f] + actions.size * np.eye(d), b[f].sum() / A[f].sum()
            worth = np.linalg.solve(ridge, b[f] - level * A[f].sum(axis=1)) + (0.0 if actions.is_uniform else level)
            error = np.sqrt(2.0 * 0.1 * (1.0 / np.diag(ridge)).mean())
            exact = max(1.0, np.log(d / actions.size)) * worth / error
            found = fitted_tilt(sr.swap_combcp(actions, 1000)._family, fit, basis, f, 0.1, 1.0, np.zeros(d))
            assert np.abs(found - exact).max() <= 1e-11


def test_members_share_the_days_and_forget_on_their_own() -> None:
    """What is shared plus a member's own is A, A·1 and b, Σ λ^(updates since) of M Mᵀ, |M| M and r M, over many windows."""
    rng, retention = np.random.default_rng(5), np.array([1.0, 0.3, 0.8])
    fit, place = start_fit(3, 6, 6), np.arange(6)
    info, moment = np.zeros((3, 6, 6)), np.zeros((3, 6))
    for window in range(1, 150):
        for _ in range(3):
            action, reward = sr.MSets(6, 2).argmax(rng.random(6)), rng.random()
            remember_total(fit, place, action, reward, 1.0)
            info += np.outer(action, action)
            moment += reward * action
        kept = np.where(rng.random(3) < 0.5, retention, 1.0)
        forget_days(fit, kept, window)
        info *= kept[:, None, None]
        moment *= kept[:, None]
        known = fit.own + fit.shared
        assert np.abs(np.triu(known[:, :, :6] - info)).max() <= 1e-12 * window
        assert np.abs(known[:, :, 6] - info.sum(axis=2)).max() <= 1e-12 * window
        assert np.abs(known[:, :, 7] - moment).max() <= 1e-12 * window


@pytest.mark.parametrize("noise", [1e-4, 1e-20, 1e-310, 0.0])
def test_weights_stay_within_reach_of_projections(noise: float) -> None:
    """However small the noise, log-weights are at most 10,000 apart from their start, and the best action has the largest."""
    actions = sr.MSets(6, 2)
    rewards = np.array([0.5, 0.4, 0.3, 0.2, 0.1, 0.0])
    tilted = _tilt(actions, rewards, noise)
    assert np.abs(tilted).max() <= 1e4
    assert (np.diff(tilted) < 0.0).all()
    assert np.ptp(tilted) > 1.0


def test_rounding_is_no_difference() -> None:
    """Where all actions pay the same and nothing is noisy, no weight moves: what least squares find is rounding."""
    actions = sr.MSets(6, 2)
    tilted = _tilt(actions, np.full(6, 0.3), 0.0)
    assert np.abs(tilted).max() == 0.0


def test_longer_actions_are_worth_more() -> None:
    """Where every edge pays the same, the longest path earns most, and its edges have the largest weights together."""
    tilted = _tilt(PATHS, np.full(5, 0.3), 0.01)
    totals = PATHS.enumerate() @ tilted
    assert np.array_equal(np.argsort(totals)[-1:], np.argsort(PATHS.enumerate().sum(axis=1))[-1:])
    assert totals.max() > np.sort(totals)[-2] + 1.0


def test_a_world_without_noise_is_played_to_its_end() -> None:
    """On paths, whose projections reach least far, the default plays the best path to the end, and nothing is refused."""
    world = sr.environments.from_function(PATHS, 20_000, lambda day: np.array([1.0, 0.0, 1.0, 0.0, 1.0]))
    result = sr.play(sr.swap_combcp(PATHS, 20_000), world, rng=1, measure="none")
    assert result.reward > 0.95


def test_a_day_is_taken_back_bit_for_bit() -> None:
    """Sums of rewards are rounded, so (b + r) − r is not b: a day that could not be learnt leaves no trace all the same."""
    rng, actions = np.random.default_rng(11), sr.MSets(6, 3)
    fit, place, rows, n_rounded = start_fit(2, 6, 6), np.arange(6), sr.MSets(6, 3).enumerate(), 0
    for _ in range(200):
        before = [each.copy() for each in fit[:3]]
        action, reward = rows[rng.integers(len(rows))], float(rng.random())
        keep_rewards(fit)
        for times in (1.0, -1.0):
            remember_total(fit, place, action, reward, times)
        n_rounded += not np.array_equal(before[1], fit.shared)
        restore_rewards(fit)
        assert all(map(np.array_equal, before, fit[:3]))
        remember_total(fit, place, actions.argmax(rng.random(6)), float(rng.random()), 1.0)
    assert n_rounded > 0
