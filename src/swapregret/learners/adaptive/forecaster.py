r"""The forecaster: a member that plays the action of largest upper bound, and chooses its memory by what it would have foretold.

For each of L memories it has the posterior of ``baselines.posterior.gaussian``: mean :math:`\hat\theta_l` and deviation
:math:`s_l` of every element, which forget by :math:`k_l` per day on which something was seen. What an element then pays has the
variance :math:`s_l^2 + \sigma^2/m^2`, and the rewards of a day the density :math:`f_l`. The weights of the memories are those of
Bayes' rule, with a share that is dealt out evenly (Herbster and Warmuth 1998; Raftery, Kárný and Ettler 2010):

.. math:: \pi_l \leftarrow (1-\varepsilon)\frac{\pi_l f_l}{\sum_j \pi_j f_j} + \frac\varepsilon L.

It plays what CombUCB plays for the mean of its memories,

.. math:: \arg\max_M \sum_{i\in M} \sum_l \pi_l\,(\hat\theta_{l,i} + \alpha s_{l,i}).

No importance weights are in it, so it knows its memory after few days. Whether it is to be followed is for the weights of the pool.
Days wait until their window ends, so that the last can be taken back.
"""

from typing import NamedTuple

import numpy as np

from swapregret.actions.family import Family
from swapregret.actions.hull import best
from swapregret.arrays import Floats, Integers
from swapregret.compiled.kernel import kernel
from swapregret.learners.round.day import SEMI_BANDIT
from swapregret.learners.round.posterior_sums import Sums, add_day, fade, fit_elements


class ForecastRule(NamedTuple):
    """What does not change.

    ``keeps`` (L) is k_l; ``even`` ε; ``origin``, ``precision`` and ``gain`` are those of ``posterior.gaussian``, ``gain`` m²/σ²;
    ``standard_errors`` is α.
    """

    keeps: Floats
    even: float
    origin: float
    precision: float
    gain: float
    standard_errors: float


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
    counts, sums : float64 arrays, shape (L, d)
        How often each element was chosen, and what it paid, as each memory has it.
    n_waiting : int64 array, shape (1,)
    actions, seen : int64 and float64 arrays, shape (B, d)
        The days that wait.
    """

    evidence: Floats
    counts: Floats
    sums: Floats
    n_waiting: Integers
    actions: Integers
    seen: Floats


def start_forecast(n_memories: int, dimension: int, window: int) -> Forecast:
    """Return a forecaster that has seen nothing."""
    n, d, rows = n_memories, dimension, window if n_memories else 0
    waiting = np.zeros((rows, d), dtype=np.int64), np.zeros((rows, d))
    return Forecast(np.zeros(n), np.zeros((n, d)), np.zeros((n, d)), np.zeros(1, dtype=np.int64), *waiting)


@kernel
def _memory(rule: ForecastRule, own: Forecast, index: int) -> tuple[OneMemory, Sums]:
    """Return the rule and the sums of one memory."""
    one = OneMemory(rule.keeps[index], rule.origin, rule.precision, rule.gain, SEMI_BANDIT)
    return one, Sums(own.n_waiting, own.seen[:0], own.counts[index], own.sums[index])


@kernel
def wait_day(rule: ForecastRule, own: Forecast, action: Integers, seen: Floats, times: float) -> None:
    """Let a day wait, or take the last one back; learn from all that wait where there is no more room."""
    if times < 0.0:
        own.n_waiting[0] -= 1
        return
    if own.n_waiting[0] == own.actions.shape[0]:
        learn_days(rule, own)
    row = own.n_waiting[0]
    for i in range(action.size):
        own.actions[row, i] = action[i]
        own.seen[row, i] = seen[i] if action[i] else 0.0
    own.n_waiting[0] += 1


@kernel
def learn_days(rule: ForecastRule, own: Forecast) -> None:
    """Learn from the days that wait."""
    evidence, n = own.evidence, own.evidence.size
    for row in range(own.n_waiting[0]):
        action, seen = own.actions[row], own.seen[row]
        for k in range(n):
            one, sums = _memory(rule, own, k)
            mean, deviation = fit_elements(one, sums, 0)
            for i in range(action.size):
                if action[i]:
                    variance = deviation[i] ** 2 + 1.0 / rule.gain
                    evidence[k] -= 0.5 * ((seen[i] - mean[i]) ** 2 / variance + np.log(variance))
            fade(one, sums, 1)
            add_day(SEMI_BANDIT, sums, action, seen, 0.0, 1.0)
        chances = np.exp(evidence - evidence.max())
        chances /= chances.sum()
        for k in range(n):
            evidence[k] = np.log((1.0 - rule.even) * chances[k] + rule.even / n)
    own.n_waiting[0] = 0


@kernel
def foretold(rule: ForecastRule, family: Family, own: Forecast) -> Integers:
    """Return the action of largest upper bound after all days; nothing where the oracle has failed."""
    learn_days(rule, own)
    bounds = np.zeros(own.counts.shape[1])
    for k in range(own.evidence.size):
        one, sums = _memory(rule, own, k)
        mean, deviation = fit_elements(one, sums, 0)
        chance = np.exp(own.evidence[k])
        for i in range(bounds.size):
            bounds[i] += chance * (mean[i] + rule.standard_errors * deviation[i])
    return best(family, bounds)
