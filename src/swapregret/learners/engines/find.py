"""Which engine runs a competitor in compiled blocks."""

from typing import Any

from swapregret.learners.baselines.follow_the_leader import FollowTheLeader
from swapregret.learners.baselines.uniform import UniformPlayer
from swapregret.learners.engines.comband_gibbs import ComBandEngine
from swapregret.learners.engines.constant import ConstantEngine
from swapregret.learners.engines.leader import LeaderEngine
from swapregret.learners.engines.listed import ListedEngine
from swapregret.learners.engines.points import PointEngine
from swapregret.learners.engines.quiet import QuietEngine
from swapregret.learners.engines.systematic import SystematicEngine
from swapregret.learners.player import Player

__all__ = ["Engine", "find_engine", "is_whole"]

Engine = ComBandEngine | ConstantEngine | LeaderEngine | ListedEngine | PointEngine | QuietEngine | SystematicEngine
"""What runs blocks of days."""


def find_engine(player: Player[Any], *, is_measured: bool = True, keeps_plays: bool = False) -> Engine | None:
    """Return an engine for a competitor, or None where its days must be stepped.

    Parameters
    ----------
    player : Player
    is_measured, keeps_plays : bool
        Whether the policies, and the actions, that were played must be handed out.

    Examples
    --------
    >>> from swapregret.actions.m_sets.m_sets import MSets
    >>> from swapregret.learners.baselines.uniform import uniform
    >>> find_engine(uniform(MSets(10, 3))) is not None
    True
    """
    if isinstance(player, UniformPlayer):
        return ConstantEngine(player, keeps_plays)
    if isinstance(player, FollowTheLeader):
        return LeaderEngine(player)
    if ListedEngine.can_run(player):
        return ListedEngine(player, is_measured)
    if ComBandEngine.can_run(player):
        return ComBandEngine(player, is_measured)
    if SystematicEngine.can_run(player):
        return SystematicEngine(player, is_measured)
    if PointEngine.can_run(player):
        return PointEngine(player, is_measured)
    return QuietEngine(player) if QuietEngine.can_run(player) else None


def is_whole(engine: Engine | None) -> bool:
    """Tell whether an engine runs whole blocks without the interpreter."""
    if isinstance(engine, ConstantEngine):
        return engine.is_whole
    return engine is not None and not isinstance(engine, LeaderEngine | QuietEngine)
