"""The tests of samplers are exact where they say so, and sharp enough to be of use."""

from fractions import Fraction
from math import comb

import numpy as np
import pytest

from swapregret.testing.statistics import FALSE_ALARM, chi_square_p_value, hoeffding_radius, least_binomial_p_value


@pytest.mark.parametrize("count", [0, 3, 10, 17, 20])
def test_binomial_p_values_are_exact(count: int) -> None:
    """The p-value of one count is twice the smaller tail, compared with rational arithmetic."""
    n, p = 20, Fraction(1, 4)
    mass = [comb(n, k) * p**k * (1 - p) ** (n - k) for k in range(n + 1)]
    exact = min(Fraction(1), 2 * min(sum(mass[: count + 1]), sum(mass[count:])))
    assert least_binomial_p_value(np.array([count]), np.array([0.25]), n)[1] == pytest.approx(float(exact), rel=1e-12)


def test_impossible_and_certain_events_are_exact() -> None:
    """One occurrence of an impossible event is enough, and so is one failure of a certain one."""
    assert least_binomial_p_value(np.array([1]), np.array([0.0]), 100)[1] == 0.0
    assert least_binomial_p_value(np.array([99]), np.array([1.0]), 100)[1] == 0.0
    assert least_binomial_p_value(np.array([0, 100]), np.array([0.0, 1.0]), 100)[1] == 1.0


def test_many_events_are_corrected_for() -> None:
    """The p-value of the worst of k events is k times its own."""
    one = least_binomial_p_value(np.array([40]), np.array([0.2]), 100)[1]
    many = least_binomial_p_value(np.array([40, *[20] * 9]), np.array([0.2] * 10), 100)
    assert many == (0, pytest.approx(10 * one))


def test_false_alarms_are_as_rare_as_promised() -> None:
    """Over all outcomes of 30 draws, the probability of a p-value below a level is at most the level."""
    n, p = 30, 0.37
    counts = np.arange(n + 1)
    mass = np.array([comb(n, k) * p**k * (1 - p) ** (n - k) for k in range(n + 1)])
    values = np.array([least_binomial_p_value(np.array([k]), np.array([p]), n)[1] for k in counts])
    for level in (0.3, 0.05, 1e-3, FALSE_ALARM):
        assert mass[values < level].sum() <= level


def test_chi_square_is_the_textbook_one_and_pools_the_rare() -> None:
    """(60, 40) against one half has statistic 4; outcomes expected less than 20 times count together."""
    assert chi_square_p_value(np.array([60, 40]), np.array([0.5, 0.5]), 100) == pytest.approx(0.0455002638963584)
    rare = np.array([0.5, *[0.05] * 10])
    pooled = chi_square_p_value(np.array([60, *[4] * 10]), rare, 100)
    assert pooled == pytest.approx(0.0455002638963584)
    assert chi_square_p_value(np.array([5]), np.array([1.0]), 5) == 1.0


def test_hoeffding_radius_is_the_textbook_one() -> None:
    """exp(−2 r² / (n w²)) at the radius is half the false-alarm rate, shared among the events."""
    n, width, events = 400, 0.5, 7
    radius = hoeffding_radius(n, width, events)
    assert 2 * events * np.exp(-2 * radius**2 / (n * width**2)) == pytest.approx(FALSE_ALARM)
