"""An array of a file, checked before use: type, shape and range. Kernels trust their arrays, so nothing reaches one unchecked."""

from collections.abc import Mapping
from typing import Any

import numpy as np

from swapregret.errors import InvalidInput

__all__ = ["held_array", "held_words"]

_LARGEST = 1e300


def held_array(
    held: Mapping[str, Any],
    name: str,
    dtype: str,
    shape: tuple[int | None, ...],
    low: float = -_LARGEST,
    high: float = _LARGEST,
) -> Any:
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
    value = held[name]
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


def held_words(held: Mapping[str, Any], name: str, dimension: int) -> Any:
    """Return packed actions, with no bit of an element that is not there."""
    n_words = -(-dimension // 64)
    words = held_array(held, name, "uint64", (None, n_words), 0, 2.0**64)
    if len(words) and dimension % 64 and bool((words[:, -1] >> np.uint64(dimension % 64)).any()):
        raise InvalidInput(f"`{name}` must pack {dimension} elements", "bits beyond", "Restore the file from a copy.")
    return words
