"""Which engine runs a player: an engine exists for a configuration, not for a class.

May touch: ``learners``.
"""

from typing import Any

from swapregret.learners.adaptive.m_set_master import MSetAdaptiveMaster
from swapregret.learners.adaptive.master import AdaptiveMaster
from swapregret.learners.adaptive.pool_engine import PoolEngine
from swapregret.learners.adaptive.window_engine import WindowEngine
from swapregret.learners.baselines.follow_the_leader import FollowTheLeader
from swapregret.learners.baselines.uniform import UniformPlayer
from swapregret.learners.engines.between_turns import TurnEngine
from swapregret.learners.engines.comband_gibbs import ComBandEngine
from swapregret.learners.engines.constant import ConstantEngine
from swapregret.learners.engines.forests import ForestEngine
from swapregret.learners.engines.gibbs import GibbsEngine
from swapregret.learners.engines.leader import LeaderEngine
from swapregret.learners.engines.listed import ListedEngine
from swapregret.learners.engines.m_sets import MSetEngine
from swapregret.learners.engines.matchings import MatchingEngine
from swapregret.learners.engines.paths import PathEngine
from swapregret.learners.engines.points import PointEngine
from swapregret.learners.engines.quiet import QuietEngine
from swapregret.learners.engines.systematic import SystematicEngine
from swapregret.learners.lazy import AdaptiveRate
from swapregret.learners.lazy_comband import LazyComBand
from swapregret.learners.lazy_combcp import LazyComBCP
from swapregret.learners.master import SwapMaster
from swapregret.learners.player import Player

__all__ = ["Engine", "find_engine", "is_whole"]

Engine = (
    ComBandEngine
    | ConstantEngine
    | ForestEngine
    | GibbsEngine
    | LeaderEngine
    | ListedEngine
    | MSetEngine
    | MatchingEngine
    | PathEngine
    | PointEngine
    | PoolEngine
    | QuietEngine
    | SystematicEngine
    | TurnEngine
    | WindowEngine
)
"""What runs blocks of days."""
_FAMILIES = (MSetEngine, MatchingEngine, PathEngine, ForestEngine, GibbsEngine)


def find_engine(
    player: Player[Any],
    *,
    is_measured: bool = True,
    keeps_plays: bool = False,
    takes_tapes: bool = True,
    has_stopped: bool = False,
) -> Engine | None:
    """Return an engine for a player, or None where its days must be stepped.

    Parameters
    ----------
    player : Player
    is_measured, keeps_plays : bool
        Whether the laws, and the actions, that were played must be handed out.
    takes_tapes : bool
        Whether laws go to a ledger alone, which can read them from a tape.
    has_stopped : bool
        Whether the engine of the family has met a singular Σ, and one that copes is needed.

    Examples
    --------
    >>> from swapregret.actions.m_sets import MSets
    >>> from swapregret.learners.presets import swap_combcp
    >>> find_engine(swap_combcp(MSets(10, 3), horizon=1000)) is not None
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
    if QuietEngine.can_run(player):
        return QuietEngine(player)
    if isinstance(player, MSetAdaptiveMaster):
        is_taped = is_measured and takes_tapes
        return PoolEngine(player, is_taped=is_taped, is_noting=is_measured and not is_taped, keeps_plays=keeps_plays)
    if isinstance(player, AdaptiveMaster) and WindowEngine.can_run(player):
        return WindowEngine(player, is_noting=is_measured, keeps_plays=keeps_plays)
    if not isinstance(player, SwapMaster):
        return None
    if not has_stopped and _is_plain(player):
        for family in _FAMILIES:
            if family.can_run(player):
                return family(player, is_measured, keeps_plays)
    return TurnEngine(player) if TurnEngine.can_run(player) else None


def is_whole(engine: Engine | None) -> bool:
    """Tell whether an engine runs whole blocks without the interpreter."""
    if isinstance(engine, ConstantEngine):
        return engine.is_whole
    if isinstance(engine, PoolEngine):
        return not engine.is_noting
    return engine is not None and not isinstance(engine, LeaderEngine | QuietEngine | TurnEngine | WindowEngine)


def _is_plain(master: SwapMaster) -> bool:
    """Tell whether scales restart cold and differ in nothing but their rates."""
    first: Any = master.learners[0]
    if master.warm_restarts or not isinstance(first, LazyComBCP | LazyComBand):
        return False
    for learner in master.learners:
        other: Any = learner
        if type(other) is not type(first) or other.mu is not first.mu or other.exploration != first.exploration:
            return False
        if any(getattr(other, name, None) != getattr(first, name, None) for name in ("variants", "law")):
            return False
        if isinstance(other.rate, AdaptiveRate) is not isinstance(first.rate, AdaptiveRate):
            return False
    return True
