"""What comes in from outside is read exactly, or refused in a sentence that names it."""

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import swapregret as sr
from swapregret.arrays import (
    as_action,
    as_integer,
    as_labels,
    as_number,
    as_table,
    as_vector,
    check_memory,
    frozen,
)
from swapregret.errors import InvalidAction, InvalidInput, TooLarge
from swapregret.units import read_range


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
        ([1.0, 2.0], r"`weights` must be a vector of 3 real numbers: got shape \(2,\)"),
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


def test_integers_are_bounded() -> None:
    """Whole numbers count in 64 bits unless a larger bound is given; one of 5,000 digits is refused by its size."""
    assert as_integer(2**63 - 1, "n", 0) == 2**63 - 1
    assert as_integer(10**30, "n", 0, 10**40) == 10**30
    with pytest.raises(InvalidInput, match=r"`n` must be a whole number below 2\*\*63: got 9223372036854775808"):
        as_integer(2**63, "n", 0)
    with pytest.raises(InvalidInput, match=r"below 2\*\*63: got 10⁵⁰⁰⁰"):
        as_integer(10**5000, "n", 0)
    with pytest.raises(InvalidInput, match=r"1\.\.4: got −10⁵⁰⁰⁰"):
        as_integer(-(10**5000), "n", 1, 4)


NONSENSE = {
    "text": ["1", "2"],
    "bytes": [b"1", b"2"],
    "complex": [1j, 2],
    "masked": np.ma.array([1.0, 2.0], mask=[False, True]),
    "dates": np.array(["2026-01-01", "2026-01-02"], dtype="datetime64[D]"),
    "spans": np.array([1, 2], dtype="timedelta64[s]"),
    "objects": [object(), object()],
    "text as objects": np.array(["1", "2"], dtype=object),
    "ragged": [[1], [1, 2]],
    "beyond floats": [10**400, 1],
    "a set": {1.0, 2.0},
    "nothing": [None, 1.0],
}


@pytest.mark.parametrize("name", NONSENSE)
def test_what_is_no_number_is_refused(name: str) -> None:
    """NumPy would read text, dates and masked entries as floats; a vector or a table must not."""
    with pytest.raises(InvalidInput, match="`weights` must"):
        as_vector(NONSENSE[name], 2, "weights")
    with pytest.raises(InvalidInput, match="`weights` must"):
        as_table(np.ma.array([[1.0, 2.0]]) if name == "masked" else [NONSENSE[name]], 2, "weights")


@pytest.mark.parametrize("value", [*NONSENSE.values(), True, "1", np.nan, -np.inf, 3.0, None, [1.0]])
def test_one_number(value: object) -> None:
    """One finite number in its bounds, nothing that only converts to one."""
    assert as_number(np.float32(0.5), "share", 0.0, 1.0) == 0.5
    with pytest.raises(InvalidInput, match=r"`share` must be a finite number in \[0, 1\]"):
        as_number(value, "share", 0.0, 1.0)


@pytest.mark.parametrize(
    "value", ["01", b"01", {0.0, 1.0}, (1.0, 0.0), (0.0,), (0, 1, 2), 3, (0.0, np.nan), ("0", "1"), None]
)
def test_a_range_is_two_numbers(value: object) -> None:
    """A text of two digits is no range, nor is a set, which has no order."""
    assert read_range([0, 2]) == (0.0, 2.0)
    with pytest.raises(InvalidInput, match="two finite numbers, the smaller first"):
        read_range(value)


@pytest.mark.parametrize(
    "labels", [{"a", "b"}, frozenset("ab"), ["a", "a"], [[1], [2]], "abc", 7, [np.nan, np.nan], [np.nan, 1]]
)
def test_labels_are_different_names_in_an_order(labels: object) -> None:
    """A set has no order, and NaN does not even equal itself."""
    with pytest.raises(InvalidInput, match="`labels` must be"):
        as_labels(labels, 2)


def test_memory_is_asked_for_before_it_is_taken() -> None:
    """What cannot fit is refused at once, with its size."""
    check_memory(10**6, "a set")
    with pytest.raises(TooLarge, match=r"a set must fit into memory, .* GB: got 10²⁰ coordinates"):
        check_memory(10**20, "a set")


@pytest.mark.parametrize(
    "make",
    [
        lambda: sr.MSets(10**12, 3),
        lambda: sr.Permutations(10**6),
        lambda: sr.TruncatedPermutations(10**6, 10**6),
        lambda: sr.Partitions(3000, 500),
        lambda: sr.OracleSet(10**12, lambda weights: weights),
        lambda: sr.environments.shortcut_dag(10**12, 10),
        lambda: sr.environments.decision_tree(60, 3, 3),
        lambda: sr.MSets(60, 30).enumerate(10**18),
    ],
)
def test_sets_beyond_memory_are_refused(make: Callable[[], object]) -> None:
    """Constructors answer at once, before any of the memory is taken."""
    with pytest.raises(TooLarge, match="must fit into memory"):
        make()


@pytest.mark.parametrize(
    "make", [lambda: sr.MSets(1030, 515), lambda: sr.Permutations(171), lambda: sr.MSets(20_000, 9_000)]
)
def test_more_actions_than_any_float(make: Callable[[], sr.ActionSet]) -> None:
    """n_actions is an exact integer of any length, and formulas that ask for it take its logarithm."""
    actions = make()
    assert actions.n_actions > 10**308
    assert sr.swap_combcp(actions, 1000).learner.diameter > 0.0
    for name in ("exp3", "blum_mansour", "ito", "stoltz", "treeswap", "tsallis_inf", "regret_matching"):
        with pytest.raises(TooLarge, match=r"10[⁰¹²³⁴-⁹]+(,| actions)"):
            getattr(sr.baselines, name)(actions, 1000)
    with pytest.raises(TooLarge, match=r"10[⁰¹²³⁴-⁹]+(,| actions)"):
        sr.baselines.stoltz(actions, 1000, rules="swap")


def test_frozen_hands_back_the_same_array() -> None:
    """The array itself is marked read-only, not a copy."""
    array = np.zeros(2)
    assert frozen(array) is array
    with pytest.raises(ValueError, match="read-only"):
        array[0] = 1.0
