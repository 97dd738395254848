"""Compiling what the days of a player need before its first day."""

from typing import Any

import numpy as np

from swapregret.compiled.progress import show_compiling
from swapregret.learners.player import Player, draw_decision, what_is_seen

__all__ = ["warm"]

_DAYS = 3


def warm(player: Player[Any]) -> None:
    """Play a few days on a state that is thrown away; quick where all is compiled.

    Examples
    --------
    >>> from swapregret.actions.m_sets.m_sets import MSets
    >>> from swapregret.learners.baselines.uniform import uniform
    >>> warm(uniform(MSets(4, 2)))
    """
    with show_compiling():
        rng, actions = np.random.default_rng(0), player.actions
        vector = np.full(actions.dimension, 0.5 / max(1, actions.size))
        state = player.start(rng)
        for day in range(_DAYS):
            decision = draw_decision(player, state, rng, day)
            state = player.observe(state, decision, what_is_seen(player.feedback, vector, decision.action))
