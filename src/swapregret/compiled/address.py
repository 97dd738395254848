"""Calling players of different classes from one loop: handles and entries as addresses.

Compiled code knows the class of everything it calls, so a loop over players would be compiled anew for every mixture of them. A
handle is a pointer whatever its class, and the entries of all masters have the same arguments beside it. So a loop may take
both as numbers: ``address_of(h)`` and ``entry_address(entry, h, ...)`` make them, ``call_act``, ``call_observe`` and
``call_end`` call what is there. Whoever makes the addresses keeps the handle alive, and calls with the arguments the entry has.

An error raised behind an address would only be printed; entries return what went wrong. In Python, for sets that exist only
there, handles and entries are their own addresses.
"""

from collections.abc import Callable
from functools import cache, cached_property
from typing import Any

__all__ = ["address_of", "call_act", "call_end", "call_observe", "entry_address"]


@cache
def _intrinsic(name: str) -> Any:
    """Return Numba's function behind a name; Numba is loaded by the first kernel that asks."""
    import numba.core.cgutils
    import numba.core.types
    import numba.extending

    cgutils: Any = numba.core.cgutils
    ir = cgutils.ir
    types: Any = numba.core.types
    intrinsic: Any = numba.extending.intrinsic
    number, real = types.int64, types.float64
    action, vector = types.Array(number, 1, "C"), types.Array(real, 1, "C")
    shapes = {
        "call_act": (action, ()),
        "call_observe": (number, (action, vector, real)),
        "call_end": (number, (number,)),
    }

    if name == "address_of":

        @intrinsic  # type: ignore[untyped-decorator]
        def address_of(typingctx: Any, handle: Any) -> Any:
            def codegen(context: Any, builder: Any, signature: Any, args: Any) -> Any:
                return builder.ptrtoint(builder.extract_value(args[0], 0), ir.IntType(64))

            return number(handle), codegen

        return address_of

    returned, given = shapes[name]

    def codegen(context: Any, builder: Any, signature: Any, args: Any) -> Any:
        pointer = ir.IntType(8).as_pointer()
        holder = ir.LiteralStructType([pointer])  # how a handle is passed
        kinds = [context.get_value_type(each) for each in given]
        shape = ir.FunctionType(context.get_value_type(returned), [holder, *kinds])
        entry = builder.inttoptr(args[0], shape.as_pointer())
        handle = builder.insert_value(ir.Constant(holder, ir.Undefined), builder.inttoptr(args[1], pointer), 0)
        return builder.call(entry, [handle, *args[2:]])

    makers: dict[int, Callable[..., Any]] = {
        0: lambda typingctx, entry, handle: (returned(number, number), codegen),
        1: lambda typingctx, entry, handle, one: (returned(number, number, *given), codegen),
        3: lambda typingctx, entry, handle, one, two, three: (returned(number, number, *given), codegen),
    }
    return intrinsic(makers[len(given)])


class _Late:
    """A function of compiled code that is made when a kernel first asks for it."""

    def __init__(self, name: str) -> None:
        self._name = name

    def __call__(self, first: Any, *args: Any) -> Any:
        """Do in Python what compiled code does with addresses."""
        if self._name == "address_of":
            return first
        if not callable(first):
            raise TypeError(f"{self._name} must be called from compiled code")
        return first(*args)

    @cached_property
    def _numba_type_(self) -> Any:
        """What Numba asks of a global that compiled code calls."""
        from numba.core.registry import cpu_target

        context: Any = cpu_target.typing_context
        made = _intrinsic(self._name)
        context.refresh()
        cpu_target.target_context.refresh()
        return context.resolve_value_type(made)


call_act: Any = _Late("call_act")
"""``call_act(entry, handle)`` draws an action."""
call_observe: Any = _Late("call_observe")
"""``call_observe(entry, handle, action, seen, reward)`` shows what a day paid."""
call_end: Any = _Late("call_end")
"""``call_end(entry, handle, n_ending)`` ends windows."""
address_of: Any = _Late("address_of")
"""``address_of(handle)`` is where a handle is."""


def entry_address(entry: Any, *args: Any) -> int:
    """Return where the compiled code of an entry for arguments like these is; it is compiled if it is not."""
    import numba

    typeof: Any = numba.typeof
    kinds = tuple(typeof(each) for each in args)
    entry.compile(kinds)
    found = entry.overloads[kinds]
    return int(found.library.get_pointer_to_function(found.fndesc.llvm_cfunc_wrapper_name))
