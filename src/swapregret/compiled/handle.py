"""A player behind one pointer: its family, rule, state and generator, so that a call from Python unboxes one object.

The arrays are those of the named tuples a handle is made from: Python reads, saves and copies them by name, compiled code
changes them. How compiled code points to the parts of a handle is here too
(``compiled.address``). Importing this file loads Numba.
"""

from typing import Any

from swapregret.compiled.kernel import load_numba

__all__ = ["Handle", "borrower"]

numba: Any = load_numba()
types: Any = numba.core.types
structref: Any = numba.experimental.structref
extending: Any = numba.extending


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


class Borrowed(types.Type):  # type: ignore[misc]
    """The Numba type of a pointer to a named tuple inside a handle."""

    def __init__(self, kind: Any) -> None:
        self.kind, self.types, self.instance_class = kind, kind.types, kind.instance_class
        super().__init__(f"borrowed({kind.name})")

    @property
    def key(self) -> Any:
        """What makes two of these types the same."""
        return self.kind


extending.register_model(Borrowed)(extending.models.OpaqueModel)


def _part(kind: Any) -> Any:
    """Return the type in which a part is borrowed."""
    return Borrowed(kind) if isinstance(kind, types.BaseNamedTuple) else kind


@extending.infer_getattr
class _Fields(numba.core.typing.templates.AttributeTemplate):  # type: ignore[misc]
    key = Borrowed

    def generic_resolve(self, pointer: Any, field: str) -> Any:
        """Return the type of a field."""
        fields = pointer.kind.fields
        return _part(pointer.kind.types[fields.index(field)]) if field in fields else None


@extending.lower_getattr_generic(Borrowed)  # type: ignore[untyped-decorator]
def _read_field(context: Any, builder: Any, pointer: Any, value: Any, field: str) -> Any:
    index = pointer.kind.fields.index(field)
    shape = context.get_value_type(pointer.kind).as_pointer()
    return _read(context, builder, pointer.kind.types[index], _gep(builder, builder.bitcast(value, shape), index))


def _gep(builder: Any, place: Any, index: int) -> Any:
    return numba.core.cgutils.gep_inbounds(builder, place, 0, index)


def _read(context: Any, builder: Any, kind: Any, place: Any) -> Any:
    """Return what is at a place: of a named tuple the place, of an array all but the pointers to its owners."""
    if isinstance(kind, types.BaseNamedTuple):
        return builder.bitcast(place, numba.core.cgutils.voidptr_t)
    if isinstance(kind, types.Array):
        array = context.make_array(kind)(context, builder)
        fields = context.data_model_manager[kind]._fields
        for index, name in enumerate(fields):
            if name not in ("meminfo", "parent"):
                setattr(array, name, _load(builder, _gep(builder, place, index)))
        return array._getvalue()
    return _load(builder, place)


def _load(builder: Any, place: Any) -> Any:
    """Load a number, or a tuple of numbers; nothing changes what is in a handle, so it may be loaded once."""
    shape = place.type.pointee
    if hasattr(shape, "count") or hasattr(shape, "elements"):
        count = shape.count if hasattr(shape, "count") else len(shape.elements)
        made = numba.core.cgutils.ir.Constant(shape, numba.core.cgutils.ir.Undefined)
        for index in range(count):
            made = builder.insert_value(made, _load(builder, _gep(builder, place, index)), index)
        return made
    loaded = builder.load(place)
    loaded.set_metadata("invariant.load", builder.module.add_metadata([]))
    return loaded


def borrower(field: str) -> Any:
    """Return Numba's function that takes a handle and returns a pointer to a part of it."""

    @extending.intrinsic  # type: ignore[untyped-decorator]
    def borrowed(typingctx: Any, handle: Any) -> Any:
        kind = handle.field_dict[field]

        def codegen(context: Any, builder: Any, signature: Any, args: Any) -> Any:
            holder = numba.core.cgutils.create_struct_proxy(handle)(context, builder, value=args[0])
            payload = handle.get_data_type()
            shape = context.data_model_manager[payload].get_value_type().as_pointer()
            place = builder.bitcast(context.nrt.meminfo_data(builder, holder.meminfo), shape)
            return _read(context, builder, kind, _gep(builder, place, list(handle.field_dict).index(field)))

        return _part(kind)(handle), codegen

    return borrowed
