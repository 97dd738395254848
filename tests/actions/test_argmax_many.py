"""Many answers of the oracle at once are the answers one by one."""

import numpy as np
import pytest
from tests.actions.small_sets import SETS

import swapregret as sr
from swapregret.errors import InvalidInput


@pytest.mark.parametrize("name", SETS)
def test_rows_are_answered_as_argmax_answers_them(name: str) -> None:
    """Generic weights and weights full of ties, read-only and not contiguous, give the rows that ``argmax`` gives."""
    actions, rng = SETS[name], np.random.default_rng(0)
    generic = rng.normal(size=(20, actions.dimension))
    tied = rng.integers(-1, 2, size=(20, actions.dimension)).astype(np.float64)
    for table in (generic, tied, np.zeros((1, actions.dimension)), np.asfortranarray(generic)):
        table.flags.writeable = False
        expected = np.array([actions.argmax(row) for row in table])
        found = actions.argmax_many(table)
        assert found.dtype == np.int64
        assert np.array_equal(found, expected)


def test_a_subclass_with_an_oracle_of_its_own_is_asked() -> None:
    """A set that overrides ``argmax`` alone is not answered by the many of the set it derives from."""

    class Least(sr.MSets):
        def argmax(self, weights: object) -> np.ndarray:
            return super().argmax(-np.asarray(weights))

    assert Least(3, 1).argmax_many([[1.0, 2.0, 3.0]]).tolist() == [[1, 0, 0]]


def test_no_rows_have_no_answers() -> None:
    """An empty table is answered by an empty table."""
    assert sr.Permutations(3).argmax_many(np.zeros((0, 9))).shape == (0, 9)


@pytest.mark.parametrize("weights", [np.zeros(9), np.zeros((2, 8)), np.full((1, 9), np.nan), "no", [[1j] * 9]])
def test_what_is_no_table_is_refused(weights: object) -> None:
    """A vector, rows of another length, and numbers that are not finite real ones are refused."""
    with pytest.raises(InvalidInput):
        sr.Permutations(3).argmax_many(weights)  # type: ignore[arg-type]
