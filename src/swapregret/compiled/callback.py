"""Python functions that compiled code calls: by their address, as it calls all else it does not know when it is compiled.

The function takes the addresses of two arrays, one with the question and one for the answer. It takes the GIL itself. An error it
raises cannot go through compiled code: it is kept, later calls of the same thread fail at once, and whoever called the compiled
code raises it (:func:`settle`).
"""

from collections.abc import Callable, Iterable
from ctypes import c_int64
from threading import local

import numpy as np

from swapregret.arrays import Floats, Integers, Words
from swapregret.compiled.address import Call
from swapregret.compiled.kernel import kernel

FAILED = -1
"""What a call returns whose function has raised an error, then or before."""


class Callback:
    """A Python function with an ``address``, where it can be called as long as this object lives.

    ``answer(given, target)`` takes the addresses of two arrays, and returns a number that is not negative.
    """

    def __init__(self, answer: Callable[[int, int], int]) -> None:
        import ctypes

        number, now = ctypes.c_int64, local()

        def call(given: int, target: int) -> int:
            if getattr(now, "error", None) is not None:
                return FAILED
            try:
                return answer(given, target)
            except BaseException as error:  # an interrupt too: compiled code must end first
                now.error = error
                return FAILED

        self._now, self._kept = now, ctypes.CFUNCTYPE(number, number, number)(call)
        self.address = int(ctypes.cast(self._kept, ctypes.c_void_p).value or 0)

    def take(self) -> BaseException | None:
        """Return the error that was kept, if there is one, and keep it no longer."""
        error, self._now.error = getattr(self._now, "error", None), None
        return error


def settle(callbacks: Iterable[Callback]) -> None:
    """Raise the first error that was kept, if there is one; none is kept any longer."""
    errors = [error for error in [each.take() for each in callbacks] if error is not None]
    if errors:
        try:
            raise errors[0]
        finally:
            del errors  # a traceback has this frame, which would keep its error


_call = Call(int, int)  # the question stands where a handle would


@kernel
def call_python(address: int, given: Floats, target: Floats | Integers | Words) -> int:
    """Call the function at an address with a question and room for its answer; return what it does, or FAILED."""
    return _call(address, np.int64(given.ctypes.data), np.int64(target.ctypes.data))  # type: ignore[no-any-return]


def floats_at(address: int, count: int) -> Floats:
    """Return the numbers at an address, to be read or written while the call lasts."""
    return np.frombuffer(_memory(address, count), dtype=np.float64)


def integers_at(address: int, count: int) -> Integers:
    """Return the whole numbers at an address."""
    return np.frombuffer(_memory(address, count), dtype=np.int64)


def words_at(address: int, count: int) -> Words:
    """Return the words at an address."""
    return np.frombuffer(_memory(address, count), dtype=np.uint64)


def _memory(address: int, count: int) -> memoryview:
    return memoryview((c_int64 * count).from_address(address))
