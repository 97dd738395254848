"""Sums over days from which a Gaussian posterior of the rewards of elements follows: ``baselines.posterior.gaussian`` has formulas.

They are shared by the competitors there and by the forecaster of the adaptive preset (``adaptive.forecaster``).
"""

from typing import NamedTuple, Protocol

import numpy as np

from swapregret.arrays import Floats, Integers
from swapregret.compiled.cholesky import cholesky_solve, factorise
from swapregret.compiled.kernel import kernel
from swapregret.learners.round.day import BANDIT


class PosteriorRule(Protocol):
    """What does not change, as far as sums ask for it."""

    @property
    def keep(self) -> float:
        """What is kept of the past from one day to the next."""

    @property
    def origin(self) -> float:
        """The precision times the mean of the prior."""

    @property
    def precision(self) -> float:
        """The precision of the prior."""

    @property
    def gain(self) -> float:
        """The precision that a day adds."""

    @property
    def feedback(self) -> int:
        """BANDIT or SEMI_BANDIT of ``day``."""


class Prior(NamedTuple):
    """μ, s and σ in units of 1/m: an element is expected to pay (.5 ± .35)/m, with a standard deviation of .5/m."""

    mean: float = 0.5
    width: float = 0.35
    noise: float = 0.5

    def precision(self, size: int) -> float:
        """Return m²/s²."""
        return float((max(1, size) / self.width) ** 2)

    def origin(self, size: int) -> float:
        """Return the precision times the mean."""
        return self.precision(size) * self.mean / max(1, size)

    def gain(self, size: int, *, is_bandit: bool) -> float:
        """Return the precision that a day adds."""
        m = max(1, size)
        return float((m if is_bandit else m**2) / self.noise**2)


class Sums(NamedTuple):
    """What was seen.

    The seed (1,) of draws; Σ k^{t−u} M_u M_uᵀ (d, d), of which the upper triangle is kept, with bandit feedback; how often each
    element was chosen (d,), with semi-bandit feedback; what it or its action was paid (d,).
    """

    seed: Integers
    moment: Floats
    counts: Floats
    sums: Floats


@kernel
def add_day(feedback: int, own: Sums, action: Integers, seen: Floats, reward: float, times: float) -> None:
    """Add a day to sums, so many times."""
    for i in range(action.size):
        if action[i]:
            if feedback == BANDIT:
                own.sums[i] += times * reward
                for j in range(i, action.size):
                    own.moment[i, j] += times * action[j]
            else:
                own.sums[i] += times * seen[i]
                own.counts[i] += times


@kernel
def fade(rule: PosteriorRule, own: Sums, n_ending: int) -> None:
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
def fit_totals(rule: PosteriorRule, own: Sums, n_ending: int) -> tuple[Floats, Floats, bool]:
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
def fit_elements(rule: PosteriorRule, own: Sums, n_ending: int) -> tuple[Floats, Floats]:
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
