"""The decorators of compiled code.

Kernels take arrays and numbers and give arrays and numbers; they know no objects of the package and make no decisions of
policy. ``error_model="numpy"`` needs explicit guards against division by zero.

Numba itself is loaded by the first kernel that is called, not by ``import swapregret``: a decorated function stands for
its compiled self, which is made then, or when a kernel that calls it is compiled. It is kept on disk
(``compiled.cache_place``).
"""

import importlib
import os
from collections.abc import Callable
from functools import cache, partial, update_wrapper
from threading import RLock
from typing import Any, TypeVar, cast
from uuid import uuid4

from swapregret.compiled.cache_place import cache_folder
from swapregret.extras import loading

_Function = TypeVar("_Function", bound=Callable[..., Any])
_making = RLock()


class Kernel:
    """A function that is compiled when it is first called, or first compiled into another.

    Parameters
    ----------
    function : callable
        The Python function; it stays at hand as ``__wrapped__``.
    is_addressed : bool
        Whether it is only called by its address.
    """

    def __init__(self, function: Callable[..., Any], is_addressed: bool = False) -> None:
        update_wrapper(self, function)
        self._function, self._is_addressed = function, is_addressed
        self._dispatcher: Any = None

    def __call__(self, *args: Any) -> Any:
        """Call the compiled function."""
        made = self._dispatcher
        return self.dispatcher(*args) if made is None else made(*args)

    @property
    def dispatcher(self) -> Any:
        """Numba's own object for the function, made once."""
        if self._dispatcher is None:
            with _making:
                if self._dispatcher is None:
                    self._dispatcher = _dispatcher(self._function, self._is_addressed)
        return self._dispatcher

    @property
    def _numba_type_(self) -> Any:
        """What Numba asks of a global that another compiled function calls."""
        return self.dispatcher._numba_type_

    @property
    def targetoptions(self) -> Any:
        """What Numba asks of a function it might write into its caller."""
        return self.dispatcher.targetoptions

    @property
    def py_func(self) -> Callable[..., Any]:
        """What it would write."""
        return self._function

    def __reduce__(self) -> tuple[Callable[..., Any], tuple[str, str]]:
        return _find, (self._function.__module__, self._function.__name__)

    def __repr__(self) -> str:
        return f"<kernel {self._function.__module__}.{self._function.__qualname__}>"


def kernel(function: _Function) -> _Function:
    """Have a function compiled by Numba when it is needed, cached on disk, without the GIL."""
    return cast(_Function, Kernel(function))


def addressed(function: _Function) -> _Function:
    """Have a function compiled that is only called by its address (``compiled.address``)."""
    return cast(_Function, Kernel(function, is_addressed=True))


def _find(module: str, name: str) -> Any:
    return getattr(importlib.import_module(module), name)


@cache
def load_numba() -> Any:
    """Load Numba, set it up, and return it.

    As it comes up Numba asks whether SciPy has BLAS by importing all of ``scipy.linalg``, a sixth of a second. The package
    requires SciPy, so the answer is known; a kernel that calls BLAS would still load it then.
    """
    with loading("Numba"):
        import numba.np.linalg
        from numba.core import config

        algebra: Any = numba.np.linalg
        asks, algebra.ensure_blas = algebra.ensure_blas, lambda: None
        try:
            import numba.np.arraymath  # the module that asks
        finally:
            algebra.ensure_blas = asks
        import numba.experimental.structref
    settings: Any = config
    if "NUMBA_SLP_VECTORIZE" not in os.environ:
        settings.SLP_VECTORIZE = 1  # equal operations side by side in one instruction: no sum is reordered
    return numba


def _dispatcher(function: Callable[..., Any], is_addressed: bool) -> Any:
    """Return Numba's object for a function; kernels that call it find a second one, which is only linked into them."""
    load_numba()
    from swapregret.compiled.compilers import InnerCompiler, OuterCompiler

    if is_addressed:
        return _made(function, "", no_cpython_wrapper=True, pipeline_class=OuterCompiler)
    outer = _made(function, "", pipeline_class=OuterCompiler)
    options = {"no_cpython_wrapper": True, "no_cfunc_wrapper": True, "pipeline_class": InnerCompiler}
    inner = _without_literals(_made(function, "inner", **options))
    outer.inner, outer.get_call_template, outer.get_overload = inner, inner.get_call_template, inner.get_overload
    return outer


def _made(function: Callable[..., Any], folder: str, **options: Any) -> Any:
    from swapregret.compiled.methods import code_digest

    numba = load_numba()
    settings = numba.core.config
    file = function.__code__.co_filename
    given, settings.CACHE_DIR = settings.CACHE_DIR, str(_folder_of(file) / folder)
    try:
        made: Any = numba.njit(cache=True, error_model="numpy", nogil=True, **options)(function)
    finally:
        settings.CACHE_DIR = given
    store, plain = made._cache, made._cache._index_key
    store._index_key = lambda sig, codegen: (*plain(sig, codegen), code_digest(sig, file))
    files = store._cache_file
    files._load_index = partial(_read, files._load_index, dict)
    files._load_data = partial(_read, files._load_data, _missing)
    # Numba counts the files of a function: two processes at once would both take the next number, for different code.
    files._data_name = lambda number: f"{function.__name__}.{uuid4().hex}.nbc"
    return made


def _read(read: Callable[..., Any], instead: Callable[[], Any], *args: Any) -> Any:
    """Read a file of compiled code; one that is damaged, or names a class that is gone, counts as missing."""
    try:
        return read(*args)
    except Exception:  # whatever unpickling may raise
        return instead()


def _missing() -> Any:
    raise FileNotFoundError("compiled code that can be read")


def _without_literals(dispatcher: Any) -> Any:
    """Have kernels that pass a constant to this one call the code for a number: Numba would compile it once more for each."""
    from numba.core import types

    unliteral: Any = types.unliteral
    resolve = dispatcher.get_call_template

    def get_call_template(args: Any, kws: Any) -> Any:
        return resolve([unliteral(each) for each in args], {name: unliteral(each) for name, each in kws.items()})

    dispatcher.get_call_template = get_call_template
    return dispatcher


_folder_of = cache(cache_folder)
