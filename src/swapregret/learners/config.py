"""Configuration as plain data: a player written so that another process can make the same one.

A player is frozen dataclasses and action sets all the way down. ``encode`` turns it into what JSON can hold, naming each
class by its name in ``swapregret.registry``; ``decode`` makes it again. It reaches nothing outside that registry, gives sets
plain values only, and gives each field of a dataclass only what its annotation allows. A player that holds a user's
function (an ``OracleSet``, a factory of one's own) cannot be encoded, and says so.
"""

import json
import math
import types
import typing
from collections.abc import Callable
from dataclasses import fields, is_dataclass
from typing import Any

import numpy as np

from swapregret.actions.action_set import ActionSet
from swapregret.errors import InvalidInput, SwapRegretError, Unsupported
from swapregret.registry import FACTORIES, PLAYERS, SETS, find, name_of

_DEEPEST = 40
_NUMBERS = {"bool", "int64", "float64", "uint8", "int32", "float32", "uint64"}


def encode(value: Any) -> Any:
    """Write configuration as nested dicts, lists, strings and numbers.

    Examples
    --------
    >>> from swapregret import Schedule
    >>> encode(Schedule([1, 4]))
    {'class': 'Schedule', 'fields': {'windows': {'tuple': [1, 4]}}}
    """
    if isinstance(value, np.generic):
        value = value.item()
    if value is None or type(value) in (bool, int, float, str):  # a subclass, an Enum say, would come back as another
        return value
    if isinstance(value, np.ndarray) and str(value.dtype) not in _NUMBERS:
        value = value.tolist()  # labels, say: each item is then written, or refused, by itself
    if isinstance(value, np.ndarray):
        return {"array": value.tolist(), "dtype": str(value.dtype)}
    if isinstance(value, tuple):
        return {"tuple": [encode(item) for item in value]}
    if isinstance(value, list):
        return {"list": [encode(item) for item in value]}
    if isinstance(value, dict):
        return {"dict": [[encode(key), encode(item)] for key, item in value.items()]}
    if isinstance(value, ActionSet):
        arguments, keywords = value.arguments
        return {"class": _name(type(value), SETS), "args": encode(list(arguments)), "kwargs": encode(dict(keywords))}
    if is_dataclass(value) and not isinstance(value, type):
        return {
            "class": _name(type(value), PLAYERS),
            "fields": {field.name: encode(getattr(value, field.name)) for field in fields(value) if field.init},
        }
    if callable(value):
        return {"factory": _name(value, FACTORIES)}
    raise _not_plain(value)


def _name(thing: Any, table: dict[str, str]) -> str:
    name = name_of(thing, table)
    if name is None:
        raise _not_plain(thing)
    return name


def decode(data: Any) -> Any:
    """Make configuration again from what ``encode`` wrote; equal parts become one object, as values may.

    Examples
    --------
    >>> from swapregret import MSets
    >>> decode(encode(MSets(4, 2, labels="abcd"))).labels
    ('a', 'b', 'c', 'd')
    """
    if _depth(data) > _DEEPEST:
        raise _refusal(f"at most {_DEEPEST} levels", "more")
    try:
        return _decode(data, {})
    except SwapRegretError:
        raise
    except (TypeError, ValueError, KeyError, AttributeError, IndexError, ArithmeticError, MemoryError) as error:
        raise _refusal("values its classes take", f"{type(error).__name__}: {str(error)[:200]}") from error


def _depth(data: Any) -> int:
    """Return how deeply plain data are nested, level by level: without a call a level."""
    level, depth = [data], 0
    while level and depth <= _DEEPEST:
        held = [item for item in level if isinstance(item, dict | list)]
        level = [inner for item in held for inner in (item.values() if isinstance(item, dict) else item)]
        depth += 1
    return depth


def _decode(data: Any, made: dict[str, Any]) -> Any:
    if isinstance(data, list):
        raise _refusal("lists only as {'list': …}, {'tuple': …} or {'dict': …}", f"{data!r:.80}")
    if not isinstance(data, dict):
        return data
    key = json.dumps(data, sort_keys=True)
    if key not in made:
        made[key] = _make(data, made)
    return made[key]


def _make(data: dict[str, Any], made: dict[str, Any]) -> Any:
    match sorted(data):
        case ["array", "dtype"]:
            if data["dtype"] not in _NUMBERS:
                raise _refusal("arrays of numbers", f"dtype {data['dtype']!r:.80}")
            return np.array(data["array"], dtype=data["dtype"])
        case ["tuple"]:
            return tuple(_decode(item, made) for item in data["tuple"])
        case ["list"]:
            return [_decode(item, made) for item in data["list"]]
        case ["dict"]:
            return {_decode(key, made): _decode(item, made) for key, item in data["dict"]}
        case ["factory"]:
            return find(data["factory"], "a factory", FACTORIES)
        case ["args", "class", "kwargs"]:
            kind = find(data["class"], "a set", SETS)
            arguments, keywords = _decode(data["args"], made), _decode(data["kwargs"], made)
            is_read = isinstance(arguments, list) and isinstance(keywords, dict)
            rest = [each for each in arguments if not isinstance(each, ActionSet)] if is_read else []  # of a product
            if not is_read or not _is_plain([rest, keywords]):
                raise _refusal(f"plain values as arguments of {data['class']}", f"{data!r:.80}")
            return kind(*arguments, **keywords)
        case ["class", "fields"]:
            return _make_part(find(data["class"], "a player", PLAYERS), data["fields"], made)
    raise _refusal("a class with its arguments or fields, a factory, or a plain value", f"keys {sorted(data)!r:.80}")


