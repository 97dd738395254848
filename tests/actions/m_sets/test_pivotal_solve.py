"""Σ⁺M of mixtures of pivotal laws, against a dense solve."""

from collections.abc import Callable

import numpy as np
import pytest

from swapregret.actions.m_sets.kernels.pivotal_solve import (
    Pivots,
    Sieve,
    empty_sieve,
    factor_into,
    finish_pivots,
    sieve_in,
    sift_action,
)
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


def factor_pivots(
    pivots: Pivots, slots: Vector, weights: Vector, alpha: float, explore: float, action: Action, size: int
) -> tuple[Sieve, Vector]:
    """Factor a mixture in room of its own, and sift an action."""
    sieve = sieve_in(empty_sieve(slots.size, action.size), slots.size)
    return sieve, factor_into(sieve, pivots, slots, weights, alpha, explore, action, size)


def solver_of(actions: MSets, laws: list, exploration: float) -> Callable[[Action], tuple[Vector, float]]:
    """Return what solves Σy = M for equal shares of the laws beside the uniform one, and says how well."""
    pivots, uniform, count = pivots_of(laws), actions.uniform_policy(), len(laws)
    shares, alpha = np.full(count, (1.0 - exploration) / count), exploration * (uniform.single - uniform.pair)
    made: list[Sieve] = []

    def solve(action: Action) -> tuple[Vector, float]:
        if made:
            sifted = sift_action(pivots, made[0], action, actions.size)
        else:  # the first action is taken along while Σ is factored
            sieve, sifted = factor_pivots(pivots, np.arange(count), shares, alpha, exploration, action, actions.size)
            made.append(sieve)
        return finish_pivots(pivots, made[0], sifted, actions.size), float(made[0].ratio[0])

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
    """Three laws written out and the same laws in shares of five give one solution; an action met twice gives the same bits."""
    actions = MSets(200, 30)
    pivots = pivots_of(laws_of(actions, 3, 1.0))
    action = actions.argmax(np.random.default_rng(2).random(200))
    three, sifted = factor_pivots(pivots, np.array([0, 1, 2]), np.array([0.2, 0.3, 0.4]), 0.01, 0.1, action, 30)
    weights = np.array([0.2, 0.1, 0.3, 0.2, 0.1])
    many, others = factor_pivots(pivots, np.array([0, 1, 2, 1, 2]), weights, 0.01, 0.1, action, 30)
    expected = finish_pivots(pivots, three, sifted, 30)
    np.testing.assert_allclose(finish_pivots(pivots, many, others, 30), expected, atol=1e-12 * np.abs(expected).max())
    assert np.array_equal(sift_action(pivots, three, action, 30), sifted)
    assert np.array_equal(sift_action(pivots, many, action, 30), others)


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
    pivots = pivots_of(laws_of(MSets(4, 2), 1, 0.0))
    sieve, _ = factor_pivots(pivots, np.array([0]), np.ones(1), 0.0, 0.0, np.array([1, 0, 1, 0]), 2)
    assert sieve.ratio == np.inf
