"""Where calls come in from outside: whatever an argument of a wrong kind breaks is told in one sentence.

Functions and constructors check their arguments by name. What slips through, because an argument is of a kind nobody thought
of, would surface as an error from deep inside; here it becomes a refusal that names the call. A wrong number of arguments
stays Python's own TypeError, and the user's functions are never called from here.
"""

import os
from abc import ABCMeta
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from functools import wraps
from typing import Any, ParamSpec, TypeVar

from swapregret.errors import InvalidInput, SwapRegretError

_P = ParamSpec("_P")
_R = TypeVar("_R")
ODD = (TypeError, ValueError, LookupError, AttributeError, ArithmeticError, MemoryError, RecursionError, OSError)
"""What an argument of a kind nobody thought of may break with."""


def refuses(function: Callable[_P, _R]) -> Callable[_P, _R]:
    """Have a function refuse, in a sentence, arguments that it breaks on.

    Examples
    --------
    >>> @refuses
    ... def half(x):
    ...     return x / 2
    >>> half("7")
    Traceback (most recent call last):
    ...
    swapregret.errors.InvalidInput: the arguments of half must be of the kinds it documents: got something else \
(TypeError: unsupported operand type(s) for /: 'str' and 'int'). See help(half).
    """

    @wraps(function)
    def called(*args: _P.args, **kwargs: _P.kwargs) -> _R:
        if any(getattr(type(each), "takes_functions", False) for each in args):  # a set of one's own: its errors stay
            return function(*args, **kwargs)
        with refusing(function.__name__):
            return function(*args, **kwargs)

    return called


class refusing:  # noqa: N801
    """Turn what an argument of a wrong kind breaks inside the block into a refusal; see the module."""

    def __init__(self, name: str) -> None:
        self._name = name

    def __enter__(self) -> None:
        """Begin."""

    def __exit__(self, kind: Any, error: Any, trace: Any) -> None:
        """Refuse, unless the error is ours, or Python's own about the number of arguments."""
        is_binding = isinstance(error, TypeError) and trace is not None and trace.tb_next is None
        if not isinstance(error, ODD) or isinstance(error, SwapRegretError) or is_binding:
            return
        raise InvalidInput(
            f"the arguments of {self._name} must be of the kinds it documents",
            f"something else ({type(error).__name__}: {str(error)[:120]})",
            f"See help({self._name}).",
        ) from error


class Refusing(ABCMeta):
    """A class whose constructors of this package refuse arguments they break on, unless they are given functions."""

    takes_functions: bool = False

    def __call__(cls, *args: Any, **kwargs: Any) -> Any:
        """Make an object."""
        if cls.takes_functions or not cls.__module__.startswith("swapregret."):
            return super().__call__(*args, **kwargs)
        with refusing(cls.__name__):
            return super().__call__(*args, **kwargs)


@contextmanager
def naming(path: str | os.PathLike[str]) -> Iterator[None]:
    """Put the name of a file before what is said of its contents, where it is not said already.

    Examples
    --------
    >>> with naming("days.csv"):
    ...     raise InvalidInput("row 3 must be a number", "'x'", "Correct it.")
    Traceback (most recent call last):
    ...
    swapregret.errors.InvalidInput: days.csv: row 3 must be a number: got 'x'. Correct it.
    """
    try:
        yield
    except SwapRegretError as error:
        if os.fspath(path) in str(error):
            raise
        raise type(error)(f"{os.fspath(path)}: {error.must}", error.came, error.do) from error
