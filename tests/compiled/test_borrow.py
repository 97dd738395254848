"""Pointers to the parts of a handle: what is read through them is what is there."""

from typing import Any, NamedTuple

import numpy as np
import pytest

from swapregret.compiled.address import family_of, rule_of, state_of
from swapregret.compiled.handle import Handle
from swapregret.compiled.kernel import kernel, phase
from swapregret.compiled.methods import method


class _Even(NamedTuple):
    low: np.ndarray[Any, Any]
    high: np.ndarray[Any, Any]


class _Mixed(NamedTuple):
    count: int
    is_on: bool
    table: np.ndarray[Any, Any]
    even: _Even
    pair: tuple[float, float]


@kernel
def _opened(family: Any, rule: Any, state: Any) -> Any:
    return Handle(family, rule, state, 0, 0)


@phase
def _read(h: Any) -> tuple[int, bool, float, float, float]:
    state = state_of(h)
    even = state.even
    return state.count, state.is_on, state.table[1, 2], even.low[0] + even.high[1], state.pair[1]


@phase
def _write(h: Any) -> float:
    state = state_of(h)
    total = 0.0
    for i in range(state.table.shape[0]):
        state.table[i, 0] = i + rule_of(h)
        total += _sum(state.even)
    return total


@method
def _sum(even: Any) -> float:  # type: ignore[empty-body]
    """Return a sum, by class."""


@_sum.of(_Even)
def _sum_of_both(even: Any) -> float:
    return even.low.sum() + even.high.sum()  # type: ignore[no-any-return]


@phase
def _misread(h: Any) -> float:
    return family_of(h).missing  # type: ignore[no-any-return]


def _state() -> _Mixed:
    return _Mixed(7, True, np.arange(12.0).reshape(3, 4), _Even(np.array([2.0, 3.0]), np.array([4.0, 5.0])), (0.5, 1.5))


def test_fields_are_what_they_are() -> None:
    """Numbers, flags, arrays, tuples, and named tuples whose fields have one type or several."""
    assert _read(_opened(_state(), 3, _state())) == (7, True, 6.0, 7.0, 1.5)


def test_arrays_are_shared() -> None:
    """Compiled code changes the arrays the handle was made of, and methods find the class of a part."""
    state = _state()
    assert _write(_opened(state, 3, state)) == 3 * 14.0
    assert state.table[:, 0].tolist() == [3.0, 4.0, 5.0]


def test_what_is_not_there_is_refused() -> None:
    """A name that is no field is an error when the code is compiled."""
    with pytest.raises(Exception, match="missing"):
        _misread(_opened(_state(), 3, _state()))
