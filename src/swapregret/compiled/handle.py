"""A player behind one pointer: its family, rule, state and generator, so that a call from Python unboxes one object.

The arrays are those of the named tuples a handle is made from: Python reads, saves and copies them by name, compiled code
changes them. A handle is written from Python, number by number, because compiled code that takes hundreds of arrays from Python
takes seconds to compile. Importing this file loads Numba.
"""

import ctypes
import struct
from collections.abc import Iterator

import numpy as np

from swapregret.arrays import Integers
from swapregret.compiled.kernel import Numba, kernel, load_compiler
from swapregret.compiled.pointers import extending, ir, numba, part_at, place_in, types
from swapregret.errors import Unsupported

structref: Numba = numba.experimental.structref
memory: Numba = numba.core.runtime._nrt_python
_Parts = tuple[object, ...]
Number = int | float


@structref.register
class HandleType(types.StructRef):  # type: ignore[misc]
    """The Numba type of a handle."""

    @property
    def key(self) -> Numba:
        """What tells it from others: the types of its parts. Their names, the default, may be those of two families."""
        return self._fields


class OpenHandle(structref.StructRefProxy):  # type: ignore[misc]
    """What the entries of a learner take; what it was made of stays alive as long as this does."""

    address: int
    kept: _Parts


structref.define_boxing(HandleType, OpenHandle)
_PARTS = ("family", "rule", "state", "tape", "rng")


def open_handle(family: object, rule: object, state: object, tape: object, rng: object) -> OpenHandle:
    """Return a handle on a player."""
    kept = (family, rule, state, tape, rng)
    key = _classes(kept)
    kind, shape, size = KNOWN.get(key) or _kind_of(kept)
    address = memory.meminfo_alloc(size)
    owner = memory._MemInfo(address)
    numbers: list[Number] = []
    _put_numbers(kept, numbers)
    try:
        shape.pack_into((ctypes.c_char * size).from_address(owner.data), 0, *numbers)
    except struct.error as error:
        raise _unknown(f"a number that has no place: {error}") from error
    made: OpenHandle = OpenHandle._numba_box_(kind, owner)
    made.address, made.kept = address, kept
    if key not in KNOWN:
        check_layout(made, numbers)
        KNOWN[key] = kind, shape, size
    return made


KNOWN: dict[_Parts, tuple[Numba, struct.Struct, int]] = {}


def _kind_of(kept: _Parts) -> tuple[Numba, struct.Struct, int]:
    """Return the type of a handle, where its numbers stand, and how many bytes it has."""
    kind = HandleType(tuple((name, numba.typeof(part)) for name, part in zip(_PARTS, kept, strict=True)))
    context = numba.core.registry.cpu_target.target_context
    load_compiler()
    context.refresh()  # which loads what Numba knows of generators
    stored = context.data_model_manager[kind.get_data_type()].get_value_type()
    try:
        shape = struct.Struct(codes_of(stored))
    except KeyError as error:
        raise _unknown(f"a field of type {error}") from None
    return kind, shape, max(shape.size, context.get_abi_sizeof(stored))


def check_layout(made: OpenHandle, numbers: list[Number]) -> None:
    """Have compiled code read all fields, by name where Numba names them, and see that they are what was written."""
    read = np.zeros(len(numbers), dtype=np.int64)
    n_read = read_back(made, read)
    for place, (number, found) in enumerate(zip(numbers, read.tolist(), strict=True)):
        if n_read != len(numbers) or found != _bits(number):
            raise _unknown(f"{found} in field {place} of {n_read}, where {_bits(number)} was written of {len(numbers)}")


def _bits(number: Number) -> int:
    return int(struct.unpack("q", struct.pack("d", number))[0]) if isinstance(number, float) else int(number)


def _unknown(came: str) -> Unsupported:
    return Unsupported(
        "compiled code must read in a handle what was written",
        came,
        f"Numba {numba.__version__} keeps values in another way: `pip install swapregret` installs one that does not.",
    )


_LAYOUT = 0x503
"""The bits of an array's flags that Numba looks at: the order of entries, whether it can be written to, whether it is aligned."""


def _classes(part: object) -> _Parts:
    """Return the classes of a value and of all that is in it, and the kinds of its arrays; two classes of one name are two."""
    if isinstance(part, tuple):
        return (type(part), *map(_classes, part))
    return (part.dtype.num, part.ndim, part.flags.num & _LAYOUT) if isinstance(part, np.ndarray) else (type(part),)


