"""Functions of compiled code that work on pointers: parts of a handle, calls of code at an address, room on the stack.

``compiled.address`` names them and says what they are for. They are written with Numba's tools for code generation: for each
there is a function that says what it takes and returns, and ``codegen``, which writes its instructions. Importing this file
loads Numba.
"""

from inspect import Parameter, Signature
from typing import Annotated, get_args, get_origin

import numpy as np

from swapregret.arrays import Floats, Integers, Words
from swapregret.compiled.kernel import Function, Numba, load_numba

numba: Numba = load_numba("numba.experimental.structref")
types: Numba = numba.core.types
extending: Numba = numba.extending
cgutils: Numba = numba.core.cgutils
ir: Numba = cgutils.ir


class Borrowed(types.Type):  # type: ignore[misc]
    """The Numba type of a pointer to a named tuple: inside a handle, or lent by a kernel."""

    def __init__(self, kind: Numba, is_lent: bool = False) -> None:
        self.kind, self.types, self.instance_class, self.is_lent = kind, kind.types, kind.instance_class, is_lent
        super().__init__(f"{'lent' if is_lent else 'borrowed'}({kind.name})")

    @property
    def key(self) -> Numba:
        """What makes two of these types the same."""
        return self.kind, self.is_lent


extending.register_model(Borrowed)(extending.models.OpaqueModel)


def _part(kind: Numba, is_lent: bool = False) -> Numba:
    """Return the type in which a part is borrowed."""
    return Borrowed(kind, is_lent) if isinstance(kind, types.BaseNamedTuple) else kind


@extending.infer_getattr
class _Fields(numba.core.typing.templates.AttributeTemplate):  # type: ignore[misc]
    key = Borrowed

    def generic_resolve(self, pointer: Numba, field: str) -> Numba:
        """Return the type of a field."""
        fields = pointer.kind.fields
        return _part(pointer.kind.types[fields.index(field)], pointer.is_lent) if field in fields else None


@extending.lower_getattr_generic(Borrowed)  # type: ignore[untyped-decorator]
def _read_field(context: Numba, builder: Numba, pointer: Numba, value: Numba, field: str) -> Numba:
    index = pointer.kind.fields.index(field)
    shape = context.get_value_type(pointer.kind).as_pointer()
    place = part_at(builder, builder.bitcast(value, shape), index)
    return _read(context, builder, pointer.kind.types[index], place, not pointer.is_lent)


def part_at(builder: Numba, place: Numba, index: int) -> Numba:
    """Return where a part of a value begins."""
    return cgutils.gep_inbounds(builder, place, 0, index)


def _read(context: Numba, builder: Numba, kind: Numba, place: Numba, is_fixed: bool = True) -> Numba:
    """Return what is at a place: of a named tuple the place, of an array all but the pointers to its owners."""
    if isinstance(kind, types.BaseNamedTuple):
        return builder.bitcast(place, cgutils.voidptr_t)
    if isinstance(kind, types.Array):
        array = context.make_array(kind)(context, builder)
        fields = context.data_model_manager[kind]._fields
        for index, name in enumerate(fields):
            if name not in ("meminfo", "parent"):
                setattr(array, name, _load(builder, part_at(builder, place, index), is_fixed))
        return array._getvalue()
    return _load(builder, place, is_fixed)


def _load(builder: Numba, place: Numba, is_fixed: bool) -> Numba:
    """Load a number, or a tuple of numbers; nothing changes what is in a handle, so it may be loaded once."""
    shape = place.type.pointee
    if hasattr(shape, "count") or hasattr(shape, "elements"):
        count = shape.count if hasattr(shape, "count") else len(shape.elements)
        made = ir.Constant(shape, ir.Undefined)
        for index in range(count):
            made = builder.insert_value(made, _load(builder, part_at(builder, place, index), is_fixed), index)
        return made
    loaded = builder.load(place)
    if is_fixed:
        loaded.set_metadata("invariant.load", builder.module.add_metadata([]))
    return loaded


def place_in(context: Numba, builder: Numba, handle: Numba, value: Numba) -> Numba:
    """Return where the parts of a handle begin."""
    holder = cgutils.create_struct_proxy(handle)(context, builder, value=value)
    shape = context.data_model_manager[handle.get_data_type()].get_value_type().as_pointer()
    return builder.bitcast(context.nrt.meminfo_data(builder, holder.meminfo), shape)


def borrower(field: str) -> Function:
    """Return the function that takes a handle and returns a pointer to a part of it."""

    def borrowed(typingctx: Numba, handle: Numba) -> Numba:
        kind = handle.field_dict[field]

        def codegen(context: Numba, builder: Numba, signature: Numba, args: Numba) -> Numba:
            place = place_in(context, builder, handle, args[0])
            return _read(context, builder, kind, part_at(builder, place, list(handle.field_dict).index(field)))

        return _part(kind)(handle), codegen

    return _intrinsic(borrowed)


