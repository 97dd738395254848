"""Listed sets in compiled code: projections against SLSQP and the generic one, decompositions, Gibbs policies."""

import numpy as np
import pytest
from hypothesis import given, settings
from scipy.optimize import minimize
from tests.generic import project_list

import swapregret as sr
from swapregret.actions.hull import best, list_policy, project, span_part
from swapregret.actions.policy_slots import MADE, make_policy, room, spread
from swapregret.compiled.bits import unpack
from swapregret.geometry.few_actions import few_actions
from swapregret.geometry.kl import kl_gap
from swapregret.geometry.listed_hull import TARGET
from swapregret.geometry.rows import elements_of_rows
from swapregret.testing import strategies


def _instance(seed: int, count: int, dimension: int) -> sr.Explicit:
    rng = np.random.default_rng(seed)
    rows = {tuple(row) for row in (rng.random((4 * count, dimension)) < 0.4).astype(int).tolist() if any(row)}
    return sr.Explicit(sorted(rows)[:count])


@pytest.mark.parametrize("spread_of", [0.0, 0.1, 1.0, 10.0, 30.0])
@pytest.mark.parametrize(("count", "dimension"), [(1, 3), (2, 3), (5, 4), (12, 6), (40, 10), (60, 20), (15, 40)])
def test_projections_are_certified(count: int, dimension: int, spread_of: float) -> None:
    """One scan of the list proves a gap of at most 1e-9, for flat weights and for points next to a vertex."""
    for seed in range(5):
        actions = _instance(seed, count, dimension)
        tilted = spread_of * np.random.default_rng(seed).uniform(-1.0, 1.0, dimension)
        table = actions.enumerate().astype(np.float64)
        point, weights, gap = project_list(*elements_of_rows(table), tilted, TARGET)
        assert (weights > 0.0).all()
        np.testing.assert_allclose(weights @ table, point, atol=1e-13)
        log_point = np.log(point, out=np.full(dimension, -np.inf), where=point > 0.0)
        assert max(gap, kl_gap(actions, tilted, np.minimum(log_point, 0.0))) <= 1e-9
        generic = actions.kl_project(tilted).point
        assert np.abs(point - generic).max() <= 2e-4  # a gap of 1e-9 allows √(2·m·1e-9)


def test_a_projection_ends_where_complementarity_comes_before_feasibility() -> None:
    """Tilts met in play, for which weights and slacks once vanished while the slacks were still wrong."""
    tilted = np.array(
        [
            1.3993204439489157,
            0.17452917891906983,
            -2.6097946811984016,
            -3.3063686813363233,
            -13.328725254529862,
            0.14969330166487615,
        ]
    )
    rows = elements_of_rows(sr.MSets(6, 3).enumerate().astype(np.float64))
    assert project_list(*rows, tilted, TARGET)[2] <= 1e-10


@pytest.mark.parametrize(
    ("codes", "tilted"),
    [
        (
            [7, 11, 38, 84, 137, 146, 200, 265, 268, 276, 290, 296, 352, 388, 392, 530, 584, 608, 769, 784],
            [1.802, -2.676, -6.438, -1.08, -3.838, -3.527, -9.558, -8.945, -8.572, -3.632],
        ),
        (
            [2, 4, 10, 12, 20, 24, 26, 33, 36, 37, 44, 45, 48, 53, 55, 56, 59, 61, 62],
            [-0.25, 0.43, 0.05, -1.66, 0.02, -0.09],
        ),
    ],
)
def test_a_projection_does_not_go_in_circles(codes: list[int], tilted: list[float]) -> None:
    """Lists and tilts met in play, for which steps once repeated themselves: the second-order term was trusted too far."""
    table = np.array([[code >> i & 1 for i in range(len(tilted))] for code in codes], dtype=np.float64)
    assert project_list(*elements_of_rows(table), np.array(tilted), TARGET)[2] <= 1e-10


