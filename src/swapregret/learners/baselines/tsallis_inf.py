r"""Tsallis-INF (Zimmert and Seldin 2021): best of both worlds for external regret.

.. math:: p_t = \arg\min_p\ p\cdot L_t - \frac{4}{\eta_t}\sum_i \sqrt{p_i}, \qquad \eta_t = \frac{c}{\sqrt{t}}

with losses 1 − r estimated by importance weights (c = 2), or with reduced variance (c = 4): the estimate is taken
about ½ wherever :math:`p_t(i) \ge \eta_t^2`.

**Bound.** External regret at most 4√(N T) + 1, and of order Σ_i ln T / Δ_i on independent days. It needs no horizon.
Nothing is promised for swap regret.
"""

import math
from dataclasses import dataclass
from functools import cached_property

import numpy as np

from swapregret.actions.base import ActionSet
from swapregret.arrays import Matrix, Vector, as_integer, frozen
from swapregret.kernels.listed_steps import ListedLog
from swapregret.kernels.score_run import run_scores
from swapregret.kernels.tsallis import loss_estimate, tsallis_weights
from swapregret.learners.baselines.exp3 import ScoreState
from swapregret.learners.baselines.listing import LEAST, ActionTable, Cost, list_actions, read_rate
from swapregret.learners.player import Arrays, Decision, Feedback
from swapregret.policy import FinitePolicy

__all__ = ["TsallisINF", "tsallis_inf"]

COST = Cost("tsallis_inf", limit=100_000, base=1e-6, per_action=4e-8, vectors=6)


@dataclass(frozen=True)
class TsallisINF:
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
        """Add the estimated loss of the day."""
        if reward is None:
            return self._state(state.day + 1, state.scores.copy())
        losses = state.scores.copy()
        index = self.table.index(decision.action)
        probability = state.law.probability(decision, index)
        losses[index] += loss_estimate(1.0 - float(reward), probability, self.rate(state.day), self.is_variance_reduced)
        return self._state(state.day + 1, losses)

    def run_days(self, state: ScoreState, rng: np.random.Generator, rewards: Matrix, log: ListedLog) -> ScoreState:
        """Play one day a row of ``rewards`` in compiled code, as stepping would."""
        losses, c, is_reduced = state.scores.copy(), self.scale, self.is_variance_reduced
        run_scores(
            rng, rewards, self.table.columns, True, False, c, 0.0, 0.0, is_reduced, LEAST, state.day, losses, log
        )
        return self._state(state.day + len(rewards), losses)

    def rate(self, day: int) -> float:
        """Return η of a day, counted from 0."""
        return self.scale / math.sqrt(day + 1)

    def _state(self, day: int, losses: Vector) -> ScoreState:
        weights, _ = tsallis_weights(losses, self.rate(day))
        return ScoreState(day, frozen(losses), self.table.law(weights))

    def dump(self, state: ScoreState) -> Arrays:
        """Write day and losses."""
        return {"day": np.array(state.day), "scores": state.scores}

    def load(self, arrays: Arrays) -> ScoreState:
        """Read day and losses."""
        return self._state(int(arrays["day"]), np.array(arrays["scores"], dtype=np.float64))


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
