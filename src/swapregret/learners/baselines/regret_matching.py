r"""Regret matching (Hart and Mas-Colell 2000, 2001) on internal regret.

With :math:`R(i, j)` the gain so far of having played j whenever i was played, switch in proportion to its positive
part:

``"inertia"``
    Stay with the last action i or go to j with probability :math:`R^+(i, j)/(\mu t)`, at most 1/(N−1) each: the
    adaptive procedure, with a memory of one action.
``"invariant"``
    Play the p with :math:`p(j)\sum_k R^+(j, k) = \sum_i p(i) R^+(i, j)`: Blackwell's strategy, which the authors prove
    optimal in order; no constant to choose.

With bandit feedback (the reinforcement procedure of 2001) the rewards of other actions are estimated by
:math:`(r - b)\,[j = i_t]/p_t(j)` and γ of the uniform law is mixed in.

**Bound.** With full feedback the internal regret of the invariant rule is at most √(N T) in expectation, and swap
regret N times that; the inertia rule converges without a useful rate. With bandit feedback sublinear for γ of order
T^{-1/3}.
"""

import math
from dataclasses import dataclass
from typing import Any, ClassVar, NamedTuple

import numpy as np

from swapregret.actions.base import ActionSet
from swapregret.arrays import Floats, Integers, as_integer
from swapregret.boundary import refuses
from swapregret.errors import InvalidInput
from swapregret.learners.baselines.listed.pairs import add_regrets, matching_weights
from swapregret.learners.baselines.listed.player import ListedPlayer, play_weights
from swapregret.learners.baselines.listed.steps import listed_totals, place_of
from swapregret.learners.baselines.listing import Cost, list_actions, read_rate, read_share
from swapregret.learners.player import Feedback
from swapregret.learners.round.day import FULL_VECTOR
from swapregret.learners.round.master import PLAYED, end_windows, learn_day
from swapregret.learners.settings import check_settings

__all__ = ["RegretMatching", "regret_matching"]

COST = Cost("regret_matching", limit=2_000, base=2e-6, per_action=1e-8, per_pair=1e-9, per_triple=3.5e-11, matrices=4)
_LEAK = 1e-9


class MatchingRule(NamedTuple):
    """What does not change; five fields as of every rule (``learners.multiscale.phases``), which rule it is, μ, γ, b."""

    windows: Integers
    feedback: int
    predictor_step: float
    has_inverse: bool
    first_log: Floats
    is_inert: bool
    inertia: float
    exploration: float
    baseline: float


class Regrets(NamedTuple):
    """R (N, N), and the last action played, counted from 1; 0 before the first."""

    regrets: Floats
    last: Integers


@learn_day.of(MatchingRule)
def add_day_of_regrets(rule: Any, family: Any, state: Any, action: Integers, seen: Floats, reward: float) -> bool:
    """Add the day to the regrets."""
    own, chances, a = state.own, state.laws.chances[0], place_of(family.words, action)
    if rule.feedback == FULL_VECTOR:
        add_regrets(own.regrets, chances, a, 0.0, listed_totals(family.columns, seen), False, rule.is_inert)
    else:
        add_regrets(own.regrets, chances, a, (reward - rule.baseline) / chances[a], chances, True, rule.is_inert)
    own.last[0] = a + 1
    return True


@end_windows.of(MatchingRule)
def match_regrets(rule: Any, family: Any, state: Any, n_ending: int) -> int:
    """Switch in proportion to the regrets; the first law is uniform."""
    regrets, last = state.own.regrets, state.own.last[0] - 1
    n = regrets.shape[0]
    weights = np.full(n, 1.0 / n)
    if last >= 0:
        day = state.tally.day[0]
        weights = matching_weights(regrets, last, day, rule.inertia, rule.is_inert, rule.exploration, _LEAK)
    play_weights(family, rule, state, weights)
    return PLAYED


@dataclass(frozen=True)
class RegretMatching(ListedPlayer):
    """The player; :func:`regret_matching` chooses its constants.

    Parameters
    ----------
    actions : ActionSet
    horizon : int
    rule : {"invariant", "inertia"}
    inertia : float
        μ.
    exploration, baseline : float
        γ, b; with bandit feedback only.
    feedback : {"full", "bandit"}
    limit : int, optional
    """

    actions: ActionSet
    horizon: int
    rule: str
    inertia: float
    exploration: float
    baseline: float = 0.0
    feedback: Feedback = "bandit"
    limit: int | None = None
    cost: ClassVar[Cost] = COST

    def __post_init__(self) -> None:
        check_settings(self)

    def _rule(self, windows: Any, feedback: int, first_log: Floats) -> MatchingRule:
        is_inert, gamma, b = self.rule == "inertia", self.exploration, self.baseline
        return MatchingRule(windows, feedback, 0.0, False, first_log, is_inert, self.inertia, gamma, b)

    def _own(self, n_actions: int) -> Regrets:
        return Regrets(np.zeros((n_actions, n_actions)), np.zeros(1, dtype=np.int64))


@refuses
def regret_matching(
    actions: ActionSet,
    horizon: int,
    *,
    rule: str = "invariant",
    inertia: float | None = None,
    exploration: float | None = None,
    baseline: float = 0.0,
    feedback: Feedback = "bandit",
    limit: int | None = None,
) -> RegretMatching:
    """Return regret matching on the list of all actions.

    Parameters
    ----------
    actions : ActionSet
        With at most 2,000 actions, or ``limit``: it keeps N² numbers.
    horizon : int
    rule : {"invariant", "inertia"}
    inertia : float, optional
        μ; 2(N − 1) if not given, the least for which convergence is proved with rewards in [0, 1].
    exploration : float, optional
        γ; min(½, (N/T)^{1/3}) with bandit feedback if not given, and 0 with full.
    baseline : float
        b; with bandit feedback only.
    feedback : {"bandit", "full"}
    limit : int, optional

    Examples
    --------
    >>> from swapregret.actions.m_sets.m_sets import MSets
    >>> player = regret_matching(MSets(4, 2), 6000)
    >>> player.inertia, round(player.exploration, 6)
    (10.0, 0.1)
    """
    days = as_integer(horizon, "horizon", 1)
    if rule not in ("invariant", "inertia"):
        raise InvalidInput("`rule` must be 'invariant' or 'inertia'", repr(rule), "'invariant' has the better bound.")
    n = list_actions(actions, days, COST, limit).n_actions
    mu = max(read_rate(inertia, 2.0 * max(1, n - 1), "inertia"), 1e-300)
    default = 0.0 if feedback == "full" else min(0.5, math.cbrt(n / days))
    share = read_share(default if exploration is None else exploration, "exploration")
    return RegretMatching(actions, days, rule, mu, share, read_share(baseline, "baseline"), feedback, limit)
