"""Reading TOML files that people write, within limits: size, depth, length of numbers."""

import os
import tomllib
from pathlib import Path

from swapregret.counts import DEEPEST_FILE, LARGEST_FILE, shown
from swapregret.errors import InvalidInput
from swapregret.files.storage import Json


def read_toml(path: str | os.PathLike[str], advice: str) -> bytes:
    """Return the content of a file that is not too large, or say what to do instead."""
    name = os.fspath(path)
    try:
        with Path(path).open("rb") as handle:
            data = handle.read(LARGEST_FILE + 1)
    except (OSError, ValueError) as error:
        said = getattr(error, "strerror", None) or str(error)
        raise InvalidInput("the spec must be a readable file", f"{name!r}: {said}", advice) from None
    if len(data) > LARGEST_FILE:
        raise InvalidInput(
            f"{name} must be at most {LARGEST_FILE / 2**20:g} MiB", "more", "Put data into files that the spec names."
        )
    return data


def parse_toml(data: bytes | str, source: str) -> Json:
    """Return the tables of a TOML file, or say what is wrong with it.

    Examples
    --------
    >>> parse_toml("a = [1, 2]", "the spec")
    {'a': [1, 2]}
    """
    try:
        content = tomllib.loads(data.decode("utf-8-sig") if isinstance(data, bytes) else data)
    except RecursionError:
        raise _too_deep(source) from None
    except ValueError as error:  # not UTF-8, not TOML, or a number of more than 4,300 digits
        raise InvalidInput(
            f"{source} must be TOML", shown(str(error), 120), "Correct that place of the file."
        ) from None
    _check(content, source)
    return content


def _check(content: object, source: str) -> None:
    """Refuse what lies too deep, and whole numbers that TOML does not have; without recursion."""
    level = [content]
    for _ in range(DEEPEST_FILE):
        below: list[object] = []
        for each in level:
            below += each.values() if isinstance(each, dict) else each if isinstance(each, list) else ()
            if isinstance(each, int) and not -(2**63) <= each < 2**63:
                raise InvalidInput(f"whole numbers of {source} must be below 2⁶³", shown(each), "Write a smaller one.")
        level = below
        if not level:
            return
    raise _too_deep(source)


def _too_deep(source: str) -> InvalidInput:
    return InvalidInput(
        f"{source} must have at most {DEEPEST_FILE} levels of lists and tables", "more", "Write it flatter."
    )
