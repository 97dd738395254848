"""Σ⁺M of mixtures of listed permutations beside the uniform policy, against a dense solve."""

import numpy as np
import pytest

from swapregret.actions.matchings.kernels.matching_solve import prepare_matchings, solve_matchings
from swapregret.actions.matchings.permutations import Permutations
from swapregret.geometry.solve import LIMIT, TOLERANCE, Solver
from swapregret.policy import mix


@pytest.mark.parametrize("n", [2, 3, 6])
def test_permutations_are_solved_as_a_matrix_would_be(n: int) -> None:
    """The iteration estimates every action as the factored matrix does, for lists spread out and concentrated."""
    actions, rng, weights = Permutations(n), np.random.default_rng(n), [0.3, 0.2, 0.2, 0.3]
    points = [actions.kl_project(spread * rng.normal(size=n * n)).point for spread in (0.1, 1.0, 8.0)]
    lists = [actions.decompose(point, variants=2) for point in points]
    policy = mix([*lists, actions.uniform_policy()], weights)
    words = np.concatenate([part.packed_support()[0] for part in lists])
    mass = np.concatenate([weight * part.packed_support()[1] for weight, part in zip(weights, lists, strict=False)])
    mixture, dense = prepare_matchings(words, mass, weights[-1], n), Solver(policy, actions.span)
    others = np.array([actions.argmax(rng.normal(size=n * n)) for _ in range(50)])
    for _ in range(5):
        action = policy.sample(rng)
        expected = others @ dense.solve(action)
        found, ratio, _ = solve_matchings(mixture, action.astype(np.float64), TOLERANCE, LIMIT)
        assert ratio <= TOLERANCE
        assert np.abs(others @ found - expected).max() <= 1e-8 * np.abs(expected).max()
