"""The set given by its list: the definition itself, so it is checked by hand and by trying every action."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from swapregret.actions.own_sets.explicit import Explicit
from swapregret.errors import InvalidInput
from swapregret.testing.strategies import explicit_sets, weights


@settings(max_examples=150)
@given(explicit_sets(), st.data())
def test_argmax_is_the_first_best_in_canonical_order(actions: Explicit, data: st.DataObject) -> None:
    """No action beats the answer, and none before it in canonical order equals it."""
    w = data.draw(weights(actions.dimension))
    rows = actions.enumerate()
    values = [sum(float(w[i]) for i in np.flatnonzero(row)) for row in rows]
    chosen = actions.argmax(w)
    position = next(k for k, row in enumerate(rows) if np.array_equal(row, chosen))
    assert values[position] >= max(values) - 1e-9
    if np.array_equal(w, np.rint(w)):
        assert position == int(np.argmax(values))


@settings(max_examples=80)
@given(explicit_sets(max_dimension=5))
def test_membership_is_the_list(actions: Explicit) -> None:
    """Of all 0/1 vectors exactly those listed are members; other things are none, without an error."""
    d = actions.dimension
    listed = {tuple(row) for row in actions.enumerate().tolist()}
    for code in range(2**d):
        vector = [code >> i & 1 for i in range(d)]
        assert (vector in actions) == (tuple(vector) in listed)
    for other in ([2] * d, [0] * (d + 1), [0.5] * d, "x" * d, None):
        assert other not in actions


@settings(max_examples=80)
@given(explicit_sets(), st.integers(0, 2**32 - 1), st.sampled_from([1.0, 300.0]))
def test_gibbs_and_uniform_are_exact(actions: Explicit, seed: int, spread: float) -> None:
    """p(M) ∝ exp(scores · M) on every action, also where exp alone would overflow; scores of 0 give the uniform policy."""
    scores = np.random.default_rng(seed).uniform(-spread, spread, size=actions.dimension)
    rows = actions.enumerate()
    totals = rows @ scores
    exact = np.exp(totals - np.logaddexp.reduce(totals))
    found = {
        tuple(a): p for a, p in zip(actions.gibbs(scores).atoms.tolist(), actions.gibbs(scores).weights, strict=True)
    }
    for row, probability in zip(rows.tolist(), exact, strict=True):
        assert found.get(tuple(row), 0.0) == pytest.approx(probability, abs=1e-12)
    uniform = actions.uniform_policy()
    assert uniform == actions.gibbs(np.zeros(actions.dimension))
    assert len(uniform.weights) == actions.n_actions


def test_attributes() -> None:
    """Size is the largest, uniform size is noticed, labels name the elements, answers are the caller's own."""
    mixed = Explicit([[1, 0, 0], [1, 1, 0]], labels=["a", "b", "c"])
    assert (mixed.dimension, mixed.size, mixed.n_actions, mixed.is_uniform) == (3, 2, 2, False)
    assert mixed.elements([1, 1, 0]) == ("a", "b")
    assert Explicit([[1, 0], [0, 1]]).is_uniform
    assert repr(mixed) == "Explicit(2 actions, dimension=3, size=2)"
    mixed.argmax([1.0, 0.0, 0.0])[0] = 0
    assert mixed.argmax([1.0, 0.0, 0.0])[0] == 1


def test_order_of_the_rows_does_not_matter() -> None:
    """The same rows in another order are the same set: same list, same ties."""
    first, second = Explicit([[1, 0, 1], [0, 1, 1]]), Explicit([[0, 1, 1], [1, 0, 1]])
    assert np.array_equal(first.enumerate(), second.enumerate())
    assert np.array_equal(first.argmax(np.zeros(3)), second.argmax(np.zeros(3)))


def test_changing_the_argument_later_changes_nothing() -> None:
    """The set keeps its own copy of the rows."""
    rows = np.array([[1, 0], [0, 1]])
    actions = Explicit(rows)
    rows[:] = 1
    assert actions.enumerate().tolist() == [[1, 0], [0, 1]]


@pytest.mark.parametrize(
    ("rows", "words"),
    [
        ([], "non-empty"),
        ([[]], "non-empty"),
        ([1, 0], "non-empty"),
        ([[1, 0], [1]], "do not make a table"),
        ([[1, 0], [0, 2]], r"row 1: \[0, 2\]"),
        ([[1, 0], [0, 0.5]], "row 1"),
        ([[1, 0], [0, float("nan")]], "row 1"),
        ([["1", "0"]], "only 0 and 1"),
        ([[1, 0], [0, 1], [1, 0]], "rows 0 and 2"),
        ([[0, 0]], "other than the zero vector"),
    ],
)
def test_what_is_no_list_of_actions_is_refused(rows: object, words: str) -> None:
    """Empty, ragged, not 0/1, twice the same, nothing but zero: each refused with the row that is wrong."""
    with pytest.raises(InvalidInput, match=words):
        Explicit(rows)  # type: ignore[arg-type]


@pytest.mark.parametrize("bad", [[1.0], [1.0, np.nan], [np.inf, 0.0]])
def test_bad_weights_are_refused(bad: list[float]) -> None:
    """Wrong shapes and values that are not finite are refused by the oracle and the Gibbs policy."""
    actions = Explicit([[1, 0], [0, 1]])
    with pytest.raises(InvalidInput, match="`weights`"):
        actions.argmax(bad)
    with pytest.raises(InvalidInput, match="`scores`"):
        actions.gibbs(bad)
