"""Packed decompositions are the decompositions."""

import numpy as np
import pytest
from tests.actions.small_sets import SETS

from swapregret.compiled.bits import unpack_rows
from swapregret.errors import InvalidInput


@pytest.mark.parametrize("variants", [1, 3])
@pytest.mark.parametrize("name", SETS)
def test_packed_atoms_and_weights_are_those_of_the_policy(name: str, variants: int) -> None:
    """The same different actions with the same weights, which add up to exactly 1."""
    actions = SETS[name]
    point = actions.kl_project(np.random.default_rng(0).normal(size=actions.dimension)).point
    words, weights = actions.decompose_packed(point, variants=variants)
    policy = actions.decompose(point, variants=variants).finite()
    rows = unpack_rows(words, actions.dimension)
    assert weights.sum() == 1.0
    assert len(np.unique(rows, axis=0)) == len(rows) == len(policy.atoms)
    known = {row.tobytes(): weight for row, weight in zip(policy.atoms, policy.weights, strict=True)}
    for row, weight in zip(rows, weights, strict=True):
        assert abs(known[row.tobytes()] - weight) < 1e-14


@pytest.mark.parametrize("name", [name for name in SETS if name not in ("m-sets", "compact partitions")])
def test_points_outside_are_refused(name: str) -> None:
    """A point that is no mean of actions is refused as ``decompose`` refuses it."""
    actions = SETS[name]
    with pytest.raises(InvalidInput, match="must be"):
        actions.decompose_packed(np.full(actions.dimension, 0.9))
