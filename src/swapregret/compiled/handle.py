"""A player behind one pointer: its family, rule, state and generator, so that a call from Python unboxes one object.

The arrays are those of the named tuples a handle is made from: Python reads, saves and copies them by name, compiled code
changes them. A handle is written from Python, number by number, because compiled code that takes hundreds of arrays from Python
takes seconds to compile. How compiled code points to the parts of a handle is here too (``compiled.address``). Importing this file
loads Numba.
"""

import ctypes
import struct
from collections.abc import Iterator
from typing import Any

import numpy as np

from swapregret.arrays import Integers
from swapregret.compiled.kernel import kernel, load_compiler, load_numba
from swapregret.errors import Unsupported

numba: Any = load_numba("numba.experimental.structref")
types: Any = numba.core.types
structref: Any = numba.experimental.structref
extending: Any = numba.extending
memory: Any = numba.core.runtime._nrt_python


@structref.register
class HandleType(types.StructRef):  # type: ignore[misc]
    """The Numba type of a handle."""

    @property
    def key(self) -> Any:
        """What tells it from others: the types of its parts. Their names, the default, may be those of two families."""
        return self._fields


class Handle(structref.StructRefProxy):  # type: ignore[misc]
    """What the entries of a learner take; what it was made of stays alive as long as this does."""

    address: int
    kept: tuple[Any, ...]


structref.define_boxing(HandleType, Handle)
_PARTS = ("family", "rule", "state", "tape", "rng")


def open_handle(family: Any, rule: Any, state: Any, tape: Any, rng: Any) -> Handle:
    """Return a handle on a player."""
    kept = (family, rule, state, tape, rng)
    key = _classes(kept)
    kind, shape, size = _known.get(key) or _kind_of(kept)
    address = memory.meminfo_alloc(size)
    owner = memory._MemInfo(address)
    numbers: list[Any] = []
    _put_numbers(kept, numbers)
    try:
        shape.pack_into((ctypes.c_char * size).from_address(owner.data), 0, *numbers)
    except struct.error as error:
        raise _unknown(f"a number that has no place: {error}") from error
    made: Handle = Handle._numba_box_(kind, owner)
    made.address, made.kept = address, kept
    if key not in _known:
        _check_layout(made, numbers)
        _known[key] = kind, shape, size
    return made


_known: dict[Any, tuple[Any, struct.Struct, int]] = {}


def _kind_of(kept: tuple[Any, ...]) -> tuple[Any, struct.Struct, int]:
    """Return the type of a handle, where its numbers stand, and how many bytes it has."""
    kind = HandleType(tuple((name, numba.typeof(part)) for name, part in zip(_PARTS, kept, strict=True)))
    context = numba.core.registry.cpu_target.target_context
    load_compiler()
    context.refresh()  # which loads what Numba knows of generators
    stored = context.data_model_manager[kind.get_data_type()].get_value_type()
    try:
        shape = struct.Struct(_codes(stored))
    except KeyError as error:
        raise _unknown(f"a field of type {error}") from None
    return kind, shape, max(shape.size, context.get_abi_sizeof(stored))


def _check_layout(made: Handle, numbers: list[Any]) -> None:
    """Have compiled code read all fields, by name where Numba names them, and see that they are what was written."""
    read = np.zeros(len(numbers), dtype=np.int64)
    n_read = _read_back(made, read)
    for place, (number, found) in enumerate(zip(numbers, read.tolist(), strict=True)):
        if n_read != len(numbers) or found != _bits(number):
            raise _unknown(f"{found} in field {place} of {n_read}, where {_bits(number)} was written of {len(numbers)}")


def _bits(number: Any) -> int:
    return int(struct.unpack("q", struct.pack("d", number))[0]) if isinstance(number, float) else int(number)


def _unknown(came: str) -> Unsupported:
    return Unsupported(
        "compiled code must read in a handle what was written",
        came,
        f"Numba {numba.__version__} keeps values in another way: `pip install swapregret` installs one that does not.",
    )


_LAYOUT = 0x503
"""The bits of an array's flags that Numba looks at: the order of entries, whether it can be written to, whether it is aligned."""


