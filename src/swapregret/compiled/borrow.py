"""The parts of a handle: pointers into it, without owners, for the time of one call.

To take a part of a handle as Numba does would copy hundreds of numbers and count a reference for each of its arrays; passing
it on would do so again, and all that has to be compiled too. ``state_of(h)`` and its like give a pointer to the part. Its fields
are read where they are used; named tuples in it are pointers again, arrays come stripped of what counts their references. Whoever
calls keeps the handle alive, as every caller from Python does. A borrowed array must never be returned to Python or stored, and
the fields of a handle never change.

This file and ``compiled.handle`` know Numba's memory layout; nothing else does.
"""

from typing import Any

from swapregret.compiled.address import Late

__all__ = ["family_of", "rule_of", "state_of", "tape_of"]


class _Borrow(Late):
    """In compiled code a pointer to a part, in Python the part."""

    def __init__(self, field: str) -> None:
        self._field = field

    def __call__(self, handle: Any) -> Any:
        """Return the part."""
        return getattr(handle, self._field)

    def _made(self, numba: Any) -> Any:
        from swapregret.compiled.handle import borrower

        return borrower(self._field)


family_of, rule_of, state_of, tape_of = _Borrow("family"), _Borrow("rule"), _Borrow("state"), _Borrow("tape")
"""Each takes a handle and returns its part."""
