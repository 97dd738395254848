r"""A Gaussian posterior of the mean rewards, brought up to date every day: the driver of the competitors in this folder.

*Notation*: θ the mean reward of every element, μ and s the ``prior_mean`` and ``prior_width``, σ the ``noise``, all three in units
of 1/m; k = exp(−1/``memory``), or 1 without one. Before day 0, θ has independent entries of mean μ/m and deviation s/m. On day t

========================  ======================================================================================================
bandit                    :math:`\Lambda = \frac{m^2}{s^2} I + \frac{m}{\sigma^2} \sum_{u<t} k^{t-u} M_u M_u^\top,\quad
                          \Lambda\hat\theta = \frac{m\mu}{s^2} 1 + \frac{m}{\sigma^2} \sum_{u<t} k^{t-u} r_u M_u`
semi-bandit               the same for each element alone, of what it paid on the days it was chosen, with m²/σ² in place of m/σ²
========================  ======================================================================================================

and θ has mean θ̂ and covariance Λ⁻¹: a total is the sum of m rewards whose noise is independent. The prior is not forgotten (Russac,
Vernade and Cappé 2019). A late reward counts as one of the day it comes in. Λ is factored every day, in d³/3 steps.
"""

from dataclasses import dataclass
from functools import cached_property
from typing import NamedTuple

import numpy as np

from swapregret.actions.action_set import ActionSet
from swapregret.actions.family import Family
from swapregret.actions.hull import best
from swapregret.actions.policy_slots import Policies, put_policy
from swapregret.arguments import Days
from swapregret.arrays import Floats, Integers
from swapregret.compiled.bits import merge_policy, pack_action
from swapregret.compiled.cholesky import cholesky_solve, factorise, solve_upper
from swapregret.compiled.kernel import kernel
from swapregret.learners.baselines.drivers.competitor import OwnRule, PointPlayer, play_policy
from swapregret.learners.baselines.drivers.listed_steps import daily_uniform
from swapregret.learners.round.day import BANDIT, NOT_PROJECTED, Mix, RoundState, Tally, remember
from swapregret.learners.round.running import Running
from swapregret.learners.round.scale import Learners
from swapregret.learners.settings import Level, Memory, Width

POSTERIOR = ("keep", "origin", "precision", "gain")
"""What the rule of every player in this folder has: k, the prior's precision times its mean, its precision, that of a day."""


class Sums(NamedTuple):
    """What was seen.

    The seed (1,) of draws; Σ k^{t−u} M_u M_uᵀ (d, d), of which the upper triangle is kept, with bandit feedback; how often each
    element was chosen (d,), with semi-bandit feedback; what it or its action was paid (d,).
    """

    seed: Integers
    moment: Floats
    counts: Floats
    sums: Floats


class PosteriorState(NamedTuple):
    """What changes; ``own`` are the sums, the rest as of every state (``learners.round.day``)."""

    tally: Tally
    undo: Tally
    learners: Learners
    policies: Policies
    mix: Mix
    own: Sums


@kernel
def learn_sums(
    rule: OwnRule, family: Family, state: PosteriorState, action: Integers, seen: Floats, reward: float
) -> None:
    """Add a day to the sums."""
    state.tally.earned[0] += reward
    remember(state, rule, action, seen, reward, 1.0)


@remember.of(PosteriorState)
def add_to_sums(
    state: PosteriorState, rule: OwnRule, action: Integers, seen: Floats, reward: float, times: float
) -> None:
    """Add a day to the sums, or take it off again."""
    own = state.own
    for i in range(action.size):
        if action[i]:
            if rule.feedback == BANDIT:
                own.sums[i] += times * reward
                for j in range(i, action.size):
                    own.moment[i, j] += times * action[j]
            else:
                own.sums[i] += times * seen[i]
                own.counts[i] += times


@kernel
def fade(rule: OwnRule, own: Sums, n_ending: int) -> None:
    """Let a day that has ended pass by for what was seen."""
    if n_ending == 0 or rule.keep == 1.0:
        return
    for i in range(own.sums.size):
        own.sums[i] *= rule.keep
        if rule.feedback == BANDIT:
            for j in range(i, own.sums.size):
                own.moment[i, j] *= rule.keep
        else:
            own.counts[i] *= rule.keep


@kernel
def fit_totals(rule: OwnRule, own: Sums, n_ending: int) -> tuple[Floats, Floats, bool]:
    """Return θ̂ and the upper factor of Λ = UᵀU at the end of a day, and whether there is one."""
    keep, d = rule.keep if n_ending != 0 else 1.0, own.sums.size
    factor, right = np.zeros((d, d)), np.empty(d)
    for i in range(d):
        for j in range(i, d):
            factor[i, j] = rule.gain * (keep * own.moment[i, j])
        factor[i, i] += rule.precision
        right[i] = rule.origin + rule.gain * (keep * own.sums[i])
    is_definite = factorise(factor)
    return cholesky_solve(factor, right) if is_definite else right, factor, is_definite


