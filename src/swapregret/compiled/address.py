"""Code and handles as numbers: calling code known by its address, and pointers to the parts of a handle.

Compiled code knows the class of everything it calls, so a loop over players would be compiled anew for every mixture of them, and
a learner for every kind of set. A handle is a pointer whatever its class. So a loop may take handles and entries as numbers:
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

What a set can be asked is an *operation*, declared once as a function without a body::

    @operation
    def best(hull: Asked, weights: Floats) -> Integers:
        "Return the action of largest total weight."

Its annotations say what compiled code it stands for: ``Floats`` is a vector of float64, ``Integers`` one of int64, ``Words`` a
table of uint64, and ``Annotated[Floats, 2]`` a table. Whoever has code of that shape, a kernel that takes a handle in the place of
the first argument, gets its address (:meth:`Operation.address`). In compiled code ``best(hull, weights)`` reads the address from
the field ``best`` of its first argument, a named tuple, and the handle from ``handle``. In Python it asks the kernel itself
(``hull.ask``). So callers are compiled once for whatever stands behind the address.

Python functions are called by their address too (:class:`Callback`), as compiled code calls all else it does not know when it is
compiled. They take the GIL themselves. An error one raises cannot go through compiled code: it is kept, later calls of the same
thread fail at once, and whoever called the compiled code raises it (:func:`settle`).

How all this is written in Numba is in ``compiled.pointers``. Where kernels run as the Python they are written in
(``benchmarks/walk.py``), handles, entries and parts are themselves.
"""

from collections.abc import Callable, Iterable
from ctypes import c_int64
from functools import cached_property, update_wrapper
from inspect import signature
from operator import attrgetter
from threading import local
from types import ModuleType
from typing import NamedTuple, Protocol, TypeVar, cast, get_type_hints

import numpy as np

from swapregret.arrays import Floats, Integers, Words
from swapregret.compiled.kernel import Function, Kernel, Numba, Returned, kernel
from swapregret.errors import InvalidInput

_Data = TypeVar("_Data")
_DataRead = TypeVar("_DataRead", covariant=True)
_Function = TypeVar("_Function", bound=Function)


class Handle(Protocol[_DataRead]):
    """A pointer to all that compiled code works on: the data of a set, or a running player (``compiled.handle``)."""

    @property
    def address(self) -> int:
        """Where that is."""

    @property
    def family(self) -> _DataRead:
        """The data; read it by :func:`set_of`."""


class Asked(Protocol):
    """Who answers operations in Python: the ``Hull`` of a set, and the ``Family`` of a learner."""

    def ask(self, name: str, *args: object) -> Returned:
        """Ask an operation, by its name."""


class Late:
    """A function of compiled code that is made when a kernel first asks for it: Numba is loaded then.

    ``plain`` is what it does in Python; given ``compiled.pointers``, ``make`` returns the function of compiled code.
    """

    def __init__(self, plain: Function, make: Callable[[ModuleType], Function]) -> None:
        self._plain, self._make = plain, make

    def __call__(self, *args: object) -> Returned:
        """Do in Python what compiled code does."""
        return self._plain(*args)

    @cached_property
    def _numba_type_(self) -> Numba:
        """What Numba asks of a global that compiled code calls."""
        from numba.core.registry import cpu_target

        from swapregret.compiled import pointers

        context: Numba = cpu_target.typing_context
        made = self._make(pointers)
        context.refresh()
        cpu_target.target_context.refresh()
        return context.resolve_value_type(made)


class Call(Late):
    """``call(entry, handle, ...)`` calls the entry at an address with the handle at another, and what else it takes.

    ``returned`` and ``given`` are annotations, as those of an operation.
    """

    def __init__(self, returned: object, *given: object) -> None:
        super().__init__(lambda entry, *args: entry(*args), lambda pointers: pointers.caller_at(returned, list(given)))


def _part(field: str) -> Late:
    return Late(attrgetter(field), lambda pointers: pointers.borrower(field))


