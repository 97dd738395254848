r"""LinUCB (Li, Chu, Langford and Schapire 2010; Abbasi-Yadkori, Pál and Szepesvári 2011): the action of largest upper bound.

.. math:: M_t = \arg\max_M f(M), \qquad f(M) = \hat\theta_t\cdot M + \alpha \sqrt{M^\top \Lambda_t^{-1} M}

The posterior is that of ``posterior.gaussian``; ``memory`` forgets as D-LinUCB does (Russac, Vernade and Cappé 2019).

Up to ``limit`` actions, all are listed and M_t is exact. Above, f is climbed with the oracle: f is convex, so the best action for
its gradient at M is at least as good as M. From each of several starts this is done until nothing gets better, and the best end is
played. The starts are the best actions for θ̂, for θ̂_i + α/√Λ_ii, and for ``draws`` draws of the posterior. With eight of these,
over 300 days on m-sets (10, 3) and (20, 5), permutations of 6 and trees on six vertices, with and without a memory of 60 days, f at
the end was .989 to .999 of its maximum on average and never below .95 of it.

**Bound.** With α growing like √(d log T), O(d √T log T) external regret on independent days; for the exact maximum. Nothing is
promised for worlds that move, or for swap regret.
"""

from dataclasses import dataclass
from functools import cached_property

import numpy as np

from swapregret.actions.family import Family
from swapregret.actions.hull import best
from swapregret.arrays import Floats, Integers, Words
from swapregret.compiled.bits import elements_of, pack_rows, unpack
from swapregret.compiled.cholesky import cholesky_solve, solve_upper
from swapregret.compiled.kernel import kernel
from swapregret.compiled.vectors import dot
from swapregret.errors import TooLarge
from swapregret.learners.baselines.drivers.competitor import OwnRule, play_action, rule_class
from swapregret.learners.baselines.posterior.gaussian import (
    POSTERIOR,
    PosteriorPlayer,
    PosteriorState,
    draw_normals,
    learn_sums,
)
from swapregret.learners.player import Feedback
from swapregret.learners.round.day import NOT_PROJECTED, NOT_SOLVED, end_windows, learn_day
from swapregret.learners.round.posterior_sums import fade, fit_elements, fit_totals
from swapregret.learners.settings import Draws, Limit, Step

LinUCBRule = rule_class(__name__, "LinUCBRule", *POSTERIOR, "standard_errors", "draws", "listed")
learn_day.of(LinUCBRule)(learn_sums)
_GAIN = 1e-12


@kernel
def best_listed(listed: Words, mean: Floats, factor: Floats, alpha: float) -> Integers:
    """Return the action of a list with the largest upper bound, the first of them on a tie."""
    d, top, found = mean.size, -np.inf, 0
    covariance, unit, elements = np.empty((d, d)), np.zeros(d), np.empty(d, dtype=np.int64)
    for i in range(d):
        unit[i] = 1.0
        covariance[i] = cholesky_solve(factor, unit)
        unit[i] = 0.0
    for a in range(listed.shape[0]):
        count, total, variance = elements_of(listed[a], elements), 0.0, 0.0
        for e in range(count):
            i = elements[e]
            total += mean[i]
            variance += covariance[i, i]
            for f in range(e):
                variance += 2.0 * covariance[i, elements[f]]
        value = total + alpha * np.sqrt(max(variance, 0.0))
        if value > top:
            top, found = value, a
    return unpack(listed[found], d)


@kernel
def climb(family: Family, mean: Floats, factor: Floats, alpha: float, start: Floats) -> tuple[Integers, float]:
    """Climb the upper bound from the best action for some weights; return where that ends, and the bound there."""
    found, top, weights = np.empty(0, dtype=np.int64), -np.inf, start
    while True:
        action = best(family, weights)
        if action.size == 0:
            return action, np.inf
        chosen = action.astype(np.float64)
        spread = cholesky_solve(factor, chosen)
        deviation = np.sqrt(max(dot(chosen, spread), 0.0))
        value = dot(mean, chosen) + alpha * deviation
        if found.size and value <= top + _GAIN * abs(top):
            return found, top
        found, top = action, value
        if deviation == 0.0:
            return found, top
        weights = mean + alpha / deviation * spread


@kernel
def best_climbed(
    rule: OwnRule, family: Family, state: PosteriorState, mean: Floats, factor: Floats, n_ending: int
) -> Integers:
    """Return the best end of a climb from each start; nothing where the oracle has failed."""
    own, alpha, first = state.own, rule.standard_errors, state.tally.day[0] * rule.draws * mean.size
    _, apart = fit_elements(rule, own, n_ending)
    found, top, noise = np.empty(0, dtype=np.int64), -np.inf, np.empty(mean.size)
    for j in range(rule.draws + 2):
        start = mean.copy()
        if j == 1:
            start += alpha * apart
        elif j > 1:
            draw_normals(own.seed[0], first + (j - 2) * mean.size, noise)
            solve_upper(factor, noise)
            start += noise
        action, value = climb(family, mean, factor, alpha, start)
        if action.size == 0:
            return action
        if value > top:
            found, top = action, value
    return found


@end_windows.of(LinUCBRule)
def play_bound(rule: OwnRule, family: Family, state: PosteriorState, n_ending: int) -> int:
    """Play the action of the largest upper bound, as far as it is found."""
    mean, factor, is_definite = fit_totals(rule, state.own, n_ending)
    if not is_definite:
        return NOT_SOLVED
    if rule.listed.shape[0]:
        action = best_listed(rule.listed, mean, factor, rule.standard_errors)
    else:
        action = best_climbed(rule, family, state, mean, factor, n_ending)
    if action.size == 0:
        return NOT_PROJECTED
    fade(rule, state.own, n_ending)
    return play_action(family, state, action, 0.0, n_ending)


@dataclass(frozen=True)
class LinUCB(PosteriorPlayer):
    """The action of largest upper confidence bound.

    Parameters
    ----------
    actions, horizon, memory, prior_mean, prior_width, noise
        As of every ``PosteriorPlayer``: see ``posterior.gaussian``.
    standard_errors : float
        α.
    limit : int
        Most actions that are listed.
    draws : int
        Draws of the posterior from which f is climbed where they are not.

    Examples
    --------
    >>> from swapregret import MSets
    >>> lin_ucb(MSets(10, 3), 10_000).listed.shape, lin_ucb(MSets(20, 5), 10_000).listed.shape
    ((120, 1), (0, 1))
    """

    standard_errors: Step = 1.5
    limit: Limit = 2000
    draws: Draws = 8
    feedback: Feedback = "bandit"
    rule_class = LinUCBRule

    @property
    def least_numbers(self) -> int:
        """How many numbers a state has at least: one per action, where they are listed."""
        count = self.actions.n_actions or 0
        return max(self.actions.dimension, count if count <= self.limit else 0)

    @cached_property
    def listed(self) -> Words:
        """All actions, packed; none where there are more than ``limit``."""
        count = self.actions.n_actions
        try:
            rows = self.actions.enumerate(self.limit) if count is None or count <= self.limit else ()
        except TooLarge:
            rows = ()
        return pack_rows(np.array(rows, dtype=np.int64).reshape(-1, self.actions.dimension))


lin_ucb = LinUCB
