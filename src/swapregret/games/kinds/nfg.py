"""Games from Gambit's files in normal form (``.nfg``), in both of their bodies: payoffs in a row, or outcomes.

``NFG 1 R "title" { "one" "two" } { 2 2 }`` is followed by n numbers per cell, the first player's action running fastest; with
named actions (``{ { "a" "b" } { "c" "d" } }``) a comment may follow, and the body may be a list of outcomes and an index a cell.
"""

import math
import os
import re
from fractions import Fraction
from typing import Any

import numpy as np

from swapregret.arguments import checked
from swapregret.arrays import Vector
from swapregret.csv_file import read_text
from swapregret.errors import InvalidInput
from swapregret.games.kinds.matrix import MatrixGame

_TOKEN = re.compile(r'"(?:[^"\\]|\\.)*"|[{}]|[^\s{},"]+')


@checked
def read_nfg(path: str | os.PathLike[str]) -> MatrixGame:
    """Read a game from a ``.nfg`` file."""
    return parse_nfg(read_text(path), os.fspath(path))


@checked
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
    try:
        return _game(_words(text))
    except _Fault as fault:
        must, came = fault.args
    raise InvalidInput(f"{source} must {must}", f"{came!r:.80}", "See Gambit's description of the .nfg format.")


class _Fault(Exception):
    """What a file must do, and what came."""


def _words(text: str) -> list[Any]:
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
        raise _Fault("close every brace", open_lists[-1])
    return open_lists[0]


def _game(words: list[Any]) -> MatrixGame:
    match words:
        case ["NFG", "1", "R" | "D", title, [*players], [*actions], *body] if _is_quoted(title):
            n = len(players)
        case _:
            raise _Fault("begin with NFG 1 R, a title, { players } and { actions }", words[:6])
    if body and _is_quoted(body[0]):
        body = body[1:]  # a comment
    labels = [_labels(own, len(body)) for own in actions]
    if len(labels) != n or not all(labels):
        raise _Fault(f"give actions to each of {n} players", actions)
    shape = [len(own) for own in labels]
    size = math.prod(shape)
    if body and isinstance(body[0], list):
        outcomes = np.array([[0.0] * n, *(_outcome(each, n) for each in body[0])])  # outcome 0 pays nothing
        places = _numbers(body[1:], size).astype(np.int64)
        if places.min() < 0 or places.max() >= len(outcomes):
            raise _Fault(f"name outcomes 0..{len(outcomes) - 1} in its cells", int(places.max()))
        cells = outcomes[places]
    else:
        cells = _numbers(body, size * n).reshape(size, n)
    tables = [column.reshape(shape, order="F") for column in cells.T]
    names = [_name(player) for player in players]
    return MatrixGame(tables, labels=labels, names=names if len(set(names)) == n else None)


def _labels(own: Any, most: int) -> list[str]:
    """Return the names of a player's actions; they are numbered if only their number is given, or two have one name."""
    names = [_name(word) for word in own] if isinstance(own, list) else []
    count = len(own) if isinstance(own, list) else _number(own)
    if not float(count).is_integer() or count > most:  # no more than there are cells
        raise _Fault("have a number of actions for each player", own)
    return names if len(set(names)) == count else [str(index + 1) for index in range(int(count))]


def _outcome(words: Any, n_players: int) -> list[float]:
    paid = [word for word in words if not _is_quoted(word)]
    if not isinstance(words, list) or len(paid) != n_players:
        raise _Fault(f"pay {n_players} players in every outcome", words)
    return [_number(word) for word in paid]


def _numbers(words: list[Any], count: int) -> Vector:
    if len(words) != count:
        raise _Fault(f"have {count:,} numbers in its cells", len(words))
    return np.array([_number(word) for word in words])


def _number(word: Any) -> float:
    try:
        return float(Fraction(word))
    except (TypeError, ValueError, ArithmeticError):
        raise _Fault("have numbers where they belong", word) from None


def _name(word: Any) -> str:
    return word[1:-1].replace('\\"', '"') if _is_quoted(word) else str(word)


def _is_quoted(word: Any) -> bool:
    return isinstance(word, str) and word.startswith('"')
