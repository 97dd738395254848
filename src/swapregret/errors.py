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

import errno
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
def naming(place: str | os.PathLike[str]) -> Iterator[None]:
    """Put the name of a file, or of a place in one, before what is said of its contents, where it is not said already.

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
        if os.fspath(place) in str(error):
            raise
        raise type(error)(f"{os.fspath(place)}: {error.must}", error.came, error.do) from error


_OURS = {errno.ENOENT, errno.ENOTDIR, errno.EISDIR, errno.EACCES, errno.EPERM, errno.EROFS}
_OURS |= {errno.ENAMETOOLONG, errno.ELOOP, errno.EINVAL, errno.EEXIST, errno.ENXIO}
"""What the system says where the path is at fault, not the disk."""


class lenient:  # noqa: N801
    """Go on where the disk fails at something that is not essential. Other errors, out of a signal handler too, go through."""

    def __enter__(self) -> None:
        """Begin."""

    def __exit__(self, kind: object, error: BaseException | None, trace: object) -> bool:
        """Tell whether it was the disk."""
        return is_disk_fault(error)


def is_disk_fault(error: BaseException | None) -> bool:
    """Tell whether the system, not a signal handler, raised an error: that has a number, and is no TimeoutError.

    Examples
    --------
    >>> is_disk_fault(OSError(errno.ENOSPC, "no room")), is_disk_fault(TimeoutError("too slow"))
    (True, False)
    """
    if isinstance(error, StorageError):
        return True
    return isinstance(error, OSError) and isinstance(error.errno, int) and not isinstance(error, TimeoutError)


def disk_fault(error: Exception, path: object) -> Exception:
    """Return what to raise for an error of the system: the path cannot be used, or the disk failed; both name the file."""
    if isinstance(error, OSError) and not is_disk_fault(error):
        return error
    said = getattr(error, "strerror", None) or str(error)
    if not isinstance(error, OSError) or error.errno in _OURS:
        return InvalidInput(
            "`path` must be a file that can be written", f"{said_path(path)}: {said}", "Check the path."
        )
    return StorageError(
        f"the disk must take what is written to {said_path(path)}",
        said,
        "Nothing was changed; make room, or mend the disk, and try again.",
    )


def said_path(path: object) -> str:
    """Write a path, or what came instead of one."""
    return repr(os.fspath(path))[:200] if isinstance(path, str | os.PathLike) else f"a {type(path).__name__}"
