"""Games from Gambit's files in extensive form (``.efg``).

``EFG 2 R "title" { "one" "two" }`` is followed by the nodes in prefix order: ``c "" 1 "" { "a" 1/2 "b" 1/2 } 0`` for chance,
``p "" 1 1 "name" { "a" "b" } 0`` for a turn of player 1 at its information set 1, ``t "" 1 "" { 1 -1 }`` for a leaf. Names and
what was said before may be left out; outcomes on the way add up.
"""

import os
from typing import Any

import numpy as np

from swapregret.arguments import checked
from swapregret.arrays import Vector
from swapregret.errors import InvalidInput
from swapregret.files.csv_file import read_text
from swapregret.games.kinds.gambit_words import Fault, is_quoted, name_of, number_of, words_of
from swapregret.games.trees.sequential_game import SequentialGame


@checked
def read_efg(path: str | os.PathLike[str]) -> SequentialGame:
    """Read a game from a ``.efg`` file; its players must remember what they did (perfect recall)."""
    return parse_efg(read_text(path), os.fspath(path))


@checked
def parse_efg(text: str, source: str = "the text") -> SequentialGame:
    """Read a game from the text of a ``.efg`` file.

    Parameters
    ----------
    text : str
    source : str
        What the text is called in sentences of refusal.

    Examples
    --------
    >>> game = parse_efg('''EFG 2 R "offer" { "Ann" "Bob" }
    ... p "" 1 1 "" { "fair" "greedy" } 0
    ... p "" 2 1 "after fair" { "yes" "no" } 0 t "" 1 "" { 1, 1 } t "" 0
    ... p "" 2 2 "after greedy" { "yes" "no" } 0 t "" 2 "" { 3/2 .5 } t "" 0''')
    >>> game.names, [actions.n_actions for actions in game.action_sets], game.payoff_range(0)
    (('Ann', 'Bob'), [2, 4], (0.0, 1.5))
    """
    try:
        reader = _Reader(words_of(text))
        tree = reader.node(np.zeros(len(reader.names)))
        if reader.words:
            raise Fault("end after its last leaf", reader.words[:5])
        names = reader.names if len(set(reader.names)) == len(reader.names) else None
        return SequentialGame(tree, names)
    except Fault as fault:
        must, came = fault.args
    raise InvalidInput(f"{source} must {must}", f"{came!r:.80}", "See Gambit's description of the .efg format.")


class _Reader:
    """Reads nodes one after the other, and keeps what is said of information sets and outcomes where they first come."""

    def __init__(self, words: list[Any]) -> None:
        match words:
            case ["EFG", "2", "R" | "D", title, [*players], *body] if is_quoted(title) and players:
                self.names = [name_of(player) for player in players]
            case _:
                raise Fault("begin with EFG 2 R, a title and { players }", words[:5])
        self.words: list[Any] = body[1:] if body and is_quoted(body[0]) else body  # without the comment
        self.words.reverse()  # the next word is the last
        self._sets: dict[tuple[int, int], tuple[str, list[Any]]] = {}
        self._first: dict[tuple[int, str], int] = {}  # which information set has the name without its number
        self._outcomes: dict[int, Vector] = {0: np.zeros(len(players))}

    def node(self, paid: Vector) -> Any:
        """Read a node and all that follows it; ``paid`` is what outcomes on the way have paid."""
        kind, _ = self._word("have a node, c, p or t, for every action"), self._optional_name()
        if kind == "t":
            return "pay", (paid + self._outcome()).tolist()
        if kind not in ("c", "p"):
            raise Fault("have nodes that begin with c, p or t", kind)
        player = self._whole("name a player") if kind == "p" else 0
        if kind == "p" and not 1 <= player <= len(self.names):
            raise Fault(f"name players 1 to {len(self.names)}", player)
        number = self._whole("number its information sets")
        name, given = self._optional_name(), self._optional_list()
        if given is not None:
            self._sets.setdefault((player, number), (name, given))
        if (player, number) not in self._sets:
            raise Fault("name the actions of every information set where it first comes", number)
        name, listed = self._sets[player, number]
        paid = paid + self._outcome()
        if kind == "c":
            if len(listed) % 2:
                raise Fault("give a probability to every action of chance", listed)
            return "chance", [(number_of(chance), self.node(paid)) for chance in listed[1::2]]
        actions = [name_of(each) for each in listed]
        is_first = name and self._first.setdefault((player, name), number) == number
        label = name if is_first else f"{name or 'set'} {number}"
        if len(set(actions)) < len(actions):
            actions = [f"{each} {place}" for place, each in enumerate(actions, start=1)]
        return "move", player - 1, label, [(action, self.node(paid)) for action in actions]

    def _outcome(self) -> Vector:
        """Read an outcome: its number, and where it first comes what it pays."""
        number = self._whole("number its outcomes")
        self._optional_name()
        given = self._optional_list()
        if given is not None:
            if len(given) != len(self.names):
                raise Fault(f"pay {len(self.names)} players in every outcome", given)
            self._outcomes.setdefault(number, np.array([number_of(each) for each in given]))
        if number not in self._outcomes:
            raise Fault("say what every outcome pays where it first comes", number)
        return self._outcomes[number]

    def _word(self, must: str) -> Any:
        if not self.words:
            raise Fault(must, "the end")
        return self.words.pop()

    def _whole(self, must: str) -> int:
        value = number_of(self._word(must))
        if not value.is_integer() or value < 0:
            raise Fault(must, value)
        return int(value)

    def _optional_name(self) -> str:
        return name_of(self.words.pop()) if self.words and is_quoted(self.words[-1]) else ""

    def _optional_list(self) -> list[Any] | None:
        return self.words.pop() if self.words and isinstance(self.words[-1], list) else None
