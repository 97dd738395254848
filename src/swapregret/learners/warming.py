"""Compiling what the days of a player need before its first day."""

from typing import Any

import numpy as np

from swapregret.compiled.progress import show_compiling
from swapregret.learners.player import Player, draw_decision, what_is_seen

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
            decision = draw_decision(player, state, rng, day)
            state = player.observe(state, decision, what_is_seen(player.feedback, vector, decision.action))
    _warmed.add(kind)