def _classes(part: Any) -> tuple[Any, ...]:
    """Return the classes of a value and of all that is in it, and the kinds of its arrays; two classes of one name are two."""
    if isinstance(part, tuple):
        return (type(part), *map(_classes, part))
    return (part.dtype.num, part.ndim, part.flags.num & _LAYOUT) if isinstance(part, np.ndarray) else (type(part),)


def _put_numbers(part: Any, numbers: list[Any]) -> None:
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
        numbers += (ctypes.cast(each, ctypes.c_void_p).value for each in calls)
        numbers += (interface.bit_generator.value, 0, 0)
    else:
        numbers.append(part)


def _codes(stored: Any) -> str:
    """Return how numbers are written: each stands at a multiple of its size, and so do the parts that hold larger ones."""
    if hasattr(stored, "elements") or hasattr(stored, "count"):
        parts = stored.elements if hasattr(stored, "elements") else [stored.element] * stored.count
        codes = "".join(map(_codes, parts))
        edge = "" if set(codes) <= {"?"} else "0q"  # of no length, at a multiple of 8
        return edge + codes + edge
    return _NUMBERS[str(stored)]


_NUMBERS = {"i1": "?", "i64": "q", "double": "d", "i8*": "q", "i64*": "q", "double*": "q"}
"""How Numba's kinds of numbers and pointers are written."""


class Borrowed(types.Type):  # type: ignore[misc]
    """The Numba type of a pointer to a named tuple: inside a handle, or lent by a kernel."""

    def __init__(self, kind: Any, is_lent: bool = False) -> None:
        self.kind, self.types, self.instance_class, self.is_lent = kind, kind.types, kind.instance_class, is_lent
        super().__init__(f"{'lent' if is_lent else 'borrowed'}({kind.name})")

    @property
    def key(self) -> Any:
        """What makes two of these types the same."""
        return self.kind, self.is_lent


extending.register_model(Borrowed)(extending.models.OpaqueModel)


def _part(kind: Any, is_lent: bool = False) -> Any:
    """Return the type in which a part is borrowed."""
    return Borrowed(kind, is_lent) if isinstance(kind, types.BaseNamedTuple) else kind


@extending.infer_getattr
class _Fields(numba.core.typing.templates.AttributeTemplate):  # type: ignore[misc]
    key = Borrowed

    def generic_resolve(self, pointer: Any, field: str) -> Any:
        """Return the type of a field."""
        fields = pointer.kind.fields
        return _part(pointer.kind.types[fields.index(field)], pointer.is_lent) if field in fields else None


@extending.lower_getattr_generic(Borrowed)  # type: ignore[untyped-decorator]
def _read_field(context: Any, builder: Any, pointer: Any, value: Any, field: str) -> Any:
    index = pointer.kind.fields.index(field)
    shape = context.get_value_type(pointer.kind).as_pointer()
    place = _gep(builder, builder.bitcast(value, shape), index)
    return _read(context, builder, pointer.kind.types[index], place, not pointer.is_lent)


def _gep(builder: Any, place: Any, index: int) -> Any:
    return numba.core.cgutils.gep_inbounds(builder, place, 0, index)


def _read(context: Any, builder: Any, kind: Any, place: Any, is_fixed: bool = True) -> Any:
    """Return what is at a place: of a named tuple the place, of an array all but the pointers to its owners."""
    if isinstance(kind, types.BaseNamedTuple):
        return builder.bitcast(place, numba.core.cgutils.voidptr_t)
    if isinstance(kind, types.Array):
        array = context.make_array(kind)(context, builder)
        fields = context.data_model_manager[kind]._fields
        for index, name in enumerate(fields):
            if name not in ("meminfo", "parent"):
                setattr(array, name, _load(builder, _gep(builder, place, index), is_fixed))
        return array._getvalue()
    return _load(builder, place, is_fixed)


def _load(builder: Any, place: Any, is_fixed: bool) -> Any:
    """Load a number, or a tuple of numbers; nothing changes what is in a handle, so it may be loaded once."""
    shape = place.type.pointee
    if hasattr(shape, "count") or hasattr(shape, "elements"):
        count = shape.count if hasattr(shape, "count") else len(shape.elements)
        made = numba.core.cgutils.ir.Constant(shape, numba.core.cgutils.ir.Undefined)
        for index in range(count):
            made = builder.insert_value(made, _load(builder, _gep(builder, place, index), is_fixed), index)
        return made
    loaded = builder.load(place)
    if is_fixed:
        loaded.set_metadata("invariant.load", builder.module.add_metadata([]))
    return loaded


