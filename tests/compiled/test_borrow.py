"""Pointers to the parts of a handle: what is read through them is what is there."""

import weakref
from typing import Any, NamedTuple

import numpy as np
import pytest

from swapregret.compiled.address import family_of, lend, rule_of, state_of
from swapregret.compiled.handle import OpenHandle, open_handle
from swapregret.compiled.kernel import kernel
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


def _opened(family: Any, rule: Any, state: Any) -> OpenHandle:
    return open_handle(family, rule, state, 0, 0)


@kernel
def _read(h: Any) -> tuple[int, bool, float, float, float]:
    state = state_of(h)
    even = state.even
    return state.count, state.is_on, state.table[1, 2], even.low[0] + even.high[1], state.pair[1]


@kernel
def _draw(h: Any) -> tuple[float, float]:
    return h.rng.random(), h.rng.random()


@kernel
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


@kernel
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


def test_a_generator_goes_on_where_it_was() -> None:
    """What compiled code draws through a handle is what the generator would have drawn, and is drawn once."""
    rng, same = np.random.default_rng(5), np.random.default_rng(5)
    assert _draw(open_handle(_state(), 3, _state(), 0, rng)) == (same.random(), same.random())
    assert rng.random() == same.random()


def test_a_handle_keeps_what_it_is_made_of() -> None:
    """Arrays that nobody else holds live as long as the handle, and no longer."""
    state = _state()
    held = weakref.ref(state.table)
    h = _opened(state, 3, state)
    del state
    assert _read(h) == (7, True, 6.0, 7.0, 1.5)
    assert h.address > 0
    del h
    assert held() is None


@kernel
def _add_one(even: Any) -> None:
    even.low[0] += 1.0


@kernel
def _lend(count: int) -> float:
    total = 0.0
    for i in range(count):  # the same place on the stack lends another value each time
        even = _Even(np.full(2, float(i)), np.zeros(i + 1))
        _add_one(lend(even))
        total += even.low[0] * even.high.size
    return total


def test_a_kernel_lends_what_it_holds() -> None:
    """A value made anew in every round of a loop is lent as it is then, and changed where it is."""
    assert _lend(4) == _lend.__wrapped__(4) == 1.0 + 2.0 * 2 + 3.0 * 3 + 4.0 * 4  # type: ignore[attr-defined]
