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

What a set can be asked is an *operation*, declared once as a function without a body::

    @operation
    def best(hull: Any, weights: Floats) -> Integers:
        "Return the action of largest total weight."

Its annotations say what compiled code it stands for: ``Floats`` is a vector of float64, ``Integers`` one of int64, ``Words`` a
table of uint64, and ``Annotated[Floats, 2]`` a table. Whoever has code of that shape, a kernel that takes a handle in the place of
the first argument, gets its address (:meth:`Operation.address`). In compiled code ``best(hull, weights)`` reads the address from
the field ``best`` of its first argument, a named tuple, and the handle from ``handle``. In Python it asks the kernel itself
(``hull.ask``). So callers are compiled once for whatever stands behind the address.

Where kernels run as the Python they are written in (``benchmarks/walk.py``), handles, entries and parts are themselves.
"""

from collections.abc import Callable
from functools import cached_property, update_wrapper
from inspect import Parameter, Signature, signature
from operator import attrgetter
from typing import Annotated, Any, NamedTuple, TypeVar, cast, get_args, get_origin, get_type_hints

import numpy as np

from swapregret.arrays import Floats, Integers, Words
from swapregret.errors import InvalidInput


class Late:
    """A function of compiled code that is made when a kernel first asks for it: Numba is loaded then.

    ``plain`` is what it does in Python; given Numba, ``make`` returns the function of compiled code.
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

    Given ``numba.types``, ``shape`` names what the entry returns, and what it takes beside the handle.
    """

    def __init__(self, shape: Callable[[Any], tuple[Any, list[Any]]]) -> None:
        super().__init__(lambda entry, *args: entry(*args), lambda numba: make_call(numba, *shape(numba.types)))


def make_call(numba: Any, returned: Any, given: list[Any]) -> Any:
    """Return the function of compiled code that calls an entry at an address with the handle at another."""

    def called(context: Any, entry: Any, handle: Any, *args: Any) -> Any:
        def codegen(context: Any, builder: Any, signature: Any, args: Any) -> Any:
            return call_at(numba, context, builder, returned, given, args[0], args[1], args[2:])

        return returned(numba.types.int64, numba.types.int64, *given), codegen

    return named_intrinsic(numba, called, ["entry", "handle", *(f"given_{place}" for place in range(len(given)))])


def call_at(
    numba: Any, context: Any, builder: Any, returned: Any, given: list[Any], entry: Any, handle: Any, args: Any
) -> Any:
    """Write the call of an entry at an address, with the handle at another and what else it takes."""
    ir = numba.core.cgutils.ir
    pointer = ir.IntType(8).as_pointer()
    holder = ir.LiteralStructType([pointer])  # how a handle is passed
    kinds = [context.get_value_type(each) for each in given]
    shape = ir.FunctionType(context.get_value_type(returned), [holder, *kinds])
    place = builder.inttoptr(entry, shape.as_pointer())
    held = builder.insert_value(ir.Constant(holder, ir.Undefined), builder.inttoptr(handle, pointer), 0)
    return builder.call(place, [held, *args])


def named_intrinsic(numba: Any, called: Any, names: list[str]) -> Any:
    """Return an intrinsic whose arguments have names, as Numba wants them."""
    kinds = [Parameter(name, Parameter.POSITIONAL_OR_KEYWORD) for name in ("context", *names)]
    called.__signature__ = Signature(kinds)
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
"""Each takes the handle of a player and returns its part: in compiled code a pointer to it."""
set_of = _part("family")
"""``set_of(handle)`` takes the handle of a set and returns its data."""


class Code(NamedTuple):
    """Where compiled code is, and its signature."""

    address: int
    signature: Any


def entry_address(entry: Any, *args: Any) -> int:
    """Return where the compiled code of an entry for arguments like these is; it is compiled if it is not."""
    import numba

    typeof: Any = numba.typeof
    return address_in(getattr(entry, "dispatcher", entry), tuple(typeof(each) for each in args)).address


def address_in(dispatcher: Any, kinds: tuple[Any, ...]) -> Code:
    """Return where the code of Numba's function for arguments of some types is; it is compiled if it is not."""
    if kinds not in dispatcher.overloads:
        dispatcher.compile(kinds)
    found = dispatcher.overloads[kinds]
    place = found.library.get_pointer_to_function(found.fndesc.llvm_cfunc_wrapper_name)
    return Code(int(place), found.signature)


_Function = TypeVar("_Function", bound=Callable[..., Any])
_SHAPES: tuple[tuple[Any, str, int], ...] = ((Floats, "float64", 1), (Integers, "int64", 1), (Words, "uint64", 2))


class Operation(Late):
    """What a declaration of an operation stands for; see above."""

    def __init__(self, declared: Callable[..., Any]) -> None:
        update_wrapper(self, declared)
        self.name = declared.__name__
        hints = get_type_hints(declared, include_extras=True)
        self._names = list(signature(declared).parameters)
        self._given, self._returned = [hints[name] for name in self._names[1:]], hints["return"]
        self.at = Late(lambda entry, handle, *args: entry(handle, *args), self._call)
        """``at(address, handle, ...)`` in compiled code calls what is at an address."""
        super().__init__(lambda asked, *args: asked.ask(self.name, *args), self._caller)

    def address(self, code: Any, handle: Any) -> int:
        """Return where a kernel's code for a handle is, or 0 for no kernel; it is compiled if it is not.

        Raises
        ------
        InvalidInput
            If the kernel returns something else than was declared.
        """
        import numba

        if code is None:
            return 0
        types: Any = numba.types
        typeof: Any = numba.typeof
        found = address_in(code.dispatcher, (typeof(handle), *(_kind(types, each) for each in self._given)))
        wanted, returned = _kind(types, self._returned), types.unliteral(found.signature.return_type)
        if returned != wanted:
            raise InvalidInput(
                f"`{self.name}` of a set must return {wanted}",
                f"{returned} from {code!r}",
                "Return new arrays in one piece, and numbers of these types.",
            )
        return found.address

    def _shape(self, types: Any) -> tuple[Any, list[Any]]:
        return _kind(types, self._returned), [_kind(types, each) for each in self._given]

    def _call(self, numba: Any) -> Any:
        return make_call(numba, *self._shape(numba.types))

    def _caller(self, numba: Any) -> Any:
        name, (returned, given) = self.name, self._shape(numba.types)

        def called(context: Any, asked: Any, *args: Any) -> Any:
            def codegen(context: Any, builder: Any, signature: Any, args: Any) -> Any:
                entry, handle = (
                    context.get_getattr(asked, field)(context, builder, asked, args[0], field)
                    for field in (name, "handle")
                )
                return call_at(numba, context, builder, returned, given, entry, handle, args[1:])

            return returned(asked, *given), codegen

        return named_intrinsic(numba, called, self._names)


def operation(declared: _Function) -> _Function:
    """Declare an operation; the body is never run."""
    return cast(_Function, Operation(declared))


def _kind(types: Any, hint: Any) -> Any:
    """Return the Numba type of an annotation."""
    if get_origin(hint) is tuple:
        return types.Tuple([_kind(types, each) for each in get_args(hint)])
    kind, n_axes = get_args(hint) if get_origin(hint) is Annotated else (hint, 0)
    for array, name, usual in _SHAPES:
        if kind == array:
            return types.Array(getattr(types, name), n_axes or usual, "C")
    plain = {bool: types.boolean, int: types.int64, float: types.float64, np.random.Generator: types.npy_rng}
    return plain[kind]
