"""The parts of a handle, with arrays that have no owner for the time of one call.

To take a part of a handle as Numba does would count a reference for each of its arrays, and passing them on would count more;
counts are atomic operations, and their code has to be compiled too. ``state_of(h)`` and its like give the
part with every array in it, in nested tuples too, stripped of the pointer to what counts its references. Whoever calls keeps
the handle alive, as every caller from Python does. A borrowed array must never be returned to Python or stored.

This file knows Numba's memory layout; nothing else does.
"""

from functools import cached_property
from typing import Any

__all__ = ["family_of", "rule_of", "state_of", "tape_of"]


def _made(field: str) -> Any:
    """Return Numba's function that borrows a part; Numba is loaded by the first kernel that does."""
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
    def borrowed(typingctx: Any, handle: Any) -> Any:
        kind = handle.field_dict[field]

        def codegen(context: Any, builder: Any, signature: Any, args: Any) -> Any:
            holder = cgutils.create_struct_proxy(handle)(context, builder, value=args[0])
            pointer = context.nrt.meminfo_data(builder, holder.meminfo)
            payload = handle.get_data_type()
            shape = context.data_model_manager[payload].get_value_type()
            data = cgutils.create_struct_proxy(payload)(
                context, builder, ref=builder.bitcast(pointer, shape.as_pointer())
            )
            return strip(context, builder, kind, getattr(data, field))

        return kind(handle), codegen

    return borrowed


class _Borrow:
    """In compiled code a part without counts, in Python the part."""

    def __init__(self, field: str) -> None:
        self._field = field

    def __call__(self, handle: Any) -> Any:
        """Return the part."""
        return getattr(handle, self._field)

    @cached_property
    def _numba_type_(self) -> Any:
        """What Numba asks of a global that compiled code calls."""
        from numba.core.registry import cpu_target

        context: Any = cpu_target.typing_context
        made = _made(self._field)
        context.refresh()
        cpu_target.target_context.refresh()
        return context.resolve_value_type(made)


family_of, rule_of, state_of, tape_of = _Borrow("family"), _Borrow("rule"), _Borrow("state"), _Borrow("tape")
"""Each takes a handle and returns its part."""
