"""Σ⁺v of mixtures of pivotal policies, against a dense solve."""

from collections.abc import Callable

import numpy as np
import pytest

from swapregret.actions.m_sets.kernels.pivotal_solve import Pivots, solve_pivots
from swapregret.actions.m_sets.m_sets import MSets
from swapregret.arrays import Vector
from swapregret.geometry.solve import TOLERANCE, Solver
from swapregret.policy import mix


def policies_of(actions: MSets, count: int, spread: float) -> list:
    """Make pivotal policies of some points."""
    rng = np.random.default_rng(count)
    return [actions.markov_policy(actions.kl_project(spread * rng.normal(size=actions.dimension)).point)] + [
        actions.markov_policy(actions.kl_project(k * spread * rng.normal(size=actions.dimension)).point)
        for k in range(1, count)
    ]


def pivots_of(policies: list) -> Pivots:
    """Return policies as the kernels take them."""
    share, noise, point = (np.stack(rows) for rows in zip(*(policy._policy for policy in policies), strict=True))
    return Pivots(np.hstack([np.zeros_like(share), share, noise]), point)


def solver_of(actions: MSets, policies: list, exploration: float) -> Callable[[Vector], tuple[Vector, float]]:
    """Return what solves Σy = v for equal shares of the policies beside the uniform one, and says how well."""
    pivots, uniform, count = pivots_of(policies), actions.uniform_policy(), len(policies)
    weights = np.full(count, (1.0 - exploration) / count)
    alpha = exploration * (uniform.single - uniform.pair)

    def solve(right: Vector) -> tuple[Vector, float]:
        return solve_pivots(pivots, weights, alpha, exploration, right.astype(np.float64), actions.size)

    return solve


@pytest.mark.parametrize("count", [1, 2, 3, 4, 6])
@pytest.mark.parametrize("shape", [(2, 1), (9, 4), (60, 7), (60, 51)])
@pytest.mark.parametrize("spread", [0.0, 0.3, 20.0])
def test_solutions_are_those_of_a_matrix(count: int, shape: tuple[int, int], spread: float) -> None:
    """For one policy to six, even and concentrated, actions and what some add up to: y is the dense solution to ten digits."""
    actions = MSets(*shape)
    policies = policies_of(actions, count, spread)
    policy = mix([*policies, actions.uniform_policy()], [*np.full(count, 0.9 / count), 1.0 - 0.9])
    solve, dense, rng = solver_of(actions, policies, 1.0 - 0.9), Solver(policy, actions.span), np.random.default_rng(0)
    for count_drawn in (1, 1, 5):
        right = rng.normal(size=count_drawn) @ np.array([policy.sample(rng) for _ in range(count_drawn)])
        expected, (found, ratio) = dense.solve(right), solve(right)
        np.testing.assert_allclose(found, expected, rtol=0.0, atol=1e-10 * np.abs(expected).max())
        assert ratio <= TOLERANCE


def test_many_policies_are_three() -> None:
    """Three policies in a tuple and the same policies in shares of five give one solution."""
    actions = MSets(200, 30)
    policies = policies_of(actions, 3, 1.0)
    right = actions.argmax(np.random.default_rng(2).random(200)).astype(np.float64)
    found = []
    for places, weights in ([0, 1, 2], [0.2, 0.3, 0.4]), ([0, 1, 2, 1, 2], [0.2, 0.1, 0.3, 0.2, 0.1]):
        pivots = pivots_of([policies[place] for place in places])
        found.append(solve_pivots(pivots, np.array(weights), 0.01, 0.1, right, 30)[0])
    np.testing.assert_allclose(found[1], found[0], atol=1e-12 * np.abs(found[0]).max())


def test_slots_without_weight_are_left_out() -> None:
    """Policies with weight 0 between others change no bit of the solution."""
    actions = MSets(60, 7)
    policies, right = policies_of(actions, 5, 1.0), actions.argmax(np.arange(60.0)).astype(np.float64)
    weights = np.array([0.0, 0.3, 0.0, 0.2, 0.4])
    found, ratio = solve_pivots(pivots_of(policies), weights, 0.01, 0.1, right, 7)
    pivots = pivots_of([policies[1], policies[3], policies[4]])
    again, same = solve_pivots(pivots, weights[[1, 3, 4]], 0.01, 0.1, right, 7)
    assert np.array_equal(found, again)
    assert ratio == same


@pytest.mark.parametrize("exploration", [0.3, 0.02, 1e-3, 1e-5])
def test_large_mixtures_are_solved_within_what_is_said(exploration: float) -> None:
    """With 500 elements the true residual, in the norm of Σ⁺, is at most the one stated, for even policies and others."""
    actions = MSets(500, 50)
    for spread in (0.0, 0.3, 1.0, 20.0):
        check_residual(actions, policies_of(actions, 3, spread), exploration)


def check_residual(actions: MSets, policies: list, exploration: float) -> None:
    """Compare what is stated with what is left."""
    policy = mix([*policies, actions.uniform_policy()], [*np.full(3, (1.0 - exploration) / 3), exploration])
    action = policy.sample(np.random.default_rng(1))
    found, ratio = solver_of(actions, policies, exploration)(action)
    residual = action - policy.second_moment(found)
    left = np.sqrt(residual @ np.linalg.solve(policy.cooccurrence(), residual) / (action @ found))
    assert left <= ratio
    assert ratio <= TOLERANCE or exploration < 0.02


def test_a_mixture_that_does_not_explore_is_refused() -> None:
    """A pivot that is not positive leaves no solution, and says so."""
    actions = MSets(4, 2)
    pivots = pivots_of(policies_of(actions, 1, 0.0))
    assert solve_pivots(pivots, np.ones(1), 0.0, 0.0, np.array([1.0, 0.0, 1.0, 0.0]), 2)[1] == np.inf
