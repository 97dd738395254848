r"""Sequential games: chance, turns and information sets; a player's actions are its plans.

A joint plan reaches a leaf ℓ with the chance c_ℓ if it has every player's last sequence there, so

.. math:: v_i[k] = \sum_{\ell:\ \text{own last sequence } k} c_\ell\, u_i(\ell) \prod_{j \ne i} M_j[\text{last sequence of } j]

is linear in the plan of every player: expected payoffs under independent play depend on marginals alone, and everything measured is
exact. A swap gap over plans is one of *normal-form* correlated equilibrium.
"""

from collections.abc import Sequence
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from swapregret.actions.plans.plans import Plans
from swapregret.arrays import Floats, Integers, Vector, frozen, is_iterable
from swapregret.counts import shown
from swapregret.errors import InvalidInput, TooLarge
from swapregret.games.payoffs import RuledGame, pay

_MOST_NODES = 1_000_000
_SUM = 1e-9


class LeafRule(NamedTuple):
    """Payoffs at leaves; leaves that the same plans reach are one.

    Attributes
    ----------
    sequences : int64 array, shape (L, n)
        Where the last sequence of each player stands in a profile; −1 if it has not moved.
    payoffs : float64 array, shape (L, n)
        What is paid, times the chance of the leaf.
    first : int64 array, shape (n, 2)
        The sequences of each player's first information set, one of which every plan has: they take what needs no move of its own.
    """

    sequences: Integers
    payoffs: Floats
    first: Integers


@pay.of(LeafRule)
def pay_leaves(rule: Any, profile: Any, starts: Integers, first: int, last: int, vectors: Floats) -> None:
    """Add up leaf by leaf what the others' sequences let through."""
    n_leaves, n = rule.sequences.shape
    for player in range(first, last):
        idle = 0.0
        for i in range(starts[player], starts[player + 1]):
            vectors[i] = 0.0
        for leaf in range(n_leaves):
            value = rule.payoffs[leaf, player]
            for other in range(n):
                at = rule.sequences[leaf, other]
                if other != player and at >= 0:
                    value *= profile[at]
            own = rule.sequences[leaf, player]
            if own >= 0:
                vectors[own] += value
            else:
                idle += value
        for i in range(rule.first[player, 0], rule.first[player, 1]):
            vectors[i] += idle


class SequentialGame(RuledGame):
    """A game with turns, chance and information sets, of any number of players with perfect recall.

    Parameters
    ----------
    tree : node
        A leaf ``("pay", payoffs)``, one payoff per player; chance ``("chance", [(probability, node), …])``; or a turn
        ``("move", player, information_set, [(action, node), …])``. A player sees the name of the information set, and what it did
        before; nodes with the same name have the same actions.
    names : sequence of str, optional

    Examples
    --------
    A seller knows if the goods are good; a buyer hears the price it asks:

    >>> def buyer(price, worth):
    ...     return ("move", 1, f"asked {price}", [("buy", ("pay", [price, worth - price])), ("pass", ("pay", [0, 0]))])
    >>> def seller(state, worth):
    ...     return ("move", 0, state, [("low", buyer(1, worth)), ("high", buyer(2, worth))])
    >>> game = SequentialGame(("chance", [(.5, seller("good", 3)), (.5, seller("bad", 1))]), ["seller", "buyer"])
    >>> [actions.n_actions for actions in game.action_sets], game.payoff_range(0)
    ([4, 4], (0.0, 2.0))
    >>> game.payoffs([[0, 1, 1, 0], [1, 0, 1, 0]]).tolist()  # high if good, low if bad; always buy
    [1.5, 0.5]
    """

    def __init__(self, tree: Any, names: Sequence[str] | None = None) -> None:
        walk = _Walk()
        try:
            low, high = walk.visit(tree, {}, 1.0)
        except RecursionError:
            raise TooLarge("a path through a game tree must be short", "too many moves in a row", "Cut it.") from None
        n = len(low)
        if walk.players and max(walk.players) >= n:
            raise _wrong(f"turns of players 0 to {n - 1}, as many as its leaves pay", f"player {max(walk.players)}")
        entries = [walk.players.get(player, [("nothing to decide", ["wait"])]) for player in range(n)]
        super().__init__([Plans(own) for own in entries], names)
        self._low, self._high = low, high
        starts = self.starts
        places = np.array([[leaf[player] for player in range(n)] for leaf in walk.leaves(n)], dtype=np.int64)
        self.rule = LeafRule(
            frozen(np.where(places >= 0, places + starts[:-1], -1)),
            frozen(np.array(list(walk.paid.values()), dtype=np.float64)),
            frozen(np.array([[at, at + len(own[0][1])] for at, own in zip(starts[:-1], entries, strict=True)])),
        )
        self.n_nodes = walk.n_nodes
        self.spec = {"kind": "sequential", "tree": _plain(tree), "names": list(self.names)}

    def payoff_bounds(self, player: int) -> tuple[Vector, Vector]:
        """Return bounds: every leaf that pays less than 0, and every one that pays more, reached with its chance."""
        low, high = np.zeros((2, self.action_sets[player].dimension))
        own, paid = self.rule.sequences[:, player] - self.starts[player], self.rule.payoffs[:, player]
        moved = own >= -self.starts[player]
        np.add.at(low, own[moved], np.minimum(paid[moved], 0.0))
        np.add.at(high, own[moved], np.maximum(paid[moved], 0.0))
        first = slice(*(self.rule.first[player] - self.starts[player]))
        low[first] += np.minimum(paid[~moved], 0.0).sum()
        high[first] += np.maximum(paid[~moved], 0.0).sum()
        return low, high

    def _find_range(self, player: int) -> tuple[float, float]:
        """Return what the player gets if all players together want it to have as little, or as much, as chance allows."""
        return float(self._low[player]), float(self._high[player])


