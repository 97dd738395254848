"""Array types, and the questions every public function asks of an array it is handed.

Actions are ``int64`` vectors of zeros and ones (so that subtracting or multiplying two of them cannot wrap around);
everything else is ``float64``.
"""

import math
import numbers
import operator
import os
from collections.abc import Hashable, Iterable
from decimal import Decimal
from functools import cache
from typing import Any, TypeGuard, TypeVar

import numpy as np
import numpy.typing as npt

from swapregret.counts import bytes_in_words, count_in_words, shown
from swapregret.errors import InvalidAction, InvalidInput, TooLarge

Action = npt.NDArray[np.int64]
"""One action: ``(dimension,)``, entries 0 or 1."""
Actions = npt.NDArray[np.int64]
"""Several actions, one per row: ``(n, dimension)``."""
Vector = npt.NDArray[np.float64]
"""One real vector: ``(dimension,)``."""
Matrix = npt.NDArray[np.float64]
"""A dense real matrix."""
Label = Hashable
"""What the user calls a coordinate."""
Vertex = Hashable
Edge = tuple[Vertex, Vertex]
"""An edge of a graph, by the names of its vertices."""
AnyArray = npt.NDArray[Any]
"""Numbers of any kind and shape."""
NamedArrays = dict[str, AnyArray]
"""What files hold: arrays by name."""
Floats = npt.NDArray[np.float64]
"""Numbers of any shape; this and the three below are the arrays of compiled code."""
Integers = npt.NDArray[np.int64]
"""Whole numbers of any shape."""
Words = npt.NDArray[np.uint64]
"""Packed actions: element i is bit i mod 64 of word i div 64."""
Flags = npt.NDArray[np.bool_]
"""Truth values of any shape."""

_Array = TypeVar("_Array", bound=AnyArray)
_LARGEST = 2**63 - 1
_BYTES_A_COORDINATE = 400


def frozen(array: _Array) -> _Array:
    """Mark an array read-only, and hand it back."""
    array.flags.writeable = False
    return array


def for_kernel(array: _Array) -> _Array:
    """Return the array, or a copy that is writable and in one piece: kernels are compiled for that kind only."""
    return array if array.flags.writeable and array.flags.c_contiguous else array.copy()


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


def real_numbers(values: npt.ArrayLike) -> npt.NDArray[np.float64]:
    """Read real numbers as floats; text, truth values, complex numbers, dates, masked entries and other objects are a TypeError.

    Examples
    --------
    >>> real_numbers([1, 2.5])
    array([1. , 2.5])
    """
    if type(values) is np.ndarray and values.dtype == np.float64:
        return values
    if isinstance(values, np.ma.MaskedArray):
        raise TypeError("a masked array")
    array = np.asarray(values)
    if array.dtype == object and not all(
        isinstance(item, numbers.Real | Decimal) and not isinstance(item, bool) for item in array.flat
    ):
        raise TypeError("objects that are no numbers")
    if array.dtype.kind not in "iufO":
        raise TypeError(f"dtype {array.dtype}")
    try:
        return array.astype(np.float64)
    except OverflowError:
        raise TypeError("a number beyond any float") from None


def as_numbers(values: npt.ArrayLike, name: str) -> Floats:
    """Read real numbers of any shape, or refuse them.

    Examples
    --------
    >>> as_numbers([[1, 2]], "costs").shape
    (1, 2)
    """
    try:
        return real_numbers(values)
    except (TypeError, ValueError):
        raise InvalidInput(
            f"`{name}` must be real numbers", shown(values), "Pass a list or an array of them."
        ) from None


def real_number(value: object) -> float:
    """Read one real number; what ``real_numbers`` refuses, and tables, are a TypeError.

    Examples
    --------
    >>> real_number(np.int8(3))
    3.0
    """
    number = real_numbers(value)  # type: ignore[arg-type]
    if number.ndim != 0:
        raise TypeError("a table")
    return float(number)


