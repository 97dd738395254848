"""Compiled code on disk: what Numba's cache of a function does, in folders of ours, with keys that know the code behind methods.

Numba is given a cache of another class; nothing of its own is changed. Importing this file loads Numba.
"""

import warnings
from functools import cache
from uuid import uuid4

from swapregret.compiled.cache_place import cache_folder
from swapregret.compiled.kernel import Function, Numba, load_numba
from swapregret.compiled.methods import code_digest

caching: Numba = load_numba("numba.core.caching").core.caching
_folder_of = cache(cache_folder)


class _Place(caching.InTreeCacheLocator):  # type: ignore[misc]
    """The folder of a kernel; it need not be one that can be written to."""

    def get_cache_path(self) -> str:
        """Return the folder."""
        return str(_folder_of(self._py_file))


class _Files(caching.IndexDataCacheFile):  # type: ignore[misc]
    """The files of a kernel. One that is damaged, or names a class that is gone, counts as missing."""

    def _load_index(self) -> Numba:
        try:
            return super()._load_index()
        except Exception:  # whatever unpickling may raise
            return {}

    def _load_data(self, name: str) -> Numba:
        try:
            return super()._load_data(name)
        except Exception:
            raise FileNotFoundError(name) from None

    def _data_name(self, number: int) -> str:
        """Return a name nobody else takes: Numba counts, and two processes at once would count to the same, for different code."""
        return f"{self._index_name.rpartition('-')[0]}.{uuid4().hex}.nbc"


class CodeFiles(caching.FunctionCache):  # type: ignore[misc]
    """The compiled code of a kernel; a prefix tells apart several codes for one function."""

    def __init__(self, function: Function, prefix: str) -> None:
        super().__init__(function)
        place = self._impl._locator = _Place(function, function.__code__.co_filename)
        self._cache_path = place.get_cache_path()
        self._cache_file = _Files(self._cache_path, prefix + self._impl.filename_base, place.get_source_stamp())

    def _index_key(self, sig: Numba, codegen: Numba) -> tuple[Numba, ...]:
        file = self._py_func.__code__.co_filename
        return (*super()._index_key(sig, codegen), code_digest(sig, file))

    def save_overload(self, sig: Numba, data: Numba) -> None:
        """Keep what was compiled, where that is possible."""
        try:
            super().save_overload(sig, data)
        except OSError as error:
            _warn(str(error))


@cache
def _warn(reason: str) -> None:
    warnings.warn(
        f"compiled code cannot be kept ({reason}), so that each process compiles it. Set NUMBA_CACHE_DIR to a folder that can "
        "be written to, or compile with `swapregret warm` where it can.",
        RuntimeWarning,
        stacklevel=2,
    )
