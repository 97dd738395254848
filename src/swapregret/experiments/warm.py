"""Compiling ahead of time what a player needs, so that its first day is as fast as the others."""

from typing import Any

import numpy as np

from swapregret.environments.iid import iid
from swapregret.learners.player import Player
from swapregret.play import play
from swapregret.session import Session

__all__ = ["warm_up"]

_DAYS = 200
"""Enough for the first restarts of the shortest windows."""


def warm_up(player: Player[Any], days: int = _DAYS) -> None:
    """Play a few days of a player by itself, in a ``Session`` and by ``play``, measured; what was compiled stays on the disk.

    Examples
    --------
    >>> import swapregret as sr
    >>> warm_up(sr.baselines.uniform(sr.MSets(4, 2)), days=10)
    """
    actions = player.actions
    session, rewards = Session(player, rng=0), np.full(actions.dimension, 0.5 / max(1, actions.size))
    for _ in range(days):
        decision = session.act()
        session.observe(float(rewards @ decision.action) if player.feedback == "bandit" else rewards)
    result = play(player, iid(actions, days, rng=0), rng=0)
    result.swap_regret, result.external_regret, result.internal_regret  # noqa: B018  (measuring is compiled too)
