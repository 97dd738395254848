r"""The forecaster: a member that plays actions of large upper bounds, and chooses its memory by what it would have foretold.

For each of L memories it has the posterior of ``baselines.posterior.gaussian``, which forgets by :math:`k_l` per day: of every
element, mean :math:`\hat\theta_l` and deviation :math:`s_l`, where elements are seen; where totals are, mean and covariance
:math:`C_l` (``adaptive.total_bounds``). So each foretells what a window of n days pays, with a density :math:`f_l`. The weights
of the memories are those of Bayes' rule, with a share that is dealt out evenly (Herbster and Warmuth 1998; Raftery, Kárný and
Ettler 2010):

.. math:: \pi_l \leftarrow (1-\varepsilon)^n \frac{\pi_l f_l}{\sum_j \pi_j f_j} + \frac{1 - (1-\varepsilon)^n} L.

Where elements are seen it plays what CombUCB plays for the mean of its memories,

.. math:: \arg\max_M \sum_{i\in M} \sum_l \pi_l\,(\hat\theta_{l,i} + \alpha s_{l,i}),

and where totals are, several actions in turn (``adaptive.total_bounds``). No importance weights are in it, so it knows its memory
after few days. Whether it is to be followed is for the weights of the pool. Days wait until their window ends, so that the last can
be taken back; all of a window are judged by what was known before it, and are equally old.
"""

from typing import NamedTuple

import numpy as np

from swapregret.actions.family import Family
from swapregret.actions.hull import best
from swapregret.arrays import Floats, Integers, Words
from swapregret.compiled.bits import pack_action, pack_rows, unpack_rows
from swapregret.compiled.kernel import kernel
from swapregret.learners.adaptive.total_bounds import bold_actions, group_days, judge_totals
from swapregret.learners.round.day import BANDIT
from swapregret.learners.round.posterior_sums import Sums, add_day, fade, fit_elements, fit_totals
from swapregret.learners.round.upper_bound import add_covariance

_LEAST_CHANCE = 1e-3
"""Memories with less weight are light: where totals are seen, they are left out of what is played."""
_FITS_PER_MEMORY, _LIGHT = 32.0, 4.0
"""How often a posterior from totals is fitted while its memory, or all days so far, pass; light ones less often, by that factor."""


class ForecastRule(NamedTuple):
    """What does not change.

    ``memories`` (L) are in days, k_l = exp(−1/memory); ``even`` is ε; ``origin``, ``precision`` and ``gain`` are those of
    ``posterior.gaussian``, ``gain`` m/σ² with bandit and m²/σ² with semi-bandit ``feedback``; ``standard_errors`` is α; ``listed``
    has all actions, where totals are seen and there are few.
    """

    memories: Floats
    even: float
    origin: float
    precision: float
    gain: float
    standard_errors: float
    feedback: int
    listed: Words


class OneMemory(NamedTuple):
    """What ``posterior.gaussian`` asks of a rule."""

    keep: float
    origin: float
    precision: float
    gain: float
    feedback: int


class Forecast(NamedTuple):
    """What the forecaster knows; without memories where there is none.

    Attributes
    ----------
    evidence : float64 array, shape (L,)
        log π.
    counts : float64 array, shape (L, d)
        How often each element was chosen, as each memory has it; without columns where totals are seen.
    pairs : float64 array, shape (L, d, d)
        There, how often two elements were chosen together; without entries elsewhere, as the next three.
    means, covariances : float64 arrays, shapes (L, d) and (L, d, d)
        Each posterior when it was fitted last.
    ages : float64 array, shape (L,)
        How many days ago that was.
    sums : float64 array, shape (L, d)
        What elements, or the actions that had them, paid.
    n_days : float64 array, shape (1,)
    n_waiting : int64 array, shape (1,)
    waiting, seen : uint64 and float64 arrays, shapes (B, W) and (B, d)
        The days that wait: packed actions, and what was seen, with bandit feedback the total, shape (B, 1).
    plays : uint64 array, shape (n, W)
        What it recommends, packed: each row as often. Empty actions before the first window has ended.
    """

    evidence: Floats
    counts: Floats
    pairs: Floats
    means: Floats
    covariances: Floats
    ages: Floats
    sums: Floats
    n_days: Floats
    n_waiting: Integers
    waiting: Words
    seen: Floats
    plays: Words


def start_forecast(rule: ForecastRule, dimension: int, window: int, n_plays: int) -> Forecast:
    """Return a forecaster that has seen nothing; without memories, one that plays nothing."""
    n, d, n_words = rule.memories.size, dimension, (dimension + 63) // 64
    rows, n_fits, is_bandit = window if n else 0, n if rule.feedback == BANDIT else 0, rule.feedback == BANDIT
    return Forecast(
        np.full(n, -np.log(max(1, n))),
        np.zeros((n, 0 if is_bandit else d)),
        np.zeros((n, d, d) if is_bandit else (n, 0, 0)),
        np.full((n_fits, d), rule.origin / rule.precision),
        np.tile(np.eye(d) / rule.precision, (n_fits, 1, 1)),
        np.zeros(n_fits),
        np.zeros((n, d)),
        np.zeros(1),
        np.zeros(1, dtype=np.int64),
        np.zeros((rows, n_words), dtype=np.uint64),
        np.zeros((rows, 1 if is_bandit else d)),
        np.zeros((n_plays if n else 0, n_words), dtype=np.uint64),
    )


@kernel
def _memory(rule: ForecastRule, own: Forecast, index: int, n_days: int) -> tuple[OneMemory, Sums]:
    """Return the rule of one memory, which takes so many days for one, and its sums."""
    keep = np.exp(-n_days / rule.memories[index])
    one = OneMemory(keep, rule.origin, rule.precision, rule.gain, rule.feedback)
    return one, Sums(own.n_waiting, own.pairs[index], own.counts[index], own.sums[index])


