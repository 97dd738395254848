"""The one decorator of compiled code, and where compiled code is kept.

Kernels take arrays and numbers and give arrays and numbers; they know no objects of the package and make no decisions of
policy. ``error_model="numpy"`` needs explicit guards against division by zero.

Numba keeps compiled code on disk and checks the file a kernel stands in, but not the files of the kernels it calls. So
the cache folder is named by a digest of all kernels: any change of the code starts a new one. It lies beside the kernels,
or, where the package cannot be written to, in the user's cache folder.

May touch: Numba only.
"""

import hashlib
import os
from collections.abc import Callable
from functools import cache
from pathlib import Path
from typing import Any, TypeVar, cast

import numba
from numba.core import config as numba_config

__all__ = ["cache_folder", "kernel"]

config: Any = numba_config

_Function = TypeVar("_Function", bound=Callable[..., Any])


@cache
def cache_folder() -> Path:
    """Return the folder of compiled code for exactly these kernels and this Numba."""
    here = Path(__file__).parent
    digest = hashlib.sha256(numba.__version__.encode())
    for path in sorted(here.glob("*.py")):
        digest.update(path.read_bytes())
    if config.CACHE_DIR:
        base = Path(config.CACHE_DIR)
    elif os.access(here, os.W_OK):
        base = here / "__pycache__"
    else:
        base = Path(os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache") / "swapregret"
    return base / f"kernels-{digest.hexdigest()[:16]}"


def kernel(function: _Function) -> _Function:
    """Compile a function with Numba, cached on disk, without the GIL."""
    folder, given = str(cache_folder()), config.CACHE_DIR
    config.CACHE_DIR = folder
    try:
        return cast(_Function, numba.njit(cache=True, error_model="numpy", nogil=True)(function))
    finally:
        config.CACHE_DIR = given
