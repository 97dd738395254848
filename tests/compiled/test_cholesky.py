"""The Cholesky kernel: against NumPy, at the edge of definiteness, and free of BLAS."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from swapregret.compiled.cholesky import cholesky, cholesky_solve


def definite(n: int, seed: int) -> np.ndarray:
    """Return a random positive definite matrix."""
    rows = np.random.default_rng(seed).normal(size=(2 * n + 1, n))
    matrix = rows.T @ rows / n
    return np.ascontiguousarray((matrix + matrix.T) / 2.0)


@settings(deadline=None, max_examples=40)
@given(n=st.integers(1, 30), seed=st.integers(0, 10**6))
def test_factor_and_solution_agree_with_numpy(n: int, seed: int) -> None:
    """UᵀU is the matrix, U the upper triangle of the factor, and the solution is NumPy's."""
    matrix = definite(n, seed)
    factor, is_definite = cholesky(matrix)
    assert is_definite
    upper = np.triu(factor)
    assert np.abs(upper.T @ upper - matrix).max() <= 1e-13 * n
    right = np.random.default_rng(seed + 1).normal(size=n)
    assert np.allclose(cholesky_solve(factor, right), np.linalg.solve(matrix, right), rtol=1e-6, atol=1e-9)


@pytest.mark.parametrize("n", [63, 64, 65, 130])
def test_all_remainders_of_the_unrolled_loops(n: int) -> None:
    """Sizes around multiples of four give small residuals too."""
    matrix = definite(n, n)
    factor, is_definite = cholesky(matrix)
    right = np.linspace(-1.0, 1.0, n)
    assert is_definite
    assert np.abs(matrix @ cholesky_solve(factor, right) - right).max() < 1e-9


@pytest.mark.parametrize("n", [12, 30, 64])
def test_zeros_are_passed_over(n: int) -> None:
    """A matrix of independent blocks, in an order that mixes them, has the factor of NumPy."""
    block = np.arange(n) // 5 % 3
    matrix = definite(n, n) * (block[:, None] == block)
    factor, is_definite = cholesky(np.ascontiguousarray(matrix))
    assert is_definite
    assert (np.triu(factor) == 0.0).mean() > 0.6
    np.testing.assert_allclose(np.triu(factor), np.linalg.cholesky(matrix).T, atol=1e-13)


def test_only_the_upper_triangle_is_read() -> None:
    """Garbage below the diagonal changes nothing, neither of the factor nor of what is made from it."""
    matrix, right = definite(9, 0), np.linspace(-1.0, 1.0, 9)
    spoilt = matrix.copy()
    spoilt[np.tril_indices(9, -1)] = np.nan
    factor, other = cholesky(matrix)[0], cholesky(spoilt)[0]
    assert np.array_equal(np.triu(factor), np.triu(other))
    assert np.array_equal(cholesky_solve(factor, right), cholesky_solve(other, right))


@pytest.mark.parametrize(
    "matrix",
    [
        np.zeros((1, 1)),
        np.zeros((3, 3)),
        np.ones((2, 2)),
        np.diag([1.0, -1.0]),
        np.full((2, 2), np.nan),
        np.array([[1.0, 1.0], [1.0, 1.0 + 1e-15]]),
        np.outer(np.arange(1.0, 8.0), np.arange(1.0, 8.0)),
    ],
)
def test_singular_to_working_precision_is_said(matrix: np.ndarray) -> None:
    """A pivot without digits, a negative one and NaN are all reported."""
    assert not cholesky(np.ascontiguousarray(matrix))[1]


def test_small_scale_is_not_singular() -> None:
    """Definiteness is relative: a tiny multiple of a good matrix is good."""
    assert cholesky(1e-200 * definite(5, 1))[1]
