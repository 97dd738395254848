"""Handles: what they are made of decides which code runs."""

from typing import Any, NamedTuple

import numpy as np
import pytest

from swapregret.compiled import handle
from swapregret.compiled.address import family_of
from swapregret.compiled.handle import open_handle
from swapregret.compiled.kernel import kernel
from swapregret.compiled.methods import method
from swapregret.errors import Unsupported


@method
def value_of(family: Any) -> int:  # type: ignore[empty-body]
    """Return a number that says whose code ran."""


class First(NamedTuple):
    """A family."""

    common: int


class Second(NamedTuple):
    """Another one, with the same fields."""

    common: int


Second.__name__ = Second.__qualname__ = First.__name__


@value_of.of(First)
def first_value(family: Any) -> int:
    """Return 1."""
    return 1


@value_of.of(Second)
def second_value(family: Any) -> int:
    """Return 2."""
    return 2


@kernel
def ask(h: Any) -> int:
    """Ask the family of a handle."""
    return value_of(family_of(h))


def test_two_families_of_one_name_run_their_own_code() -> None:
    """Classes with the same name and fields are told apart, as when a notebook defines a family again."""
    handles = [open_handle(family, 0, 0, 0, 0) for family in (First(0), Second(0), First(1))]
    assert [ask(handle) for handle in handles] == [1, 2, 1]


def test_classes_count_inside_a_tuple_too() -> None:
    """A product of families is another product if one of its parts is another class."""
    handles = [open_handle((family,), 0, 0, 0, 0) for family in (First(0), Second(0))]
    assert handles[0]._type != handles[1]._type


class Everything(NamedTuple):
    """One of each kind of field."""

    count: int
    is_on: bool
    share: float
    pair: tuple[float, float]
    table: Any
    inner: First


def _everything(share: float) -> Everything:
    return Everything(-7, True, share, (0.5, -1.5), np.arange(12.0).reshape(3, 4), First(3))


def test_compiled_code_reads_what_was_written_once_a_kind(monkeypatch: pytest.MonkeyPatch) -> None:
    """The first handle of a kind is read back, number by number, and later ones are not."""
    checked: list[int] = []
    plain = handle.check_layout
    monkeypatch.setattr(
        handle, "check_layout", lambda made, numbers: checked.append(len(numbers)) or plain(made, numbers)
    )
    monkeypatch.setattr(handle, "KNOWN", {})
    for share in (0.25, 0.75):
        open_handle(_everything(share), 0, 0, 0, np.random.default_rng(0))
    assert checked == [3 + 2 + (3 + 2 + 4) + 1 + 3 + 9]


_read_back = handle.read_back


def _in_another_order(made: Any, numbers: Any) -> int:
    """Read as a Numba would that keeps the bytes of an entry before how many there are."""
    count = _read_back(made, numbers)
    numbers[7:9] = numbers[8], numbers[7]
    return count


@pytest.mark.parametrize(
    ("name", "wrong", "came"),
    [
        ("NUMBERS", handle.NUMBERS | {"double": "f"}, "in field 2 of 27"),
        ("NUMBERS", {"i64": "q", "double": "d"}, "a field of type 'i1'"),
        ("codes_of", lambda stored: "3q", "a number that has no place"),
        ("read_back", _in_another_order, "8 in field 7 of 27, where 12 was written"),
    ],
)
def test_another_layout_is_a_sentence(name: str, wrong: Any, came: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """Where Numba keeps values in another way than handles are written, this is said, again at the next try."""
    monkeypatch.setattr(handle, "KNOWN", {})
    monkeypatch.setattr(handle, name, wrong)
    for _ in range(2):
        with pytest.raises(Unsupported, match=f"compiled code must read in a handle what was written: got .*{came}"):
            open_handle(_everything(0.25), 0, 0, 0, np.random.default_rng(0))
