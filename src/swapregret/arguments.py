"""What arguments may be: declared once, in the signature, and read by it where a call comes in.

A function says in its annotations what it takes: a class, some words (``Literal``), a truth value, a number, a number in a range
(``Annotated[float, Between(0, 1)]``), several of these. ``help`` and the reference show them; ``@checked`` reads every argument by
them before the body runs, or refuses it in a sentence. Arrays, and what depends on other arguments, are read in the body by
``arrays``. Nothing is caught here: what goes wrong in a body surfaces as itself.
"""

import inspect
import math
import os
import types
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, fields
from functools import cache, wraps
from typing import TYPE_CHECKING, Annotated, Any, Literal, ParamSpec, TypeVar, Union, get_args, get_origin

import numpy as np
import numpy.typing as npt

from swapregret.arrays import as_integer, as_number, is_iterable
from swapregret.counts import check_name, shown
from swapregret.errors import InvalidInput

if TYPE_CHECKING:
    from _typeshed import DataclassInstance

_P = ParamSpec("_P")
_R = TypeVar("_R")
_FUNCTION: Any = Callable
_Reader = Callable[[object, str], object]
"""Returns an argument as the function takes it, or refuses it by its name."""
Location = str | os.PathLike[str]
"""The path of a file or a folder."""


@dataclass(frozen=True)
class Between:
    """The range of a number, both ends included; of an ``int``, whole numbers below 2⁶³ where it has no end.

    Examples
    --------
    >>> Between(0, 1)
    0..1
    """

    low: float = -math.inf
    high: float | None = None

    def __repr__(self) -> str:
        high = "" if self.high is None else f"{self.high:g}"
        return f"{self.low:g}..{high}"


class OneOf(tuple[str, ...]):
    """The words that a text may be.

    Examples
    --------
    >>> OneOf("own", "shared")
    own | shared
    """

    def __new__(cls, *words: str) -> "OneOf":
        """Hold the words, in their order."""
        return super().__new__(cls, words)

    def __repr__(self) -> str:
        return " | ".join(self)


Count = Annotated[int, Between(1)]
"""How many there are: at least one."""
Days = Annotated[int, Between(1)]
"""A number of days."""
Share = Annotated[float, Between(0, 1)]
"""A part of a whole."""


def checked(function: Callable[_P, _R]) -> Callable[_P, _R]:
    """Have a function read its arguments by its annotations; see the module. Those in quotes are not read.

    Examples
    --------
    >>> @checked
    ... def half(x: Annotated[float, Between(0, 10)]) -> float:
    ...     return x / 2
    >>> half("7")
    Traceback (most recent call last):
    ...
    swapregret.errors.InvalidInput: `x` must be a finite number in [0, 10]: got '7'. Pass a float.
    """
    signature = inspect.signature(function)

    @wraps(function)
    def called(*args: _P.args, **kwargs: _P.kwargs) -> _R:
        try:
            bound = signature.bind(*args, **kwargs)
        except TypeError:
            return function(*args, **kwargs)  # too many, or too few: Python says so itself
        readers = _readers(signature)
        for name, value in bound.arguments.items():
            if name in readers:
                bound.arguments[name] = readers[name](value, name)
        return function(*bound.args, **bound.kwargs)

    return called


def call_by_name(make: Callable[..., _R], must: str, /, *given: object, **options: object) -> _R:
    """Call what a description names with what the description holds, or say what is missing or unknown."""
    try:
        inspect.signature(make).bind(*given, **options)
    except TypeError as error:
        raise InvalidInput(must, str(error), "Correct the description.") from None
    return make(*given, **options)


def check_confidence(confidence: float) -> None:
    """Refuse a probability with which nothing holds, or all does."""
    if not 0.0 < confidence < 1.0:
        raise InvalidInput("`confidence` must be above 0 and below 1", repr(confidence), "Use e.g. 0.95.")


def check_fields(part: "DataclassInstance") -> None:
    """Read the fields of a frozen dataclass by its annotations, as ``checked`` reads arguments."""
    for name, value in read_fields(type(part), vars(part)).items():
        object.__setattr__(part, name, value)


def read_fields(kind: "type[DataclassInstance]", values: dict[str, object], owner: str = "") -> dict[str, object]:
    """Return values for the fields of a dataclass, each read by its annotation; ``owner`` stands before their names."""
    readers = _field_readers(kind)
    return {name: readers[name](value, owner + name) if name in readers else value for name, value in values.items()}


@cache
def _field_readers(kind: "type[DataclassInstance]") -> dict[str, _Reader]:
    """Return what reads each field that has a constraint."""
    found = {each.name: _reader(each.type) for each in fields(kind) if each.init}
    return {name: reader for name, reader in found.items() if reader is not None}


