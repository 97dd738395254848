"""Newton's steps of the hybrid regulariser on matchings (``actions.hybrid``).

Of the constraints only the sums of rows and columns bind. A column that may stay free has a price of at least 0; prices enter one
after the other and never leave, for the matrix has no positive entry off its diagonal (Chandrasekaran 1970).
"""

import numpy as np

from swapregret.actions.matchings.kernels.permutation_newton import solve_laplacian
from swapregret.arrays import Floats, Integers
from swapregret.compiled.kernel import kernel


@kernel
def priced_move(
    n_rows: int, n_columns: int, slopes: Floats, widths: Floats, x: Floats, priced: Integers, move: Floats
) -> None:
    """Write the step of matchings that brings the sums of all rows and of the priced columns to 1."""
    n = n_rows + priced.size
    weights, ground, right = np.zeros((n, n)), np.zeros(n), np.zeros(n)
    node = np.full(n_columns, -1, dtype=np.int64)
    for a in range(priced.size):
        node[priced[a]] = n_rows + a
        right[n_rows + a] = -1.0
    for i in range(n_rows):
        right[i] = 1.0
        for j in range(n_columns):
            e = i * n_columns + j
            pull = widths[e] * slopes[e] - x[e]
            right[i] += pull
            if node[j] < 0:
                ground[i] += widths[e]
            else:
                weights[i, node[j]] = widths[e]
                right[node[j]] -= pull
    solve_laplacian(weights, ground, right)
    for i in range(n_rows):
        for j in range(n_columns):
            e = i * n_columns + j
            price = right[node[j]] if node[j] >= 0 else 0.0
            move[e] = widths[e] * (right[i] - price - slopes[e])


@kernel
def matching_move(n_rows: int, n_columns: int, slopes: Floats, widths: Floats, x: Floats) -> Floats:
    """Return the step to the table that minimises slopes·Δ + Σ Δ²/(2 widths)."""
    move = np.zeros(x.size)
    if n_rows == n_columns:
        priced_move(n_rows, n_columns, slopes, widths, x, np.arange(n_columns - 1), move)
        return move
    priced, n_priced = np.empty(n_columns, dtype=np.int64), 0
    is_priced = np.zeros(n_columns, dtype=np.bool_)
    while True:
        priced_move(n_rows, n_columns, slopes, widths, x, priced[:n_priced], move)
        before = n_priced
        for j in range(n_columns):
            if not is_priced[j]:
                total = 0.0
                for i in range(n_rows):
                    total += x[i * n_columns + j] + move[i * n_columns + j]
                if total > 1.0 + 1e-12:
                    is_priced[j] = True
                    priced[n_priced] = j
                    n_priced += 1
        if n_priced == before:
            return move
