"""Values of tests that are made when they are first asked for, since making them compiles."""

from collections.abc import Callable, Iterator, Mapping
from typing import Generic, TypeVar

Made = TypeVar("Made")


class Late(Mapping[str, Made], Generic[Made]):
    """A mapping whose names are there from the start, and each of whose values is made once, by a function without arguments."""

    def __init__(self, makers: Mapping[str, Callable[[], Made]]) -> None:
        self._makers, self._made = dict(makers), dict[str, Made]()

    def __getitem__(self, name: str) -> Made:
        if name not in self._made:
            self._made[name] = self._makers[name]()
        return self._made[name]

    def __iter__(self) -> Iterator[str]:
        return iter(self._makers)

    def __len__(self) -> int:
        return len(self._makers)

    def __or__(self, other: "Late[Made]") -> "Late[Made]":
        return Late(self._makers | other._makers)