def _fields(context: Any, builder: Any, kind: Any, place: Any) -> Iterator[Any]:
    """Load all numbers of a value at a place, in the order of ``_put_numbers``."""
    if isinstance(kind, types.BaseTuple):
        for index, each in enumerate(kind.types):
            yield from _fields(context, builder, each, _gep(builder, place, index))
    elif isinstance(kind, types.Array):
        names = context.data_model_manager[kind]._fields
        for name in ("meminfo", "parent", "nitems", "itemsize", "data"):
            yield builder.load(_gep(builder, place, names.index(name)))
        for name in ("shape", "strides"):
            for axis in range(kind.ndim):
                yield builder.load(_gep(builder, _gep(builder, place, names.index(name)), axis))
    elif isinstance(kind, types.NumPyRandomGeneratorType):
        model = context.data_model_manager[kind]
        inner = context.data_model_manager[model.get_type("bit_generator")]._fields
        source = _gep(builder, place, model._fields.index("bit_generator"))
        for name in _SOURCE:
            yield builder.load(_gep(builder, source, inner.index(name)))
        for name in ("meminfo", "parent"):
            yield builder.load(_gep(builder, place, model._fields.index(name)))
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
def _read_fields(typingctx: Any, handle: Any, numbers: Any) -> Any:
    def codegen(context: Any, builder: Any, signature: Any, args: Any) -> Any:
        ir, whole = numba.core.cgutils.ir, context.get_value_type(types.int64)
        given, target = (
            _place_in(context, builder, handle, args[0]),
            context.make_array(numbers)(context, builder, args[1]).data,
        )
        reader = ir.Function(builder.module, ir.FunctionType(whole, [given.type, target.type]), "read_fields")
        reader.linkage = "internal"
        for each in ("optnone", "noinline"):  # to make hundreds of loads quick would take a second
            reader.attributes.add(each)
        inside, fields = ir.IRBuilder(reader.append_basic_block()), list[Any]()
        for index, kind in enumerate(handle.field_dict.values()):
            fields += _fields(context, inside, kind, _gep(inside, reader.args[0], index))
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
def _read_back(h: Any, numbers: Integers) -> int:
    return _read_fields(h, numbers)  # type: ignore[no-any-return]


def _place_in(context: Any, builder: Any, handle: Any, value: Any) -> Any:
    """Return where the parts of a handle begin."""
    holder = numba.core.cgutils.create_struct_proxy(handle)(context, builder, value=value)
    shape = context.data_model_manager[handle.get_data_type()].get_value_type().as_pointer()
    return builder.bitcast(context.nrt.meminfo_data(builder, holder.meminfo), shape)


def borrower(field: str) -> Any:
    """Return Numba's function that takes a handle and returns a pointer to a part of it."""

    @extending.intrinsic  # type: ignore[untyped-decorator]
    def borrowed(typingctx: Any, handle: Any) -> Any:
        kind = handle.field_dict[field]

        def codegen(context: Any, builder: Any, signature: Any, args: Any) -> Any:
            place = _place_in(context, builder, handle, args[0])
            return _read(context, builder, kind, _gep(builder, place, list(handle.field_dict).index(field)))

        return _part(kind)(handle), codegen

    return borrowed


@extending.intrinsic  # type: ignore[untyped-decorator]
def lend(typingctx: Any, value: Any) -> Any:
    """Return a pointer to a named tuple that a kernel holds; one that is borrowed already stays as it is."""

    def codegen(context: Any, builder: Any, signature: Any, args: Any) -> Any:
        if isinstance(value, Borrowed):
            return args[0]
        return builder.bitcast(numba.core.cgutils.alloca_once_value(builder, args[0]), numba.core.cgutils.voidptr_t)

    return (value if isinstance(value, Borrowed) else Borrowed(value, is_lent=True))(value), codegen
