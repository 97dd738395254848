"""Numba's compiler, set up to do less: how a kernel is compiled that is executed, and one that is only linked into others.

To take arguments from Python and to give results back has to be compiled too, and most kernels are only called by kernels. Those
are neither optimised nor made executable: their callers are, with all that they call. The same holds for what Numba itself brings
along, ``np.zeros`` and its like, while it is compiled into a kernel. Nothing here changes what the code computes.

This uses parts of Numba that may change, so it is used with versions of Numba it was tested with only (``compiled.kernel`` names
them, ``make test-numba`` tests them). With others kernels are plain functions of Numba, and take two to three times as long to
compile. What it changes in Numba it changes while a kernel is compiled, under the lock that lets one thread compile at a time, and
puts back then. A function of somebody else's that a kernel calls is compiled as if none of this were here, and what Numba brings
along is kept apart for kernels and for others.

Importing this file loads Numba.
"""

import gc
import os
from collections.abc import Iterator
from contextlib import contextmanager

from swapregret.compiled.kernel import Numba, load_numba

_numba: Numba = load_numba("numba.np.linalg")
compiling: Numba = _numba.core.compiler
_cgutils: Numba = _numba.core.cgutils
codegen: Numba = _numba.core.codegen
configuring: Numba = _numba.core.targetconfig
options: Numba = configuring.ConfigStack
_ENVIRONMENT = "_ZN08NumbaEnv"


@contextmanager
def _set(values: list[tuple[Numba, str, Numba]]) -> Iterator[None]:
    """Set attributes until the block ends."""
    kept = [(owner, name, getattr(owner, name)) for owner, name, _ in values]
    for owner, name, value in values:
        setattr(owner, name, value)
    try:
        yield
    finally:
        for owner, name, value in kept:
            setattr(owner, name, value)


with _set([(_numba.np.linalg, "ensure_blas", lambda: None)]):
    # Numba asks whether SciPy has BLAS by importing all of scipy.linalg. A function that calls BLAS asks again.
    load_numba("numba.np.arraymath")


class _Library(codegen.JITCodeLibrary):  # type: ignore[misc]
    def _optimize_functions(self, module: Numba) -> None:
        """Clean up the functions of a module with one set of passes; Numba makes one for each, also for those it only names."""
        module.data_layout = self._codegen._data_layout
        passes, builder = self._codegen._function_pass_manager()
        for each in module.functions:
            if not each.is_declaration:
                passes.run(each, builder)


class _OuterLibrary(_Library):
    """Code that is executed: equal operations side by side become one instruction, which reorders no sum.

    Numba keeps the whole intermediate code of a function beside its machine code, for callers to write it into themselves, and
    reads it whenever the function is loaded; that took half of the time of loading. Only Python calls this one, kernels that
    call it find a second, so only the names are kept by which its machine code is found.
    """

    def _optimize_final_module(self) -> None:
        settings = _numba.core.config
        with _set([] if "NUMBA_SLP_VECTORIZE" in os.environ else [(settings, "SLP_VECTORIZE", 1)]):
            super()._optimize_final_module()

    def serialize_using_object_code(self) -> Numba:
        """Return what is kept on disk."""
        self._ensure_finalized()
        ir, binding = _cgutils.ir, codegen.ll
        names = self._codegen._create_empty_module(self.name)
        for each in self._final_module.functions:
            if each.linkage == binding.Linkage.external and not each.is_declaration:
                ir.GlobalVariable(names, ir.IntType(8), each.name).initializer = ir.IntType(8)(0)
        return self.name, "object", (self._get_compiled_object(), binding.parse_assembly(str(names)).as_bitcode())


class _InnerLibrary(_Library):
    """Code that is only ever linked into other code: it is not optimised as a whole, and not made executable.

    Were it executable, other code in the same process would call it instead of the optimised copy it has of it.
    """

    _final_module: Numba

    def _optimize_final_module(self) -> None:
        pass

    def _finalize_final_module(self) -> None:
        linked = self._final_module
        module, pointer = self._codegen._create_empty_module(self.name), _cgutils.voidptr_t
        for each in linked.global_variables:
            if each.name.startswith(_ENVIRONMENT):  # Numba writes to it when it loads the code
                made = _cgutils.ir.GlobalVariable(module, pointer, each.name)
                made.linkage, made.initializer = "common", pointer(None)
        self._final_module = codegen.ll.parse_assembly(str(module))
        super()._finalize_final_module()
        self._final_module = linked


