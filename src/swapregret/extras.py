"""Packages that come with an extra: which one, and what is said where it is missing.

``pip install swapregret`` brings what learning, playing and measuring need. Tables, figures and experiments need more.

May touch: ``errors``.
"""

from importlib.util import find_spec

from swapregret.errors import Unsupported

__all__ = ["EXTRA_OF", "missing", "need"]

EXTRA_OF = {
    **dict.fromkeys(("polars", "plotly", "pydantic", "joblib"), "experiments"),
    **dict.fromkeys(("dask", "distributed"), "cluster"),
    **dict.fromkeys(("pandas", "pyarrow"), "pandas"),
    "networkx": "networks",
    "pyspiel": "openspiel",
}
"""The extra that brings each package."""


def need(package: str, purpose: str) -> None:
    """Refuse, by our own error, where a package of an extra is not installed.

    Parameters
    ----------
    package : str
        The name it is imported by.
    purpose : str
        What it is needed for, as in "must be installed to PURPOSE".
    """
    try:
        is_there = find_spec(package) is not None
    except (ImportError, ValueError):
        is_there = False
    if not is_there:
        raise missing(package, purpose)


def missing(package: str, purpose: str) -> Unsupported:
    """Return the error for a package that is not installed.

    Examples
    --------
    >>> print(missing("polars", "make a table"))
    polars must be installed to make a table: got an environment without it. Install it: pip install 'swapregret[experiments]'.
    """
    return Unsupported(
        f"{package} must be installed to {purpose}",
        "an environment without it",
        f"Install it: pip install 'swapregret[{EXTRA_OF[package]}]'.",
    )
