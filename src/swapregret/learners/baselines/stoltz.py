r"""Stoltz (2005): exponential weights on modification rules, and the fixed point they agree on.

An expert is a rule "play φ(i) for i"; over a law p it would play :math:`p^\varphi`. With weights :math:`\Delta_\varphi
\propto \exp(\eta G(\varphi))` on the estimated gains

.. math:: G_t(\varphi) = \sum_{s \le t} \sum_i p_s(i)\,\tilde r_s(\varphi(i)), \qquad
    \tilde r_s(j) = \frac{r_s - b}{p_s(j)}\,[j = i_s],

the play is the p with :math:`p = \sum_\varphi \Delta_\varphi\, p^\varphi`, mixed with γ of the uniform law. Two
classes of rules:

``"swap"``
    All N^N functions. Only for N ≤ 5: there are 3,125 of them then, 46,656 for N = 6 and 10^{249} for N = 120. (The
    weights happen to factorise over i, into Blum and Mansour's experts with a common step; the tests check it. The
    list is kept because it is the algorithm.)
``"internal"``
    The N(N−1) rules that move one action to one other: internal regret, of which swap regret is at most N times.

**Bound.** With bandit feedback O(√(T N ln K)) for the class in expectation, K its size: N √(T ln N) in the first case,
N times √(T N ln N) for swap regret through the second.
"""

import math
from dataclasses import dataclass, replace
from functools import cached_property
from itertools import product

import numpy as np
import numpy.typing as npt

from swapregret.actions.base import ActionSet
from swapregret.arrays import Matrix, Vector, as_integer, count_in_words, frozen
from swapregret.errors import InvalidInput, TooLarge
from swapregret.kernels.listed_steps import ListedLog
from swapregret.kernels.pair_run import add_gains, mixed_weights, rule_rates, run_rules
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

__all__ = ["Stoltz", "StoltzState", "stoltz"]

COST = Cost("stoltz", limit=2_000, base=3e-6, per_action=1e-8, per_pair=4e-9, per_triple=1.3e-10, matrices=4)
SWAP_LIMIT = 5


@dataclass(frozen=True, eq=False)
class StoltzState:
    """What is known before a day.

    Attributes
    ----------
    gains : Matrix, shape (N, N)
        Σ_s p_s(i) r̃_s(j): the gain of a rule is a sum of entries, one a row.
    chain : Stationary
        The fixed point.
    law : FinitePolicy
        With γ of the uniform law mixed in.
    """

    day: int
    gains: Matrix
    chain: Stationary
    law: ListedLaw


@dataclass(frozen=True)
class Stoltz:
    """The player; :func:`stoltz` chooses its constants.

    Parameters
    ----------
    actions : ActionSet
    horizon : int
    rules : {"internal", "swap"}
    learning_rate, exploration, baseline : float
        η, γ, b.
    feedback : {"bandit", "full"}
    limit : int, optional
    """

    actions: ActionSet
    horizon: int
    rules: str
    learning_rate: float
    exploration: float = 0.0
    baseline: float = 1.0
    feedback: Feedback = "bandit"
    limit: int | None = None

    @cached_property
    def table(self) -> ActionTable:
        """All actions."""
        return list_actions(self.actions, self.horizon, COST, self.limit)

    @cached_property
    def _functions(self) -> npt.NDArray[np.int64]:
        """All N^N functions, one a row, or none if the rules are pairs."""
        n = self.table.n_actions
        listed = list(product(range(n), repeat=n)) if self.rules == "swap" else []
        return np.array(listed, dtype=np.int64).reshape(-1, n)

    def start(self, rng: np.random.Generator) -> StoltzState:
        """Begin with equal weights on all rules."""
        gains = np.zeros((self.table.n_actions, self.table.n_actions))
        return self._state(0, gains, stationed(self._rates(gains)))

    def policy(self, state: StoltzState) -> FinitePolicy:
        """Return p."""
        return state.law.policy

    def observe(self, state: StoltzState, decision: Decision, reward: float | Vector | None) -> StoltzState:
        """Add the day to the gains of all rules."""
        day, law = state.day + 1, state.law
        if reward is None:
            return replace(state, day=day)
        gains, shares = state.gains.copy(), law.shares.copy()
        if self.feedback == "full":
            add_gains(gains, shares, -1, 0.0, self.table.totals(np.asarray(reward)))
        else:
            index = self.table.index(decision.action)
            add_gains(gains, shares, index, (float(reward) - self.baseline) / law.probability(decision, index), shares)
        return self._state(day, gains, restationed(self._rates(gains), state.chain))

    def run_days(self, state: StoltzState, rng: np.random.Generator, rewards: Matrix, log: ListedLog) -> StoltzState:
        """Play one day a row of ``rewards`` in compiled code, as stepping would."""
        gains, chain, done = state.gains.copy(), state.chain, 0
        while done < len(rewards):
            point = chain.point.copy()
            done, is_found = run_rules(
                rng,
                rewards,
                self.table.columns,
                done,
                self._functions,
                self.feedback == "full",
                self.learning_rate,
                self.exploration,
                self.baseline,
                LEAST,
                TOLERANCE,
                PATIENCE,
                gains,
                point,
                chain.inverse,
                log,
            )
            chain = Stationary(frozen(point), chain.inverse) if is_found else stationed(self._rates(gains))
        return self._state(state.day + done, gains, chain)

    def _state(self, day: int, gains: Matrix, chain: Stationary) -> StoltzState:
        law = self.table.law(mixed_weights(chain.point.copy(), self.exploration))
        return StoltzState(day, frozen(gains), chain, law)

    def _rates(self, gains: Matrix) -> Matrix:
        """Return the chain whose stationary distribution is the fixed point."""
        return rule_rates(gains, self._functions, self.learning_rate)

    def dump(self, state: StoltzState) -> Arrays:
        """Write all arrays."""
        return {
            "day": np.array(state.day),
            "gains": state.gains,
            "point": state.chain.point,
            "inverse": state.chain.inverse,
        }

    def load(self, arrays: Arrays) -> StoltzState:
        """Read all arrays."""
        read = {name: np.array(arrays[name], dtype=np.float64) for name in arrays if name != "day"}
        chain = Stationary(frozen(read["point"]), read["inverse"])
        return self._state(int(arrays["day"]), read["gains"], chain)


