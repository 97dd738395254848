"""Compiling what the days of a player need before its first day."""

from typing import Any

import numpy as np

from swapregret.compiled.progress import show_compiling
from swapregret.learners.player import Decision, Player, draw_action, hold_policy

__all__ = ["warm"]

_DAYS = 3
_warmed: set[tuple[type, type, str]] = set()


def warm(player: Player[Any]) -> None:
    """Play a few days on a state that is thrown away; nothing is done where a player of this kind was warmed before.

    Examples
    --------
    >>> from swapregret.actions.m_sets.m_sets import MSets
    >>> from swapregret.learners.baselines.uniform import uniform
    >>> warm(uniform(MSets(4, 2)))
    """
    kind = (type(player), type(player.actions), str(player.feedback))
    if kind in _warmed:
        return
    with show_compiling():
        rng, actions = np.random.default_rng(0), player.actions
        vector = np.full(actions.dimension, 0.5 / max(1, actions.size))
        state = player.start(rng)
        for day in range(_DAYS):
            held = hold_policy(player, state)
            decision = Decision(day, draw_action(player, state, rng), actions, held)
            reward: Any = float(vector @ decision.action)
            if player.feedback != "bandit":
                reward = vector * decision.action if player.feedback == "semi-bandit" else vector
            state = player.observe(state, decision, reward)
    _warmed.add(kind)
