"""Compressing a play by windows: each player's policies of a window become their average over its days.

Components of a mixture are followed by their identity, so a window costs what changed in it. Laws without a list other than
the set's exploration law are entered by drawn actions, the same for the same run.
"""

from collections.abc import Sequence
from functools import partial

import numpy as np

from swapregret.arrays import Vector
from swapregret.compiled.bits import pack_rows, unpack_rows
from swapregret.games.base import Game
from swapregret.games.play_file import join_law
from swapregret.policy import FinitePolicy, Policy
from swapregret.regret.ledgers.same_law import is_same_law
from swapregret.regret.ledgers.stretches import Stretches
from swapregret.regret.ledgers.support import Packer
from swapregret.regret.ledgers.table import Words, reading

__all__ = ["WindowRecorder"]

_SAMPLES = 64
_SEED = 0x6A3E


class WindowRecorder:
    """Gathers policies day by day; every ``length`` days a window is closed.

    Parameters
    ----------
    game : Game
    length : int
        Days of a window.

    Attributes
    ----------
    days : list of int
    policies : list of tuples of Policy
    n_drawn : int
        How many laws without a list were entered by drawn actions.
    """

    def __init__(self, game: Game, length: int) -> None:
        self._length = length
        self._words: list[list[Words]] = [[] for _ in game.action_sets]
        self._mass: list[list[Vector]] = [[] for _ in game.action_sets]
        self._spread_days = np.zeros(game.n_players)
        self._packer = Packer()
        self._stretches = [Stretches(0, partial(self._leave, player)) for player in range(game.n_players)]
        self._spreads = [actions.exploration_policy() for actions in game.action_sets]
        self._rng = np.random.default_rng(_SEED)
        self._open = 0
        self._none: Vector = np.zeros(0)
        self.days: list[int] = []
        self.policies: list[tuple[Policy, ...]] = []
        self.n_drawn = 0

    def record(self, policies: Sequence[Policy]) -> None:
        """Enter a day."""
        for stretches, policy in zip(self._stretches, policies, strict=True):
            stretches.record(policy, self._none, 1)
        self._open += 1
        if self._open == self._length:
            self.close()

    def close(self) -> None:
        """End the window that is open, if any."""
        if self._open == 0:
            return
        for stretches in self._stretches:
            stretches.flush()
        self.policies.append(tuple(self._law(player) for player in range(len(self._words))))
        self.days.append(self._open)
        self._open = 0

    def _leave(self, player: int, part: Policy, vector: Vector, days: float) -> None:
        """Note what a component of a policy did while it was in it."""
        if part.has_atoms:
            words, weights = self._packer.support(part)
        elif part is self._spreads[player] or is_same_law(part, self._spreads[player]):
            self._spread_days[player] += days
            return
        else:
            self.n_drawn += 1
            words = pack_rows(reading(np.stack([part.sample(self._rng) for _ in range(_SAMPLES)])))
            weights = np.full(_SAMPLES, 1.0 / _SAMPLES)
        self._words[player].append(words)
        self._mass[player].append(weights * days)

    def _law(self, player: int) -> Policy:
        """Return the average law of the window that closes, and begin anew."""
        spread, share = self._spreads[player], float(self._spread_days[player]) / self._open
        if not self._words[player]:
            self._spread_days[player] = 0.0
            return spread
        words, mass = np.concatenate(self._words[player]), np.concatenate(self._mass[player])
        self._words[player], self._mass[player], self._spread_days[player] = [], [], 0.0
        different, place = np.unique(words, axis=0, return_inverse=True)
        weights = np.bincount(place.ravel(), weights=mass)
        atoms = unpack_rows(reading(np.ascontiguousarray(different)), spread.dimension)
        return join_law(FinitePolicy(atoms, weights / weights.sum()), share, spread)
