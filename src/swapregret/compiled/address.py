"""Code and handles as numbers: calling code known by its address, and pointers to the parts of a handle.

Compiled code knows the class of everything it calls, so a loop over players would be compiled anew for every mixture of them, and
a learner for every family of sets. A handle is a pointer whatever its class. So a loop may take handles and entries as numbers:
``address_of(h)`` and ``entry_address(entry, h, ...)`` make them, a :class:`Call` calls what is there. Whoever makes the
addresses keeps the handle alive, and calls with the arguments the entry has. An error raised behind an address would only be
printed; entries return what went wrong.

To take a part of a handle as Numba does would copy hundreds of numbers and count a reference for each of its arrays.
``state_of(h)`` and its like give a pointer to the part instead. Its fields are read where they are used; named tuples in it are
pointers again, arrays come stripped of what counts their references. A borrowed array must never be returned to Python or stored,
and the fields of a handle never change.

A kernel that holds a named tuple of arrays and passes it on again and again lends it: ``lend(value)`` is such a pointer too. The
kernel must use the value itself afterwards, which keeps it alive until then.

``scratch(count)`` is room for a few numbers that lasts until the kernel returns: on its stack, and in registers where the compiler
knows how many they are (``np.empty`` is neither). It must not be returned or stored either.

This file and ``compiled.handle`` know Numba's memory layout; nothing else does.

Where kernels run as the Python they are written in (``benchmarks/walk.py``), handles, entries and parts are themselves.
"""

from collections.abc import Callable
from functools import cached_property
from inspect import Parameter, Signature
from operator import attrgetter
from typing import Any

import numpy as np


class Late:
    """A function of compiled code that is made when a kernel first asks for it: Numba is loaded then.

    Parameters
    ----------
    plain : callable
        What it does in Python.
    make : callable
        Given Numba, it returns the function of compiled code.
    """

    def __init__(self, plain: Callable[..., Any], make: Callable[[Any], Any]) -> None:
        self._plain, self._make = plain, make

    def __call__(self, *args: Any) -> Any:
        """Do in Python what compiled code does."""
        return self._plain(*args)

    @cached_property
    def _numba_type_(self) -> Any:
        """What Numba asks of a global that compiled code calls."""
        import numba.extending
        from numba.core.registry import cpu_target

        context: Any = cpu_target.typing_context
        made = self._make(numba)
        context.refresh()
        cpu_target.target_context.refresh()
        return context.resolve_value_type(made)


class Call(Late):
    """``call(entry, handle, ...)`` calls the entry at an address with the handle at another, and what else it takes.

    Parameters
    ----------
    shape : callable
        Given ``numba.types``, it names what the entry returns, and the list of what it takes beside the handle.
    """

    def __init__(self, shape: Callable[[Any], tuple[Any, list[Any]]]) -> None:
        super().__init__(lambda entry, *args: entry(*args), lambda numba: _make_call(numba, *shape(numba.types)))


def _make_call(numba: Any, returned: Any, given: list[Any]) -> Any:
    def codegen(context: Any, builder: Any, signature: Any, args: Any) -> Any:
        ir = numba.core.cgutils.ir
        pointer = ir.IntType(8).as_pointer()
        holder = ir.LiteralStructType([pointer])  # how a handle is passed
        kinds = [context.get_value_type(each) for each in given]
        shape = ir.FunctionType(context.get_value_type(returned), [holder, *kinds])
        entry = builder.inttoptr(args[0], shape.as_pointer())
        handle = builder.insert_value(ir.Constant(holder, ir.Undefined), builder.inttoptr(args[1], pointer), 0)
        return builder.call(entry, [handle, *args[2:]])

    def called(*args: Any) -> Any:
        return returned(numba.types.int64, numba.types.int64, *given), codegen

    names = ["context", "entry", "handle", *(f"given_{place}" for place in range(len(given)))]
    called.__signature__ = Signature([Parameter(name, Parameter.POSITIONAL_OR_KEYWORD) for name in names])  # type: ignore[attr-defined]
    return numba.extending.intrinsic(called)


def _make_address_of(numba: Any) -> Any:
    def address_of(typingctx: Any, handle: Any) -> Any:
        def codegen(context: Any, builder: Any, signature: Any, args: Any) -> Any:
            return builder.ptrtoint(builder.extract_value(args[0], 0), context.get_value_type(numba.types.int64))

        return numba.types.int64(handle), codegen

    return numba.extending.intrinsic(address_of)


def _make_scratch(numba: Any) -> Any:
    size, kind = numba.types.intp, numba.types.float64[::1]

    def scratch(typingctx: Any, count: Any) -> Any:
        def codegen(context: Any, builder: Any, signature: Any, args: Any) -> Any:
            array, width = context.make_array(kind)(context, builder), context.get_constant(size, 8)
            room = builder.alloca(context.get_value_type(kind.dtype), args[0])
            fill = numba.np.arrayobj.populate_array
            fill(array, data=room, shape=(args[0],), strides=(width,), itemsize=width, meminfo=None)
            return array._getvalue()

        return kind(size), codegen

    return numba.extending.intrinsic(scratch)


def _make_lend(numba: Any) -> Any:
    from swapregret.compiled.handle import lend

    return lend


def _part(field: str) -> Late:
    def make(numba: Any) -> Any:
        from swapregret.compiled.handle import borrower

        return borrower(field)

    return Late(attrgetter(field), make)


address_of = Late(lambda handle: handle, _make_address_of)
"""``address_of(handle)`` is where a handle is."""
lend = Late(lambda value: value, _make_lend)
"""``lend(value)`` is a pointer to a named tuple that a kernel holds; the kernel must use the value itself afterwards."""
scratch = Late(np.empty, _make_scratch)
"""``scratch(count)`` is a vector of so many numbers, until the kernel returns."""
call_act = Call(lambda types: (types.int64[::1], []))
"""``call_act(entry, handle)`` draws an action."""
call_observe = Call(lambda types: (types.int64, [types.int64[::1], types.float64[::1], types.float64]))
"""``call_observe(entry, handle, action, seen, reward)`` shows what a day paid."""
call_end = Call(lambda types: (types.int64, [types.int64]))
"""``call_end(entry, handle, n_ending)`` ends windows."""
family_of, rule_of, state_of, tape_of = _part("family"), _part("rule"), _part("state"), _part("tape")
"""Each takes a handle and returns its part: in compiled code a pointer to it."""


def entry_address(entry: Any, *args: Any) -> int:
    """Return where the compiled code of an entry for arguments like these is; it is compiled if it is not."""
    import numba

    typeof: Any = numba.typeof
    kinds = tuple(typeof(each) for each in args)
    made = getattr(entry, "dispatcher", entry)
    if kinds not in made.overloads:
        made.compile(kinds)
    found = made.overloads[kinds]
    return int(found.library.get_pointer_to_function(found.fndesc.llvm_cfunc_wrapper_name))
