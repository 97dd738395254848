"""Values as files hold them: one way to write them, and one to read them.

A value becomes what JSON can hold. Arrays are written in place, or stand beside the text. A class is written under its name in
``swapregret.registry``, and says itself what it is made of: a set by its ``arguments``, a policy by ``made_of``, a player or a
graph by its fields. Reading reaches nothing outside that registry: sets are made of plain values, players of fields that their
annotations allow, policies of what their ``of_held`` has checked, and a graph must be one at hand. What holds a user's function
cannot be written, and says so.
"""

import inspect
import json
from collections.abc import Mapping, Sequence
from dataclasses import fields
from typing import Any, NamedTuple, TypeAlias

import numpy as np

from swapregret.arguments import read_fields
from swapregret.arrays import AnyArray, frozen
from swapregret.errors import InvalidInput, Unsupported
from swapregret.files.storage import Json
from swapregret.registry import FACTORIES, GRAPHS, PLAYERS, POLICIES, SETS, find, name_of

Plain: TypeAlias = "bool | int | float | str | list[Plain] | dict[str, Plain] | None"
"""What JSON can hold."""
HeldArrays = list[AnyArray]
"""Those that stand beside the text."""
_DEEPEST = 40
_NUMBERS = {"bool", "int64", "float64", "uint8", "int32", "float32", "uint32", "uint64"}


def write_value(value: object, beside: HeldArrays | None = None) -> Plain:
    """Write a value as nested dicts, lists, strings and numbers; arrays are added to ``beside``, where that is given.

    Examples
    --------
    >>> from swapregret import Schedule
    >>> write_value(Schedule([1, 4]))
    {'class': 'Schedule', 'fields': {'windows': {'tuple': [1, 4]}}}
    """
    if isinstance(value, np.generic):
        value = value.item()
    if value is None or (isinstance(value, bool | int | float | str) and type(value) in (bool, int, float, str)):
        return value  # a subclass, an Enum say, would come back as another
    if isinstance(value, np.ndarray):
        if str(value.dtype) not in _NUMBERS:
            return write_value(value.tolist())  # labels, say: each item is then written, or refused, by itself
        if beside is None:
            return {"array": value.tolist(), "dtype": str(value.dtype)}
        place = next((index for index, array in enumerate(beside) if array is value), len(beside))
        beside += [value] if place == len(beside) else []
        return {"array": place}
    if isinstance(value, tuple):
        return {"tuple": [write_value(item, beside) for item in value]}
    if isinstance(value, list):
        return {"list": [write_value(item, beside) for item in value]}
    if isinstance(value, dict):
        return {"dict": [[write_value(key, beside), write_value(item, beside)] for key, item in value.items()]}
    return _write_object(value, beside)


def _write_object(value: Any, beside: HeldArrays | None) -> Plain:
    parts = parts_of(value)
    if name := name_of(type(value), SETS):
        return {"class": name} | {part: write_value(item) for part, item in parts.items()}
    if name := name_of(type(value), PLAYERS, POLICIES, GRAPHS):
        held = {part: write_value(item, beside) for part, item in parts.items()}
        return {"class": name, "fields" if name in PLAYERS else "holds": held}
    if name := name_of(value, FACTORIES):
        return {"factory": name}
    raise Unsupported(
        "what is written to a file must be made of this library's classes and plain values",
        repr(value)[:200],
        'Make a player again, Session.load(path, player=player); or keep no policies, measure = "bound".',
    )


def parts_of(value: Any) -> Json:
    """Return what an object of the registry was made of, as it says itself; nothing of others."""
    if name_of(type(value), SETS):
        arguments, keywords = value.arguments
        return {"args": list(arguments), "kwargs": dict(keywords)}
    if name_of(type(value), POLICIES):
        return {part: getattr(value, part) for part in value.made_of}
    if name_of(type(value), PLAYERS, GRAPHS):
        return {field.name: getattr(value, field.name) for field in fields(value) if field.init}
    return {}


def is_same(one: Any, other: Any) -> bool:
    """Tell whether two values are alike: one object, or of one class and made of the same. False means "not known to be".

    The exploration policy of two replications is one policy, although two processes hold two copies of it.

    Examples
    --------
    >>> from swapregret.actions.m_sets.m_set_policies import UniformSubsets
    >>> is_same(UniformSubsets(40, 8), UniformSubsets(40, 8)), is_same(UniformSubsets(40, 8), UniformSubsets(40, 7))
    (True, False)
    """
    if one is other or type(one) is not type(other):
        return one is other
    if isinstance(one, np.ndarray):
        return one.dtype == other.dtype and np.array_equal(one, other)
    if isinstance(one, list | tuple):
        return len(one) == len(other) and all(map(is_same, one, other))
    one, other = (each if isinstance(each, dict) else parts_of(each) or each for each in (one, other))
    if isinstance(one, dict):
        return one.keys() == other.keys() and all(is_same(one[name], other[name]) for name in one)
    return bool(one == other)


class AtHand(NamedTuple):
    """What policies are read with."""

    arrays: Mapping[str, AnyArray]  # those beside the text, by their numbers
    graphs: Sequence[object]  # a graph in a file must be like one of them, and becomes it
    most: int  # elements of a policy