def _put_numbers(part: object, numbers: list[Number]) -> None:
    """Append the numbers of a value, in the order in which Numba stores them; the owners of arrays are not among them."""
    if isinstance(part, tuple):
        for each in part:
            _put_numbers(each, numbers)
    elif isinstance(part, np.ndarray):
        numbers += (0, 0, part.size, part.itemsize, part.ctypes.data, *part.shape, *part.strides)
    elif isinstance(part, np.random.Generator):
        interface = part.bit_generator.ctypes
        calls = (interface.next_uint64, interface.next_uint32, interface.next_double)
        numbers += (0, interface.state_address, interface.state.value)
        numbers += (ctypes.cast(each, ctypes.c_void_p).value or 0 for each in calls)
        numbers += (interface.bit_generator.value, 0, 0)
    else:
        numbers.append(part)  # type: ignore[arg-type]


def codes_of(stored: Numba) -> str:
    """Return how numbers are written: each stands at a multiple of its size, and so do the parts that hold larger ones."""
    if hasattr(stored, "elements") or hasattr(stored, "count"):
        parts = stored.elements if hasattr(stored, "elements") else [stored.element] * stored.count
        codes = "".join(map(codes_of, parts))
        edge = "" if set(codes) <= {"?"} else "0q"  # of no length, at a multiple of 8
        return edge + codes + edge
    return NUMBERS[str(stored)]


NUMBERS = {"i1": "?", "i64": "q", "double": "d", "i8*": "q", "i64*": "q", "double*": "q"}
"""How Numba's kinds of numbers and pointers are written."""


def _fields(context: Numba, builder: Numba, kind: Numba, place: Numba) -> Iterator[Numba]:
    """Load all numbers of a value at a place, in the order of ``_put_numbers``."""
    if isinstance(kind, types.BaseTuple):
        for index, each in enumerate(kind.types):
            yield from _fields(context, builder, each, part_at(builder, place, index))
    elif isinstance(kind, types.Array):
        names = context.data_model_manager[kind]._fields
        for name in ("meminfo", "parent", "nitems", "itemsize", "data"):
            yield builder.load(part_at(builder, place, names.index(name)))
        for name in ("shape", "strides"):
            for axis in range(kind.ndim):
                yield builder.load(part_at(builder, part_at(builder, place, names.index(name)), axis))
    elif isinstance(kind, types.NumPyRandomGeneratorType):
        model = context.data_model_manager[kind]
        inner = context.data_model_manager[model.get_type("bit_generator")]._fields
        source = part_at(builder, place, model._fields.index("bit_generator"))
        for name in _SOURCE:
            yield builder.load(part_at(builder, source, inner.index(name)))
        for name in ("meminfo", "parent"):
            yield builder.load(part_at(builder, place, model._fields.index(name)))
    else:
        yield builder.load(place)


_SOURCE = (
    "parent",
    "state_address",
    "state",
    "fnptr_next_uint64",
    "fnptr_next_uint32",
    "fnptr_next_double",
    "bit_generator",
)


@extending.intrinsic  # type: ignore[untyped-decorator]
def _read_fields(typingctx: Numba, handle: Numba, numbers: Numba) -> Numba:
    def codegen(context: Numba, builder: Numba, signature: Numba, args: Numba) -> Numba:
        whole = context.get_value_type(types.int64)
        given, target = (
            place_in(context, builder, handle, args[0]),
            context.make_array(numbers)(context, builder, args[1]).data,
        )
        reader = ir.Function(builder.module, ir.FunctionType(whole, [given.type, target.type]), "read_fields")
        reader.linkage = "internal"
        for each in ("optnone", "noinline"):  # to make hundreds of loads quick would take a second
            reader.attributes.add(each)
        inside, fields = ir.IRBuilder(reader.append_basic_block()), list[Numba]()
        for index, kind in enumerate(handle.field_dict.values()):
            fields += _fields(context, inside, kind, part_at(inside, reader.args[0], index))
        for count, each in enumerate(fields):
            if isinstance(each.type, ir.PointerType):
                each = inside.ptrtoint(each, whole)
            elif isinstance(each.type, ir.DoubleType):
                each = inside.bitcast(each, whole)
            elif each.type != whole:
                each = inside.zext(each, whole)
            inside.store(each, inside.gep(reader.args[1], [whole(count)]))
        inside.ret(whole(len(fields)))
        return builder.call(reader, [given, target])

    return types.int64(handle, numbers), codegen


@kernel
def read_back(h: OpenHandle, numbers: Integers) -> int:
    """Write all numbers of a handle, in the order in which they were put there; return how many they are."""
    return _read_fields(h, numbers)  # type: ignore[no-any-return]
