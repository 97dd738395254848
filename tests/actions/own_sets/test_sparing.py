"""An oracle that is not asked where the answer is certain gives the answers it would give."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from tests.late import Late

import swapregret as sr
from swapregret.errors import InvalidInput
from swapregret.geometry.oracle import AskedOracle, heaviest


class _Counted:
    """An action set that counts its questions."""

    def __init__(self, inner: sr.ActionSet) -> None:
        self.inner, self.dimension, self.n_calls = inner, inner.dimension, 0
        self.m = inner.size if inner.is_uniform else 0

    def argmax(self, weights: np.ndarray) -> np.ndarray:
        self.n_calls += 1
        return self.inner.argmax(weights)


EDGES = [(a, b) for a in range(5) for b in range(a)]
SETS = Late(
    {
        "m-sets": lambda: sr.MSets(7, 3),
        "trees": lambda: sr.SpanningTrees(EDGES),
        "permutations": lambda: sr.Permutations(4),
    }
)


@pytest.mark.parametrize("name", SETS)
def test_answers_are_those_of_the_oracle(name: str) -> None:
    """Over weights that move slowly every answer is the oracle's own; on m-sets few have to be asked for."""
    counted, rng = _Counted(SETS[name]), np.random.default_rng(0)
    sparing, weights = AskedOracle.of(counted, counted.m), np.zeros(counted.dimension)
    for _ in range(500):
        weights += 0.2 * rng.standard_normal(counted.dimension)
        assert np.array_equal(sparing.argmax(weights), SETS[name].argmax(weights))
    assert counted.n_calls <= (60 if name == "m-sets" else 500)


@settings(max_examples=200, deadline=None)
@given(st.lists(st.integers(-3, 3), min_size=1, max_size=8), st.integers(1, 8))
def test_the_heaviest_elements_are_found(weights: list[int], size: int) -> None:
    """They are apart exactly if the weight after them in falling order is smaller, or there is none."""
    w, m = np.array(weights, dtype=np.float64), min(size, len(weights))
    falling = np.sort(w)[::-1]
    action, is_apart = heaviest(w, m)
    assert is_apart == (m == len(w) or falling[m - 1] > falling[m])
    if is_apart:
        assert action.sum() == m
        assert w @ action == falling[:m].sum()


def test_ties_and_rounding_are_asked_about() -> None:
    """Weights that differ by rounding alone do not make an answer certain, nor do weights that are no numbers."""
    counted = _Counted(sr.MSets(3, 1))
    sparing = AskedOracle.of(counted, counted.m)
    for weights in ([1.0, 0.0, 0.0], [1.0, 1.0 - 1e-12, 0.0], [1.0, 1.0, 0.0]):
        assert sparing.argmax(np.array(weights)).tolist() == [1, 0, 0]
    assert counted.n_calls == 3
    with pytest.raises(InvalidInput, match="finite"):
        sparing.argmax(np.array([np.nan, 1.0, 0.0]))


def test_actions_of_different_sizes_are_always_asked_for() -> None:
    """Where sizes differ, the heaviest elements say nothing; only the same question is not asked again."""
    counted = _Counted(sr.Explicit([[1, 0], [1, 1]]))
    sparing = AskedOracle.of(counted, counted.m)
    for first in (2.0, 3.0, 4.0, 4.0):
        assert sparing.argmax(np.array([first, -1.0])).tolist() == [1, 0]
    assert counted.n_calls == 3


def test_an_error_is_raised_where_the_oracle_was_asked() -> None:
    """It comes out of compiled code as it was, once; the next question is asked again."""

    class Broken:
        dimension, is_broken = 2, True

        def argmax(self, weights: np.ndarray) -> np.ndarray:
            if self.is_broken:
                raise ConnectionError("down")
            return np.array([1, 0])

    broken = Broken()
    oracle = AskedOracle.of(broken)
    with pytest.raises(ConnectionError, match="down"):
        oracle.argmax(np.zeros(2))
    broken.is_broken = False
    assert oracle.argmax(np.zeros(2)).tolist() == [1, 0]
