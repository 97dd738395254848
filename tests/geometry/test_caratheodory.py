"""Decompositions: they carry the point, in few actions, with weights that add up to exactly 1."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from tests.generic import by_oracle

from swapregret.actions.own_sets.explicit import Explicit
from swapregret.errors import InvalidInput
from swapregret.testing.strategies import explicit_sets


@settings(max_examples=120)
@given(
    explicit_sets(max_dimension=8, max_actions=40),
    st.integers(0, 2**32 - 1),
    st.sampled_from([0.02, 0.3, 3.0]),
    st.sampled_from([1, 3]),
)
def test_policy_carries_the_point(actions: Explicit, seed: int, concentration: float, variants: int) -> None:
    """Marginals equal the point to 1e-12, atoms are actions, at most r + 1 a variant, and weights add up to 1 exactly."""
    rows = actions.enumerate()
    point = np.random.default_rng(seed).dirichlet(np.full(len(rows), concentration)) @ rows
    policy = by_oracle(actions).decompose(point, variants=variants).finite()
    assert np.abs(policy.marginals() - point).max() <= 1e-12
    assert len(policy.weights) <= variants * (actions.rank + 1)
    assert policy.weights.sum() == 1.0
    assert all(atom in actions for atom in policy.atoms)
    assert by_oracle(actions).decompose(point, variants=variants).finite() == policy


def test_a_vertex_is_itself() -> None:
    """An action decomposes into itself with weight 1."""
    actions = Explicit([[1, 0, 1], [0, 1, 1], [1, 1, 0]])
    policy = by_oracle(actions).decompose(np.array([0.0, 1.0, 1.0])).finite()
    assert policy.atoms.tolist() == [[0, 1, 1]]


def test_variants_spread_the_policy() -> None:
    """Eight variants of the centre of a 10-cube whose actions are listed use more than one, and still have its marginals."""
    cube = Explicit((np.arange(1024)[:, None] >> np.arange(10)) & 1)
    centre = np.linspace(0.2, 0.8, 10)
    one, eight = (cube.decompose(centre, variants=count).finite() for count in (1, 8))
    assert len(eight.weights) >= 2 * len(one.weights)
    assert np.abs(eight.marginals() - centre).max() <= 1e-12


@pytest.mark.parametrize("point", [[0.5, 0.5 + 1e-6], [2.0, -1.0], [0.2, 0.2]])
def test_points_outside_are_refused(point: list[float]) -> None:
    """A point further than 1e-8 from conv(A) is refused."""
    with pytest.raises(InvalidInput, match="convex hull"):
        by_oracle(Explicit([[1, 0], [0, 1]])).decompose(np.array(point))


def test_points_within_rounding_are_taken() -> None:
    """A point at distance 1e-10 is taken; what the policy carries is the nearest point of conv(A)."""
    policy = by_oracle(Explicit([[1, 0], [0, 1]])).decompose(np.array([0.5, 0.5 + 1e-10]))
    assert np.abs(policy.marginals() - 0.5).max() <= 1e-10


@pytest.mark.parametrize("variants", [0, -1, 1.5])
def test_variants_must_be_a_positive_count(variants: int) -> None:
    """The number of variants is at least 1 and whole."""
    with pytest.raises(InvalidInput, match="`variants`"):
        by_oracle(Explicit([[1, 0], [0, 1]])).decompose(np.array([0.5, 0.5]), variants=variants)
