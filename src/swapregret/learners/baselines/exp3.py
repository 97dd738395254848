r"""Exp3 (Auer, Cesa-Bianchi, Freund and Schapire 2002), and Hedge where the whole reward vector is seen.

.. math:: p_t(i) = (1-\gamma)\frac{\exp(\eta S_t(i))}{\sum_j \exp(\eta S_t(j))} + \frac{\gamma}{N},
    \qquad S_{t+1}(i) = S_t(i) + \frac{r_t - b}{p_t(i)}\,[i = i_t]

Each of the N actions is an arm; nothing is shared between them. b is a baseline: b = 0 estimates rewards (the
original, which needs γ > 0), b = 1 losses (which does not); both have the same expectation up to a constant that
weights do not see.

**Bound.** With b = 1, γ = 0, η = √(2 ln N / (N T)): external regret at most √(2 N T ln N) in expectation (Lattimore
and Szepesvári 2020, chapter 11). Nothing is promised for swap regret.
"""

import math
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np

from swapregret.arguments import Share
from swapregret.arrays import Floats, Integers
from swapregret.learners.baselines.drivers.action_table import Cost, place_of
from swapregret.learners.baselines.drivers.competitor import OwnRule, rule_class
from swapregret.learners.baselines.drivers.listed_player import ListedPlayer, ListedState, TableFamily, play_weights
from swapregret.learners.baselines.drivers.listed_steps import exponential_weights, listed_totals, mixed_weights
from swapregret.learners.round.day import FULL_VECTOR, end_windows, learn_day
from swapregret.learners.settings import Step

Exp3Rule = rule_class(__name__, "Exp3Rule", "learning_rate", "exploration", "baseline")


class Scores(NamedTuple):
    """One score for every action."""

    scores: Floats


@learn_day.of(Exp3Rule)
def add_estimate(
    rule: OwnRule, family: TableFamily, state: ListedState[Scores], action: Integers, seen: Floats, reward: float
) -> None:
    """Add the estimate of the day to the scores."""
    scores = state.own.scores
    if rule.feedback == FULL_VECTOR:
        scores += listed_totals(family.columns, seen)
    else:
        a = place_of(family.words, action)
        scores[a] += (reward - rule.baseline) / state.policies.chances[0, a]


@end_windows.of(Exp3Rule)
def weigh_exponentially(rule: OwnRule, family: TableFamily, state: ListedState[Scores], n_ending: int) -> int:
    """Play exponential weights of the scores."""
    weights = exponential_weights(state.own.scores, rule.learning_rate)
    return play_weights(family, state, mixed_weights(weights, rule.exploration))


@dataclass(frozen=True)
class Exp3(ListedPlayer):
    """Exp3 on the list of all actions.

    Parameters
    ----------
    actions : ActionSet
        With at most 100,000 actions, or ``limit``.
    horizon : int
    learning_rate : float, optional
        η; √(2 ln N / (N T)) if not given, √(8 ln N / T) with full feedback.
    exploration, baseline : float
        γ and b. Auer's original is γ with ``learning_rate`` = γ/N and ``baseline`` = 0.
    feedback : {"bandit", "full"}
    limit : int, optional

    Examples
    --------
    >>> from swapregret import MSets
    >>> player = exp3(MSets(4, 2), 1000)
    >>> round(player.learning_rate, 6)          # √(2 ln 6 / 6000)
    0.024439
    """

    learning_rate: Step | None = None
    exploration: Share = 0.0
    baseline: Share = 1.0
    rule_class = Exp3Rule
    cost = Cost("exp3", limit=100_000, base=1e-6, per_action=2.2e-8, vectors=6)

    def _default_learning_rate(self) -> float:
        n = self.n_actions
        return math.sqrt((8.0 if self.feedback == "full" else 2.0 / n) * math.log(n) / self.horizon)

    def _own(self, n_actions: int) -> Scores:
        return Scores(np.zeros(n_actions))


exp3 = Exp3
