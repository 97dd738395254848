"""What comes in from outside is read exactly, or refused in a sentence that names it."""

from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from swapregret.arrays import as_action, as_integer, as_vector, frozen
from swapregret.errors import InvalidAction, InvalidInput


@pytest.mark.parametrize(
    "form", [list, tuple, np.array, lambda v: np.array(v, dtype=np.float32), lambda v: np.array(v, dtype=int)]
)
def test_vectors_are_read_from_anything_with_numbers(form: Any) -> None:
    """Lists, tuples and arrays of any real type become float64."""
    vector = as_vector(form([1, -2, 3]), 3, "weights")
    assert vector.dtype == np.float64
    assert vector.tolist() == [1.0, -2.0, 3.0]


def test_vectors_are_of_one_kind_for_compiled_code() -> None:
    """Whatever comes in, the answer is contiguous and writable, and the caller's array is left as it was."""
    still = frozen(np.arange(3.0))
    strided = np.arange(6.0)[::2]
    for given_vector in (still, strided, [0.0, 1.0, 2.0]):
        vector = as_vector(given_vector, 3, "x")
        assert vector.flags.c_contiguous
        assert vector.flags.writeable
    as_vector(still, 3, "x")[0] = 9.0
    assert still.tolist() == [0.0, 1.0, 2.0]
    assert not still.flags.writeable
    plain = np.arange(3.0)
    assert as_vector(plain, 3, "x") is plain


@pytest.mark.parametrize(
    ("values", "sentence"),
    [
        ([1.0, 2.0], r"`weights` must have shape \(3,\): got shape \(2,\)"),
        ([[1.0, 2.0, 3.0]], r"got shape \(1, 3\)"),
        (1.0, r"got shape \(\)"),
        ([1.0, np.nan, 2.0], "must be finite: got nan at coordinate 1"),
        ([1.0, 2.0, -np.inf], "must be finite: got -inf at coordinate 2"),
        (["a", "b", "c"], "3 real numbers: got list that cannot be read as numbers"),
        ([1.0, [2.0], 3.0], "cannot be read as numbers"),
        ([1.0, 2.0, 3.0j], "cannot be read as numbers"),
        (np.array([1.0, 2.0, 3.0j]), "cannot be read as numbers"),
        pytest.param(object(), "cannot be read as numbers", id="object"),
        ({1.0, 2.0, 3.0}, "cannot be read as numbers"),
    ],
    ids=str,
)
def test_vectors_that_cannot_be_used_are_refused(values: Any, sentence: str) -> None:
    """Shape, NaN, infinity and what is no number are refused, and the argument and place are named."""
    with pytest.raises(InvalidInput, match=sentence):
        as_vector(values, 3, "weights")


@pytest.mark.parametrize("dtype", [np.int64, np.int8, np.uint8, bool, np.float64])
def test_actions_are_read_from_any_zeros_and_ones(dtype: Any) -> None:
    """Zeros and ones of any numeric type become int64."""
    action = as_action(np.array([1, 0, 1], dtype=dtype), 3)
    assert action.dtype == np.int64
    assert action.tolist() == [1, 0, 1]


@pytest.mark.parametrize(
    "values",
    [
        [1, 0],
        [[1, 0, 1]],
        1,
        None,
        "101",
        [1, 0, 2],
        [1, 0, -1],
        [0.5, 0, 1],
        [np.nan, 0, 1],
        ["1", "0", "1"],
        [1j, 0, 0],
        [1, [0], 1],
    ],
    ids=str,
)
def test_what_is_no_action_is_refused(values: Any) -> None:
    """Wrong shapes, other numbers, words and ragged lists are refused as InvalidAction."""
    with pytest.raises(InvalidAction):
        as_action(values, 3)


def test_the_action_is_named_in_the_sentence() -> None:
    """The caller can say what the argument is called."""
    with pytest.raises(InvalidAction, match=r"^`start` must have shape \(3,\)"):
        as_action([1], 3, "start")


@given(st.integers(-5, 15))
def test_integers_are_read_within_their_range(number: int) -> None:
    """A whole number within the range is itself, as a float or a NumPy integer too; outside it is refused."""
    for value in (number, float(number), np.int32(number)):
        if 0 <= number <= 10:
            assert as_integer(value, "n", 0, 10) == number
            assert type(as_integer(value, "n", 0, 10)) is int
        else:
            with pytest.raises(InvalidInput, match=r"`n` must be a whole number, 0\.\.10"):
                as_integer(value, "n", 0, 10)


@pytest.mark.parametrize("value", [1.5, True, "3", None, np.nan, np.inf, [3], 3j], ids=str)
def test_what_is_no_integer_is_refused(value: Any) -> None:
    """Fractions, truth values, words and lists are not counted with."""
    with pytest.raises(InvalidInput, match=r"`n` must be a whole number, at least 1: got"):
        as_integer(value, "n", 1)


def test_integers_have_no_upper_bound_unless_given() -> None:
    """Numbers beyond 64 bits pass through exactly."""
    assert as_integer(10**30, "n", 0) == 10**30


def test_frozen_hands_back_the_same_array() -> None:
    """The array itself is marked read-only, not a copy."""
    array = np.zeros(2)
    assert frozen(array) is array
    with pytest.raises(ValueError, match="read-only"):
        array[0] = 1.0
