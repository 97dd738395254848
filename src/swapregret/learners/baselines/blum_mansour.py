r"""Blum and Mansour (2007): one expert an action, and the distribution they agree on.

Expert i keeps exponential weights :math:`q_i` over all actions. The play is the p with :math:`p = pQ`: choosing i and
following its expert is the same as choosing directly. Each expert is told its share of the day,

.. math:: S_{t+1}(i, j) = S_t(i, j) + p_t(i)\,\frac{r_t - b}{p_t(j)}\,[j = i_t], \qquad
    Q_t(i, \cdot) = (1-\gamma)\,\mathrm{softmax}(\eta S_t(i, \cdot)) + \frac{\gamma}{N},

so that the swap regret of the play is the sum of the N experts' external regrets. With full feedback the day's rewards
:math:`p_t(i) R_t` take the place of the estimate.

**Bound.** The authors prove O(N √(N T ln N)) for bandit feedback. With one common η = √(2 ln N / T) and b = 1 the
second-order terms of the experts add up to at most ½ηNT (Σ_i p(i) q_i(j) = p(j)), which gives N √(2 T ln N) in
expectation. Both steps are made for a play that stays on one action. While it is spread, expert i is told only p(i) of
each day, about 1/N, and a step √N times larger is in place; the default η = √(8 N ln N / T) was best or near it among
factors of two at N = 15 and N = 120, where the cautious steps hardly move.
"""

import math
from dataclasses import dataclass
from typing import Any, ClassVar, NamedTuple

import numpy as np

from swapregret.actions.base import ActionSet
from swapregret.arrays import Floats, Integers, as_integer
from swapregret.boundary import refuses
from swapregret.learners.baselines.listed.experts import mixed_rows, teach_all, tell_all
from swapregret.learners.baselines.listed.player import ListedPlayer, play_weights
from swapregret.learners.baselines.listed.stationary import follow_chain, start_chain
from swapregret.learners.baselines.listed.steps import listed_totals, place_of
from swapregret.learners.baselines.listing import Cost, list_actions, read_rate, read_share
from swapregret.learners.player import Feedback
from swapregret.learners.round.day import FULL_VECTOR
from swapregret.learners.round.master import PLAYED, end_windows, learn_day
from swapregret.learners.settings import check_settings

__all__ = ["BlumMansour", "blum_mansour"]

COST = Cost("blum_mansour", limit=2_000, base=2e-6, per_action=1e-8, per_pair=4e-9, matrices=4)
_AFRESH = 64


class ExpertRule(NamedTuple):
    """What does not change; five fields as of every rule (``learners.multiscale.phases``), and η, γ and b."""

    windows: Integers
    feedback: int
    predictor_step: float
    has_inverse: bool
    first_log: Floats
    rate: float
    exploration: float
    baseline: float


class Experts(NamedTuple):
    """What the experts know.

    Attributes
    ----------
    scores : float64 array, shape (N, N)
        S, one row for every expert.
    rows : float64 array, shape (N, N)
        Their exponential weights.
    log_totals : float64 array, shape (N,)
        The logarithms of the normalisers of the rows.
    point, inverse : float64 arrays
        p, and what helps to find the next one (``listed.stationary``).
    """

    scores: Floats
    rows: Floats
    log_totals: Floats
    point: Floats
    inverse: Floats


@learn_day.of(ExpertRule)
def tell_experts(rule: Any, family: Any, state: Any, action: Integers, seen: Floats, reward: float) -> bool:
    """Tell every expert its share of the day, and find the distribution they agree on."""
    own = state.own
    if rule.feedback == FULL_VECTOR:
        totals = listed_totals(family.columns, seen)
        teach_all(own.scores, own.rows, own.log_totals, own.point, totals, rule.rate)
    else:
        a = place_of(family.words, action)
        estimate = (reward - rule.baseline) / state.laws.chances[0, a]
        is_afresh = (state.tally.day[0] + 1) % _AFRESH == 0
        tell_all(own.scores, own.rows, own.log_totals, own.point, a, estimate, rule.rate, is_afresh)
    follow_chain(mixed_rows(own.rows, rule.exploration), own.point, own.inverse)
    return True


@end_windows.of(ExpertRule)
def play_agreement(rule: Any, family: Any, state: Any, n_ending: int) -> int:
    """Play p."""
    play_weights(family, rule, state, state.own.point)
    return PLAYED


@dataclass(frozen=True)
class BlumMansour(ListedPlayer):
    """The player; :func:`blum_mansour` chooses its constants.

    Parameters
    ----------
    actions : ActionSet
    horizon : int
    learning_rate, exploration, baseline : float
        η, γ, b.
    feedback : {"bandit", "full"}
    limit : int, optional
    """

    actions: ActionSet
    horizon: int
    learning_rate: float
    exploration: float = 0.0
    baseline: float = 1.0
    feedback: Feedback = "bandit"
    limit: int | None = None
    cost: ClassVar[Cost] = COST

    def __post_init__(self) -> None:
        check_settings(self)

    def _rule(self, windows: Any, feedback: int, first_log: Floats) -> ExpertRule:
        return ExpertRule(windows, feedback, 0.0, False, first_log, self.learning_rate, self.exploration, self.baseline)

    def _own(self, n_actions: int) -> Experts:
        n = n_actions
        rows, log_totals = np.full((n, n), 1.0 / n), np.full(n, math.log(n))
        return Experts(np.zeros((n, n)), rows, log_totals, *start_chain(n))


@refuses
def blum_mansour(
    actions: ActionSet,
    horizon: int,
    *,
    learning_rate: float | None = None,
    exploration: float = 0.0,
    baseline: float = 1.0,
    feedback: Feedback = "bandit",
    limit: int | None = None,
) -> BlumMansour:
    """Return the reduction of Blum and Mansour on the list of all actions.

    Parameters
    ----------
    actions : ActionSet
        With at most 2,000 actions, or ``limit``: it keeps N² numbers.
    horizon : int
    learning_rate : float, optional
        η; √(8 N ln N / T) if not given.
    exploration, baseline : float
        γ and b.
    feedback : {"bandit", "full"}
    limit : int, optional

    Examples
    --------
    >>> from swapregret.actions.m_sets.m_sets import MSets
    >>> player = blum_mansour(MSets(4, 2), 1000)
    >>> round(player.learning_rate, 6)          # √(48 ln 6 / 1000)
    0.293265
    """
    days = as_integer(horizon, "horizon", 1)
    n = list_actions(actions, days, COST, limit).n_actions
    default = math.sqrt(8.0 * n * math.log(n) / days)
    return BlumMansour(
        actions,
        days,
        read_rate(learning_rate, default),
        read_share(exploration, "exploration"),
        read_share(baseline, "baseline"),
        feedback,
        limit,
    )