def _make_part(kind: type[Any], given: dict[str, Any], made: dict[str, Any]) -> Any:
    """Make a dataclass whose fields are there, known, and of the types it declares."""
    hints = typing.get_type_hints(kind)
    known = {field.name for field in fields(kind) if field.init}
    if not isinstance(given, dict) or set(given) != known:
        raise _refusal(f"the fields of {kind.__name__}: {', '.join(sorted(known))}", f"{sorted(given)!r:.200}")
    values = {name: _decode(item, made) for name, item in given.items()}
    for name, value in values.items():
        if not _fits(value, hints[name]):
            raise _refusal(f"`{name}` of {kind.__name__} as it is declared, {hints[name]}", f"{value!r:.80}")
    return kind(**{name: _as_declared(value, hints[name]) for name, value in values.items()})


def _as_declared(value: Any, hint: Any) -> Any:
    """Return a whole number as a float where one is declared: for other types the kernels would be compiled once more."""
    if type(value) is tuple and typing.get_origin(hint) is tuple:
        return tuple(_as_declared(item, typing.get_args(hint)[0]) for item in value)
    return float(value) if type(value) is int and hint is float else value


def _is_plain(value: Any) -> bool:
    """Tell whether a value is numbers, text, arrays and collections of such: no class, no function."""
    if isinstance(value, dict):
        return all(_is_plain(key) and _is_plain(item) for key, item in value.items())
    if isinstance(value, list | tuple):
        return all(_is_plain(item) for item in value)
    return value is None or isinstance(value, bool | int | float | str | np.ndarray)


def _fits(value: Any, hint: Any) -> bool:
    """Tell whether a value is what an annotation says; a float is never NaN, a callable is a registered factory."""
    origin, inner = typing.get_origin(hint), typing.get_args(hint)
    if hint is Any:
        return True
    if origin in (typing.Union, types.UnionType):
        return any(_fits(value, one) for one in inner)
    if origin is typing.Literal:
        return any(type(value) is type(one) and value == one for one in inner)
    if origin is tuple and len(inner) == 2 and inner[1] is Ellipsis:
        return isinstance(value, tuple) and all(_fits(item, inner[0]) for item in value)
    if origin is dict:
        return isinstance(value, dict) and all(
            _fits(key, inner[0]) and _fits(item, inner[1]) for key, item in value.items()
        )
    if origin is Callable or hint is Callable:
        return name_of(value, FACTORIES) is not None
    if hint is float:
        return isinstance(value, float | int) and not isinstance(value, bool) and not math.isnan(value)
    if hint in (int, str, bool, type(None)):
        return type(value) is hint
    return isinstance(hint, type) and isinstance(value, hint) and name_of(type(value), SETS, PLAYERS) is not None


def _refusal(must: str, came: str) -> InvalidInput:
    return InvalidInput(f"configuration in a file must have {must}", came, "The file was not written by this library.")


def player_of(config: Any, player: Any, source: str) -> Any:
    """Return the player of a file: made again, or the one given, checked against what the file says of it."""
    if player is None and config is None:
        raise Unsupported(
            f"session file {source!r} must describe its player",
            "a player that holds functions of its own",
            "Make the player again and hand it over: Session.load(path, player=player).",
        )
    if player is None:
        try:
            made = decode(config)
        except SwapRegretError as error:
            raise InvalidInput(
                f"session file {source!r} must describe a player of this library: {error.must}", error.came, error.do
            ) from error
        if not isinstance(getattr(made, "actions", None), ActionSet) or not hasattr(made, "observe"):
            raise InvalidInput(f"session file {source!r} must describe a player", f"{made!r:.80}", "Check the path.")
        return made
    try:
        given = json.loads(json.dumps(encode(player)))
    except Unsupported:
        given = None
    if config is not None and given != config:
        raise InvalidInput(
            f"`player` must be configured as the one in {source!r}",
            repr(player)[:200],
            "Leave it out to have it made from the file.",
        )
    return player


def _not_plain(value: object) -> Unsupported:
    return Unsupported(
        "a player must be made of this library's classes and plain values to be written to a file",
        repr(value)[:200],
        "Make the player again yourself and hand it over: Session.load(path, player=player).",
    )
