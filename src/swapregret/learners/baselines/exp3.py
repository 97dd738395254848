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
from typing import Any, ClassVar, NamedTuple

import numpy as np

from swapregret.actions.base import ActionSet
from swapregret.arrays import Floats, Integers, as_integer
from swapregret.boundary import refuses
from swapregret.learners.baselines.listed.exponential import exponential_weights
from swapregret.learners.baselines.listed.player import ListedPlayer, play_weights
from swapregret.learners.baselines.listed.steps import listed_totals, place_of
from swapregret.learners.baselines.listing import Cost, list_actions, read_rate, read_share
from swapregret.learners.player import Feedback
from swapregret.learners.round.day import FULL_VECTOR
from swapregret.learners.round.master import PLAYED, end_windows, learn_day
from swapregret.learners.settings import check_settings

__all__ = ["Exp3", "Scores", "exp3"]

COST = Cost("exp3", limit=100_000, base=1e-6, per_action=2.2e-8, vectors=6)


class Exp3Rule(NamedTuple):
    """What does not change; five fields as of every rule (``learners.multiscale.phases``), and η, γ and b."""

    windows: Integers
    feedback: int
    predictor_step: float
    has_inverse: bool
    first_log: Floats
    rate: float
    exploration: float
    baseline: float


class Scores(NamedTuple):
    """One score for every action."""

    scores: Floats


@learn_day.of(Exp3Rule)
def add_estimate(rule: Any, family: Any, state: Any, action: Integers, seen: Floats, reward: float) -> bool:
    """Add the estimate of the day to the scores."""
    scores = state.own.scores
    if rule.feedback == FULL_VECTOR:
        scores += listed_totals(family.columns, seen)
    else:
        a = place_of(family.words, action)
        scores[a] += (reward - rule.baseline) / state.laws.chances[0, a]
    return True


@end_windows.of(Exp3Rule)
def weigh_exponentially(rule: Any, family: Any, state: Any, n_ending: int) -> int:
    """Play exponential weights of the scores."""
    play_weights(family, rule, state, exponential_weights(state.own.scores, rule.rate, rule.exploration))
    return PLAYED


@dataclass(frozen=True)
class Exp3(ListedPlayer):
    """The player; :func:`exp3` chooses its constants.

    Parameters
    ----------
    actions : ActionSet
    horizon : int
    learning_rate, exploration, baseline : float
        η, γ, b.
    feedback : {"bandit", "full"}
    limit : int, optional
        Most actions accepted.
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

    def _rule(self, windows: Any, feedback: int, first_log: Floats) -> Exp3Rule:
        return Exp3Rule(windows, feedback, 0.0, False, first_log, self.learning_rate, self.exploration, self.baseline)

    def _own(self, n_actions: int) -> Scores:
        return Scores(np.zeros(n_actions))


@refuses
def exp3(
    actions: ActionSet,
    horizon: int,
    *,
    learning_rate: float | None = None,
    exploration: float = 0.0,
    baseline: float = 1.0,
    feedback: Feedback = "bandit",
    limit: int | None = None,
) -> Exp3:
    """Return Exp3 on the list of all actions.

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
    >>> from swapregret.actions.m_sets.m_sets import MSets
    >>> player = exp3(MSets(4, 2), 1000)
    >>> round(player.learning_rate, 6)          # √(2 ln 6 / 6000)
    0.024439
    """
    days = as_integer(horizon, "horizon", 1)
    n = list_actions(actions, days, COST, limit).n_actions
    default = math.sqrt((8.0 if feedback == "full" else 2.0 / n) * math.log(n) / days)
    return Exp3(
        actions,
        days,
        read_rate(learning_rate, default),
        read_share(exploration, "exploration"),
        read_share(baseline, "baseline"),
        feedback,
        limit,
    )
