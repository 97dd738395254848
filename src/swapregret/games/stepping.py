"""Rounds of a game one by one in Python: games of functions."""

from collections.abc import Sequence
from typing import Any

import numpy as np

from swapregret.arrays import Vector
from swapregret.games.base import Game
from swapregret.games.windows import WindowRecorder
from swapregret.learners.player import Decision, Player, draw_action, hold_policy, what_is_seen
from swapregret.policy import Policy
from swapregret.regret.ledgers.ledger import SwapLedger

__all__ = ["Stepping"]


class Stepping:
    """A self-play of any game, recorded as it goes; see :class:`~swapregret.games.lockstep.Lockstep`."""

    def __init__(
        self,
        game: Game,
        players: Sequence[Player[Any]],
        sources: Sequence[np.random.Generator],
        books: Sequence[SwapLedger],
        recorder: WindowRecorder,
        *,
        is_expected: bool,
    ) -> None:
        self._game, self._players, self._sources = game, players, sources
        self._books, self._recorder, self._is_expected = books, recorder, is_expected
        self.day = 0
        self.states = [player.start(source) for player, source in zip(players, sources, strict=True)]
        self.earned = np.zeros(game.n_players)
        self._policies: tuple[Policy, ...] = ()
        self._means: list[Vector] = []

    def advance(self, stop: int) -> None:
        """Play up to day ``stop``."""
        while self.day < stop:
            self._step()
            self.day += 1

    def _step(self) -> None:
        game, states, everybody = self._game, self.states, range(self._game.n_players)
        turn = list(zip(self._players, states, strict=True))
        held = [hold_policy(player, state) for player, state in turn]  # the same object as long as nothing changes
        policies = tuple(each.policy() for each in held)
        actions = tuple(draw_action(*pair, source) for pair, source in zip(turn, self._sources, strict=True))
        vectors = [game.rewards(index, actions) for index in everybody]
        if not self._is_expected:
            self._means = vectors
        elif not self._policies or any(new is not old for new, old in zip(policies, self._policies, strict=True)):
            marginals = [policy.marginals() for policy in policies]
            self._means = [game.expected_rewards(index, marginals) for index in everybody]
        self._policies = policies
        for index, player in enumerate(self._players):
            action, vector = actions[index], vectors[index]
            self._recorder.record(index, policies[index])
            self._books[index].record(policies[index], self._means[index], 1)
            self.earned[index] += what_is_seen("bandit", vector, action)
            decision = Decision(self.day, action, player.actions, held[index])
            states[index] = player.observe(states[index], decision, what_is_seen(player.feedback, vector, action))
