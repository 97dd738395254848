"""What files say wrongly is told with the name of the file."""

import os
from collections.abc import Iterator
from contextlib import contextmanager

from swapregret.errors import SwapRegretError


@contextmanager
def naming(path: str | os.PathLike[str]) -> Iterator[None]:
    """Put the name of a file before what is said of its contents, where it is not said already.

    Examples
    --------
    >>> from swapregret.errors import InvalidInput
    >>> with naming("days.csv"):
    ...     raise InvalidInput("row 3 must be a number", "'x'", "Correct it.")
    Traceback (most recent call last):
    ...
    swapregret.errors.InvalidInput: days.csv: row 3 must be a number: got 'x'. Correct it.
    """
    try:
        yield
    except SwapRegretError as error:
        if os.fspath(path) in str(error):
            raise
        raise type(error)(f"{os.fspath(path)}: {error.must}", error.came, error.do) from error
