"""A player behind one pointer: its family, rule, state and generator, so that a call from Python unboxes one object.

The arrays are those of the named tuples a handle is made from: Python reads, saves and copies them by name, compiled code
changes them. Importing this file loads Numba.
"""

from typing import Any

from swapregret.compiled.kernel import load_numba

__all__ = ["Handle"]

numba: Any = load_numba()
types: Any = numba.core.types
structref: Any = numba.experimental.structref


@structref.register
class HandleType(types.StructRef):  # type: ignore[misc]
    """The Numba type of a handle."""

    def preprocess_fields(self, fields: Any) -> Any:
        """Take constants as the numbers they are."""
        unliteral: Any = types.unliteral
        return tuple((name, unliteral(each)) for name, each in fields)


class Handle(structref.StructRefProxy):  # type: ignore[misc]
    """What the entries of a learner take."""

    def __new__(cls, family: Any, rule: Any, state: Any, tape: Any, rng: Any) -> Any:
        """Make one; inside a kernel, whose code is kept on disk."""
        return structref.StructRefProxy.__new__(cls, family, rule, state, tape, rng)


structref.define_proxy(Handle, HandleType, ["family", "rule", "state", "tape", "rng"])
