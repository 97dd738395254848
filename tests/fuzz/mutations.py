"""Files with one thing wrong: a value of the header or an array, under a right checksum, or a word of a text."""

import copy
import re
from collections.abc import Callable, Iterator
from typing import Any

import numpy as np

__all__ = ["mutate_arrays", "mutate_plain", "mutate_text"]

Rng = np.random.Generator
Arrays = dict[str, Any]

VALUES: tuple[Any, ...] = (
    None,
    True,
    False,
    0,
    1,
    -1,
    2,
    7,
    100,
    2**31,
    2**40,
    2**62,
    2**63,
    2**70,
    10**400,
    0.0,
    0.5,
    1.5,
    -0.5,
    1e-300,
    1e300,
    -1e300,
    float("nan"),
    float("inf"),
    -float("inf"),
    "",
    "list",
    "full",
    "semi-bandit",
    "spanner",
    "chain",
    "gibbs",
    "x" * 300,
    [],
    [[]],
    [0, 1],
    [float("nan")],
    {},
    {"tuple": []},
    {"list": [1]},
    {"array": [[1.0, 2.0]], "dtype": "float64"},
    {"array": [float("nan")], "dtype": "float64"},
    {"factory": "uniform"},
    {"class": "MSets", "args": {"list": [4, 2]}, "kwargs": {"dict": []}},
    {"class": "Schedule", "fields": {"windows": {"tuple": [1, 2**62]}}},
)


def _places(data: Any, at: tuple[Any, ...] = ()) -> Iterator[tuple[Any, ...]]:
    """Yield the way to every value within plain data."""
    inner = data.items() if isinstance(data, dict) else enumerate(data) if isinstance(data, list) else ()
    for key, value in inner:
        yield (*at, key)
        yield from _places(value, (*at, key))


def mutate_plain(data: dict[str, Any], rng: Rng) -> tuple[dict[str, Any], str]:
    """Return plain data with one value changed, taken out or doubled, and what was done."""
    changed = copy.deepcopy(data)
    places = list(_places(changed))
    place = places[rng.integers(len(places))]
    holder = changed
    for key in place[:-1]:
        holder = holder[key]
    value, last = holder[place[-1]], place[-1]
    how = rng.random()
    if how < 0.1:
        del holder[last]
        return changed, f"{place} taken out"
    if how < 0.2 and isinstance(holder, list):
        holder.insert(int(rng.integers(len(holder) + 1)), copy.deepcopy(value))
        return changed, f"{place} doubled"
    if how < 0.4 and type(value) in (int, float):
        holder[last] = _near(value, rng)
    elif how < 0.5:
        other = changed
        for key in places[rng.integers(len(places))]:
            other = other[key]
        holder[last] = copy.deepcopy(other)
    else:
        holder[last] = copy.deepcopy(VALUES[rng.integers(len(VALUES))])
    return changed, f"{place} = {holder[last]!r:.100}, was {value!r:.40}"


def _near(value: Any, rng: Rng) -> Any:
    return [value + 1, value - 1, -value, value * 2, value * 10**6, 0.3 * min(value, 2.0**60), value == 1][
        rng.integers(7)
    ]


def mutate_arrays(arrays: Arrays, rng: Rng) -> tuple[Arrays, str]:
    """Return arrays of which one is another, and what was done."""
    names = list(arrays)
    name = names[rng.integers(len(names))]
    how = list(_WAYS)[rng.integers(len(_WAYS))]
    if how == "missing":
        return {other: array for other, array in arrays.items() if other != name}, f"{name} missing"
    if how == "doubled":
        return arrays | {f"{name}{'.2' if rng.random() < 0.5 else 's'}": arrays[name]}, f"{name} doubled"
    if how == "swapped":
        other = names[rng.integers(len(names))]
        return arrays | {name: arrays[other], other: arrays[name]}, f"{name} and {other} swapped"
    return arrays | {name: _WAYS[how](np.array(arrays[name]), rng)}, f"{name} {how}"


def _value(array: Any, rng: Rng) -> Any:
    """Put an odd number somewhere, or everywhere."""
    if not array.size:
        return array
    with np.errstate(all="ignore"):
        odd = np.array(_ODD[array.dtype.kind][rng.integers(len(_ODD[array.dtype.kind]))]).astype(array.dtype)
    flat = array.reshape(-1)
    if rng.random() < 0.3:
        flat[:] = odd
    else:
        flat[rng.integers(flat.size)] = odd
    return array


