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
from dataclasses import dataclass, replace
from functools import cached_property

import numpy as np

from swapregret.actions.base import ActionSet
from swapregret.arrays import Matrix, Vector, as_integer, frozen
from swapregret.kernels.exponential import exponential_weights
from swapregret.kernels.listed_steps import ListedLog
from swapregret.kernels.score_run import run_scores
from swapregret.learners.baselines.listing import (
    LEAST,
    ActionTable,
    Cost,
    ListedLaw,
    list_actions,
    read_rate,
    read_share,
)
from swapregret.learners.player import Arrays, Decision, Feedback
from swapregret.policy import FinitePolicy

__all__ = ["Exp3", "ScoreState", "exp3"]

COST = Cost("exp3", limit=100_000, base=1e-6, per_action=2.2e-8, vectors=6)


@dataclass(frozen=True, eq=False)
class ScoreState:
    """What an algorithm with one score an action knows before a day."""

    day: int
    scores: Vector
    law: ListedLaw


@dataclass(frozen=True)
class Exp3:
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

    @cached_property
    def table(self) -> ActionTable:
        """All actions."""
        return list_actions(self.actions, self.horizon, COST, self.limit)

    def start(self, rng: np.random.Generator) -> ScoreState:
        """Begin with equal weights."""
        return self._state(0, np.zeros(self.table.n_actions))

    def policy(self, state: ScoreState) -> FinitePolicy:
        """Return p."""
        return state.law.policy

    def observe(self, state: ScoreState, decision: Decision, reward: float | Vector | None) -> ScoreState:
        """Add the estimate of the day to the scores."""
        if reward is None:
            return replace(state, day=state.day + 1)
        scores = state.scores.copy()
        if self.feedback == "full":
            scores += self.table.totals(np.asarray(reward))
        else:
            index = self.table.index(decision.action)
            scores[index] += (float(reward) - self.baseline) / state.law.probability(decision, index)
        return self._state(state.day + 1, scores)

    def run_days(self, state: ScoreState, rng: np.random.Generator, rewards: Matrix, log: ListedLog) -> ScoreState:
        """Play one day a row of ``rewards`` in compiled code, as stepping would."""
        scores, is_full = state.scores.copy(), self.feedback == "full"
        eta, gamma, b = self.learning_rate, self.exploration, self.baseline
        run_scores(
            rng, rewards, self.table.columns, False, is_full, eta, gamma, b, False, LEAST, state.day, scores, log
        )
        return self._state(state.day + len(rewards), scores)

    def _state(self, day: int, scores: Vector) -> ScoreState:
        weights = exponential_weights(scores, self.learning_rate, self.exploration)
        return ScoreState(day, frozen(scores), self.table.law(weights))

    def dump(self, state: ScoreState) -> Arrays:
        """Write day and scores."""
        return {"day": np.array(state.day), "scores": state.scores}

    def load(self, arrays: Arrays) -> ScoreState:
        """Read day and scores."""
        return self._state(int(arrays["day"]), np.array(arrays["scores"], dtype=np.float64))


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
