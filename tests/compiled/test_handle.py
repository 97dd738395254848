"""Handles: what they are made of decides which code runs."""

from typing import Any, NamedTuple

from swapregret.compiled.address import family_of
from swapregret.compiled.handle import open_handle
from swapregret.compiled.kernel import kernel
from swapregret.compiled.methods import method


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
