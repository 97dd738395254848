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
from swapregret.arguments import checked
from swapregret.arrays import Floats, Integers, Vector, as_vector, frozen
from swapregret.errors import InvalidInput
from swapregret.games.payoffs import Game, Numbers, RuledGame, pay
from swapregret.games.trees.tree_walk import TreeWalk, wrong_tree


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
def pay_leaves(rule: LeafRule, profile: Numbers, starts: Integers, first: int, last: int, vectors: Floats) -> None:
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
        before; nodes with the same name have the same actions. Or all nodes in a row, each before what follows it: a leaf, then,
        or ``("chance", [probability, …])``, or ``("move", player, information_set, [action, …])``.
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

    rule: LeafRule

    def __init__(self, tree: Any, names: Sequence[str] | None = None) -> None:
        walk = TreeWalk(tree)
        self._low, self._high = walk.ranges()
        n = len(self._low)
        if walk.players and max(walk.players) >= n:
            raise wrong_tree(f"turns of players 0 to {n - 1}, as many as its leaves pay", f"player {max(walk.players)}")
        entries = [walk.players.get(player, [("nothing to decide", ["wait"])]) for player in range(n)]
        super().__init__([Plans(own) for own in entries], names)
        starts = self.starts
        leaves = [dict.fromkeys(range(n), -1) | dict(key) for key in walk.paid]
        places = np.array([[leaf[player] for player in range(n)] for leaf in leaves], dtype=np.int64)
        self.rule = LeafRule(
            frozen(np.where(places >= 0, places + starts[:-1], -1)),
            frozen(np.array(list(walk.paid.values()), dtype=np.float64)),
            frozen(np.array([[at, at + len(own[0][1])] for at, own in zip(starts[:-1], entries, strict=True)])),
        )
        self.n_nodes = len(walk.nodes)
        self.spec = {"kind": "sequential", "tree": walk.nodes, "names": list(self.names)}

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


@checked
def nash_gaps(game: Game, marginals: Sequence[npt.ArrayLike]) -> tuple[float, ...]:
    """Return what each player could gain, in payoffs, against independent play of the others with these marginals.

    They add up to OpenSpiel's NashConv; in a zero-sum game of two, exploitability is half of it.

    Examples
    --------
    >>> from swapregret.games import matching_pennies
    >>> nash_gaps(matching_pennies(), [[.5, .5], [1., 0.]])
    (1.0, 0.0)
    """
    if len(marginals) != game.n_players:
        must = f"`marginals` must be {game.n_players} vectors, one per player"
        raise InvalidInput(must, f"{len(marginals)}", "Pass those of every player.")
    points = [
        as_vector(each, actions.dimension, f"marginals[{player}]")
        for player, (actions, each) in enumerate(zip(game.action_sets, marginals, strict=True))
    ]
    found = []
    for player, actions in enumerate(game.action_sets):
        vector = game.expected_payoff_vector(player, points)
        found.append(float(vector @ actions.argmax(vector)) - float(vector @ points[player]))
    return tuple(found)
