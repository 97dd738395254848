r"""Blum and Mansour (2007): one expert per action, and the distribution they agree on.

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
from typing import NamedTuple

import numpy as np

from swapregret.arguments import Share
from swapregret.arrays import Floats, Integers
from swapregret.learners.baselines.drivers.action_table import Cost, place_of
from swapregret.learners.baselines.drivers.competitor import OwnRule, rule_class
from swapregret.learners.baselines.drivers.listed_player import ListedPlayer, ListedState, TableFamily, play_agreement
from swapregret.learners.baselines.drivers.listed_steps import (
    add_shares,
    exponential_rows,
    listed_totals,
    mixed_weights,
    shift_column,
)
from swapregret.learners.round.day import FULL_VECTOR, end_windows, learn_day
from swapregret.learners.round.stationary import follow_chain, start_chain
from swapregret.learners.settings import Step

ExpertRule = rule_class(__name__, "ExpertRule", "learning_rate", "exploration", "baseline")
end_windows.of(ExpertRule)(play_agreement)
_AFRESH = 64


class _Experts(NamedTuple):
    """What the experts know.

    One row (N, N) for every expert: S in ``scores``, exponential weights in ``rows``, with the logarithms of their normalisers
    (N,); p, and what helps to find the next one (``round.stationary``).
    """

    scores: Floats
    rows: Floats
    log_totals: Floats
    point: Floats
    inverse: Floats


@learn_day.of(ExpertRule)
def _tell_experts(
    rule: OwnRule, family: TableFamily, state: ListedState[_Experts], action: Integers, seen: Floats, reward: float
) -> None:
    """Tell every expert its share of the day, and find the distribution they agree on."""
    own, rate = state.own, rule.learning_rate
    is_full = rule.feedback == FULL_VECTOR
    if is_full:
        add_shares(own.scores, own.point, listed_totals(family.columns, seen))
    else:
        a = place_of(family.words, action)
        estimate = (reward - rule.baseline) / state.policies.chances[0, a]
        shift_column(own.scores, own.rows, own.log_totals, a, own.point * estimate, rate)
    if is_full or (state.tally.day[0] + 1) % _AFRESH == 0:
        exponential_rows(own.scores, rate, own.rows, own.log_totals)
    follow_chain(mixed_weights(own.rows, rule.exploration), own.point, own.inverse)


@dataclass(frozen=True)
class BlumMansour(ListedPlayer):
    """The reduction of Blum and Mansour on the list of all actions.

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
    >>> from swapregret import MSets
    >>> player = blum_mansour(MSets(4, 2), 1000)
    >>> round(player.learning_rate, 6)          # √(48 ln 6 / 1000)
    0.293265
    """

    learning_rate: Step | None = None
    exploration: Share = 0.0
    baseline: Share = 1.0
    rule_class = ExpertRule
    cost = Cost("blum_mansour", limit=2_000, base=2e-6, per_action=1e-8, per_pair=4e-9, matrices=4)

    def _default_learning_rate(self) -> float:
        return math.sqrt(8.0 * self.n_actions * math.log(self.n_actions) / self.horizon)

    def _own(self, n_actions: int) -> _Experts:
        n = n_actions
        rows, log_totals = np.full((n, n), 1.0 / n), np.full(n, math.log(n))
        return _Experts(np.zeros((n, n)), rows, log_totals, *start_chain(n))


blum_mansour = BlumMansour
