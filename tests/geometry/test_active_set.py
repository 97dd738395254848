"""The active set: its echelon basis stays one through any sequence of changes."""

import numpy as np
from hypothesis import given, settings
from hypothesis import strategies as st

from swapregret.actions.own_sets.explicit import Explicit
from swapregret.geometry.active_set import ActiveSet
from swapregret.testing.strategies import explicit_sets


def holds(held: ActiveSet) -> bool:
    """Tell whether E = atomsᵀC, 1ᵀC = 0, E[P] = I and the point is the combination."""
    n, k = len(held.weights), len(held.P)
    return bool(
        k == n - 1
        and np.abs(held.atoms.T @ held.C - held.E).max(initial=0.0) <= 1e-9
        and np.abs(held.C.sum(axis=0)).max(initial=0.0) <= 1e-9
        and np.array_equal(held.E[held.P], np.eye(k))
        and np.abs(held.weights @ held.atoms - held.point).max() <= 1e-15
        and abs(held.weights.sum() - 1.0) <= 1e-14
    )


def affine_rank(rows: np.ndarray) -> int:
    """Return the number of affinely independent rows."""
    return int(np.linalg.matrix_rank(np.column_stack([rows, np.ones(len(rows))])))


@settings(max_examples=100)
@given(explicit_sets(max_dimension=7, max_actions=30), st.integers(0, 2**32 - 1))
def test_basis_survives_adding_dropping_and_moving(actions: Explicit, seed: int) -> None:
    """After any additions, drops and exchanges the basis is echelon, and dependent actions are the ones refused."""
    rng = np.random.default_rng(seed)
    rows = actions.enumerate().astype(float)
    held = ActiveSet(rows[:1], np.ones(1))
    for _ in range(40):
        if len(held.weights) > 1 and rng.random() < 0.3:
            held.drop(int(rng.integers(len(held.weights))))
        else:
            row = rows[rng.integers(len(rows))]
            is_independent = affine_rank(np.vstack([held.atoms, row])) == len(held.weights) + 1
            assert held.add(row) == is_independent
        held.move(np.exp(rng.uniform(-20.0, 0.0, size=len(held.weights))))
        assert holds(held)
    assert affine_rank(held.atoms) == len(held.weights)


@settings(max_examples=60)
@given(explicit_sets(max_dimension=6, max_actions=20), st.integers(0, 2**32 - 1))
def test_newton_step_solves_the_quadratic_model(actions: Explicit, seed: int) -> None:
    """On moderate points the step is that of dense least squares; weights and point move together."""
    rng = np.random.default_rng(seed)
    rows = actions.enumerate()
    rows = rows[:, rows.any(axis=0)].astype(float)
    held = ActiveSet(rows[:1], np.ones(1))
    for row in rows[1:]:
        held.add(row)
    held.move(rng.uniform(0.5, 1.0, size=len(held.weights)))
    if len(held.weights) == 1 or held.point.min() == 0.0:
        return
    gradient = rng.normal(size=len(held.point))
    in_weights, in_point, slope = held.newton(gradient)
    assert abs(in_weights.sum()) <= 1e-10
    assert np.abs(in_weights @ held.atoms - in_point).max() <= 1e-10
    root = np.sqrt(held.point)
    directions = (held.atoms[1:] - held.atoms[0]).T
    dense = np.linalg.lstsq(directions / root[:, None], -root * gradient, rcond=None)[0]
    assert np.abs(directions @ dense - in_point).max() <= 1e-8
    assert abs(float(gradient @ in_point) - slope) <= 1e-8 * (1.0 + abs(slope))
    assert holds(held)


def test_tiny_directions_are_not_lost() -> None:
    """Two atoms of weight 1e-20 that differ only where the point is 1: the step between them is still found.

    Normal equations in the weights see two equal columns here and return noise.
    """
    atoms = np.array([[0, 1, 1], [1, 0, 1], [1, 1, 0]], dtype=float)
    held = ActiveSet(atoms, np.array([1.0, 1e-20, 1e-20]))
    in_weights, in_point, slope = held.newton(np.array([0.0, 1.0, -1.0]))
    assert slope < -0.1
    assert in_point[1] < -0.1 < 0.1 < in_point[2]
    assert in_weights[1] > 0.1
    assert in_weights[2] < -0.1
    assert abs(in_point[0]) <= 1e-18