class _Walk:
    """Goes through a tree once: information sets as entries of ``Plans``, and payoffs by the last sequence of every player."""

    def __init__(self) -> None:
        self.players: dict[int, list[Any]] = {}
        self._known: dict[tuple[int, str], tuple[int, Any, list[str]]] = {}
        self._counts: dict[int, int] = {}
        self.paid: dict[frozenset[tuple[int, int]], Vector] = {}
        self.n_nodes, self._n_paid = 0, 0

    def visit(self, node: Any, last: dict[int, tuple[int, Any]], chance: float) -> tuple[Vector, Vector]:
        """Enter what follows a node; ``last`` has the last sequence of each player. Return the least and the most each can get."""
        self.n_nodes += 1
        if self.n_nodes > _MOST_NODES:
            raise TooLarge(f"a game tree must have at most {_MOST_NODES:,} nodes", "more", "Take a smaller game.")
        match node:
            case ["pay", values]:
                paid = self._read_payoffs(values)
                key = frozenset((player, at) for player, (at, _) in last.items())
                self.paid[key] = self.paid.get(key, np.zeros(len(paid))) + chance * paid
                return paid, paid
            case ["chance", outcomes] if is_iterable(outcomes):
                parts = [self._pair(each, "(probability, node)") for each in outcomes]
                chances = [float(each) if _is_number(each) else -1.0 for each, _ in parts]
                if not parts or min(chances) < 0.0 or abs(sum(chances) - 1.0) > _SUM:
                    raise _wrong(
                        "probabilities of at least 0 that add up to 1 at chance", shown([one for one, _ in parts])
                    )
                ends = [self.visit(after, last, chance * each) for each, (_, after) in zip(chances, parts, strict=True)]
                weights = np.array(chances)[:, None]
                return (weights * [one for one, _ in ends]).sum(axis=0), (weights * [one for _, one in ends]).sum(
                    axis=0
                )
            case ["move", int(player), name, moves] if player >= 0 and is_iterable(moves):
                parts = [self._pair(each, "(action, node)") for each in moves]
                start = self._information_set(player, str(name), [str(action) for action, _ in parts], last)
                ends = [
                    self.visit(after, last | {player: (start + place, (str(name), str(action)))}, chance)
                    for place, (action, after) in enumerate(parts)
                ]
                return np.min([one for one, _ in ends], axis=0), np.max([one for _, one in ends], axis=0)
            case _:
                raise _wrong('nodes ("pay", …), ("chance", …) or ("move", player, information set, …)', shown(node))

    def leaves(self, n_players: int) -> list[dict[int, int]]:
        """Return the last sequence of each player at every leaf, −1 for one that has not moved."""
        return [dict.fromkeys(range(n_players), -1) | dict(key) for key in self.paid]

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
            raise _wrong(f"perfect recall: one sequence of player {player} before {name!r}", came)
        if same != actions:
            raise _wrong(f"the same actions at all nodes of {name!r}", f"{same} and {actions}")
        return start

    def _pair(self, given: Any, form: str) -> tuple[Any, Any]:
        if not is_iterable(given) or isinstance(given, str) or len(pair := tuple(given)) != 2:
            raise _wrong(f"{form} below a node", shown(given))
        return pair

    def _read_payoffs(self, values: Any) -> Vector:
        if not is_iterable(values) or not (read := list(values)) or not all(map(_is_number, read)):
            raise _wrong("a number for each player in every leaf", shown(values))
        if self._n_paid not in (0, len(read)):
            raise _wrong(f"{self._n_paid} payoffs in every leaf", f"{len(read)}")
        self._n_paid = len(read)
        return np.array(read, dtype=np.float64)


def _is_number(value: Any) -> bool:
    return isinstance(value, int | float | np.number) and bool(np.isfinite(value))


def _plain(node: Any) -> Any:
    """Return a tree as nested lists of plain values."""
    if isinstance(node, tuple | list):
        return [_plain(each) for each in node]
    return node.item() if isinstance(node, np.generic) else node


def _wrong(must: str, came: str) -> InvalidInput:
    return InvalidInput(f"the tree of a sequential game must have {must}", came, "See docs/games.md.")


def nash_gaps(game: Any, marginals: Sequence[npt.ArrayLike]) -> tuple[float, ...]:
    """Return what each player could gain, in payoffs, against independent play of the others with these marginals.

    They add up to OpenSpiel's NashConv; in a zero-sum game of two, exploitability is half of it.

    Examples
    --------
    >>> from swapregret.games import matching_pennies
    >>> nash_gaps(matching_pennies(), [[.5, .5], [1., 0.]])
    (1.0, 0.0)
    """
    points = [np.asarray(each, dtype=np.float64) for each in marginals]
    found = []
    for player, actions in enumerate(game.action_sets):
        vector = game.expected_payoff_vector(player, points)
        found.append(float(vector @ actions.argmax(vector)) - float(vector @ points[player]))
    return tuple(found)