_ODD: dict[str, tuple[Any, ...]] = {
    "f": (0.0, -0.0, 1.0, -1.0, 0.5, 1e-300, 1e-12, -1e-9, 1e9, 1e30, 1e99, -1e99, 1e300, np.nan, np.inf, -np.inf),
    "i": (0, 1, 2, 3, 50, -1, 10**6, 2**31, 2**40, 2**62, 2**63 - 1, -(2**63)),
    "u": (0, 1, 2, 3, 2**6, 2**7 - 1),
    "b": (True, False),
}


def _scaled(array: Any, rng: Rng) -> Any:
    with np.errstate(all="ignore"):
        return (array.astype(np.float64) * (-1, 0, 2, 1000)[rng.integers(4)]).astype(array.dtype)


def _mixed(array: Any, rng: Rng) -> Any:
    return rng.permutation(array.reshape(-1)).reshape(array.shape)


def _bytes(array: Any, rng: Rng) -> Any:
    if array.size:
        raw = np.ascontiguousarray(array).reshape(-1).view(np.uint8)
        raw[rng.integers(len(raw), size=3)] = rng.integers(256, size=3)
        array = raw.view(array.dtype).reshape(array.shape)
    return array


def _dtype(array: Any, rng: Rng) -> Any:
    kind = ("float64", "float32", "int64", "int32", "uint64", "uint8", "bool", "float16")[rng.integers(8)]
    with np.errstate(all="ignore"):
        return array.astype(kind)


def _shape(array: Any, rng: Rng) -> Any:
    shapes: tuple[Callable[[], Any], ...] = (
        lambda: array[..., None],
        lambda: array[None],
        lambda: array.reshape(-1),
        lambda: array[:0] if array.ndim else array.reshape(1)[:0],
        lambda: array[:-1] if array.ndim else array.reshape(1),
        lambda: np.concatenate([array, array]) if array.ndim else np.stack([array, array]),
        lambda: np.swapaxes(array, 0, -1) if array.ndim else array,
        lambda: np.concatenate([array, array], axis=1) if array.ndim > 1 else array.reshape(-1, 1),
        lambda: np.zeros((0, 2**39), dtype=array.dtype),
    )
    return shapes[rng.integers(len(shapes))]()


_WAYS: dict[str, Callable[[Any, Rng], Any]] = {
    "value": _value,
    "values": _value,
    "scaled": _scaled,
    "mixed": _mixed,
    "bytes": _bytes,
    "dtype": _dtype,
    "shape": _shape,
    "missing": lambda array, rng: array,
    "doubled": lambda array, rng: array,
    "swapped": lambda array, rng: array,
}


_WORDS = (
    b"",
    b"0",
    b"-1",
    b"1.5",
    b"nan",
    b"inf",
    b"1e400",
    b"9223372036854775808",
    b"1000000000000",
    b"9" * 5000,
    b"true",
    b"[]",
    b"{}",
    b"[[1]]",
    b'""',
    b'"',
    b"[" * 300,
    b"\x00",
    b"\x1b[31m",
    b"\xff\xfe",
    "é😀".encode(),
    b"[/bold]",
    b"../../x",
    b"2026-01-01",
    b",",
    b";",
    b"=",
    b"]",
    b"\n",
)


def mutate_text(text: bytes, rng: Rng) -> tuple[bytes, str]:
    """Return a text with one word replaced, or a line taken out, doubled or moved, or cut off; and what was done."""
    how, lines = rng.random(), text.splitlines(keepends=True)
    at = int(rng.integers(len(lines)))
    if how < 0.1:
        return b"".join([*lines[:at], *lines[at + 1 :]]), f"line {at + 1} taken out"
    if how < 0.2:
        place = int(rng.integers(len(lines) + 1))
        return b"".join([*lines[:place], lines[at], *lines[place:]]), f"line {at + 1} again before line {place + 1}"
    if how < 0.25:
        end = int(rng.integers(len(text)))
        return text[:end], f"cut off after {end} bytes"
    words = list(re.finditer(rb"[\w.]+|[^\w\s]", text))
    word, other = words[rng.integers(len(words))], words[rng.integers(len(words))].group()
    new = other if rng.random() < 0.3 else _WORDS[rng.integers(len(_WORDS))]
    return text[: word.start()] + new + text[
        word.end() :
    ], f"byte {word.start()}: {new!r:.60}, was {word.group()!r:.40}"
