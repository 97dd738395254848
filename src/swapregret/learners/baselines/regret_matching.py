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
:math:`(r - b)\,[j = i_t]/p_t(j)` and γ of the uniform policy is mixed in.

**Bound.** With full feedback the internal regret of the invariant rule is at most √(N T) in expectation, and swap
regret N times that; the inertia rule converges without a useful rate. With bandit feedback sublinear for γ of order
T^{-1/3}.
"""

import math
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np

from swapregret.arguments import Share
from swapregret.arrays import Floats, Integers
from swapregret.files.held import wrong_state
from swapregret.learners.baselines.drivers.action_table import Cost, place_of
from swapregret.learners.baselines.drivers.competitor import OwnRule, rule_class
from swapregret.learners.baselines.drivers.listed_player import ListedPlayer, ListedState, TableFamily, play_weights
from swapregret.learners.baselines.drivers.listed_steps import listed_totals, mixed_weights
from swapregret.learners.player import Arrays
from swapregret.learners.round.day import FULL_VECTOR, end_windows, learn_day
from swapregret.learners.round.stationary import eliminate
from swapregret.learners.settings import MatchingName, Positive

MatchingRule = rule_class(__name__, "MatchingRule", "is_inert", "inertia", "exploration", "baseline")
_LEAK = 1e-9


class Regrets(NamedTuple):
    """R (N, N), and the last action played, counted from 1; 0 before the first."""

    regrets: Floats
    last: Integers


@learn_day.of(MatchingRule)
def add_regrets(
    rule: OwnRule, family: TableFamily, state: ListedState[Regrets], action: Integers, seen: Floats, reward: float
) -> None:
    """Add the day to the regrets for having played i and not j.

    With bandit feedback the action played is estimated and all others 0. With inertia only the action that was played counts, all
    of it; otherwise every action counts by its probability.
    """
    regrets, shares, a = state.own.regrets, state.policies.chances[0], place_of(family.words, action)
    state.own.last[0] = a + 1
    if rule.feedback != FULL_VECTOR:
        estimate = (reward - rule.baseline) / shares[a]
        regrets[:, a] += shares * estimate
        regrets[a] -= shares[a] * estimate
        return
    totals = listed_totals(family.columns, seen)
    if rule.is_inert:
        regrets[a] += totals - totals[a]
    else:
        for i in range(shares.size):
            for j in range(shares.size):
                regrets[i, j] += shares[i] * totals[j] - shares[i] * totals[i]


@end_windows.of(MatchingRule)
def match_regrets(rule: OwnRule, family: TableFamily, state: ListedState[Regrets], n_ending: int) -> int:
    """Switch in proportion to the regrets; the first policy is uniform.

    A leak makes the policy unique where regrets leave it open; from day to day the chain changes too much for yesterday's
    solution to help.
    """
    regrets, last = state.own.regrets, state.own.last[0] - 1
    n = regrets.shape[0]
    weights = np.full(n, 1.0 / n)
    if last >= 0 and rule.is_inert:
        most, moved = 1.0 / max(1, n - 1), 0.0
        for j in range(n):
            if j != last:
                weights[j] = min(max(regrets[last, j], 0.0) / (rule.inertia * state.tally.day[0]), most)
                moved += weights[j]
        weights[last] = 1.0 - moved
    elif last >= 0:
        rates = np.maximum(regrets, 0.0)
        total = rates.sum()
        if total > 0.0:
            weights = eliminate(rates * (n / total) + _LEAK)
    return play_weights(family, state, mixed_weights(weights, rule.exploration))


@dataclass(frozen=True)
class RegretMatching(ListedPlayer):
    """Regret matching on the list of all actions.

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
    >>> from swapregret import MSets
    >>> player = regret_matching(MSets(4, 2), 6000)
    >>> player.inertia, round(player.exploration, 6)
    (10.0, 0.1)
    """

    rule: MatchingName = "invariant"
    inertia: Positive | None = None
    exploration: Share | None = None
    baseline: Share = 0.0
    rule_class = MatchingRule
    cost = Cost(
        "regret_matching", limit=2_000, base=2e-6, per_action=1e-8, per_pair=1e-9, per_triple=3.5e-11, matrices=4
    )

    def _default_inertia(self) -> float:
        return 2.0 * max(1, self.n_actions - 1)

    def _default_exploration(self) -> float:
        return 0.0 if self.feedback == "full" else min(0.5, math.cbrt(self.n_actions / self.horizon))

    @property
    def is_inert(self) -> bool:
        """Whether the rule is "inertia"."""
        return self.rule == "inertia"

    def check_own(self, arrays: Arrays) -> None:
        """Refuse a state in a file that played an action last which there is not."""
        super().check_own(arrays)
        if int(arrays["own.last"][0]) > self.n_actions:
            raise wrong_state("the number of an action in 'own.last'", str(arrays["own.last"]))

    def _own(self, n_actions: int) -> Regrets:
        return Regrets(np.zeros((n_actions, n_actions)), np.zeros(1, dtype=np.int64))


regret_matching = RegretMatching
