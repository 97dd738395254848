"""Lists of matchings, kept as the column of each row: their order, their moments, and back to 0/1 vectors.

A matching of k rows takes k numbers instead of rows · columns, and everything a policy is asked for costs O(k) or O(k²)
a matching.

May touch: ``kernels.compile``.
"""

import numpy as np
import numpy.typing as npt

from swapregret.kernels.compile import kernel

__all__ = ["matching_cooccurrence", "matching_marginals", "matching_second_moment", "matching_table", "sort_matchings"]

_FloatArray = npt.NDArray[np.float64]
_IntArray = npt.NDArray[np.int64]
_ColumnArray = npt.NDArray[np.int32]


@kernel
def sort_matchings(chosen: _ColumnArray, weights: _IntArray, n_columns: int) -> tuple[_ColumnArray, _IntArray]:
    """Put matchings in canonical order (last row most significant) and merge equal ones; O(n · rows).

    One counting sort a row, least significant first, which leaves rows that agree in their order.
    """
    n, n_rows = chosen.shape
    order, moved = np.arange(n), np.empty(n, dtype=np.int64)
    starts = np.empty(n_columns + 1, dtype=np.int64)
    for i in range(n_rows):
        starts[:] = 0
        for a in range(n):
            starts[chosen[a, i] + 1] += 1
        for j in range(n_columns):
            starts[j + 1] += starts[j]
        for a in range(n):
            column = chosen[order[a], i]
            moved[starts[column]] = order[a]
            starts[column] += 1
        order, moved = moved, order
    rows, mass = np.empty((n, n_rows), dtype=np.int32), np.empty(n, dtype=np.int64)
    n_kept = 0
    for a in range(n):
        source = chosen[order[a]]
        is_new = n_kept == 0
        if not is_new:
            before = rows[n_kept - 1]
            for i in range(n_rows):
                if source[i] != before[i]:
                    is_new = True
                    break
        if is_new:
            rows[n_kept] = source
            mass[n_kept] = weights[order[a]]
            n_kept += 1
        else:
            mass[n_kept - 1] += weights[order[a]]
    return rows[:n_kept], mass[:n_kept]


@kernel
def matching_table(chosen: _ColumnArray, n_columns: int) -> _IntArray:
    """Write matchings as 0/1 vectors over the (row, column) pairs, one a row."""
    n, n_rows = chosen.shape
    table = np.zeros((n, n_rows * n_columns), dtype=np.int64)
    for a in range(n):
        for i in range(n_rows):
            table[a, i * n_columns + chosen[a, i]] = 1
    return table


@kernel
def matching_marginals(chosen: _ColumnArray, weights: _FloatArray, n_columns: int) -> _FloatArray:
    """Return Σ_a w_a M_a."""
    n, n_rows = chosen.shape
    total = np.zeros(n_rows * n_columns)
    for a in range(n):
        for i in range(n_rows):
            total[i * n_columns + chosen[a, i]] += weights[a]
    return total


@kernel
def matching_second_moment(
    chosen: _ColumnArray, weights: _FloatArray, vector: _FloatArray, n_columns: int
) -> _FloatArray:
    """Return Σ_a w_a M_a (M_a · v)."""
    n, n_rows = chosen.shape
    total = np.zeros(n_rows * n_columns)
    for a in range(n):
        row = chosen[a]
        value = 0.0
        for i in range(n_rows):
            value += vector[i * n_columns + row[i]]
        value *= weights[a]
        for i in range(n_rows):
            total[i * n_columns + row[i]] += value
    return total


@kernel
def matching_cooccurrence(chosen: _ColumnArray, weights: _FloatArray, n_columns: int) -> _FloatArray:
    """Return Σ_a w_a M_a M_aᵀ, dense."""
    n, n_rows = chosen.shape
    total = np.zeros((n_rows * n_columns, n_rows * n_columns))
    index = np.empty(n_rows, dtype=np.int64)
    for a in range(n):
        weight = weights[a]
        for i in range(n_rows):
            index[i] = i * n_columns + chosen[a, i]
        for i in range(n_rows):
            target = total[index[i]]
            for j in range(n_rows):
                target[index[j]] += weight
    return total
