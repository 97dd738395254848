"""Every exception the library raises on purpose.

::

    SwapRegretError
    ├── InvalidInput (ValueError)      an argument cannot be used; nothing was changed
    │   ├── InvalidAction              a vector that is not an action of the set
    │   ├── InvalidReward              NaN, infinite, out of the declared range, wrong shape
    │   └── InvalidSchedule            windows that are not a chain, a theorem that asks for too much
    ├── ProtocolError (RuntimeError)   calls in an order that has no meaning, e.g. act, act; a load after an interrupted one
    ├── OracleFault (RuntimeError)     a user's oracle returned something that is not an action
    ├── Unsupported (TypeError)        the set has no such capability; the sentence names another way
    ├── TooLarge (ValueError)          an enumeration would exceed the limit given
    ├── StorageError (OSError)          a disk that is full, or fails; the sentence names the file
    ├── NotConverged (ArithmeticError) an iteration stopped before its certificate was good enough
    └── ConformanceError (AssertionError)  a check of ``swapregret.testing`` found a fault
"""

import os
from collections.abc import Iterator
from contextlib import contextmanager

__all__ = [
    "ConformanceError",
    "InvalidAction",
    "InvalidInput",
    "InvalidReward",
    "InvalidSchedule",
    "NotConverged",
    "OracleFault",
    "ProtocolError",
    "StorageError",
    "SwapRegretError",
    "TooLarge",
    "Unsupported",
]


class SwapRegretError(Exception):
    """Root of the tree: what must hold, what came, what to do.

    Parameters
    ----------
    must : str
        What must hold, naming the argument and where it belongs.
    came : str
        What was found instead.
    do : str
        What the reader can do about it.

    Examples
    --------
    >>> print(InvalidInput("`size` must be in 1..4", "7", "Choose a smaller size."))
    `size` must be in 1..4: got 7. Choose a smaller size.
    """

    def __init__(self, must: str, came: str, do: str) -> None:
        super().__init__(must, came, do)
        self.must, self.came, self.do = must, came, do

    def __str__(self) -> str:
        return f"{self.must}: got {self.came}. {self.do}"


class InvalidInput(SwapRegretError, ValueError):
    """An argument cannot be used."""


class InvalidAction(InvalidInput):
    """A vector that is not an action of the set."""


class InvalidReward(InvalidInput):
    """A reward that is NaN, infinite, outside the declared range or of the wrong shape."""


class InvalidSchedule(InvalidInput):
    """Windows that are not a chain of multiples, or a theorem that asks for too much."""


class ProtocolError(SwapRegretError, RuntimeError):
    """Calls came in an order that has no meaning."""


class OracleFault(SwapRegretError, RuntimeError):
    """A user's oracle returned something that is not an action of its set."""


class Unsupported(SwapRegretError, TypeError):
    """The set does not have this capability."""


class TooLarge(SwapRegretError, ValueError):
    """An enumeration would exceed its limit."""


class StorageError(SwapRegretError, OSError):
    """A file could not be written, or read, although its path is good."""


class NotConverged(SwapRegretError, ArithmeticError):
    """An iteration stopped before its certificate was good enough."""


class ConformanceError(SwapRegretError, AssertionError):
    """A conformance check found a fault."""


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
