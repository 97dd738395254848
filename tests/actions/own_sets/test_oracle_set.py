"""A user's oracle as an action set: everything follows from it, and its faults are named."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from swapregret.actions.own_sets.explicit import Explicit
from swapregret.actions.own_sets.oracle_set import OracleSet
from swapregret.errors import InvalidInput, OracleFault, Unsupported
from swapregret.testing.strategies import explicit_sets


def best_two(weights: np.ndarray) -> np.ndarray:
    """Choose the two heaviest elements; the lowest index wins a tie."""
    chosen = np.zeros(len(weights), dtype=int)
    chosen[np.argsort(-weights, kind="stable")[:2]] = 1
    return chosen


@settings(max_examples=60)
@given(explicit_sets(max_dimension=6, max_actions=20), st.integers(0, 2**32 - 1))
def test_the_oracle_alone_gives_what_the_list_gives(listed: Explicit, seed: int) -> None:
    """Actions, sizes, membership, rank, projection and decomposition agree with the set given by its list."""
    hidden = OracleSet(listed.dimension, listed.argmax)
    rows = listed.enumerate()
    assert np.array_equal(hidden.enumerate(), rows)
    assert (hidden.size, hidden.is_uniform, hidden.rank) == (listed.size, listed.is_uniform, listed.rank)
    for code in range(2**listed.dimension):
        vector = [code >> i & 1 for i in range(listed.dimension)]
        assert (vector in hidden) == (vector in listed)
    log_weights = np.random.default_rng(seed).uniform(-3.0, 3.0, size=listed.dimension)
    found = hidden.kl_project(log_weights)
    assert found.gap <= 1e-9
    np.testing.assert_allclose(found.point, listed.kl_project(log_weights).point, atol=2e-5)
    assert np.abs(hidden.decompose(found.point).marginals() - found.point).max() <= 1e-12
    assert hidden.spanner().bound <= 2.0


def test_policies_that_need_a_list_are_refused_by_name() -> None:
    """An oracle gives neither a uniform nor a Gibbs policy, nor a count; exploration falls to the spanner."""
    actions = OracleSet(4, best_two)
    assert actions.n_actions is None
    with pytest.raises(Unsupported, match="uniform policy"):
        actions.uniform_policy()
    with pytest.raises(Unsupported, match="Gibbs policy"):
        actions.gibbs(np.zeros(4))
    assert len(actions.exploration_policy().weights) == actions.rank == 4


@pytest.mark.parametrize(
    "answer", [[True, True, False], [1.0, 1.0, 0.0], np.array([1, 1, 0], dtype=np.uint8), (1, 1, 0)]
)
def test_any_spelling_of_an_action_is_read(answer: object) -> None:
    """Booleans, floats, small integers and tuples all become int64 actions, read-only."""
    action = OracleSet(3, lambda weights: answer).argmax(np.zeros(3))  # type: ignore[arg-type, return-value]
    assert action.dtype == np.int64
    assert action.tolist() == [1, 1, 0]
    assert not action.flags.writeable


@pytest.mark.parametrize(
    ("answer", "words"),
    [
        ([1, 0], r"shape \(2,\)"),
        ([[1, 0, 0]], r"shape \(1, 3\)"),
        (None, "NoneType"),
        ("101", "str"),
        ([1, 0, None], "dtype object"),
        ([1, 2, 0], "2 at coordinate 1"),
        ([1, 0, -1], "-1 at coordinate 2"),
        ([1, 0.5, 0], "0.5 at coordinate 1"),
        ([1, float("nan"), 0], "nan at coordinate 1"),
        ([1, float("inf"), 0], "inf at coordinate 1"),
        ([[1], [0, 1]], "list"),
    ],
)
def test_answers_that_are_no_actions_are_faults(answer: object, words: str) -> None:
    """A wrong shape, type or value is a fault of the oracle that names what came."""
    with pytest.raises(OracleFault, match=words):
        OracleSet(3, lambda weights: answer)  # type: ignore[arg-type, return-value]


def test_an_oracle_that_minimises_is_caught() -> None:
    """An answer worth less than one given before is a fault that names both values."""
    with pytest.raises(OracleFault, match=r"value -3\.0, although an earlier answer has value -1\.0"):
        OracleSet(4, lambda weights: [1, 1, 1, 0] if weights[0] < 0 else [1, 0, 0, 0])


def test_a_fault_later_on_is_caught_too() -> None:
    """An oracle that goes wrong after the start is caught at the question it gets wrong, and not before."""
    broken = [False]

    def argmax(weights: np.ndarray) -> np.ndarray:
        return np.array([1, 1, 0, 0]) if broken[0] else best_two(weights)

    actions = OracleSet(4, argmax)
    actions.argmax([0.0, 0.0, 1.0, 1.0])
    broken[0] = True
    assert actions.argmax([1.0, 1.0, 0.0, 0.0]).tolist() == [1, 1, 0, 0]
    with pytest.raises(OracleFault, match="earlier answer"):
        actions.argmax([0.0, 0.0, 1.0, 1.0])


def test_rounding_is_no_fault() -> None:
    """Values that differ by rounding are equal: a correct oracle is not accused at weights of 1e8."""
    actions = OracleSet(6, best_two)
    rng = np.random.default_rng(0)
    for _ in range(300):
        actions.argmax(1e8 + rng.normal(size=6) * 1e-7)


def test_memory_is_bounded() -> None:
    """However many different answers come, at most 64 are remembered."""
    actions = OracleSet(20, best_two)
    rng = np.random.default_rng(1)
    for _ in range(300):
        actions.argmax(rng.normal(size=20))
    assert len(actions._seen) == 64


def test_an_oracle_that_changes_its_argument_harms_nobody() -> None:
    """The weights the caller holds stay as they were, and so does the answer's own array."""
    shared = np.zeros(4, dtype=np.int64)

    def argmax(weights: np.ndarray) -> np.ndarray:
        shared[:] = best_two(weights)
        weights[:] = np.nan
        return shared

    actions = OracleSet(4, argmax)
    weights = np.array([3.0, 2.0, 1.0, 0.0])
    first = actions.argmax(weights)
    actions.argmax(-weights)
    assert weights.tolist() == [3.0, 2.0, 1.0, 0.0]
    assert first.tolist() == [1, 1, 0, 0]


def test_errors_of_the_oracle_come_through() -> None:
    """An exception inside the user's function is theirs to see, unchanged."""

    def argmax(weights: np.ndarray) -> np.ndarray:
        raise KeyError("mine")

    with pytest.raises(KeyError, match="mine"):
        OracleSet(3, argmax)


@pytest.mark.parametrize(
    ("dimension", "argmax", "words"),
    [
        (0, best_two, "`dimension`"),
        (2.5, best_two, "`dimension`"),
        (3, 7, "`argmax`"),
        (3, lambda weights: [0, 0, 0], "other than the zero vector"),
    ],
)
def test_bad_definitions_are_refused(dimension: int, argmax: object, words: str) -> None:
    """A dimension below 1, something that cannot be called, and an empty world are refused."""
    with pytest.raises(InvalidInput, match=words):
        OracleSet(dimension, argmax)  # type: ignore[arg-type]
