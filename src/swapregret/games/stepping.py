"""Rounds of a game one by one in Python: games of functions, and players without compiled days."""

from collections.abc import Sequence
from typing import Any

import numpy as np

from swapregret.arrays import Vector
from swapregret.games.payoffs import Game
from swapregret.games.windows import Windows
from swapregret.learners.player import Decision, Player, draw_action, hold_policy, what_is_seen
from swapregret.policy import Policy
from swapregret.regret.ledgers.ledger import SwapLedger


class Stepping:
    """A self-play of any game, recorded as it goes.

    Parameters
    ----------
    game : Game
    players : sequence of Player
    sources : sequence of Generator
        What each of them draws from.
    books : sequence of SwapLedger
    windows : sequence of Windows
        What each of them plays is recorded in; none where nothing is recorded.
    is_expected : bool
        Whether ledgers are fed with expected reward vectors, or with those that were met.

    Attributes
    ----------
    day : int
    states : list
    earned : array
        The sum of the rewards of each player.
    """

    def __init__(
        self,
        game: Game,
        players: Sequence[Player[Any]],
        sources: Sequence[np.random.Generator],
        books: Sequence[SwapLedger],
        windows: Sequence[Windows],
        *,
        is_expected: bool,
    ) -> None:
        self._players, self._sources = players, sources
        self._books, self._windows, self._is_expected = books, windows, is_expected
        self.game, self.day = game, 0
        self.states = [player.start(source) for player, source in zip(players, sources, strict=True)]
        self.earned = np.zeros(game.n_players)
        self._policies: dict[int, Policy] = {}
        self._means: list[Vector] = []

    def advance(self, stop: int) -> None:
        """Play up to day ``stop``."""
        while self.day < stop:
            self._step()
            self.day += 1

    def _step(self) -> None:
        game, everybody = self.game, range(self.game.n_players)
        before = self._policies.copy()
        decisions = [self._draw(p, self.day) for p in everybody]
        actions = tuple(decision.action for decision in decisions)
        vectors = [game.rewards(p, actions) for p in everybody]
        if not self._is_expected:
            self._means = vectors
        elif any(self._policies[p] is not before.get(p) for p in everybody):
            marginals = [self._policies[p].marginals() for p in everybody]
            self._means = [game.expected_rewards(p, marginals) for p in everybody]
        for p in everybody:
            self.earned[p] += what_is_seen("bandit", vectors[p], actions[p])
            self._observe(p, decisions[p], vectors[p], self._means[p])

    def _draw(self, p: int, day: int) -> Decision:
        """Draw the action of a player; its policy is the same object as long as nothing changes."""
        player, state = self._players[p], self.states[p]
        held = hold_policy(player, state)
        self._policies[p] = held.policy()
        return Decision(day, draw_action(player, state, self._sources[p]), player.actions, held)

    def _observe(self, p: int, decision: Decision, vector: Vector, mean: Vector) -> None:
        """Show a round to a player, and record it."""
        if self._books:
            self._books[p].record(self._policies[p], mean, 1)
            self._windows[p].record(self._policies[p])
        player = self._players[p]
        seen = what_is_seen(player.feedback, vector, decision.action)
        self.states[p] = player.observe(self.states[p], decision, seen)
