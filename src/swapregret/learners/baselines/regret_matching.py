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
from dataclasses import dataclass, replace
from functools import cached_property

import numpy as np

from swapregret.actions.base import ActionSet
from swapregret.arrays import Matrix, Vector, as_integer, frozen
from swapregret.errors import InvalidInput
from swapregret.kernels.listed_steps import ListedLog
from swapregret.kernels.pair_run import add_regrets, matching_weights, run_matching
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

__all__ = ["RegretMatching", "RegretMatchingState", "regret_matching"]

COST = Cost("regret_matching", limit=2_000, base=2e-6, per_action=1e-8, per_pair=1e-9, per_triple=3.5e-11, matrices=4)
_LEAK = 1e-9


@dataclass(frozen=True, eq=False)
class RegretMatchingState:
    """What is known before a day.

    Attributes
    ----------
    regrets : Matrix, shape (N, N)
        R, total.
    last : int
        The last action played, −1 before the first.
    law : ListedLaw
    """

    day: int
    regrets: Matrix
    last: int
    law: ListedLaw


@dataclass(frozen=True)
class RegretMatching:
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

    @cached_property
    def table(self) -> ActionTable:
        """All actions."""
        return list_actions(self.actions, self.horizon, COST, self.limit)

    def start(self, rng: np.random.Generator) -> RegretMatchingState:
        """Begin with the uniform law."""
        n = self.table.n_actions
        return RegretMatchingState(0, frozen(np.zeros((n, n))), -1, self.table.law(np.full(n, 1.0 / n)))

    def policy(self, state: RegretMatchingState) -> FinitePolicy:
        """Return the law of the next action."""
        return state.law.policy

    def observe(
        self, state: RegretMatchingState, decision: Decision, reward: float | Vector | None
    ) -> RegretMatchingState:
        """Add the day to the regrets."""
        day = state.day + 1
        if reward is None:
            return replace(state, day=day)
        index, is_inert = self.table.index(decision.action), self.rule == "inertia"
        regrets, shares = state.regrets.copy(), state.law.shares.copy()
        if self.feedback == "full":
            add_regrets(regrets, shares, index, 0.0, self.table.totals(np.asarray(reward)), False, is_inert)
        else:
            estimate = (float(reward) - self.baseline) / state.law.probability(decision, index)
            add_regrets(regrets, shares, index, estimate, shares, True, is_inert)
        weights = matching_weights(regrets, index, day, self.inertia, is_inert, self.exploration, _LEAK)
        return RegretMatchingState(day, frozen(regrets), index, self.table.law(weights))

    def run_days(
        self, state: RegretMatchingState, rng: np.random.Generator, rewards: Matrix, log: ListedLog
    ) -> RegretMatchingState:
        """Play one day a row of ``rewards`` in compiled code, as stepping would."""
        regrets = state.regrets.copy()
        shares = run_matching(
            rng,
            rewards,
            self.table.columns,
            self.rule == "inertia",
            self.feedback == "bandit",
            self.inertia,
            self.exploration,
            self.baseline,
            _LEAK,
            LEAST,
            state.day,
            regrets,
            state.law.shares.copy(),
            log,
        )
        last, law = int(log.chosen[len(rewards) - 1]), self.table.law_again(shares)
        return RegretMatchingState(state.day + len(rewards), frozen(regrets), last, law)

    def dump(self, state: RegretMatchingState) -> Arrays:
        """Write all arrays."""
        return {
            "day": np.array(state.day),
            "last": np.array(state.last),
            "regrets": state.regrets,
            "weights": state.law.shares,
        }

    def load(self, arrays: Arrays) -> RegretMatchingState:
        """Read all arrays."""
        law = self.table.law_again(np.array(arrays["weights"], dtype=np.float64))
        regrets = frozen(np.array(arrays["regrets"], dtype=np.float64))
        return RegretMatchingState(int(arrays["day"]), regrets, int(arrays["last"]), law)


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
