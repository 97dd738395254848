"""Wolfe's nearest point against an independent quadratic programme over the listed actions."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.optimize import nnls

from swapregret.actions.own_sets.explicit import Explicit
from swapregret.errors import InvalidInput
from swapregret.geometry.min_norm import min_norm_point
from swapregret.testing.strategies import explicit_sets


def nearest(rows: np.ndarray, target: np.ndarray, scale: np.ndarray) -> float:
    """Return the least distance squared, by non-negative least squares with a heavy row for Σλ = 1."""
    heavy = 1e5
    A = np.vstack([(np.sqrt(scale) * rows).T, heavy * np.ones(len(rows))])
    weights, _ = nnls(A, np.append(np.sqrt(scale) * target, heavy))
    point = weights / weights.sum() @ rows
    return float(scale @ (point - target) ** 2)


@settings(max_examples=100)
@given(explicit_sets(max_dimension=6, max_actions=20), st.integers(0, 2**32 - 1))
def test_nearest_point_is_optimal_and_certified(actions: Explicit, seed: int) -> None:
    """The point is as near as an independent solver's, its atoms make it, and the gap bounds what is left."""
    rng = np.random.default_rng(seed)
    d = actions.dimension
    target, scale = rng.normal(0.5, 1.0, size=d), np.exp(rng.normal(size=d))
    found = min_norm_point(actions, target, scale)
    rows = actions.enumerate()
    value = float(scale @ (found.point - target) ** 2)
    assert value <= nearest(rows, target, scale) + 1e-6 * (1.0 + value)
    assert found.gap <= 1e-9 * (1.0 + value)
    gradient = 2.0 * scale * (found.point - target)
    assert float((gradient @ (found.point - rows).T).max()) <= found.gap + 1e-12 * (1.0 + value)
    assert len(found.weights) <= actions.rank + 1
    assert (found.weights > 0).all()
    assert abs(found.weights.sum() - 1.0) <= 1e-14
    assert np.abs(found.weights @ found.atoms - found.point).max() <= 1e-15
    assert all(atom in actions for atom in found.atoms)


@settings(max_examples=60)
@given(explicit_sets(max_dimension=7, max_actions=30), st.integers(0, 2**32 - 1))
def test_targets_inside_are_reached(actions: Explicit, seed: int) -> None:
    """A convex combination of the actions is its own nearest point, to 1e-14, whatever the norm."""
    rng = np.random.default_rng(seed)
    rows = actions.enumerate()
    target = rng.dirichlet(np.full(len(rows), 0.3)) @ rows
    found = min_norm_point(actions, target, np.exp(rng.normal(size=actions.dimension)))
    assert np.abs(found.point - target).max() <= 1e-14


def test_unit_square_by_hand() -> None:
    """The point of the square nearest to (2, ½) is (1, ½)."""
    square = Explicit([[0, 0], [1, 0], [0, 1], [1, 1]])
    found = min_norm_point(square, np.array([2.0, 0.5]), np.array([1.0, 7.0]))
    assert found.point.tolist() == [1.0, 0.5]
    assert found.atoms.tolist() in ([[1, 0], [1, 1]], [[1, 1], [1, 0]])


@pytest.mark.parametrize(
    ("target", "scale"), [([0.0], [1.0, 1.0]), ([0.0, np.nan], [1.0, 1.0]), ([0.0, 0.0], [1.0, 0.0])]
)
def test_bad_targets_and_scales_are_refused(target: list[float], scale: list[float]) -> None:
    """Wrong shapes, NaN and a scale that is not positive are refused."""
    with pytest.raises(InvalidInput):
        min_norm_point(Explicit([[1, 0], [0, 1]]), np.array(target), np.array(scale))
