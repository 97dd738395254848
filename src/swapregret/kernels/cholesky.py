"""Cholesky factor and solve, in one fixed order of operations: the same bits whatever the number of BLAS threads.

Rows of the upper factor are combined four at a time, which the compiler turns into vector instructions without
reordering any sum; up to a few hundred rows this is as fast as LAPACK.

May touch: ``kernels.compile``.
"""

import numpy as np
import numpy.typing as npt

from swapregret.kernels.compile import kernel

__all__ = ["cholesky", "cholesky_inverse", "cholesky_solve", "sum_rows"]

Floats = npt.NDArray[np.float64]


@kernel
def cholesky(matrix: Floats) -> tuple[Floats, bool]:
    """Return the upper factor U of a symmetric matrix, A = Uᵀ U, and whether all pivots were safely positive.

    A pivot below 1e-14 of its diagonal entry has lost all its digits. Only the upper triangle is read.
    """
    n = matrix.shape[0]
    factor = np.zeros((n, n))
    for i in range(n):
        row = factor[i, i:]
        row[:] = matrix[i, i:]
        k = 0
        while k + 4 <= i:
            a, b, c, d = factor[k, i:], factor[k + 1, i:], factor[k + 2, i:], factor[k + 3, i:]
            p, q, r, s = a[0], b[0], c[0], d[0]
            for j in range(row.size):
                row[j] -= (p * a[j] + q * b[j]) + (r * c[j] + s * d[j])
            k += 4
        while k < i:
            a = factor[k, i:]
            p = a[0]
            for j in range(row.size):
                row[j] -= p * a[j]
            k += 1
        pivot = row[0]
        if not pivot > 1e-14 * matrix[i, i]:
            return factor, False
        root = np.sqrt(pivot)
        row[0] = root
        for j in range(1, row.size):
            row[j] /= root
    return factor, True


@kernel
def cholesky_solve(factor: Floats, right: Floats) -> Floats:
    """Solve Uᵀ U y = b."""
    n = right.size
    result = right.copy()
    for i in range(n):
        row, rest = factor[i, i:], result[i:]
        value = rest[0] / row[0]
        rest[0] = value
        for j in range(1, rest.size):
            rest[j] -= value * row[j]
    for i in range(n - 1, -1, -1):
        row, rest = factor[i, i:], result[i:]
        size = rest.size
        first, second, third, fourth = 0.0, 0.0, 0.0, 0.0
        j = 1
        while j + 4 <= size:
            first += row[j] * rest[j]
            second += row[j + 1] * rest[j + 1]
            third += row[j + 2] * rest[j + 2]
            fourth += row[j + 3] * rest[j + 3]
            j += 4
        while j < size:
            first += row[j] * rest[j]
            j += 1
        rest[0] = (rest[0] - ((first + second) + (third + fourth))) / row[0]
    return result


@kernel
def cholesky_inverse(factor: Floats) -> Floats:
    """Return (Uᵀ U)⁻¹, symmetric to the last bit.

    V = U⁻ᵀ row by row, then Vᵀ V; a solution with a 0/1 right side is then a sum of rows.
    """
    n = factor.shape[0]
    lower = np.zeros((n, n))
    for k in range(n):
        row = lower[k, : k + 1]
        row[k] = 1.0
        for j in range(k):
            p, a = factor[j, k], lower[j, : j + 1]
            for i in range(a.size):
                row[i] -= p * a[i]
        root = factor[k, k]
        for i in range(row.size):
            row[i] /= root
    inverse = np.zeros((n, n))
    for i in range(n):
        line = inverse[i, : i + 1]
        k = i
        while k + 4 <= n:
            a, b, c, d = lower[k, : i + 1], lower[k + 1, : i + 1], lower[k + 2, : i + 1], lower[k + 3, : i + 1]
            p, q, r, s = a[i], b[i], c[i], d[i]
            for j in range(line.size):
                line[j] += (p * a[j] + q * b[j]) + (r * c[j] + s * d[j])
            k += 4
        while k < n:
            a = lower[k, : i + 1]
            p = a[i]
            for j in range(line.size):
                line[j] += p * a[j]
            k += 1
        for j in range(i):
            inverse[j, i] = line[j]
    return inverse


@kernel
def sum_rows(matrix: Floats, chosen: Floats) -> Floats:
    """Return the sum of the rows of a square matrix where ``chosen`` is 1, first to last."""
    result = np.zeros(chosen.size)
    for j in range(chosen.size):
        if chosen[j] != 0.0:
            row = matrix[j]
            for i in range(result.size):
                result[i] += row[i]
    return result
