"""The projection onto the affine hull below 1: where it is the projection onto the convex hull, and that others are told."""

from collections.abc import Callable

import numpy as np
import pytest

import swapregret as sr
from swapregret.actions.action_set import ActionSet
from swapregret.actions.own_sets.affine_hull import affine_equations, project_affine
from swapregret.geometry.kl import kl_gap

_CYCLE = [(0, 1), (1, 2), (2, 3), (3, 0), (0, 2)]


@pytest.mark.parametrize("actions", [sr.MSets(9, 4), sr.Permutations(4), sr.Partitions(4, 3)], ids=repr)
@pytest.mark.parametrize("spread", [0.5, 3.0, 10.0])
def test_it_is_the_projection_where_the_hull_has_no_other_faces(actions: ActionSet, spread: float) -> None:
    """On m-sets, permutations and paths a point that is found is that of the set's own method, certified to 1e-9."""
    equations, n_good = affine_equations(actions), 0
    assert len(equations) > 0
    for seed in range(10):
        log_weights = np.random.default_rng(seed).uniform(-spread, spread, size=actions.dimension)
        log_point, is_good = project_affine(log_weights, equations)
        if is_good:
            n_good += 1
            assert kl_gap(actions, log_weights, log_point) <= 1e-9
            assert np.abs(np.exp(log_point) - actions.kl_project(log_weights).point).max() <= 1e-6
    assert n_good >= 5


@pytest.mark.parametrize(
    "make",
    [
        lambda: sr.SpanningTrees(_CYCLE),
        lambda: sr.TruncatedPermutations(2, 4),
        lambda: sr.Explicit([[1, 1, 0], [1, 0, 0]]),
        lambda: sr.Explicit(np.eye(2)),
    ],
    ids=["trees", "truncated permutations", "an element in no action", "all"],
)
def test_equations_hold_for_all_actions_or_there_are_none(make: Callable[[], ActionSet]) -> None:
    """Where trees or columns add faces, or an element is in no action, there are no equations; else all actions solve them."""
    actions = make()
    equations, d = affine_equations(actions), actions.dimension
    assert (len(equations) > 0) == (d == 2)
    assert np.abs(actions.enumerate() @ equations[:, :d].T - equations[:, d]).max(initial=0.0) <= 1e-12


@pytest.mark.parametrize("farthest", [25.0, 80.0, 150.0])
def test_weights_far_above_the_others_are_no_obstacle(farthest: float) -> None:
    """With one or two elements sure to be chosen the rest is shared as ever, and the equation holds to 1e-14 per coordinate."""
    actions = sr.MSets(20, 3)
    equations, log_weights = affine_equations(actions), np.random.default_rng(5).standard_normal(20)
    for n_sure in (1, 2):
        log_weights[n_sure] = farthest
        log_point, is_good = project_affine(log_weights, equations)
        assert is_good
        assert abs(np.exp(log_point).sum() - 3.0) <= 20 * 1e-14
        assert kl_gap(actions, log_weights, log_point) <= 1e-9


def test_without_equations_nothing_is_found() -> None:
    """No rows mean that the hull is not known."""
    assert not project_affine(np.zeros(3), np.zeros((0, 4)))[1]
