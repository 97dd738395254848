r"""Stoltz (2005): exponential weights on modification rules, and the fixed point they agree on.

An expert is a rule "play φ(i) for i"; over a policy p it would play :math:`p^\varphi`. With weights :math:`\Delta_\varphi
\propto \exp(\eta G(\varphi))` on the estimated gains

.. math:: G_t(\varphi) = \sum_{s \le t} \sum_i p_s(i)\,\tilde r_s(\varphi(i)), \qquad
    \tilde r_s(j) = \frac{r_s - b}{p_s(j)}\,[j = i_s],

the play is the p with :math:`p = \sum_\varphi \Delta_\varphi\, p^\varphi`, mixed with γ of the uniform policy. Two
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
from dataclasses import dataclass
from functools import cached_property
from itertools import product
from typing import NamedTuple

import numpy as np

from swapregret.arguments import Share
from swapregret.arrays import Floats, Integers
from swapregret.compiled.kernel import kernel
from swapregret.counts import count_in_words, power_in_words
from swapregret.errors import TooLarge
from swapregret.learners.baselines.drivers.action_table import Cost, place_of
from swapregret.learners.baselines.drivers.competitor import OwnRule, rule_class
from swapregret.learners.baselines.drivers.listed_player import ListedPlayer, ListedState, TableFamily, play_weights
from swapregret.learners.baselines.drivers.listed_steps import (
    add_shares,
    exponential_row,
    exponential_weights,
    listed_totals,
    mixed_weights,
)
from swapregret.learners.round.day import FULL_VECTOR, end_windows, learn_day
from swapregret.learners.round.stationary import follow_chain, start_chain
from swapregret.learners.settings import Rules, Step

SWAP_LIMIT = 5
StoltzRule = rule_class(__name__, "StoltzRule", "learning_rate", "exploration", "baseline", "functions")


class Gains(NamedTuple):
    """Σ_s p_s(i) r̃_s(j) (N, N), of which a rule gains one entry per row; the fixed point, and what helps to find the next one."""

    gains: Floats
    point: Floats
    inverse: Floats


@kernel
def rule_rates(gains: Floats, functions: Integers, learning_rate: float) -> Floats:
    """Return the chain whose stationary distribution is the fixed point of exponential weights on rules.

    The rules are the given functions, one per row, or, if there are none, all that move one action to one other; then
    rates are multiplied by what makes them add up to N.
    """
    n = gains.shape[0]
    rates = np.zeros((n, n))
    if functions.shape[0]:
        totals = np.zeros(functions.shape[0])
        for f in range(functions.shape[0]):
            for i in range(n):
                totals[f] += gains[i, functions[f, i]]
        weights = exponential_weights(totals, learning_rate)
        for f in range(functions.shape[0]):
            for i in range(n):
                rates[i, functions[f, i]] += weights[f]
        return rates
    for i in range(n):
        for j in range(n):
            rates[i, j] = gains[i, j] - gains[i, i]
    flat = rates.reshape(n * n)
    exponential_row(flat, learning_rate, flat)
    for i in range(n):
        rates[i, i] = 0.0
    if n > 1:
        rates *= n / rates.sum()
    return rates


@learn_day.of(StoltzRule)
def add_to_rules(
    rule: OwnRule, family: TableFamily, state: ListedState[Gains], action: Integers, seen: Floats, reward: float
) -> None:
    """Add the day to the gains of all rules, and find their fixed point."""
    own, chances = state.own, state.policies.chances[0]
    if rule.feedback == FULL_VECTOR:
        add_shares(own.gains, chances, listed_totals(family.columns, seen))
    else:
        a = place_of(family.words, action)
        own.gains[:, a] += chances * ((reward - rule.baseline) / chances[a])
    follow_chain(rule_rates(own.gains, rule.functions, rule.learning_rate), own.point, own.inverse)


@end_windows.of(StoltzRule)
def play_fixed_point(rule: OwnRule, family: TableFamily, state: ListedState[Gains], n_ending: int) -> int:
    """Play the fixed point, with γ of the uniform policy mixed in."""
    return play_weights(family, state, mixed_weights(state.own.point, rule.exploration))


@dataclass(frozen=True)
class Stoltz(ListedPlayer):
    """One of Stoltz's two algorithms on the list of all actions.

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
    >>> from swapregret import MSets
    >>> round(stoltz(MSets(4, 2), 1000).learning_rate, 6)          # √(12 ln 30 / 1000)
    0.202026
    """

    rules: Rules = "internal"
    learning_rate: Step | None = None
    exploration: Share = 0.0
    baseline: Share = 1.0
    rule_class = StoltzRule
    cost = Cost("stoltz", limit=2_000, base=3e-6, per_action=1e-8, per_pair=4e-9, per_triple=1.3e-10, matrices=4)

    def _check_size(self) -> None:
        count = self.actions.n_actions
        n = count if self.rules == "swap" and count is not None else self.n_actions
        if self.rules == "swap" and n > SWAP_LIMIT:
            digits = float(min(n, 10**100)) * math.log10(n)
            raise TooLarge(
                f"`actions` of stoltz with all swap functions must have at most {SWAP_LIMIT} actions",
                f"{count_in_words(n)} actions and so {power_in_words(digits)} functions, each with a weight of its own",
                "Use rules='internal', or blum_mansour.",
            )

    def _default_learning_rate(self) -> float:
        n, is_swap = self.n_actions, self.rules == "swap"
        log_rules = n * math.log(n) if is_swap else math.log(max(2, n * (n - 1)))
        return math.sqrt((8.0 if is_swap else 2.0 * n) * log_rules / self.horizon)

    @cached_property
    def functions(self) -> Integers:
        """All N^N functions, one per row, or none if the rules are pairs."""
        n = self.n_actions
        listed = list(product(range(n), repeat=n)) if self.rules == "swap" else []
        return np.array(listed, dtype=np.int64).reshape(-1, n)

    def _own(self, n_actions: int) -> Gains:
        return Gains(np.zeros((n_actions, n_actions)), *start_chain(n_actions))


stoltz = Stoltz
