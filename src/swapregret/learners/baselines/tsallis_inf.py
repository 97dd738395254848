r"""Tsallis-INF (Zimmert and Seldin 2021): best of both worlds for external regret.

.. math:: p_t = \arg\min_p\ p\cdot L_t - \frac{4}{\eta_t}\sum_i \sqrt{p_i}, \qquad \eta_t = \frac{c}{\sqrt{t}}

with losses 1 − r estimated by importance weights (c = 2), or with reduced variance (c = 4): the estimate is taken
about ½ wherever :math:`p_t(i) \ge \eta_t^2`.

**Bound.** External regret at most 4√(N T) + 1, and of order Σ_i ln T / Δ_i on independent days. It needs no horizon.
Nothing is promised for swap regret.
"""

import math
from dataclasses import dataclass
from typing import Any, ClassVar, NamedTuple

import numpy as np

from swapregret.actions.base import ActionSet
from swapregret.arrays import Floats, Integers, as_integer
from swapregret.boundary import refuses
from swapregret.learners.baselines.exp3 import Scores
from swapregret.learners.baselines.listed.player import ListedPlayer, play_weights
from swapregret.learners.baselines.listed.steps import place_of
from swapregret.learners.baselines.listed.tsallis import loss_estimate, tsallis_weights
from swapregret.learners.baselines.listing import Cost, list_actions, read_rate
from swapregret.learners.player import Feedback
from swapregret.learners.round.master import PLAYED, end_windows, learn_day
from swapregret.learners.settings import check_settings

__all__ = ["TsallisINF", "tsallis_inf"]

COST = Cost("tsallis_inf", limit=100_000, base=1e-6, per_action=4e-8, vectors=6)


class TsallisRule(NamedTuple):
    """What does not change; five fields as of every rule (``learners.multiscale.phases``), c, and how losses are estimated."""

    windows: Integers
    feedback: int
    predictor_step: float
    has_inverse: bool
    first_log: Floats
    scale: float
    is_variance_reduced: bool


@learn_day.of(TsallisRule)
def add_loss(rule: Any, family: Any, state: Any, action: Integers, seen: Floats, reward: float) -> bool:
    """Add the estimated loss of the day."""
    a, rate = place_of(family.words, action), rule.scale / np.sqrt(state.tally.day[0] + 1.0)
    probability = state.laws.chances[0, a]
    state.own.scores[a] += loss_estimate(1.0 - reward, probability, rate, rule.is_variance_reduced)
    return True


@end_windows.of(TsallisRule)
def weigh_losses(rule: Any, family: Any, state: Any, n_ending: int) -> int:
    """Play the weights of the losses, at the rate of the day that comes."""
    weights, _ = tsallis_weights(state.own.scores, rule.scale / np.sqrt(state.tally.day[0] + 1.0))
    play_weights(family, rule, state, weights)
    return PLAYED


@dataclass(frozen=True)
class TsallisINF(ListedPlayer):
    """The player; :func:`tsallis_inf` chooses its constants. Scores are cumulative losses.

    Parameters
    ----------
    actions : ActionSet
    horizon : int
        Only for the estimate of a refusal.
    scale : float
        c.
    is_variance_reduced : bool
    limit : int, optional
    """

    actions: ActionSet
    horizon: int
    scale: float
    is_variance_reduced: bool = False
    limit: int | None = None
    feedback: Feedback = "bandit"
    cost: ClassVar[Cost] = COST

    def __post_init__(self) -> None:
        check_settings(self)

    def rate(self, day: int) -> float:
        """Return η of a day, counted from 0."""
        return self.scale / math.sqrt(day + 1)

    def _rule(self, windows: Any, feedback: int, first_log: Floats) -> TsallisRule:
        return TsallisRule(windows, feedback, 0.0, False, first_log, self.scale, self.is_variance_reduced)

    def _own(self, n_actions: int) -> Scores:
        return Scores(np.zeros(n_actions))


@refuses
def tsallis_inf(
    actions: ActionSet,
    horizon: int,
    *,
    scale: float | None = None,
    is_variance_reduced: bool = False,
    limit: int | None = None,
) -> TsallisINF:
    """Return Tsallis-INF on the list of all actions.

    Parameters
    ----------
    actions : ActionSet
        With at most 100,000 actions, or ``limit``.
    horizon : int
        Not needed by the algorithm.
    scale : float, optional
        c in η = c/√t; the authors' 4 with reduced variance and 2 without, if not given.
    is_variance_reduced : bool
        Whether losses are estimated about ½. Its bound has a smaller constant and an additive 10 N ln T, which at T =
        20,000 and N = 120 made it worse than plain importance weights.
    limit : int, optional

    Examples
    --------
    >>> from swapregret.actions.m_sets.m_sets import MSets
    >>> tsallis_inf(MSets(4, 2), 1000).rate(3)
    1.0
    """
    days = as_integer(horizon, "horizon", 1)
    list_actions(actions, days, COST, limit)
    chosen = read_rate(scale, 4.0 if is_variance_reduced else 2.0, "scale")
    return TsallisINF(actions, days, max(chosen, 1e-300), is_variance_reduced, limit)
