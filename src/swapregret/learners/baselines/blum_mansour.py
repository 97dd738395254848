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
from dataclasses import dataclass, replace
from functools import cached_property

import numpy as np

from swapregret.actions.base import ActionSet
from swapregret.arrays import Matrix, Vector, as_integer, frozen
from swapregret.kernels.expert_run import mixed_rows, run_experts, teach_all, tell_all
from swapregret.kernels.exponential import exponential_rows
from swapregret.kernels.listed_steps import ListedLog
from swapregret.learners.baselines.listing import (
    LEAST,
    ActionTable,
    Cost,
    ListedLaw,
    list_actions,
    read_rate,
    read_share,
)
from swapregret.learners.baselines.stationary import PATIENCE, TOLERANCE, Stationary, restationed, stationed
from swapregret.learners.player import Arrays, Decision, Feedback
from swapregret.policy import FinitePolicy

__all__ = ["BlumMansour", "BlumMansourState", "blum_mansour"]

COST = Cost("blum_mansour", limit=2_000, base=2e-6, per_action=1e-8, per_pair=4e-9, matrices=4)
_AFRESH = 64


@dataclass(frozen=True, eq=False)
class BlumMansourState:
    """What the experts know before a day.

    Attributes
    ----------
    scores : Matrix, shape (N, N)
        S, a row an expert.
    rows : Matrix, shape (N, N)
        Their exponential weights.
    log_totals : Vector
        The logarithms of the normalisers of the rows.
    chain : Stationary
        p, and what helps to find the next one.
    law : FinitePolicy
    """

    day: int
    scores: Matrix
    rows: Matrix
    log_totals: Vector
    chain: Stationary
    law: ListedLaw


@dataclass(frozen=True)
class BlumMansour:
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

    @cached_property
    def table(self) -> ActionTable:
        """All actions."""
        return list_actions(self.actions, self.horizon, COST, self.limit)

    def start(self, rng: np.random.Generator) -> BlumMansourState:
        """Begin with equal weights everywhere."""
        n = self.table.n_actions
        scores, rows, log_totals = np.zeros((n, n)), np.empty((n, n)), np.empty(n)
        exponential_rows(scores, self.learning_rate, rows, log_totals)
        return self._state(0, scores, rows, log_totals, stationed(mixed_rows(rows, self.exploration)))

    def policy(self, state: BlumMansourState) -> FinitePolicy:
        """Return p."""
        return state.law.policy

    def observe(self, state: BlumMansourState, decision: Decision, reward: float | Vector | None) -> BlumMansourState:
        """Tell every expert its share of the day."""
        day = state.day + 1
        if reward is None:
            return replace(state, day=day)
        scores, rows, log_totals = state.scores.copy(), state.rows.copy(), state.log_totals.copy()
        shares = state.chain.point.copy()
        if self.feedback == "full":
            teach_all(scores, rows, log_totals, shares, self.table.totals(np.asarray(reward)), self.learning_rate)
        else:
            column = self.table.index(decision.action)
            estimate = (float(reward) - self.baseline) / state.law.probability(decision, column)
            is_afresh = day % _AFRESH == 0
            tell_all(scores, rows, log_totals, shares, column, estimate, self.learning_rate, is_afresh)
        chain = restationed(mixed_rows(rows, self.exploration), state.chain)
        return self._state(day, scores, rows, log_totals, chain)

    def run_days(
        self, state: BlumMansourState, rng: np.random.Generator, rewards: Matrix, log: ListedLog
    ) -> BlumMansourState:
        """Play one day a row of ``rewards`` in compiled code, as stepping would."""
        scores, rows, log_totals = state.scores.copy(), state.rows.copy(), state.log_totals.copy()
        chain, done = state.chain, 0
        while done < len(rewards):
            point = chain.point.copy()
            done, is_found = run_experts(
                rng,
                rewards,
                self.table.columns,
                done,
                self.feedback == "full",
                self.learning_rate,
                self.exploration,
                self.baseline,
                _AFRESH,
                LEAST,
                TOLERANCE,
                PATIENCE,
                state.day,
                scores,
                rows,
                log_totals,
                point,
                chain.inverse,
                log,
            )
            found = Stationary(frozen(point), chain.inverse)
            chain = found if is_found else stationed(mixed_rows(rows, self.exploration))
        return self._state(state.day + done, scores, rows, log_totals, chain)

    def _state(self, day: int, scores: Matrix, rows: Matrix, log_totals: Vector, chain: Stationary) -> BlumMansourState:
        law = self.table.law(chain.point)
        return BlumMansourState(day, frozen(scores), frozen(rows), frozen(log_totals), chain, law)

    def dump(self, state: BlumMansourState) -> Arrays:
        """Write all arrays."""
        return {
            "day": np.array(state.day),
            "scores": state.scores,
            "rows": state.rows,
            "log_totals": state.log_totals,
            "point": state.chain.point,
            "inverse": state.chain.inverse,
        }

    def load(self, arrays: Arrays) -> BlumMansourState:
        """Read all arrays."""
        read = {name: np.array(arrays[name], dtype=np.float64) for name in arrays if name != "day"}
        chain = Stationary(frozen(read["point"]), read["inverse"])
        return self._state(int(arrays["day"]), read["scores"], read["rows"], read["log_totals"], chain)


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
