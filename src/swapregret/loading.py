"""Loading what is not loaded yet, and refusing to go on from an interrupted load.

An interrupt while NumPy or Numba is loaded leaves them half loaded for the rest of the process, and what they raise from then on
tells nobody why.
"""

from collections.abc import Iterator
from contextlib import contextmanager

from swapregret.errors import ProtocolError

__all__ = ["loading"]

_interrupted: list[str] = []


@contextmanager
def loading(what: str) -> Iterator[None]:
    """Load something in the block, unless an earlier load was interrupted; a module that is missing is no interrupt."""
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
