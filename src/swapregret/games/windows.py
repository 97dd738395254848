"""Compressing a play by windows: each player's policies of a window become their average over its days.

Components of a mixture are followed by their identity, so a window costs what changed in it. Laws without a list other than
the set's exploration law are entered by drawn actions, the same for the same run.

May touch: ``arrays``, ``policy``, ``regret.stretches``, ``regret.same_law``, ``games.base``, ``games.play_file``.
"""

from collections.abc import Sequence
from functools import partial

import numpy as np

from swapregret.arrays import Vector
from swapregret.games.base import Game
from swapregret.games.play_file import join_law
from swapregret.policy import FinitePolicy, Policy
from swapregret.regret.same_law import is_same_law
from swapregret.regret.stretches import Stretches

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
        self._parts: list[list[tuple[Policy, float]]] = [[] for _ in game.action_sets]
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
        self.policies.append(tuple(self._law(player) for player in range(len(self._parts))))
        self.days.append(self._open)
        self._parts = [[] for _ in self._parts]
        self._open = 0

    def _leave(self, player: int, part: Policy, vector: Vector, days: float) -> None:
        self._parts[player].append((part, days))

    def _law(self, player: int) -> Policy:
        spread, share = self._spreads[player], 0.0
        total = sum(days for _, days in self._parts[player])
        atoms, weights = [], []
        for part, days in self._parts[player]:
            if part.has_atoms:
                law = part.finite()
                atoms.append(law.atoms)
                weights.append(law.weights * days)
            elif part is spread or is_same_law(part, spread):
                share += days / total
            else:
                self.n_drawn += 1
                atoms.append(np.stack([part.sample(self._rng) for _ in range(_SAMPLES)]))
                weights.append(np.full(_SAMPLES, days / _SAMPLES))
        if not atoms:
            return spread
        mass = np.concatenate(weights)
        return join_law(FinitePolicy(np.concatenate(atoms), mass / mass.sum()), share, spread)
