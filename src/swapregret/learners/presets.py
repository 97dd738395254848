"""Ready-made players: the names people call.

May touch: everything of ``learners``; ``actions.base``.
"""

from swapregret.actions.base import ActionSet
from swapregret.arrays import as_integer
from swapregret.errors import InvalidInput
from swapregret.learners.estimator import BanditEstimator
from swapregret.learners.lazy_combcp import AdaptiveRate, LazyComBCP
from swapregret.learners.master import SwapMaster
from swapregret.learners.schedule import Schedule

__all__ = ["swap_combcp"]


def swap_combcp(
    actions: ActionSet,
    horizon: int,
    *,
    preset: str = "multiscale",
    schedule: Schedule | None = None,
    exploration: float = 0.02,
    rate: AdaptiveRate | None = None,
) -> SwapMaster:
    """Return Swap-ComBCP (Algorithms 1 and 2) for a known horizon.

    Parameters
    ----------
    actions : ActionSet
    horizon : int
        T, the number of days to play. Playing on after it keeps working: the coarsest scale restarts.
    preset : {"multiscale"}
        The paper's master with uniform weights and the practical ingredients of ``docs/deviations.md`` (D17 to D20).
    schedule : Schedule, optional
        Windows of the scales; ``Schedule.practical`` if not given.
    exploration : float
        γ.
    rate : AdaptiveRate
        The step of the scale learners.

    Examples
    --------
    >>> from swapregret.actions.m_sets import MSets
    >>> swap_combcp(MSets(10, 3), horizon=100_000).schedule.n_scales
    5
    """
    if preset != "multiscale":
        raise InvalidInput("`preset` must be 'multiscale'", repr(preset), "Leave it out to get the default.")
    days = as_integer(horizon, "horizon", 1)
    windows = schedule or Schedule.practical(days, rank=actions.rank, size=actions.size)
    learner = LazyComBCP(actions, exploration=exploration, rate=rate or AdaptiveRate())
    return SwapMaster(learner, windows, BanditEstimator(), random_offset=True)
