"""The decorators of compiled code.

Kernels take arrays and numbers and give arrays and numbers; they know no objects of the package and make no decisions of
policy. ``error_model="numpy"`` needs explicit guards against division by zero.

Numba itself is loaded by the first kernel that is called, not by ``import swapregret``: a decorated function stands for
its compiled self, which is made then, or when a kernel that calls it is compiled. It is kept on disk
(``compiled.code_files``).
"""

import importlib
from collections.abc import Callable
from functools import cache, update_wrapper
from pathlib import Path
from threading import RLock
from typing import Any, TypeAlias, TypeVar, cast

from swapregret.extras import loading

Numba: TypeAlias = Any
"""An object of Numba's, which has no types for mypy: a module, a type of compiled code, what writes instructions, a value there."""
Returned: TypeAlias = Any
"""What a function returns of which only its caller knows more."""
Function: TypeAlias = Callable[..., Returned]
_Function = TypeVar("_Function", bound=Function)
_making = RLock()
_QUICK = ("0.66.", "0.67.", "0.68.")
"""Versions of Numba with which ``compiled.quick_compiler`` was tested (``make test-numba``); with others compiling takes longer."""


class Kernel:
    """A function that is compiled when it is first called, or first compiled into another; it stays at hand as ``__wrapped__``."""

    def __init__(self, function: Function) -> None:
        update_wrapper(self, function)
        self._function = function
        self._made: tuple[Numba, Numba] | None = None

    def __call__(self, *args: object) -> Returned:
        """Call the compiled function."""
        made = self._made
        return self.dispatcher(*args) if made is None else made[0](*args)

    @property
    def dispatcher(self) -> Numba:
        """Numba's own object for the function, made once."""
        return self._dispatchers[0]

    @property
    def linked(self) -> Numba:
        """Numba's own object for the function as it is written into callers."""
        return self._dispatchers[1]

    @property
    def _dispatchers(self) -> tuple[Numba, Numba]:
        if self._made is None:
            with _making:
                if self._made is None:
                    self._made = _dispatchers(self._function)
        return self._made

    @property
    def _numba_type_(self) -> Numba:
        """What Numba asks of a global that another compiled function calls."""
        return self.linked._numba_type_

    def __reduce__(self) -> tuple[Function, tuple[str, str]]:
        return _find, (self._function.__module__, self._function.__name__)

    def __repr__(self) -> str:
        return f"<kernel {self._function.__module__}.{self._function.__qualname__}>"


def kernel(function: _Function) -> _Function:
    """Have a function compiled by Numba when it is needed, cached on disk, without the GIL."""
    return cast(_Function, Kernel(function))


def _find(module: str, name: str) -> Returned:
    return getattr(importlib.import_module(module), name)


@cache
def load_numba(part: str = "numba") -> Numba:
    """Load Numba, and a module of it, and return Numba."""
    with loading("Numba"):
        importlib.import_module(part)
        import numba
    return numba


@cache
def load_compiler() -> Numba:
    """Load Numba and, with a version it was tested with, return what shortens compiling."""
    if not load_numba().__version__.startswith(_QUICK):
        return None
    from swapregret.compiled import quick_compiler

    return quick_compiler


def _dispatchers(function: Function) -> tuple[Numba, Numba]:
    """Return Numba's object for a function, and the one that kernels find which call it: a second one, only linked into them."""
    quick = load_compiler()
    if quick is None:
        made = _made(function)
        return made, made
    outer = _made(function, pipeline_class=quick.OuterCompiler)
    options = {"no_cpython_wrapper": True, "no_cfunc_wrapper": True, "pipeline_class": quick.InnerCompiler}
    return outer, quick.as_called(_made(function, "inner-", **options))


def _made(function: Function, prefix: str = "", **options: object) -> Numba:
    from swapregret.compiled import announcing  # noqa: F401  (it says what is compiled from now on)
    from swapregret.compiled.code_files import CodeFiles

    made: Numba = load_numba().njit(error_model="numpy", nogil=True, **options)(function)
    made.is_kernel = True
    if Path(function.__code__.co_filename).is_file():  # no notebook's
        made._cache = CodeFiles(function, prefix)
    return made