def _intrinsic(typed: Function, names: list[str] | None = None) -> Function:
    """Return a function of compiled code; Numba wants to know the names of its arguments."""
    if names is not None:
        kinds = [Parameter(name, Parameter.POSITIONAL_OR_KEYWORD) for name in ("typingctx", *names)]
        typed.__signature__ = Signature(kinds)  # type: ignore[attr-defined]
    made: Function = extending.intrinsic(typed)
    return made


@_intrinsic
def lender(typingctx: Numba, value: Numba) -> Numba:
    """Return a pointer to a named tuple that a kernel holds; one that is borrowed already stays as it is."""

    def codegen(context: Numba, builder: Numba, signature: Numba, args: Numba) -> Numba:
        if isinstance(value, Borrowed):
            return args[0]
        return builder.bitcast(cgutils.alloca_once_value(builder, args[0]), cgutils.voidptr_t)

    return (value if isinstance(value, Borrowed) else Borrowed(value, is_lent=True))(value), codegen


@_intrinsic
def own_address(typingctx: Numba, handle: Numba) -> Numba:
    """Return where a handle is."""

    def codegen(context: Numba, builder: Numba, signature: Numba, args: Numba) -> Numba:
        return builder.ptrtoint(builder.extract_value(args[0], 0), context.get_value_type(types.int64))

    return types.int64(handle), codegen


@_intrinsic
def room_on_stack(typingctx: Numba, count: Numba) -> Numba:
    """Return a vector on the stack."""
    size, kind = types.intp, types.float64[::1]

    def codegen(context: Numba, builder: Numba, signature: Numba, args: Numba) -> Numba:
        array, width = context.make_array(kind)(context, builder), context.get_constant(size, 8)
        room = builder.alloca(context.get_value_type(kind.dtype), args[0])
        fill = numba.np.arrayobj.populate_array
        fill(array, data=room, shape=(args[0],), strides=(width,), itemsize=width, meminfo=None)
        return array._getvalue()

    return kind(size), codegen


# ---- calls of code at an address ---------------------------------------------------------------------------------------------

_SHAPES: tuple[tuple[object, str, int], ...] = ((Floats, "float64", 1), (Integers, "int64", 1), (Words, "uint64", 2))


def kind_of(hint: object) -> Numba:
    """Return the Numba type that an annotation stands for."""
    if get_origin(hint) is tuple:
        return types.Tuple([kind_of(each) for each in get_args(hint)])
    kind, n_axes = get_args(hint) if get_origin(hint) is Annotated else (hint, 0)
    for array, name, usual in _SHAPES:
        if kind == array:
            return types.Array(getattr(types, name), n_axes or usual, "C")
    plain = {bool: types.boolean, int: types.int64, float: types.float64, np.random.Generator: types.npy_rng}
    return plain[kind]


def caller_at(returned: object, given: list[object]) -> Function:
    """Return the function that calls code at an address with the handle at another, and what else it takes."""
    result, kinds = kind_of(returned), [kind_of(each) for each in given]

    def called(typingctx: Numba, entry: Numba, handle: Numba, *args: Numba) -> Numba:
        def codegen(context: Numba, builder: Numba, signature: Numba, args: Numba) -> Numba:
            return _call(context, builder, result, kinds, *args)

        return result(types.int64, types.int64, *kinds), codegen

    return _intrinsic(called, ["entry", "handle", *(f"given_{place}" for place in range(len(kinds)))])


def caller_of(name: str, names: list[str], returned: object, given: list[object]) -> Function:
    """Return the function that reads an address, by its name, and the one of the handle from its first argument, and calls."""
    result, kinds = kind_of(returned), [kind_of(each) for each in given]

    def called(typingctx: Numba, asked: Numba, *args: Numba) -> Numba:
        def codegen(context: Numba, builder: Numba, signature: Numba, args: Numba) -> Numba:
            read = context.get_getattr
            entry, handle = (read(asked, field)(context, builder, asked, args[0], field) for field in (name, "handle"))
            return _call(context, builder, result, kinds, entry, handle, *args[1:])

        return result(asked, *kinds), codegen

    return _intrinsic(called, names)


def _call(
    context: Numba, builder: Numba, returned: Numba, kinds: Numba, entry: Numba, handle: Numba, *args: Numba
) -> Numba:
    """Write a call."""
    pointer = ir.IntType(8).as_pointer()
    holder = ir.LiteralStructType([pointer])  # how a handle is passed
    given = [holder, *(context.get_value_type(each) for each in kinds)]
    shape = ir.FunctionType(context.get_value_type(returned), given)
    held = builder.insert_value(ir.Constant(holder, ir.Undefined), builder.inttoptr(handle, pointer), 0)
    return builder.call(builder.inttoptr(entry, shape.as_pointer()), [held, *args])
