"""Where compiled code is kept.

Numba keeps compiled code on disk and checks the file a kernel stands in, but not the files of the kernels it calls. So the
folder of a kernel is named by a digest of its file and of all files of the package that one imports: a change of the code
starts a new folder for what it may touch, and for nothing else. The folders lie beside the kernels or, where the package cannot be
written to, in one that nobody else can write to: what is kept there is code that the next process runs.
"""

import hashlib
import linecache
import os
import re
import stat
import tempfile
import warnings
from functools import cache
from pathlib import Path

_PACKAGE = Path(__file__).parents[1]
_IMPORTED = re.compile(r"^(?:from|import) swapregret\.([\w.]+)", flags=re.MULTILINE)


def cache_folder(file: str | Path = __file__) -> Path:
    """Return the folder of compiled code for the kernels of a file, as it and what it imports stand now."""
    from numba import __version__ as version
    from numba.core import config

    digest = hashlib.sha256(version.encode())
    for path in sorted(sources(Path(file).resolve())):
        digest.update(_text(path).encode())
    given = config.CACHE_DIR  # type: ignore[attr-defined]
    return _base(given) / f"{Path(file).stem}-{digest.hexdigest()[:16]}"


@cache
def _base(given: str) -> Path:
    return cache_place(Path(__file__).parent, given)


@cache
def sources(path: Path) -> set[Path]:
    """Return a file and all files of the package it imports, and they import, and so on."""
    found, open_ = {path}, [path]
    while open_:
        for name in _IMPORTED.findall(_text(open_.pop())):
            target = _PACKAGE.joinpath(*name.split(".")).with_suffix(".py")
            if target.is_file() and target not in found:
                found.add(target)
                open_.append(target)
    return found


@cache
def _text(path: Path) -> str:
    return (
        path.read_text(encoding="utf-8") if path.is_file() else "".join(linecache.getlines(str(path)))
    )  # a notebook's


def cache_place(package: Path, given: str = "") -> Path:
    """Return the folder for compiled code.

    That is ``given``, what NUMBA_CACHE_DIR says, as it is; else that of the kernels, if it can be written to. After these two
    comes the user's cache folder; where that cannot be made (a container without a home) a folder of this user in the temporary
    one, readable by nobody else, with one warning.
    """
    if given:
        return Path(given)
    if os.access(package, os.W_OK):
        return package / "__pycache__" / "compiled"
    return _of_user() or _temporary()


def _of_user() -> Path | None:
    """Return the folder in the user's cache, or None if it cannot be made."""
    try:
        base = Path(os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache") / "swapregret" / "compiled"
        base.mkdir(parents=True, exist_ok=True)
    except (OSError, RuntimeError):  # no home, or none that can be written to
        return None
    return base if os.access(base, os.W_OK | os.X_OK) else None


def _temporary() -> Path:
    """Return a folder of this user alone among the temporary ones, and say so."""
    name = f"swapregret-{os.getuid()}" if hasattr(os, "getuid") else "swapregret"
    place = Path(tempfile.gettempdir()) / name
    if not _is_ours(place):
        place = Path(tempfile.mkdtemp(prefix=f"{name}-"))
    warnings.warn(
        f"compiled code is kept in {place}, since neither the package nor the home of this user can be written to. "
        "Set NUMBA_CACHE_DIR to a folder that stays, so that the next process need not compile again.",
        RuntimeWarning,
        stacklevel=2,
    )
    return place


def _is_ours(place: Path) -> bool:
    """Make a folder, or see that the one there is a folder of this user that nobody else can enter."""
    try:
        place.mkdir(mode=0o700)
    except FileExistsError:
        pass
    except OSError:
        return False
    found = os.lstat(place)
    is_closed = stat.S_ISDIR(found.st_mode) and stat.S_IMODE(found.st_mode) & 0o077 == 0
    return is_closed and (not hasattr(os, "getuid") or found.st_uid == os.getuid())


def compiled_files() -> set[str]:
    """Return the files that hold compiled code."""
    return {str(path) for path in cache_folder().parent.rglob("*.nbc")}
