"""Cholesky factor and solve for small matrices, without the call overhead of LAPACK.

May touch: ``kernels.compile``.
"""

import numpy as np
import numpy.typing as npt

from swapregret.kernels.compile import kernel

__all__ = ["cholesky", "cholesky_solve"]

Floats = npt.NDArray[np.float64]


@kernel
def cholesky(matrix: Floats) -> tuple[Floats, bool]:
    """Return the lower factor L of a symmetric matrix, and whether all pivots were safely positive.

    A pivot below 1e-14 of its diagonal entry has lost all its digits.
    """
    n = matrix.shape[0]
    factor = np.zeros((n, n))
    for i in range(n):
        row = factor[i]
        for j in range(i):
            other = factor[j]
            total = matrix[i, j]
            for k in range(j):
                total -= row[k] * other[k]
            row[j] = total / other[j]
        pivot = matrix[i, i]
        for k in range(i):
            pivot -= row[k] * row[k]
        if not pivot > 1e-14 * matrix[i, i]:
            return factor, False
        row[i] = np.sqrt(pivot)
    return factor, True


@kernel
def cholesky_solve(factor: Floats, right: Floats) -> Floats:
    """Solve L Lᵀ y = b."""
    n = right.size
    result = right.copy()
    for i in range(n):
        row = factor[i]
        total = result[i]
        for k in range(i):
            total -= row[k] * result[k]
        result[i] = total / row[i]
    for i in range(n - 1, -1, -1):
        value = result[i] / factor[i, i]
        result[i] = value
        row = factor[i]
        for k in range(i):
            result[k] -= row[k] * value
    return result
