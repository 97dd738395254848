"""Games from Gambit's files in normal form (``.nfg``), in both of their bodies: payoffs in a row, or outcomes.

``NFG 1 R "title" { "one" "two" } { 2 2 }`` is followed by n numbers per cell, the first player's action running fastest; with
named actions (``{ { "a" "b" } { "c" "d" } }``) a comment may follow, and the body may be a list of outcomes and an index a cell.
"""

import math
import os
from typing import Any

import numpy as np

from swapregret.arguments import checked
from swapregret.arrays import Vector
from swapregret.files.csv_file import read_text
from swapregret.games.kinds.gambit_words import Fault, is_quoted, name_of, names_of, number_of, reading_gambit, words_of
from swapregret.games.kinds.matrix import MatrixGame


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
    with reading_gambit(source, ".nfg"):
        return _game(words_of(text))


def _game(words: list[Any]) -> MatrixGame:
    match words:
        case ["NFG", "1", "R" | "D", title, [*players], [*actions], *body] if is_quoted(title):
            n = len(players)
        case _:
            raise Fault("begin with NFG 1 R, a title, { players } and { actions }", words[:6])
    if body and is_quoted(body[0]):
        body = body[1:]  # a comment
    labels = [_labels(own, len(body)) for own in actions]
    if len(labels) != n or not all(labels):
        raise Fault(f"give actions to each of {n} players", actions)
    shape = [len(own) for own in labels]
    size = math.prod(shape)
    if body and isinstance(body[0], list):
        outcomes = np.array([[0.0] * n, *(_outcome(each, n) for each in body[0])])  # outcome 0 pays nothing
        places = _numbers(body[1:], size).astype(np.int64)
        if places.min() < 0 or places.max() >= len(outcomes):
            raise Fault(f"name outcomes 0..{len(outcomes) - 1} in its cells", int(places.max()))
        cells = outcomes[places]
    else:
        cells = _numbers(body, size * n).reshape(size, n)
    tables = [column.reshape(shape, order="F") for column in cells.T]
    return MatrixGame(tables, labels=labels, names=names_of(players))


def _labels(own: Any, most: int) -> list[str]:
    """Return the names of a player's actions; they are numbered if only their number is given, or two have one name."""
    names = [name_of(word) for word in own] if isinstance(own, list) else []
    count = len(own) if isinstance(own, list) else number_of(own)
    if not float(count).is_integer() or count > most:  # no more than there are cells
        raise Fault("have a number of actions for each player", own)
    return names if len(set(names)) == count else [str(index + 1) for index in range(int(count))]


def _outcome(words: Any, n_players: int) -> list[float]:
    paid = [word for word in words if not is_quoted(word)]
    if not isinstance(words, list) or len(paid) != n_players:
        raise Fault(f"pay {n_players} players in every outcome", words)
    return [number_of(word) for word in paid]


def _numbers(words: list[Any], count: int) -> Vector:
    if len(words) != count:
        raise Fault(f"have {count:,} numbers in its cells", len(words))
    return np.array([number_of(word) for word in words])
