"""Stationary distributions: residuals, exact fractions, nearly decomposable chains, and slow changes."""

from fractions import Fraction

import numpy as np
import pytest

from swapregret.learners.round.stationary import eliminate, follow_chain, start_chain


def exact(rates: list[list[Fraction]]) -> list[Fraction]:
    """Solve p(D − R) = 0, Σp = 1 by elimination over the rationals."""
    n = len(rates)
    rows = [[(sum(rates[i]) if i == j else Fraction(0)) - rates[i][j] for i in range(n)] for j in range(n - 1)]
    rows = [[*row, Fraction(0)] for row in rows] + [[Fraction(1)] * (n + 1)]
    for k in range(n):
        pivot = next(i for i in range(k, n) if rows[i][k] != 0)
        rows[k], rows[pivot] = rows[pivot], rows[k]
        rows[k] = [value / rows[k][k] for value in rows[k]]
        for i in range(n):
            if i != k:
                rows[i] = [a - rows[i][k] * b for a, b in zip(rows[i], rows[k], strict=True)]
    return [row[-1] for row in rows]


def test_nearly_decomposable_chains_keep_every_digit() -> None:
    """With rates from 1 down to 2⁻⁶⁰ each entry agrees with exact fractions to 14 digits, however small it is."""
    rng = np.random.default_rng(0)
    rates = [[Fraction(int(rng.integers(1, 9)), 2 ** int(rng.integers(0, 60))) for _ in range(6)] for _ in range(6)]
    p = eliminate(np.array([[float(value) for value in row] for row in rates]))
    for found, true in zip(p, exact(rates), strict=True):
        assert abs(Fraction(float(found)) / true - 1) < Fraction(1, 10**14)


@pytest.mark.parametrize("n", [1, 2, 7, 120, 170])
def test_residuals_are_at_rounding(n: int) -> None:
    """‖p − pQ‖₁ is below 1e-13 for random chains, small and large."""
    rng = np.random.default_rng(n)
    Q = rng.random((n, n)) ** 4
    Q /= Q.sum(axis=1, keepdims=True)
    p, inverse = start_chain(n)
    follow_chain(Q, p, inverse)
    assert abs(p.sum() - 1.0) < 1e-14
    assert np.abs(p @ Q - p).sum() < 1e-13


@pytest.mark.parametrize("n", [20, 170])
def test_slow_changes_are_followed(n: int) -> None:
    """Over 60 days of a drifting chain the refined distribution keeps its residual below 1e-12, and agrees with one found anew."""
    rng = np.random.default_rng(n)
    scores = np.zeros((n, n))
    point, inverse = start_chain(n)
    for _ in range(60):
        scores[:, rng.integers(n)] += rng.normal(size=n)
        Q = np.exp(scores - scores.max(axis=1, keepdims=True))
        Q /= Q.sum(axis=1, keepdims=True)
        follow_chain(Q, point, inverse)
        assert np.abs(point @ Q - point).sum() < 1e-12
    assert np.allclose(point, eliminate(Q), atol=1e-11)


def test_rates_too_small_for_a_number_leave_a_distribution() -> None:
    """Where all rates but one are 0 the chain has many stationary distributions; one of them is found, without NaN."""
    rates = np.zeros((10, 10))
    rates[7, 6] = 10.0
    point = eliminate(rates)
    assert abs(point.sum() - 1.0) <= 1e-12
    assert point[7] <= 1e-100
    np.testing.assert_allclose(np.delete(point, [6, 7]), point[0], rtol=1e-9)


def test_no_rates_at_all_leave_the_uniform_distribution() -> None:
    """Nothing moves: all states are alike."""
    np.testing.assert_allclose(eliminate(np.zeros((6, 6))), 1.0 / 6.0, rtol=1e-12)
