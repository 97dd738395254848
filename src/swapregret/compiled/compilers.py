"""Numba's compiler, set up to do less: how a kernel is compiled that is executed, and one that is only linked into others.

To take arguments from Python and to give results back has to be compiled too, and most kernels are only called by kernels. Those
are neither optimised nor made executable: their callers are, with all that they call. The same holds for what Numba itself brings
along, ``np.zeros`` and its like, while it is compiled into a kernel. Nothing here changes the code that runs.

Importing this file loads Numba.
"""

import gc
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

from swapregret.compiled.kernel import load_numba

numba: Any = load_numba()
cgutils: Any = numba.core.cgutils
codegen: Any = numba.core.codegen
arrays: Any = numba.np.arrayobj
functions: Any = numba.core.types.functions.BaseFunction
processors: Any = numba.core.postproc.PostProcessor
options: Any = numba.core.targetconfig.ConfigStack
_ENVIRONMENT = "_ZN08NumbaEnv"


class _Library(codegen.JITCodeLibrary):  # type: ignore[misc]
    def _optimize_functions(self, module: Any) -> None:
        """Clean up the functions of a module with one set of passes; Numba makes one for each, also for those it only names."""
        module.data_layout = self._codegen._data_layout
        passes, builder = self._codegen._function_pass_manager()
        for each in module.functions:
            if not each.is_declaration:
                passes.run(each, builder)


class _OuterLibrary(_Library):
    """Code that is executed: only Python calls it, so it is kept on disk without what callers in compiled code would need.

    Numba keeps the whole intermediate code of a function beside its machine code, for callers to write it into themselves, and
    reads it whenever the function is loaded; that took half of the time of loading. Kernels that call a kernel find a second
    function for it, so of this one only the names are kept by which its machine code is found.
    """

    def serialize_using_object_code(self) -> Any:
        """Return what is kept on disk."""
        self._ensure_finalized()
        ir, binding = cgutils.ir, codegen.ll
        names = self._codegen._create_empty_module(self.name)
        for each in self._final_module.functions:
            if each.linkage == binding.Linkage.external and not each.is_declaration:
                ir.GlobalVariable(names, ir.IntType(8), each.name).initializer = ir.IntType(8)(0)
        return self.name, "object", (self._get_compiled_object(), binding.parse_assembly(str(names)).as_bitcode())


class _InnerLibrary(_Library):
    """Code that is only ever linked into other code: it is not optimised as a whole, and not made executable.

    Were it executable, other code in the same process would call it instead of the optimised copy it has of it.
    """

    _final_module: Any

    def _optimize_final_module(self) -> None:
        pass

    def _finalize_final_module(self) -> None:
        linked = self._final_module
        module, pointer = self._codegen._create_empty_module(self.name), cgutils.voidptr_t
        for each in linked.global_variables:
            if each.name.startswith(_ENVIRONMENT):  # Numba writes to it when it loads the code
                made = cgutils.ir.GlobalVariable(module, pointer, each.name)
                made.linkage, made.initializer = "common", pointer(None)
        self._final_module = codegen.ll.parse_assembly(str(module))
        super()._finalize_final_module()
        self._final_module = linked


class OuterCompiler(numba.core.compiler.Compiler):  # type: ignore[misc]
    """The compiler of a kernel that is executed."""

    _library: Any = _OuterLibrary

    def compile_extra(self, func: Any) -> Any:
        """Compile a function, and what it calls."""
        engine = self.state.targetctx.codegen()
        self.state.library = self._library(engine, func.__qualname__)
        self.state.library.enable_object_caching()
        with _quick(engine):
            return super().compile_extra(func)


class InnerCompiler(OuterCompiler):
    """The compiler of a kernel that is linked into others."""

    _library = _InnerLibrary


@contextmanager
def _quick(engine: Any) -> Iterator[None]:
    """Leave out, until the block ends, what costs time and is of no use: Numba holds its lock around it, so one thread is in here.

    What Numba brings along is linked only. A slice that does not fit is refused in few words, not with both shapes: that would
    take all of Numba's strings. A call of the same types is typed once, and no pass lists the variables alive where blocks begin.
    Garbage is not looked for, and calls of LLVM are not timed.
    """
    if "create_library" in vars(engine):  # what is compiled is called by what is being compiled
        yield
        return
    timers = codegen.ll.ffi.lib._lock._cblist
    kept, collects, refuse = list(timers), gc.isenabled(), arrays.raise_with_shape_context
    gc.disable()
    timers.clear()
    arrays.raise_with_shape_context = _refuse_slice
    functions.get_call_type, processors.run = _call_type, _post_process
    engine.create_library = lambda name: _library_for(engine, name)
    try:
        yield
    finally:
        del engine.create_library
        functions.get_call_type, processors.run = _find_call_type, _post_process_all
        arrays.raise_with_shape_context = refuse
        timers.extend(kept)
        if collects:
            gc.enable()


def _refuse_slice(given: Any, wanted: Any) -> None:
    """Stand for what follows in compiled code."""


@numba.extending.overload(_refuse_slice)  # type: ignore[untyped-decorator]
def _refused_slice(given: Any, wanted: Any) -> Any:
    def refuse(given: Any, wanted: Any) -> None:
        raise ValueError("a slice must be assigned an array of its own shape")

    return refuse


_find_call_type, _post_process_all = functions.get_call_type, processors.run
_call_types: dict[Any, tuple[Any, Any]] = {}


def _call_type(function: Any, context: Any, args: Any, kws: Any) -> Any:
    """Return the signature of a call of one of Numba's functions; Numba would try all ways to type it again.

    The function is kept too, so that no other gets its id.
    """
    key = id(function), context, tuple(args), tuple(kws.items()), options.top_or_none()
    if key not in _call_types:
        _call_types[key] = function, _find_call_type(function, context, args, kws)
    return _call_types[key][1]


def _post_process(self: Any, emit_dels: bool = False, extend_lifetimes: bool = False) -> None:
    """Do what Numba does after a pass, but for what only generators and code that calls Python need."""
    made = self.func_ir
    if made.is_generator or options.top_or_none().enable_pyobject:
        _post_process_all(self, emit_dels, extend_lifetimes)
        return
    made.blocks = numba.core.transforms.canonicalize_cfg(made.blocks)
    made.variable_lifetime = numba.core.postproc.VariableLifetime(made.blocks)
    made.generator_info = None
    if emit_dels:
        self._insert_var_dels(extend_lifetimes=extend_lifetimes)


def _library_for(engine: Any, name: str) -> Any:
    flags = options.top_or_none()
    is_linked = flags is not None and flags.no_cpython_wrapper
    return (_InnerLibrary if is_linked else codegen.JITCodeLibrary)(engine, name)


Flags: Any = numba.core.compiler.Flags


def _are_equal(flags: Any, other: Any) -> Any:
    """Compare two sets of compiler options, as Numba does at every call it compiles: only what was set can differ."""
    if type(flags) is not type(other):
        return NotImplemented
    mine, theirs = flags._values, other._values
    return mine == theirs or all(getattr(flags, name) == getattr(other, name) for name in {*mine, *theirs})


Flags.__eq__, Flags.__hash__ = _are_equal, lambda flags: hash(type(flags))
