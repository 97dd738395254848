"""Solving Σy = M on the span: dense and iterative against the pseudo-inverse, and what happens when Σ is singular."""

from itertools import permutations

import numpy as np
import pytest

from swapregret.actions.base import ActionSet
from swapregret.actions.m_sets.m_sets import MSets
from swapregret.actions.matchings.permutations import Permutations
from swapregret.actions.own_sets.explicit import Explicit
from swapregret.errors import InvalidInput, NotConverged
from swapregret.geometry.solve import DENSE_LIMIT, DenseSolver, IterativeSolver, make_solver
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


def some_law(actions: ActionSet, seed: int) -> Policy:
    """Return a random law with a tenth of exploration."""
    rows = actions.enumerate()
    weights = np.random.default_rng(seed).dirichlet(np.full(len(rows), 0.3))
    return mix([FinitePolicy(rows, weights), actions.exploration_policy()], [0.9, 0.1])


@pytest.mark.parametrize("kind", ["dense", "iterative"])
@pytest.mark.parametrize("name", SETS)
def test_solution_on_the_span_is_the_pseudo_inverse(name: str, kind: str) -> None:
    """The part of y in span(A) is Σ⁺M for every action M, on full and deficient rank, whichever solver finds it."""
    actions = SETS[name]
    for seed in range(3):
        law = some_law(actions, seed)
        sigma = law.cooccurrence()
        inverse = np.linalg.pinv(sigma, rcond=1e-10, hermitian=True)
        solver = make_solver(law, actions.span, kind)
        for action in actions.enumerate():
            found = actions.span.project(solver.solve(action))
            exact = inverse @ action
            scale = 1.0 + np.abs(exact).max()
            assert np.abs(found - exact).max() <= 1e-8 * scale
            assert np.abs(sigma @ solver.solve(action) - action).max() <= 1e-9 * scale
            assert not solver.has_recovered


@pytest.mark.parametrize("d", [65, 130])
def test_rank_above_64_is_solved_by_the_same_kernel(d: int) -> None:
    """Residuals stay at rounding beyond the sizes of the compiled master."""
    actions = MSets(d, 7)
    law = mix(
        [actions.decompose(actions.kl_project(np.linspace(-3, 3, d)).point), actions.uniform_policy()], [0.9, 0.1]
    )
    solver = DenseSolver(law, actions.span)
    action = actions.argmax(np.linspace(1, 0, d))
    assert np.abs(law.cooccurrence() @ solver.solve(action) - action).max() < 1e-10
    assert np.allclose(IterativeSolver(law).solve(action), solver.solve(action), rtol=1e-6, atol=1e-6)


@pytest.mark.parametrize("d", [6, 90])
def test_singular_law_recovers_by_the_documented_way(d: int) -> None:
    """A law that plays two of many actions is solved on what it plays, gives 0 elsewhere, and says so."""
    actions = MSets(d, 2)
    rows = np.zeros((2, d), dtype=np.int64)
    rows[0, :2] = rows[1, 2:4] = 1
    law = FinitePolicy(rows, [0.25, 0.75])
    solver = DenseSolver(law, actions.span)
    assert solver.has_recovered
    assert np.allclose(solver.solve(rows[0]), rows[0] / 0.25 / 2.0)
    assert np.allclose(solver.solve(rows[1]), rows[1] / 0.75 / 2.0)
    unplayed = np.zeros(d, dtype=np.int64)
    unplayed[4:6] = 1
    assert np.allclose(solver.solve(rows[0]) @ unplayed, 0.0)


def test_iterative_solver_says_when_it_stopped_short() -> None:
    """At the limit the point reached is returned and counted if it is good, refused if not; the next solve starts clean."""
    actions = MSets(40, 4)
    law = mix(
        [actions.decompose(actions.kl_project(np.linspace(-9, 9, 40)).point, variants=3), actions.uniform_policy()],
        [0.95, 0.05],
    )
    action = actions.argmax(np.linspace(1, 0, 40))
    with pytest.raises(NotConverged, match="within 2 steps"):
        IterativeSolver(law, limit=2).solve(action)
    stopped = []
    for limit in range(3, 60):
        solver = IterativeSolver(law, limit=limit)
        try:
            found = solver.solve(action)
        except NotConverged:
            continue
        if solver.has_recovered:
            stopped.append(float(np.abs(law.second_moment(found) - action).max()))
            assert not solver.solve(np.zeros(40, dtype=np.int64)).any()
            assert not solver.has_recovered
    assert stopped
    assert max(stopped) < 1e-3


def test_iterative_solver_survives_a_singular_law() -> None:
    """Where Σ is singular the iteration stays on what the law plays; no division by zero."""
    law = FinitePolicy([[1, 1, 0, 0], [0, 0, 1, 1]], [0.5, 0.5])
    assert np.allclose(IterativeSolver(law).solve(np.array([1, 1, 0, 0])), [1.0, 1.0, 0.0, 0.0])
    with pytest.raises(NotConverged):
        IterativeSolver(law).solve(np.array([1, 0, 1, 0]))


def test_choice_of_solver() -> None:
    """Left to choose it builds a matrix up to the limit and none above; other words are refused."""
    small, large = MSets(10, 2), MSets(DENSE_LIMIT + 1, 2)
    assert isinstance(make_solver(small.uniform_policy(), small.span), DenseSolver)
    assert isinstance(make_solver(large.uniform_policy(), large.span), IterativeSolver)
    with pytest.raises(InvalidInput, match="'dense'"):
        make_solver(small.uniform_policy(), small.span, "lapack")


@pytest.mark.parametrize("n", [2, 3, 6])
def test_permutations_are_solved_as_a_matrix_would_be(n: int) -> None:
    """Lists of permutations beside the uniform law: the iteration estimates every action as the factored matrix does."""
    actions, rng = Permutations(n), np.random.default_rng(n)
    points = [actions.kl_project(spread * rng.normal(size=n * n)).point for spread in (0.1, 1.0, 8.0)]
    laws = [*(actions.decompose(point, variants=2) for point in points), actions.uniform_policy()]
    law = mix(laws, [0.3, 0.2, 0.2, 0.3])
    dense, free = DenseSolver(law, actions.span), IterativeSolver(law)
    others = np.array([actions.argmax(rng.normal(size=n * n)) for _ in range(50)])
    for _ in range(5):
        action = law.sample(rng)
        expected = others @ dense.solve(action)
        assert np.abs(others @ free.solve(action) - expected).max() <= 1e-8 * np.abs(expected).max()
        assert not free.has_recovered
    assert mix(laws[:2], [0.5, 0.5]).components[0].joint_solver(laws[:2], np.array([0.5, 0.5])) is None
