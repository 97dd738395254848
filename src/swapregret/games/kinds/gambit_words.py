"""The words of Gambit's files, in both of its formats."""

import re
from collections.abc import Iterator
from contextlib import contextmanager
from fractions import Fraction
from typing import Any

from swapregret.errors import InvalidInput

_TOKEN = re.compile(r'"(?:[^"\\]|\\.)*"|[{}]|[^\s{},"]+')


class Fault(Exception):
    """What a file must do, and what came."""


@contextmanager
def reading_gambit(source: str, ending: str) -> Iterator[None]:
    """Refuse a file with a fault in a sentence."""
    try:
        yield
    except Fault as fault:
        must, came = fault.args
        raise InvalidInput(
            f"{source} must {must}", f"{came!r:.80}", f"See Gambit's description of the {ending} format."
        ) from None


def words_of(text: str) -> list[Any]:
    """Return the words of a file; what stands in braces is a list of its own."""
    open_lists: list[list[Any]] = [[]]
    for word in _TOKEN.findall(text):
        if word == "{":
            open_lists.append([])
        elif word == "}" and len(open_lists) > 1:
            inner = open_lists.pop()
            open_lists[-1].append(inner)
        else:
            open_lists[-1].append(word)
    if len(open_lists) > 1:
        raise Fault("close every brace", open_lists[-1])
    return open_lists[0]


def number_of(word: Any) -> float:
    """Return a number, which may be a fraction."""
    try:
        return float(Fraction(word))
    except (TypeError, ValueError, ArithmeticError):
        raise Fault("have numbers where they belong", word) from None


def name_of(word: Any) -> str:
    """Return a name without its quotation marks."""
    return word[1:-1].replace('\\"', '"') if is_quoted(word) else str(word)


def names_of(words: list[Any]) -> list[str] | None:
    """Return the names of players, None where two have one."""
    names = [name_of(word) for word in words]
    return names if len(set(names)) == len(names) else None


def is_quoted(word: Any) -> bool:
    """Tell whether a word is in quotation marks."""
    return isinstance(word, str) and word.startswith('"')
