"""Lists of matchings, kept as the column of each row: their order, their moments, and back to 0/1 vectors.

A matching of k rows takes k numbers instead of rows · columns, and everything a policy is asked for costs O(k) or O(k²)
a matching.
"""

import numpy as np
import numpy.typing as npt

from swapregret.compiled.kernel import kernel

_FloatArray = npt.NDArray[np.float64]
_IntArray = npt.NDArray[np.int64]
_ColumnArray = npt.NDArray[np.int32]


@kernel
def _compare(chosen: _ColumnArray, keys: _IntArray, n_left: int, a: int, b: int) -> int:
    """Tell which of two matchings comes first: negative for a, positive for b, 0 if they are equal."""
    if keys[a] != keys[b]:
        return -1 if keys[a] < keys[b] else 1
    for i in range(n_left - 1, -1, -1):
        if chosen[a, i] != chosen[b, i]:
            return -1 if chosen[a, i] < chosen[b, i] else 1
    return 0


@kernel
def sort_matchings(chosen: _ColumnArray, weights: _IntArray, n_columns: int) -> tuple[_ColumnArray, _IntArray]:
    """Put matchings in canonical order (last row most significant) and merge equal ones.

    A merge sort; the last rows are packed into one number each, which decides most comparisons.
    """
    n, n_rows = chosen.shape
    n_bits = 1
    while (1 << n_bits) < n_columns:
        n_bits += 1
    n_left = max(n_rows - 62 // n_bits, 0)
    keys = np.empty(n, dtype=np.int64)
    for a in range(n):
        row, key = chosen[a], 0
        for i in range(n_rows - 1, n_left - 1, -1):
            key = (key << n_bits) | row[i]
        keys[a] = key
    order, merged = np.arange(n), np.empty(n, dtype=np.int64)
    width = 1
    while width < n:
        for low in range(0, n, 2 * width):
            middle, high = min(low + width, n), min(low + 2 * width, n)
            left, right = low, middle
            for position in range(low, high):
                if left == middle:
                    is_right = True
                else:
                    is_right = right < high and _compare(chosen, keys, n_left, order[left], order[right]) > 0
                if is_right:
                    merged[position] = order[right]
                    right += 1
                else:
                    merged[position] = order[left]
                    left += 1
        order, merged = merged, order
        width *= 2
    rows, mass = np.empty((n, n_rows), dtype=np.int32), np.empty(n, dtype=np.int64)
    n_kept = 0
    for k in range(n):
        a = order[k]
        if k > 0 and _compare(chosen, keys, n_left, order[k - 1], a) == 0:
            mass[n_kept - 1] += weights[a]
        else:
            source, target = chosen[a], rows[n_kept]
            for i in range(n_rows):
                target[i] = source[i]
            mass[n_kept] = weights[a]
            n_kept += 1
    return rows[:n_kept], mass[:n_kept]


@kernel
def matching_table(chosen: _ColumnArray, n_columns: int) -> _IntArray:
    """Write matchings as 0/1 vectors over the (row, column) pairs, one per row."""
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