@cache
def _readers(signature: inspect.Signature) -> dict[str, _Reader]:
    """Return what reads each argument that has a constraint."""
    single = (inspect.Parameter.POSITIONAL_OR_KEYWORD, inspect.Parameter.KEYWORD_ONLY)
    given = (
        each for each in signature.parameters.values() if each.kind in single and each.annotation is not each.empty
    )
    found = {each.name: _reader(each.annotation) for each in given}
    return {name: reader for name, reader in found.items() if reader is not None}


def _reader(hint: Any) -> _Reader | None:
    """Return what reads an argument by its annotation; None where that says nothing that could be checked here."""
    origin, inner = get_origin(hint), get_args(hint)
    if hint is npt.ArrayLike:
        return None
    if origin is Annotated:
        rule = next((each for each in inner[1:] if isinstance(each, Between | OneOf)), None)
        if isinstance(rule, OneOf):
            return _word(rule)
        return _number(inner[0], rule) if rule else _reader(inner[0])
    if origin is Literal:
        return _word(inner)
    if origin in (Union, types.UnionType):
        return _one_of(inner)
    if hint in (int, float):
        return _number(hint, Between(-math.inf, math.inf))
    kind = hint if origin is None else origin
    if not isinstance(kind, type) or kind in (object, Any, np.ndarray) or getattr(kind, "_is_protocol", False):
        return None
    if kind is _FUNCTION:
        return lambda value, name: value if callable(value) else _refuse(name, "a function", value)
    if issubclass(kind, Iterable) and origin is not None and not issubclass(kind, Mapping):
        return _sequence(inner, tuple if kind is tuple else list)
    return lambda value, name: value if isinstance(value, kind) else _refuse(name, _in_words(hint), value)


def _word(words: tuple[str, ...]) -> _Reader:
    return lambda value, name: check_name(value, words, name)


def _number(kind: type, bounds: Between) -> _Reader:
    """Read a number in a range; a float has no end where none is given."""
    if kind is int:
        return lambda value, name: as_integer(value, name, bounds.low, bounds.high)
    high = math.inf if bounds.high is None else bounds.high
    return lambda value, name: as_number(value, name, bounds.low, high)


def _sequence(inner: tuple[object, ...], kind: type[tuple[object, ...]] | type[list[object]]) -> _Reader:
    """Read several things of one kind, in an order; as a list, or a tuple, where the kind can be checked."""
    item = _reader(inner[0]) if len(inner) == 1 or inner[1:] == (Ellipsis,) else None

    def read(value: object, name: str) -> object:
        if not is_iterable(value):
            return _refuse(name, "a list", value)
        return value if item is None else kind(item(each, f"{name}[{index}]") for index, each in enumerate(value))

    return read


def _one_of(hints: tuple[object, ...]) -> _Reader | None:
    """Read one of several kinds, None among them or not."""
    others = [each for each in hints if each is not types.NoneType]
    readers = [_reader(each) for each in others]
    known = [each for each in readers if each is not None]
    if len(known) < len(readers):
        return None
    has_none = len(others) < len(hints)

    def read(value: object, name: str) -> object:
        if value is None and has_none:
            return None
        if len(known) == 1:
            return known[0](value, name)
        for reader in known:
            try:
                return reader(value, name)
            except InvalidInput as error:
                if error.must.startswith(f"`{name}["):  # a list, one of whose values does not fit
                    raise
        return _refuse(name, " or ".join(_in_words(each) for each in hints), value)

    return read


def _in_words(hint: Any) -> str:
    """Write a kind as people say it.

    Examples
    --------
    >>> _in_words(int), _in_words(Share), _in_words(types.NoneType), _in_words(os.PathLike[str])
    ('a whole number', 'a number', 'None', 'a path')
    """
    if get_origin(hint) is Annotated:
        hint = get_args(hint)[0]
    words = {int: "a whole number", float: "a number", str: "a text", bool: "True or False", types.NoneType: "None"}
    if hint in words:
        return words[hint]
    kind = get_origin(hint) or hint
    if kind is os.PathLike:
        return "a path"
    if kind is Sequence:
        return "a list"
    if kind is Literal:
        return " or ".join(map(repr, get_args(hint)))
    name: str = kind.__name__
    return f"{'an' if name[0] in 'AEIOU' else 'a'} {name}"


def _refuse(name: str, must: str, value: object) -> object:
    raise InvalidInput(f"`{name}` must be {must}", shown(value), "Pass one.")