def read_value(data: object, at_hand: AtHand | None = None) -> Any:
    """Make a value again of what ``write_value`` wrote; equal parts become one object, as values may.

    Policies are made only where there is something ``at_hand``.

    Examples
    --------
    >>> from swapregret import MSets
    >>> read_value(write_value(MSets(4, 2, labels="abcd"))).labels
    ('a', 'b', 'c', 'd')
    """
    level = [data]
    for _ in range(_DEEPEST):  # level by level, since the stack may be too short for what a file holds
        held = [item for item in level if isinstance(item, dict | list)]
        level = [inner for item in held for inner in (item.values() if isinstance(item, dict) else item)]
    if level:
        raise _refusal(f"at most {_DEEPEST} levels", "more")
    return _Reader(at_hand).read(data)


class _Reader:
    """Makes values, and keeps each."""

    def __init__(self, at_hand: AtHand | None) -> None:
        self._at_hand, self._made = at_hand, Json()

    def read(self, data: object) -> Any:
        if isinstance(data, list):
            raise _refusal("lists only as {'list': …}, {'tuple': …} or {'dict': …}", f"{data!r:.80}")
        if not isinstance(data, dict):
            return data
        key = json.dumps(data, sort_keys=True)
        if key not in self._made:
            self._made[key] = self._make(data)
        return self._made[key]

    def _make(self, data: Json) -> Any:
        match sorted(data):
            case ["array", "dtype"]:
                return _array_of(data["array"], data["dtype"])
            case ["array"] | ["array", "is_frozen"] if self._at_hand and str(data["array"]) in self._at_hand.arrays:
                return frozen(self._at_hand.arrays[str(data["array"])].view())
            case ["tuple"]:
                return tuple(self._items(data["tuple"]))
            case ["list"]:
                return self._items(data["list"])
            case ["dict"]:
                return self._pairs(data["dict"])
            case ["factory"]:
                return find(data["factory"], "a factory", FACTORIES)
            case ["args", "class", "kwargs"]:
                return self._set(find(data["class"], "a set", SETS), self.read(data["args"]), self.read(data["kwargs"]))
            case ["class", "fields"]:
                return self._player(find(data["class"], "a player", PLAYERS), data["fields"])
            case ["class", "holds"] if self._at_hand:
                return self._policy(data["class"], data["holds"], self._at_hand)
        raise _refusal("a class with what it is made of, a factory, or a plain value", f"keys {sorted(data)!r:.80}")

    def _items(self, items: object) -> list[Any]:
        if not isinstance(items, list):
            raise _refusal("items in a list", f"{items!r:.80}")
        return [self.read(item) for item in items]

    def _pairs(self, items: object) -> dict[Any, Any]:
        try:
            return dict(map(self._items, items))  # type: ignore[call-overload]
        except (TypeError, ValueError):
            raise _refusal("a dict of pairs, each with a key that can be one", f"{items!r:.80}") from None

    def _named(self, items: object, names: set[str]) -> Json:
        if not isinstance(items, dict) or set(items) != names:
            raise _refusal(f"exactly the parts {sorted(names)}", f"{items!r:.80}")
        return {name: self.read(item) for name, item in items.items()}

    def _set(self, kind: type, arguments: Any, keywords: Any) -> Any:
        is_read = isinstance(arguments, list) and isinstance(keywords, dict)
        if not is_read or not _is_plain([[each for each in arguments if not name_of(type(each), SETS)], keywords]):
            raise _refusal(f"plain values as arguments of {kind.__name__}, or sets of a product", f"{arguments!r:.80}")
        try:
            inspect.signature(kind).bind(*arguments, **keywords)
        except TypeError as error:
            raise _refusal(f"the arguments of {kind.__name__}", str(error)) from None
        return kind(*arguments, **keywords)

    def _player(self, kind: type, items: object) -> Any:
        return kind(**read_fields(kind, self._named(items, {field.name for field in fields(kind) if field.init})))

    def _policy(self, name: object, items: object, at_hand: AtHand) -> Any:
        kind = find(name, "a policy", POLICIES, GRAPHS)
        if name in POLICIES:
            return kind.of_held(self._named(items, set(kind.made_of)), at_hand.most)
        held = self._named(items, {field.name for field in fields(kind)})
        for graph in at_hand.graphs:
            if type(graph) is kind and is_same(held, parts_of(graph)):
                return graph
        raise _refusal("the graph of the set", f"another {name}")


def _array_of(numbers: object, dtype: object) -> AnyArray:
    if type(dtype) is not str or dtype not in _NUMBERS:
        raise _refusal("arrays of numbers", f"dtype {dtype!r:.80}")
    try:
        return np.array(numbers, dtype=dtype)
    except (TypeError, ValueError, OverflowError) as error:
        raise _refusal(f"an array of {dtype}", str(error)[:80]) from None


def _is_plain(value: object) -> bool:
    """Tell whether a value is numbers, text, arrays and collections of such: no class, no function."""
    if isinstance(value, dict):
        return all(_is_plain(key) and _is_plain(item) for key, item in value.items())
    if isinstance(value, list | tuple):
        return all(map(_is_plain, value))
    return value is None or isinstance(value, bool | int | float | str | np.ndarray)


def _refusal(must: str, came: str) -> InvalidInput:
    return InvalidInput(f"a file must hold {must}", came, "The file was not written by this library.")
