"""Sets known by an oracle: what is known is tried first, and what comes out depends on the arguments alone."""

import numpy as np
import pytest
from tests.generic import list_with, project_from_near, project_list

import swapregret as sr
from swapregret.actions.hull import project
from swapregret.actions.policy_slots import list_room
from swapregret.geometry.kl import kl_gap
from swapregret.geometry.listed_hull import TARGET
from swapregret.geometry.rows import elements_of_rows


class _Counted:
    """An oracle that counts its questions: the heaviest ``size`` elements, or all of positive weight."""

    def __init__(self, size: int | None) -> None:
        self.size, self.n_calls = size, 0

    def __call__(self, w: np.ndarray) -> np.ndarray:
        self.n_calls += 1
        if self.size is None:
            chosen = (w > 0.0).astype(int)
            chosen[int(np.argmax(w))] = 1
            return chosen
        return (np.argsort(np.argsort(-w, kind="stable")) < self.size).astype(int)


def test_far_points_and_points_outside_are_no_obstacle() -> None:
    """Next to a vertex, from far away, and from what is no point of the hull, the gap is certified."""
    actions = sr.OracleSet(6, _Counted(None))
    unbound = actions.family(actions.exploration_policy())
    family = unbound.on(list_room(unbound, 2, 20))
    near = actions.kl_project(np.array([30.0, -30.0, 5.0, 0.0, -5.0, 1.0])).log_point
    for tilted in (np.zeros(6), np.array([-30.0, 30.0, -30.0, 1.0, 2.0, 3.0])):
        for log_point in (near, np.full(6, np.log(2.0)), np.zeros(6)):
            _, found, gap = project(family, tilted, np.array(log_point))
            assert gap <= 1e-9
            assert kl_gap(actions, tilted, np.minimum(found, 0.0)) <= 1e-9


def test_a_pool_changes_the_policy_but_not_its_marginals() -> None:
    """With a pool of known actions a point is made of at most r + 1 of them, within 1e-12; outside points are refused."""
    actions = sr.MSets(7, 3)
    point = actions.kl_project(np.sin(np.arange(7.0))).point
    pool = actions.span.basis.astype(np.float64)
    table, weights, distance = list_with(actions, point, pool, [0])
    assert distance <= 1e-12
    assert np.array_equal(table[: len(pool)], pool)
    assert (weights > 0.0).sum() <= 8
    np.testing.assert_allclose(weights @ table, point, atol=1e-12)
    assert list_with(actions, np.full(7, 0.9), pool, [0])[2] > 1e-8
    found, _ = project_from_near(actions, np.arange(7.0), pool.mean(axis=0), pool)
    np.testing.assert_allclose(found.point, actions.kl_project(np.arange(7.0)).point, atol=1e-4)


def test_a_projection_says_which_actions_it_needed() -> None:
    """The point lies in the hull of the pool and the actions found: together they list it without a question."""
    actions = sr.OracleSet(9, _Counted(3))
    pool = actions.known_first.astype(np.float64)
    projection, found = project_from_near(actions, 2.0 * np.sin(np.arange(9.0)), pool.mean(axis=0), pool)
    assert len(found)
    table = np.vstack([pool, found])
    assert len(np.unique(table, axis=0)) == len(table)
    oracle = _Counted(3)
    _, weights, _ = list_with(sr.OracleSet(9, oracle), projection.point, table, [0])
    assert oracle.n_calls == 2  # the two of a new set
    np.testing.assert_allclose(weights @ table, projection.point, atol=1e-12)


def test_the_heaviest_elements_certify_a_point_without_a_question() -> None:
    """Where all actions have m elements, the bound by the m largest weights spares the last question and changes no bit."""
    asked, points = [], []
    for size in (0, 3):
        oracle = _Counted(3)
        actions = sr.OracleSet(8, oracle)
        pool, before = actions.known_first.astype(np.float64), oracle.n_calls
        projection, _ = project_from_near(actions, 0.3 * np.cos(np.arange(8.0)), pool.mean(axis=0), pool, size)
        assert kl_gap(actions, 0.3 * np.cos(np.arange(8.0)), projection.log_point) <= 1e-9
        asked.append(oracle.n_calls - before)
        points.append(projection.point)
    assert asked[1] < asked[0]
    assert np.array_equal(*points)


@pytest.mark.parametrize("spread", [1.0, 10.0, 40.0])
def test_weights_of_any_spread_are_projected_onto_long_lists(spread: float) -> None:
    """With more actions than elements and coordinates down to e⁻⁸⁰ the gap on a list is at most its target."""
    rng = np.random.default_rng(3)
    table = np.unique(rng.permuted(np.tile([1.0] * 3 + [0.0] * 17, (120, 1)), axis=1), axis=0)
    for _ in range(20):
        tilted = spread * rng.standard_normal(20)
        point, weights, gap = project_list(*elements_of_rows(table), tilted, TARGET)
        assert gap <= TARGET
        g = np.where(point > 0.0, np.log(np.maximum(point, 1e-300)) - tilted, 0.0)
        assert float(g @ point - (table @ g).min()) <= 10.0 * TARGET
        np.testing.assert_allclose(weights @ table, point, rtol=1e-12)
