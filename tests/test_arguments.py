"""Arguments are read by annotations, and nothing is caught: a bug inside surfaces as itself."""

from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Annotated, Any, Literal

import numpy as np
import pytest

import swapregret as sr
from swapregret.arguments import Between, Share, checked
from swapregret.errors import InvalidInput, SwapRegretError


@checked
def call(
    whole: int = 0,
    ranged: Annotated[int, Between(2, 5)] = 2,
    share: Share | None = None,
    word: Literal["a", "b"] = "a",
    flag: bool = False,
    actions: sr.ActionSet | None = None,
    pairs: Sequence[Sequence[int]] = (),
    path: str | Path = "",
    table: Mapping[str, int] | None = None,
    function: Callable[[int], int] | None = None,
) -> tuple[Any, ...]:
    """Return the arguments as they were read."""
    return whole, ranged, share, word, flag, actions, pairs, path, table, function


@pytest.mark.parametrize(
    ("name", "value", "read"),
    [
        ("whole", np.int64(-3), -3),
        ("whole", 4.0, 4),
        ("ranged", 5, 5),
        ("share", 1, 1.0),
        ("share", None, None),
        ("word", "b", "b"),
        ("pairs", ((1, 2), np.array([3])), [[1, 2], [3]]),
        ("path", Path("x"), Path("x")),
        ("table", {"a": 1}, {"a": 1}),
        ("function", abs, abs),
    ],
)
def test_what_fits_is_handed_on_as_the_kind_it_is(name: str, value: Any, read: Any) -> None:
    """The body gets numbers as int and float, sequences as lists, the rest as it came."""
    (found,) = [each for each, before in zip(call(**{name: value}), call(), strict=True) if each is not before] or [
        read
    ]
    assert found == read
    assert type(found) is type(read)


@pytest.mark.parametrize(
    ("name", "value", "sentence"),
    [
        ("whole", 1.5, "`whole` must be a whole number: got 1.5"),
        ("whole", True, "`whole` must be a whole number: got True"),
        ("ranged", 6, "`ranged` must be a whole number, 2..5: got 6"),
        ("share", float("nan"), "`share` must be a finite number in \\[0, 1\\]: got nan"),
        ("word", "c", "`word` must be one of a, b: got 'c'"),
        ("word", np.zeros(2), "`word` must be one of a, b: got array"),
        ("flag", 1, "`flag` must be True or False: got 1"),
        ("actions", "x", "`actions` must be an ActionSet: got 'x'"),
        ("pairs", 3, "`pairs` must be a list: got 3"),
        ("pairs", [[1], [2.5]], "`pairs\\[1\\]\\[0\\]` must be a whole number: got 2.5"),
        ("path", 3, "`path` must be a text or a Path: got 3"),
        ("table", [1], "`table` must be a Mapping: got \\[1\\]"),
        ("function", 3, "`function` must be a function: got 3"),
    ],
)
def test_what_does_not_fit_is_refused_by_name(name: str, value: Any, sentence: str) -> None:
    """A refusal names the argument, what must hold and what came."""
    with pytest.raises(InvalidInput, match=sentence):
        call(**{name: value})


def test_the_number_of_arguments_is_pythons_own_error() -> None:
    """An unknown argument is a TypeError that names the function, and no refusal of ours."""
    with pytest.raises(TypeError, match=r"call\(\) got an unexpected keyword argument 'size'"):
        call(size=3)  # type: ignore[call-arg]


@pytest.mark.parametrize("error", [TypeError, ValueError, KeyError, AttributeError, OSError, MemoryError])
def test_a_bug_inside_surfaces_as_itself(error: type[Exception], monkeypatch: pytest.MonkeyPatch) -> None:
    """What breaks in the body of a public function, or of a constructor, reaches the caller with its own class."""

    def broken(*_: Any, **__: Any) -> None:
        raise error("a bug")

    monkeypatch.setattr("swapregret.environments.stochastic.random_action", broken)
    with pytest.raises(error, match="a bug") as caught:
        sr.environments.iid(sr.MSets(4, 2), 100)
    assert not isinstance(caught.value, SwapRegretError)
    monkeypatch.setattr(sr.MSets, "__init__", broken)
    with pytest.raises(error, match="a bug") as caught:
        sr.MSets(4, 2)
    assert not isinstance(caught.value, SwapRegretError)
