"""The span found from the oracle, against the rank of the listed actions."""

from unittest.mock import Mock

import numpy as np
import pytest
from hypothesis import given, settings

from swapregret.actions.own_sets.explicit import Explicit
from swapregret.errors import InvalidInput
from swapregret.geometry.span import find_span
from swapregret.testing.strategies import explicit_sets


class ZeroOnly:
    """A set whose only action is the zero vector."""

    dimension = 3

    def argmax(self, weights: np.ndarray) -> np.ndarray:
        """Return zero."""
        return np.zeros(3, dtype=np.int64)


@settings(max_examples=150)
@given(explicit_sets(max_dimension=8, max_actions=30))
def test_rank_and_lift_hold_on_every_action(actions: Explicit) -> None:
    """The rank is that of the list, and M = L M[J] for every action, within the promised number of oracle calls."""
    rows = actions.enumerate()
    oracle = Mock(wraps=actions, dimension=actions.dimension)
    span = find_span(oracle)
    assert span.rank == np.linalg.matrix_rank(rows)
    assert oracle.argmax.call_count <= 2 * actions.dimension
    assert np.array_equal(np.sort(span.coordinates), span.coordinates)
    assert np.abs(rows[:, span.coordinates] @ span.lift.T - rows).max() <= 1e-12
    assert np.array_equal(span.lift[span.coordinates], np.eye(span.rank))
    assert all(row in actions for row in span.basis)
    assert abs(np.linalg.det(span.basis[:, span.coordinates])) > 0.5


def test_whole_numbers_of_the_lift_are_exact() -> None:
    """On permutations, where the lift is integral, M = L M[J] holds without rounding."""
    identity = np.eye(4, dtype=np.int64)
    orders = np.array(np.meshgrid(*[range(4)] * 4)).reshape(4, -1).T
    rows = [identity[order].ravel() for order in orders if len(set(order)) == 4]
    span = find_span(Explicit(rows))
    assert span.rank == 10
    assert np.array_equal(span.lift, np.rint(span.lift))
    assert np.array_equal(np.array(rows)[:, span.coordinates] @ span.lift.T, np.array(rows))


@pytest.mark.parametrize(
    ("rows", "rank", "coordinates"),
    [
        ([[1]], 1, [0]),
        ([[1, 1, 0]], 1, [0]),
        ([[0, 0, 1], [0, 1, 1]], 2, [1, 2]),
        ([[0, 0], [1, 1]], 1, [0]),
        ([[1, 0, 1], [0, 1, 1]], 2, [0, 1]),
    ],
)
def test_small_sets_by_hand(rows: list[list[int]], rank: int, coordinates: list[int]) -> None:
    """One action, a coordinate that is always 0, the zero vector among others: the pivots are the first possible."""
    span = find_span(Explicit(rows))
    assert (span.rank, span.coordinates.tolist()) == (rank, coordinates)


def test_large_random_set_stays_exact() -> None:
    """With 150 actions in 60 dimensions the bordered inverse does not drift: the lift still holds on all actions."""
    rows = np.unique(np.random.default_rng(0).integers(0, 2, size=(150, 60)), axis=0)
    rows[:, 50:] = rows[:, :10]
    rows = np.unique(rows, axis=0)
    span = find_span(Explicit(rows))
    assert span.rank == np.linalg.matrix_rank(rows) == 50
    assert np.abs(rows[:, span.coordinates] @ span.lift.T - rows).max() <= 1e-9


def test_results_are_read_only_and_zero_is_refused() -> None:
    """Nothing handed out can be written to; a set in which nothing can be chosen is refused by name."""
    span = find_span(Explicit([[1, 0], [0, 1]]))
    for array in (span.coordinates, span.lift, span.basis):
        with pytest.raises(ValueError, match="read-only"):
            array[0] = 1
    with pytest.raises(InvalidInput, match="other than the zero vector"):
        find_span(ZeroOnly())
