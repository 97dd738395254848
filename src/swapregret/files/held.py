"""Checks of what a file holds of a policy, before the policy is made: types, shapes, ranges, and numbers that fit each other.

Kernels trust their arrays, so an array from a file is checked before a kernel gets it. The method ``of_held`` of each class of
policies uses these functions; ``held`` is what the file holds, by name.
"""

import json
from collections.abc import Mapping
from typing import Any, TypeVar

import numpy as np
import numpy.typing as npt

from swapregret.arrays import AnyArray, Words, text_of_array
from swapregret.errors import InvalidInput

Held = Mapping[str, Any]
_Kind = TypeVar("_Kind")

SLACK = 1e-9
"""How far sums of chances may be from 1."""
_LARGEST, _LARGEST_SCORE = 1e300, 1e100


def held_array(
    held: Held,
    name: str,
    dtype: str,
    shape: tuple[int | None, ...],
    low: float = -_LARGEST,
    high: float = _LARGEST,
) -> AnyArray:
    """Return an array of a type and shape, None for any length, with all its numbers in low..high.

    Examples
    --------
    >>> held_array({"days": np.array([3, 4])}, "days", "int64", (None,), 0)
    array([3, 4])
    >>> held_array({"days": np.array([3, -4])}, "days", "int64", (2,), 0)
    Traceback (most recent call last):
    ...
    swapregret.errors.InvalidInput: what a file holds must have `days` as int64 of shape (2,) in 0..1e+300: got -4 to 3. Restore \
the file from a copy.
    """
    value = held.get(name)
    came = f"{value!r:.80}"
    if isinstance(value, np.ndarray):
        came = f"{value.dtype} of shape {value.shape}"
        is_alike = value.dtype == dtype and value.ndim == len(shape)
        if is_alike and all(wanted in (None, given) for wanted, given in zip(shape, value.shape, strict=True)):
            if not value.size or bool(((value >= low) & (value <= high)).all()):
                return value
            came = f"{value.min()} to {value.max()}"
    lengths = ", ".join("any" if length is None else str(length) for length in shape)
    raise InvalidInput(
        f"what a file holds must have `{name}` as {dtype} of shape ({lengths}{',' * (len(shape) == 1)}) in {low:g}..{high:g}",
        came,
        "Restore the file from a copy.",
    )


def held_words(held: Held, name: str, dimension: int) -> Words:
    """Return packed actions, with no bit of an element that is not there."""
    n_words = -(-dimension // 64)
    words: Words = held_array(held, name, "uint64", (None, n_words), 0, 2.0**64)
    if len(words) and dimension % 64 and bool((words[:, -1] >> np.uint64(dimension % 64)).any()):
        raise InvalidInput(f"`{name}` must pack {dimension} elements", "bits beyond", "Restore the file from a copy.")
    return words


def held_text(held: Held, name: str) -> str:
    """Return a text that stands in an array."""
    array = held_array(held, name, "uint8", (None,), 0, 255)
    try:
        return text_of_array(array)
    except UnicodeDecodeError:
        raise InvalidInput(f"`{name}` must be a text", "other bytes", "Restore the file from a copy.") from None


def held_list(held: Held, name: str) -> list[Any]:
    """Return a list that stands in an array as JSON."""
    try:
        listed = json.loads(held_text(held, name))
    except (ValueError, RecursionError):
        listed = None
    if not isinstance(listed, list):
        raise InvalidInput(f"`{name}` in a file must be a list", "another text", "Restore the file from a copy.")
    return listed


def held_whole(held: Held, name: str, high: int) -> int:
    """Return a whole number of 1..high."""
    value = held[name]
    if type(value) is not int or not 1 <= value <= high:
        raise wrong_policy(f"a whole number of 1..{high} as `{name}`", f"{value!r:.80}")
    return value


def held_chances(held: Held, name: str) -> npt.NDArray[np.float64]:
    """Return numbers of 0..1 that add up to 1."""
    value: npt.NDArray[np.float64] = held_array(held, name, "float64", (None,), 0.0, 1.0)
    if abs(value.sum() - 1.0) > SLACK:
        raise wrong_policy(f"`{name}` that add up to 1", f"{value.sum()}")
    return value


def held_scores(held: Held, shape: tuple[int | None, ...]) -> npt.NDArray[np.float64]:
    """Return the exponents of a Gibbs policy."""
    value: npt.NDArray[np.float64] = held_array(held, "_scores", "float64", shape, -_LARGEST_SCORE, _LARGEST_SCORE)
    return value


def held_of(held: Held, name: str, kind: type[_Kind]) -> _Kind:
    """Return an object of a class: a policy or a graph."""
    value = held[name]
    if not isinstance(value, kind):
        raise wrong_policy(f"a {kind.__name__} as `{name}`", f"{value!r:.80}")
    return value


def held_tuple(held: Held, name: str, kind: type) -> tuple[Any, ...]:
    """Return some objects of a class."""
    value = held[name]
    if not isinstance(value, tuple) or not value or not all(isinstance(each, kind) for each in value):
        raise wrong_policy(f"some of {kind.__name__} as `{name}`", f"{value!r:.80}")
    return value


def wrong_state(must: str, came: str) -> InvalidInput:
    """Return the refusal of a state."""
    return InvalidInput(f"a session in a file must have {must}", came, "Restore it from a copy.")


def wrong_policy(must: str, came: str) -> InvalidInput:
    """Return the refusal of a policy."""
    return InvalidInput(f"a policy in a file must have {must}", came, "Restore the file from a copy.")
