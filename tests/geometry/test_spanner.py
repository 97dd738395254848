"""The barycentric spanner against the coefficients of every listed action."""

from unittest.mock import Mock

import numpy as np
import pytest
from hypothesis import given, settings

from swapregret.actions.own_sets.explicit import Explicit
from swapregret.errors import InvalidInput
from swapregret.geometry.span import find_span, find_spanner
from swapregret.testing.strategies import explicit_sets


@settings(max_examples=150)
@given(explicit_sets(max_dimension=8, max_actions=30))
def test_bound_is_the_largest_coefficient_of_any_action(actions: Explicit) -> None:
    """Every action is the combination its coefficients say; the largest of them over A is the certified bound, ≤ 2."""
    rows = actions.enumerate()
    spanner = find_spanner(actions, find_span(actions))
    coefficients = np.array([spanner.coefficients(row) for row in rows])
    assert all(row in actions for row in spanner.actions)
    assert np.abs(coefficients @ spanner.actions - rows).max() <= 1e-10
    assert abs(np.abs(coefficients).max() - spanner.bound) <= 1e-10
    assert spanner.bound <= 2.0


def hard_rows() -> np.ndarray:
    """Return random 0/1 rows on which the first basis is a poor spanner."""
    return np.unique(np.random.default_rng(3).integers(0, 2, size=(300, 20)), axis=0)


def test_exchanges_are_needed_and_made() -> None:
    """Where the span's own basis has a coefficient above 2, the spanner differs from it and has none."""
    actions = Explicit(hard_rows())
    span = find_span(actions)
    X = span.basis[:, span.coordinates].astype(float)
    first = np.abs(actions.enumerate()[:, span.coordinates] @ np.linalg.inv(X)).max()
    spanner = find_spanner(actions, span)
    assert first > 2.0
    assert spanner.bound <= 2.0
    X = spanner.actions[:, span.coordinates].astype(float)
    assert np.abs(spanner.inverse @ X - np.eye(span.rank)).max() <= 1e-9


def test_oracle_calls_stay_within_a_few_scans() -> None:
    """The scan ends within 30 calls an element, and a clean start needs the two calls an element of the certificate."""
    actions = Explicit(hard_rows())
    span = find_span(actions)
    oracle = Mock(wraps=actions, dimension=actions.dimension)
    find_spanner(oracle, span)
    assert 2 * span.rank < oracle.argmax.call_count <= 30 * span.rank
    actions = Explicit(np.eye(6, dtype=int))
    line = Mock(wraps=actions, dimension=actions.dimension)
    find_spanner(line, find_span(actions))
    assert line.argmax.call_count == 12


def test_smaller_slack_gives_a_smaller_bound() -> None:
    """The slack is honoured: 1.05 leaves no coefficient above it."""
    actions = Explicit(hard_rows())
    assert find_spanner(actions, find_span(actions), slack=1.05).bound <= 1.05


@pytest.mark.parametrize("slack", [1.0, 0.5, float("nan")])
def test_slack_must_exceed_one(slack: float) -> None:
    """A slack of 1 or less, or not a number, is refused: exchanges would not end."""
    actions = Explicit([[1, 0], [0, 1]])
    with pytest.raises(InvalidInput, match="`slack`"):
        find_spanner(actions, find_span(actions), slack=slack)