address_of = Late(lambda handle: handle, lambda pointers: pointers.own_address)
"""``address_of(handle)`` is where a handle is."""
lend = Late(lambda value: value, lambda pointers: pointers.lender)
"""``lend(value)`` is a pointer to a named tuple that a kernel holds; the kernel must use the value itself afterwards."""
scratch = Late(np.empty, lambda pointers: pointers.room_on_stack)
"""``scratch(count)`` is a vector of so many numbers, until the kernel returns."""
call_act = Call(Integers)
"""``call_act(entry, handle)`` draws an action."""
call_observe = Call(int, Integers, Floats, float)
"""``call_observe(entry, handle, action, seen, reward)`` shows what a day paid."""
call_end = Call(int, int)
"""``call_end(entry, handle, n_ending)`` ends windows."""
family_of, rule_of, state_of, tape_of = _part("family"), _part("rule"), _part("state"), _part("tape")
"""Each takes the handle of a player and returns its part: in compiled code a pointer to it."""


class _SetOf(Late):
    """Typed: the data of a set are what its handle says."""

    def __call__(self, handle: Handle[_Data]) -> _Data:  # type: ignore[override]
        """Return the data of a set."""
        return handle.family


set_of = _SetOf(attrgetter("family"), lambda pointers: pointers.borrower("family"))
"""``set_of(handle)`` takes the handle of a set and returns its data."""


class Code(NamedTuple):
    """Where compiled code is, and its signature."""

    address: int
    signature: Numba


def entry_address(entry: Function, *args: object) -> int:
    """Return where the compiled code of an entry for arguments like these is; it is compiled if it is not."""
    import numba

    typeof: Function = numba.typeof
    return address_in(getattr(entry, "dispatcher", entry), tuple(typeof(each) for each in args)).address


def address_in(dispatcher: Numba, kinds: tuple[Numba, ...]) -> Code:
    """Return where the code of Numba's function for arguments of some types is; it is compiled if it is not."""
    if kinds not in dispatcher.overloads:
        dispatcher.compile(kinds)
    found = dispatcher.overloads[kinds]
    place = found.library.get_pointer_to_function(found.fndesc.llvm_cfunc_wrapper_name)
    return Code(int(place), found.signature)


class Operation(Late):
    """What a declaration of an operation stands for; see above."""

    def __init__(self, declared: Function) -> None:
        update_wrapper(self, declared)
        self.name = name = declared.__name__
        hints, names = get_type_hints(declared, include_extras=True), list(signature(declared).parameters)
        given, returned = [hints[each] for each in names[1:]], hints["return"]
        self._given, self._returned = given, returned
        self.at = Late(
            lambda entry, handle, *args: entry(handle, *args), lambda pointers: pointers.caller_at(returned, given)
        )
        """``at(address, handle, ...)`` in compiled code calls what is at an address."""
        super().__init__(
            lambda asked, *args: asked.ask(name, *args),
            lambda pointers: pointers.caller_of(name, names, returned, given),
        )

    def address(self, code: Kernel | None, handle: object) -> int:
        """Return where a kernel's code for a handle is, or 0 for no kernel; it is compiled if it is not.

        Raises
        ------
        InvalidInput
            If the kernel returns something else than was declared.
        """
        if code is None:
            return 0
        from swapregret.compiled.pointers import kind_of, numba, types

        found = address_in(code.dispatcher, (numba.typeof(handle), *map(kind_of, self._given)))
        wanted, returned = kind_of(self._returned), types.unliteral(found.signature.return_type)
        if returned != wanted:
            raise InvalidInput(
                f"`{self.name}` of a set must return {wanted}",
                f"{returned} from {code!r}",
                "Return new arrays in one piece, and numbers of these types.",
            )
        return found.address


def operation(declared: _Function) -> _Function:
    """Declare an operation; the body is never run."""
    return cast(_Function, Operation(declared))


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
