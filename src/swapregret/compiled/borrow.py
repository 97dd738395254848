"""Arrays without an owner for the time of one call: passing them on costs no reference counts, which are atomic operations.

``borrow(value)`` is the value with the arrays in it, in nested tuples too, stripped of the pointer to what counts their
references. Whoever calls keeps the owner alive, as every caller from Python does. A borrowed array must never be returned to
Python or stored.

This file knows Numba's memory layout; nothing else does.
"""

from functools import cache, cached_property
from typing import Any, TypeVar

__all__ = ["borrow"]

_Value = TypeVar("_Value")


@cache
def _borrowed() -> Any:
    """Return Numba's function that strips; Numba is loaded by the first kernel that borrows."""
    import numba.core.cgutils
    import numba.core.types
    import numba.extending

    cgutils: Any = numba.core.cgutils
    types: Any = numba.core.types
    intrinsic: Any = numba.extending.intrinsic

    def strip(context: Any, builder: Any, kind: Any, value: Any) -> Any:
        if isinstance(kind, types.Array):
            array = context.make_array(kind)(context, builder, value=value)
            array.meminfo = cgutils.get_null_value(array.meminfo.type)
            array.parent = cgutils.get_null_value(array.parent.type)
            return array._getvalue()
        if isinstance(kind, types.BaseTuple):
            for index, each in enumerate(kind.types):
                part = builder.extract_value(value, index)
                value = builder.insert_value(value, strip(context, builder, each, part), index)
        return value

    @intrinsic  # type: ignore[untyped-decorator]
    def borrowed(typingctx: Any, value: Any) -> Any:
        def codegen(context: Any, builder: Any, signature: Any, args: Any) -> Any:
            return strip(context, builder, signature.args[0], args[0])

        return value(value), codegen

    return borrowed


class _Borrow:
    """In compiled code the value without counts, in Python the value."""

    def __call__(self, value: _Value) -> _Value:
        """Return the value."""
        return value

    @cached_property
    def _numba_type_(self) -> Any:
        """What Numba asks of a global that compiled code calls."""
        from numba.core.registry import cpu_target

        context: Any = cpu_target.typing_context
        made = _borrowed()
        context.refresh()
        cpu_target.target_context.refresh()
        return context.resolve_value_type(made)


borrow = _Borrow()
"""Return a value whose arrays are not counted while a kernel runs."""