@kernel
def wait_day(rule: ForecastRule, own: Forecast, action: Integers, seen: Floats, reward: float, times: float) -> None:
    """Let a day wait, or take the last one back; learn from all that wait where there is no more room."""
    if times < 0.0:
        own.n_waiting[0] -= 1
        own.waiting[own.n_waiting[0]] = 0
        own.seen[own.n_waiting[0]] = 0.0
        return
    if own.n_waiting[0] == own.waiting.shape[0]:
        learn_days(rule, own)
    row = own.n_waiting[0]
    pack_action(action, own.waiting[row])
    if rule.feedback == BANDIT:
        own.seen[row, 0] = reward
    else:
        for i in range(action.size):
            own.seen[row, i] = seen[i] if action[i] else 0.0
    own.n_waiting[0] += 1


@kernel
def judge_elements(one: OneMemory, sums: Sums, action: Integers, seen: Floats) -> float:
    """Return the logarithm of the density of the rewards of elements."""
    (mean, deviation), density = fit_elements(one, sums, 0), 0.0
    for i in range(mean.size):
        if action[i]:
            variance = deviation[i] ** 2 + 1.0 / one.gain
            density -= 0.5 * ((seen[i] - mean[i]) ** 2 / variance + np.log(variance))
    return density


@kernel
def learn_days(rule: ForecastRule, own: Forecast) -> None:
    """Learn from the days that wait, in each memory; with bandit feedback from those of equal actions together."""
    evidence, n, n_days = own.evidence, own.evidence.size, own.n_waiting[0]
    actions = unpack_rows(own.waiting[:n_days], own.sums.shape[1])
    counts, totals, squares = group_days(own.waiting[:n_days], own.seen[:n_days, 0])
    for k in range(n):
        one, sums = _memory(rule, own, k, n_days)
        for row in range(n_days):
            if rule.feedback != BANDIT:
                evidence[k] += judge_elements(one, sums, actions[row], own.seen[row])
            elif counts[row] > 0.0:
                mean, covariance, seen = own.means[k], own.covariances[k], (counts[row], totals[row], squares[row])
                evidence[k] += judge_totals(1.0 / rule.gain, mean, covariance, actions[row], seen)
        fade(one, sums, 1)
        for row in range(n_days):
            times = counts[row] if rule.feedback == BANDIT else 1.0
            if times > 0.0:
                add_day(rule.feedback, sums, actions[row], own.seen[row], totals[row] / times, times)
    chances = np.exp(evidence - evidence.max())
    kept = (1.0 - rule.even) ** n_days
    for k in range(n):
        evidence[k] = np.log(kept * chances[k] / chances.sum() + (1.0 - kept) / n)
    for k in range(own.ages.size):
        own.ages[k] += n_days
    own.n_days[0] += n_days
    own.n_waiting[0] = 0
    own.waiting[:] = 0
    own.seen[:] = 0.0


@kernel
def fit_due(rule: ForecastRule, own: Forecast) -> bool:
    """Fit the posteriors that are due; tell whether one of them has weight."""
    is_moved = False
    for k in range(own.ages.size):
        is_light = np.exp(own.evidence[k]) < _LEAST_CHANCE
        wait = min(rule.memories[k], own.n_days[0]) / _FITS_PER_MEMORY * (_LIGHT if is_light else 1.0)
        if own.ages[k] >= wait:
            one, sums = _memory(rule, own, k, 0)
            own.means[k], factor, _ = fit_totals(one, sums, 0)
            own.covariances[k] = 0.0
            add_covariance(factor, 1.0, own.covariances[k])
            own.ages[k] = 0.0
            is_moved = is_moved or not is_light
    return is_moved


@kernel
def mean_posterior(own: Forecast) -> tuple[Floats, Floats]:
    """Return mean and covariance of the rewards, averaged over the memories with weight."""
    d, weight = own.sums.shape[1], 0.0
    mean, covariance = np.zeros(d), np.zeros((d, d))
    for k in range(own.evidence.size):
        chance = np.exp(own.evidence[k])
        if chance >= _LEAST_CHANCE:
            weight += chance
            for i in range(d):
                mean[i] += chance * own.means[k, i]
                for j in range(d):
                    covariance[i, j] += chance * own.covariances[k, i, j]
    return mean / weight, covariance / weight


@kernel
def element_bounds(rule: ForecastRule, own: Forecast) -> Floats:
    """Return the upper bound of each element's reward."""
    bounds = np.zeros(own.sums.shape[1])
    if rule.feedback == BANDIT:
        mean, covariance = mean_posterior(own)
        for i in range(bounds.size):
            bounds[i] = mean[i] + rule.standard_errors * np.sqrt(covariance[i, i])
        return bounds
    for k in range(own.evidence.size):
        one, sums = _memory(rule, own, k, 0)
        mean, deviation = fit_elements(one, sums, 0)
        chance = np.exp(own.evidence[k])
        for i in range(bounds.size):
            bounds[i] += chance * (mean[i] + rule.standard_errors * deviation[i])
    return bounds


@kernel
def foretold(rule: ForecastRule, family: Family, own: Forecast) -> Words:
    """Learn from all days; return what to play now, nothing where that stays or the oracle has failed."""
    learn_days(rule, own)
    if rule.feedback != BANDIT:
        return pack_rows(best(family, element_bounds(rule, own)).reshape(-1, own.sums.shape[1]))
    if not fit_due(rule, own):
        return own.plays[:0]
    mean, covariance = mean_posterior(own)
    noise = 1.0 / rule.gain
    return bold_actions(family, rule.listed, mean, covariance, rule.standard_errors, noise, own.plays.shape[0])
