"""Packages that are loaded late: which extra brings them, and the sentences when one is missing or a load was interrupted.

``pip install swapregret`` brings what learning, playing and measuring need. Tables, figures and experiments need more.
"""

from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from importlib.util import find_spec

from swapregret.errors import ProtocolError, Unsupported

EXTRAS = {
    "experiments": ("polars", "plotly", "joblib"),
    "cluster": ("dask", "distributed", "cryptography"),
    "networks": ("networkx",),
    "pandas": ("pandas", "pyarrow"),
    "openspiel": ("pyspiel",),
    "serve": ("fastapi", "uvicorn", "sqlalchemy"),
}
"""Each extra of ``pip install "swapregret[EXTRA]"`` that the package asks for, and the modules it brings."""
_interrupted: list[str] = []


def require_extra(extra: str, what: str, *, only: str | None = None, otherwise: str = "") -> None:
    """Do nothing where all modules of an extra can be imported; else say which extra to install.

    Parameters
    ----------
    extra : str
        A key of ``EXTRAS``.
    what : str
        What needs it, as the beginning of a sentence: ``"`swapregret run`"``.
    only : str, optional
        The one module of the extra that is needed.
    otherwise : str
        What else the reader can do, as a sentence.

    Examples
    --------
    >>> require_extra("networks", "reading a GML file")
    """
    missing = [name for name in EXTRAS[extra] if only in (None, name) and not _is_there(name)]
    if missing:
        raise missing_extra(extra, what, missing, otherwise)


def missing_extra(extra: str, what: str, modules: Iterable[str], otherwise: str = "") -> Unsupported:
    """Return the error for modules of an extra that are not installed.

    Examples
    --------
    >>> print(missing_extra("experiments", "a table", ["polars"]))
    the extra `experiments` must be installed for a table: got no polars. Install it: pip install "swapregret[experiments]".
    """
    return Unsupported(
        f"the extra `{extra}` must be installed for {what}",
        f"no {', '.join(modules)}",
        f'Install it: pip install "swapregret[{extra}]".' + (f" {otherwise}" if otherwise else ""),
    )


def extra_of(module: str) -> str | None:
    """Return the extra that brings a module, or None.

    Examples
    --------
    >>> extra_of("polars"), extra_of("numpy")
    ('experiments', None)
    """
    return next((extra for extra, modules in EXTRAS.items() if module.partition(".")[0] in modules), None)


def _is_there(name: str) -> bool:
    try:
        return find_spec(name) is not None
    except ValueError:  # a module without a specification is one that was loaded by other means
        return True
    except ImportError:
        return False


@contextmanager
def loading(what: str) -> Iterator[None]:
    """Load something in the block, unless an earlier load was interrupted; a module that is missing is no interrupt.

    An interrupt while NumPy or Numba is loaded leaves them half loaded for the rest of the process, and what they raise from
    then on tells nobody why.
    """
    if _interrupted:
        raise ProtocolError(
            f"{what} must be loaded without an interrupt",
            f"an interrupt while {_interrupted[0]} was loaded",
            "Start Python again.",
        )
    try:
        yield
    except ImportError:
        raise
    except BaseException:
        _interrupted.append(what)
        raise
