"""Games from Gambit's files in normal form (``.nfg``), in both of their bodies: payoffs in a row, or outcomes.

``NFG 1 R "title" { "one" "two" } { 2 2 }`` is followed by n numbers per cell, the first player's action running fastest; with
named actions (``{ { "a" "b" } { "c" "d" } }``) a comment may follow, and the body may be a list of outcomes and an index a cell.
"""

import math
import os
import re
from fractions import Fraction
from pathlib import Path

import numpy as np

from swapregret.boundary import refuses
from swapregret.errors import InvalidInput
from swapregret.games.kinds.matrix import MatrixGame
from swapregret.storage import check_regular

_TOKEN = re.compile(r'"(?:[^"\\]|\\.)*"|[{}]|[^\s{},"]+')


@refuses
def read_nfg(path: str | os.PathLike[str]) -> MatrixGame:
    """Read a game from a ``.nfg`` file."""
    try:
        check_regular(path)
        text = Path(path).read_text(encoding="utf-8")
    except (OSError, UnicodeDecodeError) as error:
        raise InvalidInput(
            "`path` must be a readable text file", f"{os.fspath(path)!r}: {error}", "Check it."
        ) from None
    return parse_nfg(text, os.fspath(path))


@refuses
def parse_nfg(text: str, source: str = "the text") -> MatrixGame:
    """Read a game from the text of a ``.nfg`` file.

    Parameters
    ----------
    text : str
    source : str
        What the text is called in sentences of refusal.

    Examples
    --------
    >>> game = parse_nfg('NFG 1 R "pd" { "Ann" "Bob" } { 2 2 } 5 5 10 0 0 10 1/2 0.5')
    >>> game.names, game.tables[0].tolist()
    (('Ann', 'Bob'), [[5.0, 0.0], [10.0, 0.5]])
    """
    reader = _Reader(_TOKEN.findall(text), source)
    if reader.next() != "NFG" or reader.next() != "1" or reader.next() not in ("R", "D"):
        raise reader.refusal("begin with NFG 1 R", repr(text[:20]))
    reader.quoted()
    names = [reader.name(word) for word in reader.group()]
    shape, labels = _strategies(reader, len(names))
    if reader.peek().startswith('"'):
        reader.next()  # a comment
    size = math.prod(shape)
    if size > reader.n_words:
        raise reader.refusal("have a number for each cell of its table", f"{reader.n_words:,} words for {shape}")
    if reader.peek() == "{":
        cells = _outcome_cells(reader, len(names), size)
    else:
        numbers = [reader.number() for _ in range(size * len(names))]
        cells = np.array(numbers).reshape(size, len(names))
    reader.finish()
    tables = [cells[:, player].reshape(shape, order="F") for player in range(len(names))]
    unique = names if len(set(names)) == len(names) else None
    return MatrixGame(tables, labels=labels, names=unique)


def _strategies(reader: "_Reader", n_players: int) -> tuple[tuple[int, ...], list[list[str]]]:
    reader.expect("{")
    counts, labels = [], []
    while reader.peek() != "}":
        if reader.peek() == "{":
            own = [reader.name(word) for word in reader.group()]
            labels.append(own if len(set(own)) == len(own) else [str(index + 1) for index in range(len(own))])
            counts.append(len(own))
        else:
            counts.append(reader.count())
            labels.append([str(index + 1) for index in range(counts[-1])])
    reader.expect("}")
    if len(counts) != n_players or min(counts, default=0) < 1:
        raise reader.refusal(f"give actions to each of {n_players} players", f"counts {counts}")
    return tuple(counts), labels


def _outcome_cells(reader: "_Reader", n_players: int, size: int) -> np.ndarray[tuple[int, int], np.dtype[np.float64]]:
    reader.expect("{")
    outcomes = [[0.0] * n_players]  # outcome 0 pays nothing
    while reader.peek() == "{":
        words = reader.group()
        body = words[1:] if words and words[0].startswith('"') else words
        outcomes.append([reader.read(word) for word in body])
        if len(outcomes[-1]) != n_players:
            raise reader.refusal(f"pay {n_players} players in every outcome", repr(words))
    reader.expect("}")
    table = np.array(outcomes)
    places = [int(reader.number()) for _ in range(size)]
    if not all(0 <= place < len(table) for place in places):
        raise reader.refusal(f"name outcomes 0..{len(table) - 1} in its cells", str(max(places)))
    return np.asarray(table[places])


class _Reader:
    """Words of a file, one after another."""

    def __init__(self, words: list[str], source: str) -> None:
        self._words, self._place, self._source = words, 0, source

    def refusal(self, must: str, came: str) -> InvalidInput:
        return InvalidInput(f"{self._source} must {must}", came, "See Gambit's description of the .nfg format.")

    def peek(self) -> str:
        return self._words[self._place] if self._place < len(self._words) else ""

    def next(self) -> str:
        word = self.peek()
        self._place += 1
        return word

    def expect(self, wanted: str) -> None:
        word = self.next()
        if word != wanted:
            raise self.refusal(f"have {wanted!r} as word {self._place}", repr(word))

    def name(self, word: str) -> str:
        return word[1:-1].replace('\\"', '"') if word.startswith('"') else word

    def quoted(self) -> str:
        word = self.next()
        if not word.startswith('"'):
            raise self.refusal(f"have a text in quotes as word {self._place}", repr(word))
        return self.name(word)

    def group(self) -> list[str]:
        self.expect("{")
        words = []
        while self.peek() not in ("}", "{", ""):
            words.append(self.next())
        self.expect("}")
        return words

    def read(self, word: str) -> float:
        try:
            return float(Fraction(word))
        except (ValueError, ArithmeticError):
            raise self.refusal(f"have a number as word {self._place}", repr(word)) from None

    def number(self) -> float:
        return self.read(self.next())

    @property
    def n_words(self) -> int:
        return len(self._words)

    def count(self) -> int:
        """Read how many actions a player has: no more than there are words, as each needs some."""
        number = self.number()
        if not number.is_integer() or number > self.n_words:
            raise self.refusal(f"have a number of actions as word {self._place}", repr(number))
        return int(number)

    def finish(self) -> None:
        if self.peek():
            raise self.refusal(f"end after {self._place} words", repr(self.peek()))
