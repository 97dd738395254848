"""Array types, and the questions every public function asks of an array it is handed.

May touch: ``errors`` only. Actions are ``int64`` vectors of zeros and ones (so that subtracting or multiplying two
of them cannot wrap around); everything else is ``float64``.
"""

import operator
from collections.abc import Hashable
from typing import Any, TypeVar

import numpy as np
import numpy.typing as npt

from swapregret.errors import InvalidAction, InvalidInput

__all__ = [
    "Action",
    "Actions",
    "Label",
    "Matrix",
    "NamedArrays",
    "Vector",
    "array_of_text",
    "as_action",
    "as_integer",
    "as_vector",
    "below",
    "frozen",
    "summed",
    "text_of_array",
    "under",
]

Action = npt.NDArray[np.int64]
"""One action: ``(dimension,)``, entries 0 or 1."""
Actions = npt.NDArray[np.int64]
"""Several actions, one a row: ``(n, dimension)``."""
Vector = npt.NDArray[np.float64]
"""One real vector: ``(dimension,)``."""
Matrix = npt.NDArray[np.float64]
"""A dense real matrix."""
Label = Hashable
"""What the user calls a coordinate."""
NamedArrays = dict[str, npt.NDArray[Any]]
"""What files hold: arrays by name."""

_Array = TypeVar("_Array", bound=npt.NDArray[Any])


def frozen(array: _Array) -> _Array:
    """Mark an array read-only, and hand it back."""
    array.flags.writeable = False
    return array


def summed(first: Vector, rows: Matrix) -> Vector:
    """Add the rows of a matrix to a vector, from the first to the last: the same bits however the rows are cut up.

    Examples
    --------
    >>> summed(np.array([1.0]), np.array([[2.0], [3.0]])).tolist()
    [6.0]
    """
    if len(rows) == 1:
        return np.asarray(first + rows[0])
    return np.asarray(np.cumsum(np.concatenate([first[None, :], rows]), axis=0)[-1])


def as_vector(values: npt.ArrayLike, dimension: int, name: str) -> Vector:
    """Read a finite real vector of the given dimension, or say what is wrong with it.

    The answer is contiguous and writable (a copy where the argument is not), so that compiled code meets one kind of array.

    Examples
    --------
    >>> as_vector([1, 2], 2, "weights")
    array([1., 2.])
    """
    try:
        if np.iscomplexobj(values):
            raise TypeError
        vector = np.asarray(values, dtype=np.float64)
    except (TypeError, ValueError):
        raise InvalidInput(
            f"`{name}` must be a vector of {dimension} real numbers",
            f"{type(values).__name__} that cannot be read as numbers",
            "Pass a list or array of floats.",
        ) from None
    if vector.shape != (dimension,):
        raise InvalidInput(
            f"`{name}` must have shape ({dimension},)",
            f"shape {vector.shape}",
            "Pass one number for each coordinate of the action set.",
        )
    if not np.isfinite(vector).all():
        where = int(np.flatnonzero(~np.isfinite(vector))[0])
        raise InvalidInput(
            f"`{name}` must be finite",
            f"{vector[where]} at coordinate {where}",
            "Replace NaN and infinities before the call.",
        )
    return vector if vector.flags.c_contiguous and vector.flags.writeable else vector.copy()


def as_table(values: npt.ArrayLike, dimension: int, name: str) -> Matrix:
    """Read a table of finite real numbers, one vector a row, or say what is wrong with it; contiguous and writable.

    Examples
    --------
    >>> as_table([[1, 2], [3, 4]], 2, "weights").shape
    (2, 2)
    """
    try:
        if np.iscomplexobj(values):
            raise TypeError
        table = np.asarray(values, dtype=np.float64)
    except (TypeError, ValueError):
        table = np.empty(0)
    if table.ndim != 2 or table.shape[1] != dimension:
        raise InvalidInput(
            f"`{name}` must be a table of real numbers with {dimension} columns",
            f"shape {np.shape(table)}",
            "Pass one row a vector, one number for each coordinate of the action set.",
        )
    if not np.isfinite(table).all():
        row, column = np.argwhere(~np.isfinite(table))[0].tolist()
        raise InvalidInput(
            f"`{name}` must be finite",
            f"{table[row, column]} at coordinate {column} of row {row}",
            "Replace NaN and infinities before the call.",
        )
    return table if table.flags.c_contiguous and table.flags.writeable else table.copy()


def as_action(values: npt.ArrayLike, dimension: int, name: str = "action") -> Action:
    """Read a vector of zeros and ones, or say what is wrong with it."""
    try:
        array = np.asarray(values)
    except ValueError:
        array = np.empty((0, 0))
    if array.shape != (dimension,):
        raise InvalidAction(
            f"`{name}` must have shape ({dimension},)",
            f"shape {array.shape}",
            "Pass one 0 or 1 for each coordinate.",
        )
    if array.dtype == np.int64 and array.min(initial=0) >= 0 and array.max(initial=0) <= 1:
        return array
    try:
        is_binary = bool(np.all((array == 0) | (array == 1)))
    except (TypeError, ValueError):
        is_binary = False
    if not is_binary or array.dtype.kind not in "biuf":
        raise InvalidAction(
            f"`{name}` must contain only 0 and 1",
            f"dtype {array.dtype} with other values",
            "An action marks each coordinate as chosen (1) or not (0).",
        )
    return array.astype(np.int64)


def as_integer(value: object, name: str, low: int, high: int | None = None) -> int:
    """Read a whole number in ``low..high``, or say what is wrong with it.

    Examples
    --------
    >>> as_integer(3, "size", 1, 4)
    3
    """
    bounds = f"{low}..{high}" if high is not None else f"at least {low}"
    try:
        if isinstance(value, bool):
            raise TypeError
        if isinstance(value, float) and value.is_integer():
            number = int(value)
        else:
            number = operator.index(value)  # type: ignore[arg-type]
    except TypeError:
        raise InvalidInput(f"`{name}` must be a whole number, {bounds}", repr(value), "Pass an int.") from None
    if number < low or (high is not None and number > high):
        raise InvalidInput(f"`{name}` must be a whole number, {bounds}", str(number), "Choose a value in that range.")
    return number


def under(name: str, arrays: NamedArrays) -> NamedArrays:
    """Put arrays under a common name, as files do with parts of a whole.

    Examples
    --------
    >>> list(under("table", {"keys": np.zeros(1)}))
    ['table.keys']
    """
    return {f"{name}.{inner}": array for inner, array in arrays.items()}


def below(arrays: NamedArrays, name: str) -> NamedArrays:
    """Return what ``under`` put under a name."""
    prefix = f"{name}."
    return {inner.removeprefix(prefix): array for inner, array in arrays.items() if inner.startswith(prefix)}


def array_of_text(text: str) -> npt.NDArray[np.uint8]:
    """Write a text as bytes, for files that hold only numbers."""
    return np.frombuffer(text.encode(), dtype=np.uint8)


def text_of_array(array: npt.NDArray[Any]) -> str:
    """Read what ``array_of_text`` wrote.

    Examples
    --------
    >>> text_of_array(array_of_text("φ"))
    'φ'
    """
    return bytes(array.astype(np.uint8)).decode()