class OuterCompiler(compiling.Compiler):  # type: ignore[misc]
    """The compiler of a kernel that is executed."""

    _library: Numba = _OuterLibrary

    def compile_extra(self, func: Numba) -> Numba:
        """Compile a function, and what it calls."""
        self.state.library = self._library(self.state.targetctx.codegen(), func.__qualname__)
        self.state.library.enable_object_caching()
        collects = gc.isenabled()
        gc.disable()
        try:
            with _set(_QUICK):
                return super().compile_extra(func)
        finally:
            if collects:
                gc.enable()


class InnerCompiler(OuterCompiler):
    """The compiler of a kernel that is linked into others."""

    _library = _InnerLibrary


def as_called(dispatcher: Numba) -> Numba:
    """Have kernels that pass a constant to this one call the code for a number: Numba would compile it once more for each."""
    unliteral: Numba = _numba.core.types.unliteral
    resolve = dispatcher.get_call_template

    def get_call_template(args: Numba, kws: Numba) -> Numba:
        return resolve([unliteral(each) for each in args], {name: unliteral(each) for name, each in kws.items()})

    dispatcher.get_call_template = get_call_template
    return dispatcher


def _library_for(engine: Numba, name: str, **kwargs: Numba) -> Numba:
    """Make the library of what a kernel calls: what Numba brings along is only linked."""
    flags = options.top_or_none()
    is_linked = flags is not None and flags.no_cpython_wrapper and engine._library_class is codegen.JITCodeLibrary
    return _InnerLibrary(engine, name) if is_linked else _make_library(engine, name, **kwargs)


def _compile_extra(compiler: Numba, func: Numba) -> Numba:
    """Compile what a kernel calls: a function of somebody else's as Numba alone would."""
    if isinstance(compiler, OuterCompiler) or compiler.state.flags.no_cpython_wrapper:
        return _compile(compiler, func)
    with _set(_PLAIN):
        return _compile(compiler, func)


def _refuse_slice(given: Numba, wanted: Numba) -> None:
    """Stand for what follows in compiled code: a slice that does not fit is refused in few words.

    To name both shapes, as Numba does, takes all of its strings.
    """


@_numba.extending.overload(_refuse_slice)  # type: ignore[untyped-decorator]
def _refused_slice(given: Numba, wanted: Numba) -> Numba:
    def refuse(given: Numba, wanted: Numba) -> None:
        raise ValueError("a slice must be assigned an array of its own shape")

    return refuse


def _are_equal(flags: Numba, other: Numba) -> Numba:
    """Compare two sets of compiler options, as Numba does at every call it compiles: only what was set can differ."""
    if type(flags) is not type(other):
        return NotImplemented
    mine, theirs = flags._values, other._values
    return mine == theirs or all(getattr(flags, name) == getattr(other, name) for name in {*mine, *theirs})


def _hash(flags: Numba) -> int:
    """Return another hash than Numba does: what it compiled for a kernel it does not find for anybody else."""
    return hash(type(flags))


_call_types: dict[Numba, tuple[Numba, Numba]] = {}


def _call_type(function: Numba, context: Numba, args: Numba, kws: Numba) -> Numba:
    """Return the signature of a call of one of Numba's functions; Numba would try all ways to type it again.

    The function is kept too, so that no other gets its id.
    """
    key = id(function), context, tuple(args), tuple(kws.items()), options.top_or_none()
    if key not in _call_types:
        _call_types[key] = function, _find_call_type(function, context, args, kws)
    return _call_types[key][1]


_QUICK: list[tuple[Numba, str, Numba]] = [
    (codegen.Codegen, "create_library", _library_for),
    (compiling.CompilerBase, "compile_extra", _compile_extra),
    (_numba.np.arrayobj, "raise_with_shape_context", _refuse_slice),
    (configuring.TargetConfig, "__eq__", _are_equal),
    (configuring.TargetConfig, "__hash__", _hash),
    (_numba.core.types.functions.BaseFunction, "get_call_type", _call_type),
]
"""What is another while a kernel is compiled: of what, its name, and what it is then."""
_PLAIN = [(owner, name, getattr(owner, name)) for owner, name, _ in _QUICK]
_make_library, _compile, _, _, _, _find_call_type = (value for _, _, value in _PLAIN)
