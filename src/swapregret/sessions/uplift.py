r"""What a session earns beside its hold-out: an estimate without bias, and an interval that may be looked at every day.

A day's policy is :math:`(1-h)\,p + h\,[b]`, p the player's and b the baseline. With g the chance of b under it, c the mean reward
of the days before, and

.. math:: D = (r - c)\cdot\begin{cases} \frac{1}{1-h} & M \ne b \\ -\frac{1-p(b)}{g} & M = b, \end{cases}

D has the mean of what p earns beyond b on that day, whatever the world does. So the mean of D estimates the uplift of the days
so far. For every λ below 1/s, s = 1/h + 1/(1−h) the width of what D may be and V the sum of
:math:`(D_t - \bar D_{t-1})^2`,

.. math:: \exp\bigl(\lambda \textstyle\sum (D_t - E D_t) - \psi(\lambda) V\bigr), \qquad
    \psi(\lambda) = \frac{-\log(1 - \lambda s) - \lambda s}{s^2}

is a supermartingale, and so is its mean over some λ: it stays below 2/α for good with a chance of 1 − α/2. That bounds the uplift
from either side, on all days at once (empirical Bernstein confidence sequence).

Reference: Howard, Ramdas, McAuliffe and Sekhon (2021), Time-uniform, nonparametric, nonasymptotic confidence sequences, Theorem 4.
"""

import math
from typing import Any, NamedTuple, TypeAlias

import numpy as np

from swapregret.arrays import Vector
from swapregret.units import Units

_Numbers: TypeAlias = Any
"""A number, or an array of those of as many runs."""
_HALVINGS, _STEPS = 12, 60


class UpliftSums(NamedTuple):
    """What the uplift is made of; each field may be an array, of as many runs.

    Attributes
    ----------
    n_days, n_kept : float
        Days with a reward, and those among them on which the baseline was played.
    total, gain, spread : float
        Sums of r, of D, and V.
    """

    n_days: _Numbers = 0.0
    n_kept: _Numbers = 0.0
    total: _Numbers = 0.0
    gain: _Numbers = 0.0
    spread: _Numbers = 0.0

    def after(self, share: _Numbers, is_kept: _Numbers, spared: _Numbers, holdout: float) -> "UpliftSums":
        """Return them after a day: its reward in [0, 1], whether the baseline was played, p(b) and h."""
        n = np.maximum(self.n_days, 1.0)
        weight = np.where(is_kept, -(1.0 - spared) / ((1.0 - holdout) * spared + holdout), 1.0 / (1.0 - holdout))
        found = (share - self.total / n) * weight
        made = (
            self.n_days + 1.0,
            self.n_kept + is_kept,
            self.total + share,
            self.gain + found,
            self.spread + (found - self.gain / n) ** 2,
        )
        return UpliftSums(*(each if np.ndim(each) else float(each) for each in made))


def evidence(beyond: _Numbers, spread: _Numbers, holdout: float) -> _Numbers:
    """Return the mean over λ of the supermartingale, were the sum of D so far beyond its mean."""
    width = 1.0 / holdout + 1.0 / (1.0 - holdout)
    rates: Vector = np.ldexp(1.0 / width, -np.arange(1, _HALVINGS + 1))
    psi = (-np.log1p(-rates * width) - rates * width) / width**2
    exponent = np.multiply.outer(np.asarray(beyond), rates) - np.multiply.outer(np.asarray(spread), psi)
    return np.exp(np.minimum(exponent, 700.0)).mean(axis=-1)


def reach(spread: float, holdout: float, confidence: float) -> float:
    """Return how far the sum of D may be from its mean, by bisection."""
    bound, low, high = 2.0 / (1.0 - confidence), 0.0, 1.0
    while evidence(high, spread, holdout) < bound:
        high *= 2.0
    for _ in range(_STEPS):
        middle = (low + high) / 2.0
        low, high = (middle, high) if evidence(middle, spread, holdout) < bound else (low, middle)
    return high


class Uplift(NamedTuple):
    """What a session earns beyond its baseline, per day, in its own units; of costs, how much less is paid.

    Attributes
    ----------
    value, lower, upper : float
        Of the days so far. The interval holds on all days at once with the confidence, so it may be looked at every day.
    player, baseline : float
        The mean reward, or cost, of the session's own choices and of the baseline.
    n_days, n_baseline : int
        Days with a reward, and those on which the baseline was played.
    holdout, confidence : float
    """

    value: float
    lower: float
    upper: float
    player: float
    baseline: float
    n_days: int
    n_baseline: int
    holdout: float
    confidence: float

    def __str__(self) -> str:
        return f"{self.value:+.4g} per day, between {self.lower:+.4g} and {self.upper:+.4g} ({self.n_days:,} days)"


def uplift_of(sums: UpliftSums, holdout: float, units: Units, confidence: float) -> Uplift:
    """Return the uplift with its interval; nothing is known before the first reward."""
    n, width = max(1.0, sums.n_days), 1.0
    value, mean = sums.gain / n, sums.total / n
    if sums.n_days:
        width = reach(sums.spread, holdout, confidence) / n
    ends = max(-1.0, value - width), min(1.0, value + width)
    player, baseline = units.amount(mean + holdout * value), units.amount(mean - (1.0 - holdout) * value)
    if not sums.n_days:
        player = baseline = math.nan
    value, lower, upper = (np.array([value, *ends]) * units.scale).tolist()
    return Uplift(value, lower, upper, player, baseline, int(sums.n_days), int(sums.n_kept), holdout, confidence)
