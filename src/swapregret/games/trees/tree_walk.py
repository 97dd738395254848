"""A game tree, walked once: what is read off its nodes, and what makes it a tree of a game with perfect recall."""

from collections.abc import Iterator
from typing import Any

import numpy as np

from swapregret.arrays import Vector, is_iterable
from swapregret.counts import shown
from swapregret.errors import InvalidInput, TooLarge

_MOST_NODES = 1_000_000
_SUM = 1e-9


class TreeWalk:
    """Goes through a tree once.

    Attributes
    ----------
    players : dict
        The information sets of each player, as entries of ``Plans``.
    paid : dict
        What is paid, times its chance, by the last sequences of those players who have moved.
    nodes : list
        All nodes in order, as plain values.
    """

    def __init__(self, tree: Any) -> None:
        self.players: dict[int, list[Any]] = {}
        self._known: dict[tuple[int, str], tuple[int, Any, list[str]]] = {}
        self._counts: dict[int, int] = {}
        self.paid: dict[frozenset[tuple[int, int]], Vector] = {}
        self.nodes: list[list[Any]] = []
        self._above: list[tuple[int, float | None]] = []  # after which node each comes, and its chance there
        open_: list[tuple[int, float | None, dict[int, tuple[int, Any]], float]] = [(-1, None, {}, 1.0)]
        for node in _in_order(tree):
            if not open_:
                raise wrong_tree("no node after its last leaf", shown(node))
            if len(self.nodes) == _MOST_NODES:
                raise TooLarge(f"a game tree must have at most {_MOST_NODES:,} nodes", "more", "Take a smaller game.")
            place = len(self.nodes)
            above, share, last, chance = open_.pop()
            self._above.append((above, share))
            match node:
                case ["pay", values]:
                    self._pay(values, last, chance)
                case ["chance", parts] if is_iterable(parts):
                    given = list(parts)
                    chances = [float(each) if _is_number(each) else -1.0 for each in given]
                    if not chances or min(chances) < 0.0 or abs(sum(chances) - 1.0) > _SUM:
                        raise wrong_tree("probabilities of at least 0 that add up to 1 at chance", shown(given))
                    self.nodes.append(["chance", chances])
                    open_ += [(place, each, last, chance * each) for each in reversed(chances)]
                case ["move", int() | np.integer() as who, name, parts] if who >= 0 and is_iterable(parts):
                    player, actions = int(who), list(map(str, parts))
                    if not 0 < len(set(actions)) == len(actions):
                        raise wrong_tree("different actions at every turn, at least one", shown(actions))
                    start = self._information_set(player, str(name), actions, last)
                    self.nodes.append(["move", player, str(name), actions])
                    after = [(start + k, (str(name), action)) for k, action in enumerate(actions)]
                    open_ += [(place, None, last | {player: each}, chance) for each in reversed(after)]
                case _:
                    raise wrong_tree(
                        'nodes ("pay", …), ("chance", …) or ("move", player, information set, …)', shown(node)
                    )
        if open_:
            raise wrong_tree("a node after every action and every outcome of chance", f"{len(open_)} without one")

    def ranges(self) -> tuple[Vector, Vector]:
        """Return the least and the most each player can get if all together want it, from the leaves to the first node."""
        ends: list[Any] = [np.array([node[1]] * 2) if node[0] == "pay" else None for node in self.nodes]
        for place in range(len(ends) - 1, 0, -1):
            found, (above, share) = ends[place], self._above[place]
            before = ends[above]
            if share is not None:
                ends[above] = share * found + (0.0 if before is None else before)
            elif before is None:
                ends[above] = found
            else:
                ends[above] = np.array([np.minimum(before[0], found[0]), np.maximum(before[1], found[1])])
        return ends[0][0], ends[0][1]

    def _pay(self, values: Any, last: dict[int, tuple[int, Any]], chance: float) -> None:
        """Enter a leaf that is reached with some chance if the players' last sequences are chosen."""
        if not is_iterable(values) or not (read := list(values)) or not all(map(_is_number, read)):
            raise wrong_tree("a number for each player in every leaf", shown(values))
        if self.paid and len(read) != (n := len(next(iter(self.paid.values())))):
            raise wrong_tree(f"{n} payoffs in every leaf", f"{len(read)}")
        paid = np.array(read, dtype=np.float64)
        key = frozenset((player, at) for player, (at, _) in last.items())
        self.paid[key] = self.paid.get(key, 0.0) + chance * paid
        self.nodes.append(["pay", paid.tolist()])

    def _information_set(self, player: int, name: str, actions: list[str], last: dict[int, tuple[int, Any]]) -> int:
        """Return the first sequence of an information set, which is entered if it is new."""
        before = last.get(player, (-1, None))
        if (player, name) not in self._known:
            start = self._counts.get(player, 0)
            self._known[player, name] = start, before, actions
            self._counts[player] = start + len(actions)
            self.players.setdefault(player, []).append((name, actions, before[1]))
            return start
        start, known, same = self._known[player, name]
        if known != before:
            came = " and ".join(repr(each[1]) if each[1] else "no move of its own" for each in (known, before))
            raise wrong_tree(f"perfect recall: one sequence of player {player} before {name!r}", came)
        if same != actions:
            raise wrong_tree(f"the same actions at all nodes of {name!r}", f"{same} and {actions}")
        return start


def _in_order(tree: Any) -> Iterator[Any]:
    """Yield the nodes of a tree without what follows them, each before what does."""
    match tree:
        case [[*_], *_] | Iterator():
            yield from tree
            return
    open_ = [tree]
    while open_:
        match node := open_.pop():
            case ["chance" | "move", *head, parts] if is_iterable(parts):
                pairs = [_pair(each) for each in parts]
                yield node[0], *head, [one for one, _ in pairs]
                open_ += [after for _, after in reversed(pairs)]
            case _:
                yield node


def _pair(given: Any) -> tuple[Any, Any]:
    if not is_iterable(given) or isinstance(given, str) or len(pair := tuple(given)) != 2:
        raise wrong_tree("(probability, node) or (action, node) below a node", shown(given))
    return pair


def _is_number(value: Any) -> bool:
    return isinstance(value, int | float | np.number) and bool(np.isfinite(value))


def wrong_tree(must: str, came: str) -> InvalidInput:
    """Return the refusal of a tree."""
    return InvalidInput(f"the tree of a sequential game must have {must}", came, "See docs/games.md.")
