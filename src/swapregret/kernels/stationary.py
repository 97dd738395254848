r"""Compiled stationary distributions: elimination without subtraction, and refinement of yesterday's.

May touch: ``kernels.compile``.
"""

import numpy as np
import numpy.typing as npt

from swapregret.kernels.compile import kernel

__all__ = ["eliminate", "refine"]

Floats = npt.NDArray[np.float64]


@kernel
def eliminate(rates: Floats) -> Floats:
    """Return p with Σ_i p_i (rate_ij) = p_j Σ_k rate_jk, for an irreducible matrix of rates; the diagonal is not used.

    The elimination of Grassmann, Taksar and Heyman: no subtraction, so every entry has full relative accuracy,
    however small. O(2n³/3).
    """
    n = rates.shape[0]
    a = rates.copy()
    for k in range(n - 1, 0, -1):
        total = 0.0
        for j in range(k):
            total += a[k, j]
        for i in range(k):
            a[i, k] /= total
        for i in range(k):
            factor = a[i, k]
            row, last = a[i], a[k]
            for j in range(k):
                row[j] += factor * last[j]  # what this adds to the diagonal is never used
    p = np.zeros(n)
    p[0] = 1.0
    sum_p = 1.0
    for k in range(1, n):
        value = 0.0
        for i in range(k):
            value += p[i] * a[i, k]
        p[k] = value
        sum_p += value
    for k in range(n):
        p[k] /= sum_p
    return p


@kernel
def refine(
    rates: Floats, totals: Floats, guess: Floats, inverse: Floats, tolerance: float, limit: int
) -> tuple[Floats, float, int]:
    """Refine a guess of the stationary distribution with an approximate inverse of yesterday.

    Solves A p = u for A = diag(rates·1) − ratesᵀ + u1ᵀ, u = 1/n: then p is stationary and adds up to 1. The diagonal
    of the rates cancels. Each step costs two products with a matrix; all inner loops run along rows and add vectors, so
    that they can use vector instructions.

    Parameters
    ----------
    rates : array, shape (n, n)
    totals : array, shape (n,)
        rates·1.
    guess : array, shape (n,)
    inverse : array, shape (n, n)
        An approximate inverse of A, *transposed*.
    tolerance : float
        Of the residual ‖A p − u‖₁.
    limit : int

    Returns
    -------
    p, residual, steps
    """
    n = rates.shape[0]
    p = guess.copy()
    residual = np.empty(n)
    size, steps = 0.0, 0
    while True:
        for j in range(n):
            residual[j] = 0.0
        mass = 0.0
        for i in range(n):
            row = rates[i]
            share = p[i]
            mass += share
            for j in range(n):
                residual[j] += share * row[j]
        size = 0.0
        for j in range(n):
            residual[j] += (1.0 - mass) / n - totals[j] * p[j]
            size += abs(residual[j])
        if size <= tolerance or steps == limit:
            break
        for j in range(n):
            row = inverse[j]
            share = residual[j]
            for i in range(n):
                p[i] += share * row[i]
        steps += 1
    return p, size, steps
