"""Games from Gambit's files in extensive form (``.efg``).

``EFG 2 R "title" { "one" "two" }`` is followed by the nodes in prefix order: ``c "" 1 "" { "a" 1/2 "b" 1/2 } 0`` for chance,
``p "" 1 1 "name" { "a" "b" } 0`` for a turn of player 1 at its information set 1, ``t "" 1 "" { 1 -1 }`` for a leaf. Names and
what was said before may be left out; outcomes on the way add up.
"""

import os
from collections.abc import Iterator
from typing import Any

import numpy as np

from swapregret.arguments import checked
from swapregret.arrays import Vector
from swapregret.files.csv_file import read_text
from swapregret.games.kinds.gambit_words import Fault, is_quoted, name_of, names_of, number_of, reading_gambit, words_of
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
    with reading_gambit(source, ".efg"):
        reader = _Reader(words_of(text))
        return SequentialGame(reader.nodes(), reader.names)


class _Reader:
    """Reads nodes one after the other, and keeps what is said of information sets and outcomes where they first come."""

    def __init__(self, words: list[Any]) -> None:
        match words:
            case ["EFG", "2", "R" | "D", title, [*players], *body] if is_quoted(title) and players:
                self.names, self._n_players = names_of(players), len(players)
            case _:
                raise Fault("begin with EFG 2 R, a title and { players }", words[:5])
        self.words: list[Any] = body[1:] if body and is_quoted(body[0]) else body  # without the comment
        self.words.reverse()  # the next word is the last
        self._sets: dict[tuple[int, int], tuple[str, list[Any]]] = {}
        self._labels: set[tuple[int, str]] = set()
        self._outcomes: dict[int, Vector] = {0: np.zeros(len(players))}

    def nodes(self) -> Iterator[Any]:
        """Yield the nodes."""
        open_ = [self._outcomes[0]]  # what outcomes on the way have paid
        while open_:
            kind, _ = self._word("have a node, c, p or t, for every action"), self._optional_name()
            if kind == "t":
                yield "pay", open_.pop() + self._outcome()
                continue
            if kind not in ("c", "p"):
                raise Fault("have nodes that begin with c, p or t", kind)
            player = self._whole("name a player") if kind == "p" else 0
            if kind == "p" and not 1 <= player <= self._n_players:
                raise Fault(f"name players 1 to {self._n_players}", player)
            number = self._whole("number its information sets")
            label, listed = self._information_set(player, number)
            if kind == "c" and len(listed) % 2:
                raise Fault("give a probability to every action of chance", listed)
            after = [open_.pop() + self._outcome()]
            if kind == "c":
                yield "chance", [number_of(chance) for chance in listed[1::2]]
                open_ += after * (len(listed) // 2)
            else:
                yield "move", player - 1, label, listed
                open_ += after * len(listed)
        if self.words:
            raise Fault("end after its last leaf", self.words[:5])

    def _information_set(self, player: int, number: int) -> tuple[str, list[Any]]:
        """Read the name of an information set and its actions, if it comes first here; names that were given get its number."""
        name, given = self._optional_name(), self._optional_list()
        if (player, number) not in self._sets:
            if given is None:
                raise Fault("name the actions of every information set where it first comes", number)
            label = name or f"set {number}"
            while (player, label) in self._labels:
                label = f"{label} {number}"
            self._labels.add((player, label))
            if player:
                given = [name_of(each) for each in given]
                if len(set(given)) < len(given):
                    given = [f"{each} {place}" for place, each in enumerate(given, start=1)]
            self._sets[player, number] = label, given
        return self._sets[player, number]

    def _outcome(self) -> Vector:
        """Read an outcome: its number, and where it first comes what it pays."""
        number = self._whole("number its outcomes")
        self._optional_name()
        given = self._optional_list()
        if given is not None:
            if len(given) != self._n_players:
                raise Fault(f"pay {self._n_players} players in every outcome", given)
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
