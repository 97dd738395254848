r"""Tests of samplers with a stated false-alarm rate.

Counts of single events are compared with their exact binomial policy, so that the rate is a guarantee: with k events each is tested
at level :math:`\alpha/k`. A chi-square over all outcomes together sees a bias that is spread thinly; its level is the usual
approximation, with outcomes pooled until each is expected 20 times.
"""

import numpy as np
import numpy.typing as npt
import scipy

from swapregret.arrays import Vector

FALSE_ALARM = 1e-6
"""How often a correct sampler is accused, at most, by one family of tests."""
_EXPECTED = 20.0


def least_binomial_p_value(counts: npt.NDArray[np.int64], probabilities: Vector, draws: int) -> tuple[int, float]:
    """Find the event whose count fits its probability worst.

    Parameters
    ----------
    counts : int64 array, shape (k,)
        How often each event happened.
    probabilities : array, shape (k,)
        How likely each is claimed to be.
    draws : int
        Number of independent draws.

    Returns
    -------
    (int, float)
        Which event, and its two-sided p-value times k: below ``FALSE_ALARM`` for a correct policy with at most that
        probability.
    """
    p = np.clip(probabilities, 0.0, 1.0)
    lower = scipy.stats.binom.cdf(counts, draws, p)
    upper = scipy.stats.binom.sf(counts - 1, draws, p)
    values = np.minimum(1.0, 2.0 * np.minimum(lower, upper))
    worst = int(np.argmin(values))
    return worst, min(1.0, float(values[worst]) * len(counts))


def chi_square_p_value(counts: npt.NDArray[np.int64], probabilities: Vector, draws: int) -> float:
    """Compare the counts of all outcomes with a policy, outcomes expected less than 20 times taken together."""
    expected = probabilities * draws
    is_rare = expected < _EXPECTED
    observed = counts[~is_rare].astype(np.float64)
    wanted = expected[~is_rare]
    rest = draws - float(wanted.sum())
    if rest >= _EXPECTED:
        observed, wanted = np.append(observed, counts[is_rare].sum()), np.append(wanted, rest)
    if len(wanted) < 2:
        return 1.0
    statistic = float(((observed - wanted) ** 2 / wanted).sum())
    return float(scipy.stats.chi2.sf(statistic, len(wanted) - 1))


def hoeffding_radius(n_draws: int, width: float, n_events: int) -> float:
    """Return how far a sum of independent draws, each of range ``width``, may stray from its mean.

    With probability at most ``FALSE_ALARM`` any of ``n_events`` such sums strays further.

    Examples
    --------
    >>> round(hoeffding_radius(100, 1.0, 1), 3)
    26.934
    """
    return width * float(np.sqrt(n_draws * np.log(2.0 * n_events / FALSE_ALARM) / 2.0))
