"""Solving Σy = M on the span: by a matrix and without one, and what happens when Σ is singular."""

from itertools import permutations

import numpy as np
import pytest

from swapregret.actions.action_set import ActionSet
from swapregret.actions.m_sets.m_sets import MSets
from swapregret.actions.own_sets.explicit import Explicit
from swapregret.errors import NotConverged
from swapregret.geometry.solve import DENSE_LIMIT, Solver, invert, iterate
from swapregret.policy import FinitePolicy, Policy, mix


def permutation_list(n: int) -> list[list[int]]:
    """List all n×n permutation matrices as rows."""
    rows = []
    for order in permutations(range(n)):
        row = np.zeros((n, n), dtype=int)
        row[np.arange(n), order] = 1
        rows.append(row.ravel().tolist())
    return rows


SETS: dict[str, ActionSet] = {
    "m-sets": MSets(5, 2),
    "one action, rank 1": MSets(4, 4),
    "d = 1": MSets(1, 1),
    "permutations, rank 5 of 9": Explicit(permutation_list(3)),
    "paths, rank 3 of 5": Explicit([[1, 0, 1, 0, 0], [0, 1, 0, 1, 0], [1, 0, 0, 0, 1], [0, 1, 0, 0, 1]]),
    "sizes differ": Explicit([[1, 1, 0], [1, 0, 0], [0, 0, 1], [1, 1, 1]]),
    "zero among them": Explicit([[0, 0, 0], [1, 1, 0], [0, 1, 1]]),
    "unused element": Explicit([[1, 0, 0, 1], [0, 1, 0, 1]]),
}


def some_policy(actions: ActionSet, seed: int) -> Policy:
    """Return a random policy with a tenth of exploration."""
    rows = actions.enumerate()
    weights = np.random.default_rng(seed).dirichlet(np.full(len(rows), 0.3))
    return mix([FinitePolicy(rows, weights), actions.exploration_policy()], [0.9, 0.1])


@pytest.mark.parametrize("is_iterated", [False, True])
@pytest.mark.parametrize("name", SETS)
def test_solution_on_the_span_is_the_pseudo_inverse(name: str, is_iterated: bool) -> None:
    """The part of y in span(A) is Σ⁺M for every action M, on full and deficient rank, whichever way it is found."""
    actions = SETS[name]
    for seed in range(3):
        policy = some_policy(actions, seed)
        sigma = policy.cooccurrence()
        inverse = np.linalg.pinv(sigma, rcond=1e-10, hermitian=True)
        assert invert(policy, actions.span)[1]
        solver = Solver(policy, actions.span)
        for action in actions.enumerate():
            solved = iterate(policy, action) if is_iterated else solver.solve(action)
            exact = inverse @ action
            scale = 1.0 + np.abs(exact).max()
            assert np.abs(actions.span.project(solved) - exact).max() <= 1e-8 * scale
            assert np.abs(sigma @ solved - action).max() <= 1e-9 * scale


@pytest.mark.parametrize("d", [65, 130, DENSE_LIMIT + 1])
def test_large_ranks_are_solved(d: int) -> None:
    """Residuals stay near rounding, by a matrix and, above its limit, without one."""
    actions = MSets(d, 7)
    policy = mix(
        [actions.decompose(actions.kl_project(np.linspace(-3, 3, d)).point), actions.uniform_policy()], [0.9, 0.1]
    )
    action = actions.argmax(np.linspace(1, 0, d))
    found = Solver(policy, actions.span).solve(action)
    assert np.abs(policy.second_moment(found) - action).max() < (1e-10 if d <= DENSE_LIMIT else 1e-8)
    assert np.allclose(iterate(policy, action), found, rtol=1e-6, atol=1e-6)


@pytest.mark.parametrize("d", [6, 90])
def test_singular_policies_are_solved_on_what_they_play(d: int) -> None:
    """A policy that plays two of many actions gives 0 elsewhere, and it can be told."""
    actions = MSets(d, 2)
    rows = np.zeros((2, d), dtype=np.int64)
    rows[0, :2] = rows[1, 2:4] = 1
    policy = FinitePolicy(rows, [0.25, 0.75])
    solver = Solver(policy, actions.span)
    assert not invert(policy, actions.span)[1]
    assert np.allclose(solver.solve(rows[0]), rows[0] / 0.25 / 2.0)
    assert np.allclose(solver.solve(rows[1]), rows[1] / 0.75 / 2.0)
    unplayed = np.zeros(d, dtype=np.int64)
    unplayed[4:6] = 1
    assert np.allclose(solver.solve(rows[0]) @ unplayed, 0.0)


def test_an_iteration_that_stops_short_is_good_or_refused() -> None:
    """At the limit the point reached is returned if it is good, and refused if not."""
    actions = MSets(40, 4)
    policy = mix(
        [actions.decompose(actions.kl_project(np.linspace(-9, 9, 40)).point, variants=3), actions.uniform_policy()],
        [0.95, 0.05],
    )
    action = actions.argmax(np.linspace(1, 0, 40))
    with pytest.raises(NotConverged, match="within 2 steps"):
        iterate(policy, action, limit=2)
    left = []
    for limit in range(3, 60):
        try:
            left.append(float(np.abs(policy.second_moment(iterate(policy, action, limit=limit)) - action).max()))
        except NotConverged:
            continue
    assert 1e-9 < max(left) < 1e-3
    assert not iterate(policy, np.zeros(40, dtype=np.int64)).any()


def test_the_iteration_survives_a_singular_policy() -> None:
    """Where Σ is singular the iteration stays on what the policy plays; no division by zero."""
    policy = FinitePolicy([[1, 1, 0, 0], [0, 0, 1, 1]], [0.5, 0.5])
    assert np.allclose(iterate(policy, np.array([1, 1, 0, 0])), [1.0, 1.0, 0.0, 0.0])
    with pytest.raises(NotConverged):
        iterate(policy, np.array([1, 0, 1, 0]))
