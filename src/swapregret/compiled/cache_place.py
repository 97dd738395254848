"""Where compiled code is kept: a folder that can be written to, and by nobody else.

What Numba keeps is code that the next process runs, so a folder that others could write to would let them in.
"""

import os
import stat
import tempfile
import warnings
from pathlib import Path


def cache_place(package: Path, given: str = "") -> Path:
    """Return the folder for compiled code.

    Parameters
    ----------
    package : Path
        The folder of the kernels: taken if it can be written to.
    given : str
        What NUMBA_CACHE_DIR says: taken as it is.

    Notes
    -----
    After these two comes the user's cache folder; where that cannot be made (a container without a home) a folder of this user
    in the temporary one, readable by nobody else, with one warning.
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