def as_vector(values: npt.ArrayLike, dimension: int, name: str) -> Vector:
    """Read a finite real vector of the given dimension, or say what is wrong with it.

    The answer is contiguous and writable (a copy where the argument is not), so that compiled code meets one kind of array.
    """
    return _finite(shaped(values, name, 1, dimension), name)


def as_table(values: npt.ArrayLike, dimension: int, name: str) -> Matrix:
    """Read a table of finite real numbers, one vector per row, or say what is wrong with it; contiguous and writable.

    Examples
    --------
    >>> as_table([[1, 2], [3, 4]], 2, "weights").shape
    (2, 2)
    """
    return _finite(shaped(values, name, 2, dimension), name)


def shaped(values: npt.ArrayLike, name: str, n_axes: int, dimension: int) -> Floats:
    """Read real numbers on one or two axes, ``dimension`` of them along the last, or say what is wrong with them."""
    try:
        array: Floats | None = real_numbers(values)
    except (TypeError, ValueError, OverflowError):
        array = None
    if array is None or array.ndim != n_axes or array.shape[-1] != dimension:
        what = f"a vector of {dimension}" if n_axes == 1 else f"a table with {dimension} columns of"
        came = f"{type(values).__name__} that cannot be read as numbers" if array is None else f"shape {array.shape}"
        raise InvalidInput(
            f"`{name}` must be {what} real numbers", came, "Pass one for each element of the action set."
        )
    return array


def _finite(array: Floats, name: str) -> Floats:
    """Return a vector or a table as compiled code takes it, or say where it is not finite."""
    if not np.isfinite(array).all():
        *row, column = np.argwhere(~np.isfinite(array))[0].tolist()
        raise InvalidInput(
            f"`{name}` must be finite",
            f"{array[(*row, column)]} at coordinate {column}" + "".join(f" of row {each}" for each in row),
            "Replace NaN and infinities before the call.",
        )
    return array if array.flags.c_contiguous and array.flags.writeable else array.copy()


def as_action(values: npt.ArrayLike, dimension: int, name: str = "action") -> Action:
    """Read a vector of zeros and ones, or say what is wrong with it."""
    try:
        array: AnyArray = np.empty((0, 0)) if isinstance(values, np.ma.MaskedArray) else np.asarray(values)
    except (ValueError, TypeError, OverflowError):
        array = np.empty((0, 0))
    if array.shape != (dimension,):
        raise InvalidAction(
            f"`{name}` must have shape ({dimension},)", f"shape {array.shape}", "Pass one 0 or 1 for each coordinate."
        )
    if array.dtype == np.int64 and array.min(initial=0) >= 0 and array.max(initial=0) <= 1:
        return array
    if array.dtype.kind not in "biuf" or not np.all((array == 0) | (array == 1)):
        raise InvalidAction(
            f"`{name}` must contain only 0 and 1",
            f"dtype {array.dtype} with other values",
            "An action marks each coordinate as chosen (1) or not (0).",
        )
    return array.astype(np.int64)


def as_integer(value: object, name: str, low: float, high: float | None = None) -> int:
    """Read a whole number in ``low..high``, or say what is wrong with it; without ``high`` one below 2⁶³, with infinity any."""
    bounds = f", {low}..{high}" if high is not None and high < math.inf else f", at least {low}" * (low > -math.inf)
    try:
        if isinstance(value, bool):
            raise TypeError
        if isinstance(value, float) and value.is_integer():
            number = int(value)
        else:
            number = operator.index(value)  # type: ignore[arg-type]
    except (TypeError, ValueError):
        raise InvalidInput(f"`{name}` must be a whole number{bounds}", shown(value), "Pass an int.") from None
    if high is None and number > _LARGEST:
        raise InvalidInput(f"`{name}` must be a whole number below 2**63", shown(number), "No run comes that far.")
    if number < low or (high is not None and number > high):
        raise InvalidInput(f"`{name}` must be a whole number{bounds}", shown(number), "Choose a value in that range.")
    return number


