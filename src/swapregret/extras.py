"""Packages that not every installation has: which extra brings them, and the sentence when one is missing.

May touch: ``errors``.
"""

from importlib.util import find_spec

from swapregret.errors import Unsupported

__all__ = ["EXTRAS", "require_extra"]

EXTRAS = {
    "experiments": ("polars", "plotly", "pydantic", "joblib"),
    "cluster": ("dask", "distributed", "cryptography"),
    "networks": ("networkx",),
    "pandas": ("pandas", "pyarrow"),
}
"""Each extra of ``pip install "swapregret[EXTRA]"`` that the package asks for, and the modules it brings."""


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
        raise Unsupported(
            f"{what} must have the extra `{extra}`",
            f"an environment without {', '.join(missing)}",
            f'Install it: pip install "swapregret[{extra}]".' + (f" {otherwise}" if otherwise else ""),
        )


def _is_there(name: str) -> bool:
    try:
        return find_spec(name) is not None
    except ValueError:  # a module without a specification is one that was loaded by other means
        return True
