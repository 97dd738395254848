"""States as nested named tuples of arrays: written down by name, restored in place, copied."""

from typing import TypeVar

import numpy as np
import numpy.typing as npt

from swapregret.arrays import NamedArrays as Arrays
from swapregret.errors import InvalidInput

LISTS = frozenset({"words", "chances", "cumulative"})
"""Fields whose second axis is as long as the longest list of actions."""


_Value = TypeVar("_Value")


def dump(value: object, name: str = "", leave_out: frozenset[str] = frozenset()) -> Arrays:
    """Return the arrays of a state by their dotted names, without the fields that are made again.

    Examples
    --------
    >>> from typing import NamedTuple
    >>> class Pair(NamedTuple):
    ...     left: np.ndarray
    ...     right: np.ndarray
    >>> sorted(dump(Pair(np.zeros(1), np.ones(1)), "pair"))
    ['pair.left', 'pair.right']
    """
    if isinstance(value, tuple):
        parts: Arrays = {}
        for field, part in zip(value._fields, value, strict=True):  # type: ignore[attr-defined]
            if field not in leave_out:
                parts |= dump(part, f"{name}.{field}" if name else field, leave_out)
        return parts
    assert isinstance(value, np.ndarray)
    return {name: value}


def restore(value: object, arrays: Arrays, source: str, leave_out: frozenset[str] = frozenset()) -> None:
    """Write arrays back in place, each checked against the shape and type it must have."""
    for name, target in dump(value, leave_out=leave_out).items():
        given = arrays.get(name)
        if given is None or given.shape != target.shape or given.dtype != target.dtype:
            came = "none" if given is None else f"{given.dtype} of shape {given.shape}"
            raise InvalidInput(
                f"{source} must hold {name!r}: {target.dtype} of shape {target.shape}",
                came,
                "The file was written by another version, for another player, or is damaged.",
            )
        if target.dtype.kind == "f" and not np.isfinite(given).all():
            raise InvalidInput(f"{source} must hold finite numbers in {name!r}", "NaN or infinity", "Restore a backup.")
        target[...] = given


def copied(value: _Value) -> _Value:
    """Return a state with arrays of its own."""
    if isinstance(value, tuple):
        return type(value)._make(copied(part) for part in value)  # type: ignore[attr-defined,no-any-return]
    return value.copy() if isinstance(value, np.ndarray) else value


def rebuilt(like: _Value, arrays: Arrays, name: str) -> _Value:
    """Return a value made of arrays by name, of the classes of another."""
    if isinstance(like, tuple):
        fields = like._fields  # type: ignore[attr-defined]
        parts = [rebuilt(part, arrays, f"{name}.{field}") for field, part in zip(fields, like, strict=True)]
        return type(like)._make(parts)  # type: ignore[attr-defined,no-any-return]
    return arrays[name].copy() if isinstance(like, np.ndarray) else like  # type: ignore[return-value]


def tidy(policies: Arrays, is_idle: npt.NDArray[np.bool_]) -> Arrays:
    """Return lists of actions without what earlier ones have left behind: in idle slots, and after their ends."""
    tidy = {name: array.copy() for name, array in policies.items()}
    for array in tidy.values():
        array[is_idle] = 0
    ends = tidy["policies.n_atoms"]
    for name, array in tidy.items():
        if name.rpartition(".")[2] in LISTS:
            for row, n_atoms in zip(array, ends.tolist(), strict=True):
                row[n_atoms:] = 0
            tidy[name] = array[:, : max(1, int(ends.max()))].copy()
    return tidy


def wider(value: _Value, n_atoms: int, wanted: int) -> _Value:
    """Return a state with longer lists: second axes of ``n_atoms`` entries, in fields that hold lists, become longer."""
    if not isinstance(value, tuple):
        return value
    parts = list[object]()
    for name, part in zip(value._fields, value, strict=True):  # type: ignore[attr-defined]
        if name in LISTS and part.ndim > 1 and part.shape[1] == n_atoms:
            made = np.zeros((part.shape[0], wanted, *part.shape[2:]), dtype=part.dtype)
            made[:, :n_atoms] = part
            parts.append(made)
        else:
            parts.append(wider(part, n_atoms, wanted))
    return type(value)._make(parts)  # type: ignore[attr-defined,no-any-return]
