"""A single Lazy-ComBCP: a plain external-regret learner with the master's estimator (K = 1, no restart)."""

from swapregret.actions.action_set import ActionSet
from swapregret.arguments import checked
from swapregret.arrays import as_integer
from swapregret.learners.multiscale.swap_master import SwapMaster
from swapregret.learners.presets import swap_combcp
from swapregret.learners.schedule import Schedule


@checked
def combcp(actions: ActionSet, horizon: int, *, feedback: str = "bandit", **ingredients: object) -> SwapMaster:
    """Return one Lazy-ComBCP that updates as often as the finest scale of Swap-ComBCP and never restarts.

    Its external regret is small; its swap regret need not be: in a world that moves in cycles it follows the leader
    that was, and a rule "whenever you chose X, choose Y" would have gained a constant a day.

    Parameters
    ----------
    actions : ActionSet
    horizon : int
    feedback : {"bandit", "semi-bandit", "full"}
    **ingredients
        Fields of ``learners.ingredients.Ingredients``.

    Examples
    --------
    >>> from swapregret import MSets
    >>> combcp(MSets(10, 3), horizon=100_000).schedule.windows
    (12, 100008)
    """
    days = as_integer(horizon, "horizon", 1)
    base = Schedule.practical(days, rank=actions.rank, size=max(1, actions.size)).windows[0]
    schedule = Schedule.single(days, base=base)
    options = {"random_offset": False} | ingredients
    player = swap_combcp(actions, days, preset="multiscale", feedback=feedback, schedule=schedule, **options)
    assert isinstance(player, SwapMaster)
    return player