@kernel
def fit_elements(rule: OwnRule, own: Sums, n_ending: int) -> tuple[Floats, Floats]:
    """Return θ̂ and the standard deviation of each element at the end of a day, the others taken to be known.

    With bandit feedback only the deviations, 1/√Λ_ii, are of use.
    """
    keep, d = rule.keep if n_ending != 0 else 1.0, own.sums.size
    mean, deviation = np.empty(d), np.empty(d)
    for i in range(d):
        count = own.moment[i, i] if rule.feedback == BANDIT else own.counts[i]
        precision = rule.precision + rule.gain * (keep * count)
        mean[i] = (rule.origin + rule.gain * (keep * own.sums[i])) / precision
        deviation[i] = 1.0 / np.sqrt(precision)
    return mean, deviation


@kernel
def draw_normals(seed: int, first: int, target: Floats) -> None:
    """Write the independent standard normal numbers first, first + 1, … of a seed, by Box and Muller's formula."""
    for i in range(target.size):
        radius = np.sqrt(-2.0 * np.log(1.0 - daily_uniform(seed, 2 * (first + i))))
        target[i] = radius * np.cos(2.0 * np.pi * daily_uniform(seed, 2 * (first + i) + 1))


@kernel
def play_draws(
    rule: OwnRule, family: Family, state: PosteriorState, mean: Floats, factor: Floats, deviation: Floats, n_ending: int
) -> int:
    """Play the best actions for draws of the rewards, each as likely as often as it is the best.

    With z standard normal a draw is θ̂ + U⁻¹z for a factor of Λ = UᵀU, and θ̂ + deviation·z where that is empty.
    """
    words = np.zeros((rule.draws, state.policies.words.shape[2]), dtype=np.uint64)
    noise = np.empty(mean.size)
    for j in range(rule.draws):
        draw_normals(state.own.seed[0], (state.tally.day[0] * rule.draws + j) * mean.size, noise)
        if factor.size:
            solve_upper(factor, noise)
        else:
            noise *= deviation
        action = best(family, mean + noise)
        if action.size == 0:
            return NOT_PROJECTED
        pack_action(action, words[j])
    merged, chances = merge_policy(words, np.full(words.shape[0], 1.0 / words.shape[0]))
    put_policy(state.policies, 0, merged, chances, family.common.place)
    fade(rule, state.own, n_ending)
    return play_policy(state, 0.0)


@dataclass(frozen=True)
class PosteriorPlayer(PointPlayer):
    """A competitor with a Gaussian posterior of the rewards.

    Parameters
    ----------
    actions : ActionSet
    horizon : int
        Not needed by the algorithm.
    memory : float, optional
        After how many days a day counts 1/e; all days count alike if not given.
    prior_mean, prior_width : float
        μ and s, in units of 1/m: an element is expected to pay (.5 ± .35)/m.
    noise : float
        σ in units of 1/m, the standard deviation of an element's reward about its mean, which is taken to be known.
    """

    actions: ActionSet
    horizon: Days
    memory: Memory | None = None
    prior_mean: Level = 0.5
    prior_width: Width = 0.35
    noise: Width = 0.5

    @cached_property
    def _family(self) -> Family:
        return self.actions.family(self.mu, has_moment=False)

    @property
    def keep(self) -> float:
        """Return k."""
        return 1.0 if self.memory is None else float(np.exp(-1.0 / self.memory))

    @property
    def precision(self) -> float:
        """Return m²/s²."""
        return float((max(1, self.actions.size) / self.prior_width) ** 2)

    @property
    def origin(self) -> float:
        """Return the precision times the mean of the prior."""
        return self.precision * self.prior_mean / max(1, self.actions.size)

    @property
    def gain(self) -> float:
        """Return the precision that a day adds."""
        m = max(1, self.actions.size)
        return float((m if self.feedback == "bandit" else m**2) / self.noise**2)

    def _running(self, offset: int) -> Running:
        running, d = super()._running(offset), self.actions.dimension
        is_bandit = self.feedback == "bandit"
        seed = np.zeros(1, dtype=np.int64)
        own = Sums(seed, np.zeros((d, d) if is_bandit else (0, 0)), np.zeros(0 if is_bandit else d), np.zeros(d))
        common: RoundState = running.state
        running.state = PosteriorState(*common, own)
        return running
