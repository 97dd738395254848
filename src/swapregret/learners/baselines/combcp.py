"""A single Lazy-ComBCP: a plain external-regret learner with the master's estimator (K = 1, no restart).

May touch: ``learners``, ``actions.base``.
"""

from swapregret.actions.base import ActionSet
from swapregret.arrays import as_integer
from swapregret.learners.estimator import BanditEstimator
from swapregret.learners.lazy_combcp import AdaptiveRate, LazyComBCP
from swapregret.learners.master import SwapMaster
from swapregret.learners.schedule import Schedule

__all__ = ["combcp"]


def combcp(
    actions: ActionSet, horizon: int, *, exploration: float = 0.02, rate: AdaptiveRate | None = None
) -> SwapMaster:
    """Return one Lazy-ComBCP that updates as often as the finest scale of Swap-ComBCP and never restarts.

    Its external regret is small; its swap regret need not be: on a world that turns in cycles it follows the leader
    that was, and a rule "whenever you chose X, choose Y" would have gained a constant a day.

    Examples
    --------
    >>> from swapregret.actions.m_sets import MSets
    >>> combcp(MSets(10, 3), horizon=100_000).schedule.windows
    (12, 100008)
    """
    days = as_integer(horizon, "horizon", 1)
    base = Schedule.practical(days, rank=actions.rank, size=actions.size).windows[0]
    learner = LazyComBCP(actions, exploration=exploration, rate=rate or AdaptiveRate())
    return SwapMaster(learner, Schedule.single(days, base=base), BanditEstimator())
