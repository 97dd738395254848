"""The one decorator of compiled code.

May touch: Numba only. Kernels take arrays and numbers and give arrays and numbers; they know no objects of the
package and make no decisions of policy. ``error_model="numpy"`` needs explicit guards against division by zero.
"""

from collections.abc import Callable
from typing import Any, TypeVar, cast

import numba

__all__ = ["kernel"]

_Function = TypeVar("_Function", bound=Callable[..., Any])


def kernel(function: _Function) -> _Function:
    """Compile a function with Numba, cached on disk, without the GIL."""
    return cast(_Function, numba.njit(cache=True, error_model="numpy", nogil=True)(function))