def test_projections_agree_with_slsqp() -> None:
    """A solver that shares nothing with the kernel finds no better point."""
    for seed in range(6):
        actions = _instance(seed, 8, 5)
        table = actions.enumerate().astype(np.float64)
        tilted = np.random.default_rng(seed).uniform(-2.0, 2.0, 5)

        def divergence(weights, table=table, tilted=tilted):
            x = np.maximum(weights @ table, 1e-300)
            return float((x * (np.log(x) - tilted) - x)[table.any(axis=0)].sum())

        n = len(table)
        found = minimize(
            divergence,
            np.full(n, 1.0 / n),
            bounds=[(0.0, 1.0)] * n,
            constraints={"type": "eq", "fun": lambda weights: weights.sum() - 1.0},
            options={"ftol": 1e-14, "maxiter": 500},
        )
        assert divergence(project_list(*elements_of_rows(table), tilted, TARGET)[1]) <= found.fun + 1e-8


@settings(max_examples=60, deadline=None)
@given(actions=strategies.explicit_sets(6), pair=strategies.weights(6, 5.0))
def test_points_are_made_of_few_actions(actions: sr.Explicit, pair: np.ndarray) -> None:
    """A point of the hull is found again within 1e-11 from at most r + 1 actions with positive weights, in any norm."""
    table = actions.enumerate().astype(np.float64)
    mass = np.exp(np.resize(pair, len(table)))
    point = mass / mass.sum() @ table
    for scale in (np.ones(actions.dimension), np.exp(np.cos(np.arange(actions.dimension)))):
        held, weights, distance = few_actions(*elements_of_rows(table), point, scale)
        assert distance <= 1e-11
        assert len(set(held.tolist())) == len(held) <= actions.rank + 1
        assert (weights > 0.0).all()
        np.testing.assert_allclose(weights @ table[held], point, atol=1e-11)


def test_the_family_does_what_the_set_does() -> None:
    """Oracle, span, projection and list of a set of low rank; points outside are refused."""
    actions = sr.Explicit([[1, 0, 1, 0, 0], [0, 1, 1, 0, 0], [1, 0, 0, 1, 0], [0, 1, 0, 1, 0]])
    family = actions.family(actions.exploration_policy(), variants=3)
    weights = np.array([0.3, -0.2, 0.5, 0.1, 2.0])
    assert np.array_equal(best(family, weights), actions.argmax(weights))
    np.testing.assert_allclose(span_part(family, weights), actions.span.project(weights), atol=1e-14)
    point, log_point, gap = project(family, weights, np.zeros(5))
    assert gap <= 1e-9
    assert log_point[4] == 0.0
    np.testing.assert_allclose(point, actions.kl_project(weights).point, atol=1e-6)
    words, chances, is_inside = list_policy(family, point)
    rows = np.array([unpack(row, 5) for row in words])
    assert is_inside
    assert all(row in actions for row in rows)
    assert abs(chances.sum() - 1.0) <= 1e-12
    np.testing.assert_allclose(chances @ rows, point, atol=1e-9)
    assert not list_policy(family, point + np.array([0.1, 0.0, 0.0, 0.0, 0.0]))[2]


def test_gibbs_policies_weigh_all_actions() -> None:
    """E[M] and Σ in a slot are those of the Gibbs policy of the exponents, and v is its variance."""
    actions = _instance(1, 9, 5)
    family = actions.family(actions.exploration_policy(), kind="gibbs")
    scores = np.array([0.5, -1.0, 2.0, 0.0, 1.0])
    policy = actions.gibbs(scores)
    point, exponents, _ = project(family, scores, np.zeros(5))
    np.testing.assert_allclose(point, policy.marginals(), atol=1e-14)
    policies = room(family, 3, 20)
    assert make_policy(family, policies, 0, point, exponents) == MADE
    np.testing.assert_allclose(policies.marginals[0], policy.marginals(), atol=1e-14)
    J = actions.span.coordinates
    np.testing.assert_allclose(np.triu(policies.moments[0]), np.triu(policy.cooccurrence()[np.ix_(J, J)]), atol=1e-14)
    vector = np.arange(5.0)
    assert spread(family, policies, 0, point, vector) == pytest.approx(policy.variance(vector), abs=1e-12)