def as_number(value: object, name: str, low: float = -math.inf, high: float = math.inf) -> float:
    """Read a finite real number in ``low..high``, or say what is wrong with it.

    Examples
    --------
    >>> as_number(1, "deviation", 0.0)
    1.0
    """
    try:
        number = real_number(value)
    except (TypeError, ValueError, OverflowError):
        number = math.nan
    if not (math.isfinite(number) and low <= number <= high):
        bounds = f" in [{low:g}, {high:g}]" if math.isfinite(high) else f", at least {low:g}" * math.isfinite(low)
        raise InvalidInput(f"`{name}` must be a finite number{bounds}", shown(value), "Pass a float.")
    return number


def is_iterable(value: object) -> TypeGuard[Iterable[Any]]:
    """Tell whether a value can be gone through; an array without axes cannot, whatever its class says."""
    try:
        iter(value)  # type: ignore[call-overload]
    except TypeError:
        return False
    return True


def is_bit(value: object) -> bool:
    """Tell whether a value is the number 0 or 1."""
    return isinstance(value, int | float | np.integer | np.floating | np.bool_) and value in (0, 1)


def as_labels(labels: object, count: int, name: str = "labels") -> tuple[Label, ...]:
    """Read different names in an order, one for each of ``count`` things, or say what is wrong with them.

    Examples
    --------
    >>> as_labels("abc", 3), as_labels(None, 2)
    (('a', 'b', 'c'), (0, 1))
    """
    if labels is None:
        return tuple(range(count))
    if not is_iterable(labels) or isinstance(labels, set | frozenset | dict):
        raise InvalidInput(f"`{name}` must be names in an order", shown(labels), "Pass a list.")
    names = tuple(labels)
    try:
        n_different = len(set(names))
    except TypeError:
        raise InvalidInput(
            f"`{name}` must be hashable", f"{shown(names[:3])} ...", "Use strings, numbers or tuples as names."
        ) from None
    if any(isinstance(label, float | np.floating) and math.isnan(label) for label in names):
        raise InvalidInput(f"`{name}` must be names that equal themselves", "NaN", "Name that element otherwise.")
    if len(names) != count or n_different != count:
        raise InvalidInput(
            f"`{name}` must be {count} different names, one per coordinate",
            f"{len(names)} names, {n_different} of them different",
            "Name every element once.",
        )
    return names


def check_memory(dimension: int, what: str, bytes_each: int = _BYTES_A_COORDINATE) -> None:
    """Refuse what would need more memory than the machine has, before any of it is taken.

    Examples
    --------
    >>> check_memory(1000, "a set")
    """
    need, there = dimension * bytes_each, _memory()
    if need > there:
        raise TooLarge(
            f"{what} must fit into memory, {bytes_in_words(there)}",
            f"{count_in_words(dimension)} coordinates or rows, which take {bytes_in_words(need)}",
            "Choose a smaller one.",
        )


@cache
def _memory() -> int:
    try:
        return os.sysconf("SC_PHYS_PAGES") * os.sysconf("SC_PAGE_SIZE")
    except (ValueError, OSError, AttributeError):  # a system that does not say
        return 2**34


def under(name: str, arrays: NamedArrays) -> NamedArrays:
    """Put arrays under a common name, as files do with parts of a whole."""
    return {f"{name}.{inner}": array for inner, array in arrays.items()}


def below(arrays: NamedArrays, name: str) -> NamedArrays:
    """Return what ``under`` put under a name."""
    prefix = f"{name}."
    return {inner.removeprefix(prefix): array for inner, array in arrays.items() if inner.startswith(prefix)}


def array_of_text(text: str) -> npt.NDArray[np.uint8]:
    """Write a text as bytes, for files that hold only numbers."""
    return np.frombuffer(text.encode(), dtype=np.uint8)


def text_of_array(array: AnyArray) -> str:
    """Read what ``array_of_text`` wrote."""
    return bytes(array.astype(np.uint8)).decode()
