"""Σ⁺M of mixtures of pivotal laws, against a dense solve."""

from collections.abc import Callable

import numpy as np
import pytest

from swapregret.actions.m_sets.kernels.pivotal_solve import Pivots, Sieve, empty_sieve, mix_pivots, solve_pivots
from swapregret.actions.m_sets.m_sets import MSets
from swapregret.arrays import Action, Vector
from swapregret.geometry.solve import TOLERANCE, Solver
from swapregret.policy import mix


def laws_of(actions: MSets, count: int, spread: float) -> list:
    """Make pivotal laws of some points."""
    rng = np.random.default_rng(count)
    return [actions.markov_policy(actions.kl_project(spread * rng.normal(size=actions.dimension)).point)] + [
        actions.markov_policy(actions.kl_project(k * spread * rng.normal(size=actions.dimension)).point)
        for k in range(1, count)
    ]


def pivots_of(laws: list) -> Pivots:
    """Return laws as the kernels take them."""
    return Pivots(*(np.stack(rows) for rows in zip(*(law._law for law in laws), strict=True)))


def mixture_of(actions: MSets, weights: Vector) -> Sieve:
    """Return a mixture of the first laws, one per weight, in room of its own."""
    sieve = empty_sieve(weights.size, actions.dimension)
    mix_pivots(sieve, weights)
    return sieve


def solver_of(actions: MSets, laws: list, exploration: float) -> Callable[[Action], tuple[Vector, float]]:
    """Return what solves Σy = M for equal shares of the laws beside the uniform one, and says how well."""
    pivots, uniform, count = pivots_of(laws), actions.uniform_policy(), len(laws)
    sieve = mixture_of(actions, np.full(count, (1.0 - exploration) / count))
    alpha = exploration * (uniform.single - uniform.pair)

    def solve(action: Action) -> tuple[Vector, float]:
        return solve_pivots(pivots, sieve, alpha, exploration, action, actions.size), float(sieve.ratio[0])

    return solve


@pytest.mark.parametrize("count", [1, 2, 3, 4, 6])
@pytest.mark.parametrize("shape", [(2, 1), (9, 4), (60, 7), (60, 51)])
@pytest.mark.parametrize("spread", [0.0, 0.3, 20.0])
def test_solutions_are_those_of_a_matrix(count: int, shape: tuple[int, int], spread: float) -> None:
    """For one law to six, even and concentrated, first and later actions: y is the dense solution to ten digits."""
    actions = MSets(*shape)
    laws = laws_of(actions, count, spread)
    law = mix([*laws, actions.uniform_policy()], [*np.full(count, 0.9 / count), 1.0 - 0.9])
    solve, dense, rng = solver_of(actions, laws, 1.0 - 0.9), Solver(law, actions.span), np.random.default_rng(0)
    for _ in range(3):
        action = law.sample(rng)
        expected, (found, ratio) = dense.solve(action), solve(action)
        np.testing.assert_allclose(found, expected, rtol=0.0, atol=1e-10 * np.abs(expected).max())
        assert ratio <= TOLERANCE


def test_many_laws_are_three() -> None:
    """Three laws in a tuple and the same laws in shares of five give one solution; an action met twice gives the same bits."""
    actions = MSets(200, 30)
    laws = laws_of(actions, 3, 1.0)
    action = actions.argmax(np.random.default_rng(2).random(200))
    found = []
    for places, weights in ([0, 1, 2], [0.2, 0.3, 0.4]), ([0, 1, 2, 1, 2], [0.2, 0.1, 0.3, 0.2, 0.1]):
        pivots, sieve = pivots_of([laws[place] for place in places]), mixture_of(actions, np.array(weights))
        first = solve_pivots(pivots, sieve, 0.01, 0.1, action, 30)
        assert np.array_equal(solve_pivots(pivots, sieve, 0.01, 0.1, action, 30), first)
        found.append(first)
    np.testing.assert_allclose(found[1], found[0], atol=1e-12 * np.abs(found[0]).max())


def test_slots_without_weight_are_left_out() -> None:
    """Laws with weight 0 between others change no bit of the solution."""
    actions = MSets(60, 7)
    laws, action = laws_of(actions, 5, 1.0), actions.argmax(np.arange(60.0))
    weights = np.array([0.0, 0.3, 0.0, 0.2, 0.4])
    found = solve_pivots(pivots_of(laws), mixture_of(actions, weights), 0.01, 0.1, action, 7)
    pivots, sieve = pivots_of([laws[1], laws[3], laws[4]]), mixture_of(actions, weights[[1, 3, 4]])
    assert np.array_equal(found, solve_pivots(pivots, sieve, 0.01, 0.1, action, 7))


@pytest.mark.parametrize("exploration", [0.3, 0.02, 1e-3, 1e-5])
def test_large_mixtures_are_solved_within_what_is_said(exploration: float) -> None:
    """With 500 elements the true residual, in the norm of Σ⁺, is at most the one stated, for even laws and others."""
    actions = MSets(500, 50)
    for spread in (0.0, 0.3, 1.0, 20.0):
        check_residual(actions, laws_of(actions, 3, spread), exploration)


def check_residual(actions: MSets, laws: list, exploration: float) -> None:
    """Compare what is stated with what is left."""
    law = mix([*laws, actions.uniform_policy()], [*np.full(3, (1.0 - exploration) / 3), exploration])
    action = law.sample(np.random.default_rng(1))
    found, ratio = solver_of(actions, laws, exploration)(action)
    residual = action - law.second_moment(found)
    left = np.sqrt(residual @ np.linalg.solve(law.cooccurrence(), residual) / (action @ found))
    assert left <= ratio
    assert ratio <= TOLERANCE or exploration < 0.02


def test_a_mixture_that_does_not_explore_is_refused() -> None:
    """A pivot that is not positive leaves no solution, and says so."""
    actions = MSets(4, 2)
    sieve = mixture_of(actions, np.ones(1))
    solve_pivots(pivots_of(laws_of(actions, 1, 0.0)), sieve, 0.0, 0.0, np.array([1, 0, 1, 0]), 2)
    assert sieve.ratio == np.inf
