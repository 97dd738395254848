"""Configuration as plain data: a player written so that another process can make the same one.

A player is frozen dataclasses and action sets all the way down. ``encode`` turns it into what JSON can hold, naming each
class by its path inside the package; ``decode`` makes it again and accepts nothing but such classes. A player that
holds a user's function (an ``OracleSet``, a factory of one's own) cannot be encoded, and says so.

May touch: ``errors``, ``actions.base``.
"""

import importlib
import json
from collections.abc import Callable
from dataclasses import fields, is_dataclass
from typing import Any

import numpy as np

from swapregret.actions.base import ActionSet
from swapregret.errors import InvalidInput, Unsupported

__all__ = ["decode", "encode", "player_of"]

_PACKAGE = "swapregret."


def encode(value: Any) -> Any:
    """Write configuration as nested dicts, lists, strings and numbers.

    Examples
    --------
    >>> from swapregret.learners.schedule import Schedule
    >>> encode(Schedule([1, 4]))
    {'class': 'swapregret.learners.schedule:Schedule', 'fields': {'windows': {'tuple': [1, 4]}}}
    """
    if isinstance(value, np.generic):
        value = value.item()
    if value is None or type(value) in (bool, int, float, str):  # a subclass, an Enum say, would come back as another
        return value
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
        return {"class": _path(type(value)), "args": encode(list(arguments)), "kwargs": encode(dict(keywords))}
    if is_dataclass(value) and not isinstance(value, type):
        return {
            "class": _path(type(value)),
            "fields": {field.name: encode(getattr(value, field.name)) for field in fields(value) if field.init},
        }
    if callable(value):
        return {"function": _path(value)}
    raise _not_plain(value)


def decode(data: Any) -> Any:
    """Make configuration again from what ``encode`` wrote; equal parts become one object, as values may.

    Examples
    --------
    >>> from swapregret.actions.m_sets import MSets
    >>> decode(encode(MSets(4, 2, labels="abcd"))).labels
    ('a', 'b', 'c', 'd')
    """
    return _decode(data, {})


def _decode(data: Any, made: dict[str, Any]) -> Any:
    if not isinstance(data, dict):
        return data
    key = json.dumps(data, sort_keys=True)
    if key not in made:
        made[key] = _make(data, made)
    return made[key]


def _make(data: dict[str, Any], made: dict[str, Any]) -> Any:
    if "array" in data:
        return np.array(data["array"], dtype=data["dtype"])
    if "tuple" in data:
        return tuple(_decode(item, made) for item in data["tuple"])
    if "list" in data:
        return [_decode(item, made) for item in data["list"]]
    if "dict" in data:
        return {_decode(key, made): _decode(item, made) for key, item in data["dict"]}
    if "function" in data:
        return _find(data["function"])
    kind = _find(data["class"])
    if isinstance(kind, type) and issubclass(kind, ActionSet):
        return kind(*_decode(data["args"], made), **_decode(data["kwargs"], made))
    if isinstance(kind, type) and is_dataclass(kind):
        return kind(**{name: _decode(item, made) for name, item in data["fields"].items()})
    raise InvalidInput(
        "configuration must name action sets and frozen dataclasses of this package",
        repr(data["class"]),
        "The file was not written by this library.",
    )


def _path(thing: Callable[..., Any]) -> str:
    module, name = getattr(thing, "__module__", ""), getattr(thing, "__qualname__", "")
    if not (module + ".").startswith(_PACKAGE) or "<" in name or "." in name:
        raise _not_plain(thing)
    return f"{module}:{name}"


def _find(path: str) -> Any:
    module, _, name = path.partition(":")
    if not (module + ".").startswith(_PACKAGE):
        raise InvalidInput(
            "configuration must name classes of this package", repr(path), "The file was not written by this library."
        )
    try:
        found = getattr(importlib.import_module(module), name)
        if _path(found) != path:  # a module or a function that only passes through that file
            raise AttributeError
        return found
    except (ImportError, AttributeError, Unsupported):
        raise InvalidInput(
            "configuration must name classes that exist in this version",
            repr(path),
            "Open the file with the version of the library that wrote it.",
        ) from None


def player_of(config: Any, player: Any, source: str) -> Any:
    """Return the player of a file: made again, or the one given, checked against what the file says of it."""
    if player is None and config is None:
        raise Unsupported(
            f"session file {source!r} must describe its player",
            "a player that holds functions of its own",
            "Make the player again and hand it over: Session.load(path, player=player).",
        )
    if player is None:
        return decode(config)
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
