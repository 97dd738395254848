"""Compiling ahead of time what a player needs, so that its first day is as fast as the others."""

from typing import Any

from swapregret.environments.iid import iid
from swapregret.learners.player import Player
from swapregret.playing.play import play
from swapregret.sessions.session import Session

__all__ = ["warm_up"]

_DAYS = 200
"""Enough for the first restarts of the shortest windows."""


def warm_up(player: Player[Any], days: int = _DAYS) -> None:
    """Make a session of a player and play a few days, measured; what was compiled stays on the disk.

    Examples
    --------
    >>> import swapregret as sr
    >>> warm_up(sr.baselines.uniform(sr.MSets(4, 2)), days=10)
    """
    Session(player, rng=0)
    result = play(player, iid(player.actions, days, rng=0), rng=0)
    result.swap_regret, result.external_regret, result.internal_regret  # noqa: B018  (measuring is compiled too)