def stoltz(
    actions: ActionSet,
    horizon: int,
    *,
    rules: str = "internal",
    learning_rate: float | None = None,
    exploration: float = 0.0,
    baseline: float = 1.0,
    feedback: Feedback = "bandit",
    limit: int | None = None,
) -> Stoltz:
    """Return one of Stoltz's two algorithms on the list of all actions.

    Parameters
    ----------
    actions : ActionSet
        With at most 2,000 actions, or ``limit``; at most 5 with ``rules="swap"``.
    horizon : int
    rules : {"internal", "swap"}
        Pairs of actions, or all functions from actions to actions.
    learning_rate : float, optional
        η; √(2 N ln K / T) for K = N(N−1) pairs and √(8 N ln N / T) for all functions if not given, by the reasoning
        (and the measurements) of :mod:`~swapregret.learners.baselines.blum_mansour`.
    exploration, baseline : float
        γ and b.
    feedback : {"bandit", "full"}
    limit : int, optional

    Examples
    --------
    >>> from swapregret.actions.m_sets.m_sets import MSets
    >>> round(stoltz(MSets(4, 2), 1000).learning_rate, 6)          # √(12 ln 30 / 1000)
    0.202026
    """
    days = as_integer(horizon, "horizon", 1)
    if rules not in ("internal", "swap"):
        raise InvalidInput("`rules` must be 'internal' or 'swap'", repr(rules), "'internal' is the one that scales.")
    known = actions.n_actions
    n = known if rules == "swap" and known is not None else list_actions(actions, days, COST, limit).n_actions
    if rules == "swap" and n > SWAP_LIMIT:
        digits = float(min(n, 10**100)) * math.log10(n)
        raise TooLarge(
            f"`actions` of stoltz with all swap functions must have at most {SWAP_LIMIT} actions",
            f"{count_in_words(n)} actions and so about 10^{_power(digits)} functions, each with a weight to be updated every day",
            "Use rules='internal', or blum_mansour.",
        )
    log_rules = n * math.log(n) if rules == "swap" else math.log(max(2, n * (n - 1)))
    default = math.sqrt((8.0 if rules == "swap" else 2.0 * n) * log_rules / days)
    return Stoltz(
        actions,
        days,
        rules,
        read_rate(learning_rate, default),
        read_share(exploration, "exploration"),
        read_share(baseline, "baseline"),
        feedback,
        limit,
    )


def _power(digits: float) -> str:
    """Write an exponent of ten for people."""
    return f"{digits:.0f}" if digits < 1e6 else f"({digits:.0e})"
