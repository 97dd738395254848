"""From a point of the matching polytope to its list of matchings, in one call; a matching is the column of each row."""

import numpy as np
import numpy.typing as npt

from swapregret.actions.matchings.kernels.birkhoff import strip_matchings
from swapregret.actions.matchings.kernels.permutation_rounding import round_matching_point
from swapregret.arrays import Floats, Integers, Words
from swapregret.compiled.bits import grid_weights, merge_law, set_bit
from swapregret.compiled.kernel import kernel

_FloatArray = npt.NDArray[np.float64]
_IntArray = npt.NDArray[np.int64]
_ColumnArray = npt.NDArray[np.int32]


@kernel
def distance_outside(point: _FloatArray) -> float:
    """Return by how much the worst constraint is missed: row sums 1, column sums at most 1 (1 if square), entries ≥ 0."""
    n_rows, n_columns = point.shape
    sums = np.zeros(n_columns)
    worst = 0.0
    for i in range(n_rows):
        row, total = point[i], 0.0
        for j in range(n_columns):
            total += row[j]
            worst = max(worst, -row[j])
        sums += row
        worst = max(worst, abs(total - 1.0))
    for j in range(n_columns):
        worst = max(worst, abs(sums[j] - 1.0) if n_rows == n_columns else sums[j] - 1.0)
    return worst


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
def decompose_matching_point(
    point: _FloatArray, total: int, row_orders: _IntArray, column_orders: _IntArray
) -> tuple[_ColumnArray, _IntArray]:
    """Round a point to ``total`` units and strip it of matchings, once for each order of rows and columns.

    Parameters
    ----------
    point : float64 array, shape (rows, columns)
        Inside the hull, or nearly so.
    total : int
        Units that make 1.
    row_orders, column_orders : int64 arrays, shapes (n, rows) and (n, columns)
        In each variant the search sees rows and columns in this order.

    Returns
    -------
    chosen : int32 array, shape (n_matchings, rows)
        Different matchings in canonical order.
    weights : int64 array, shape (n_matchings,)
        Adding up to n · total.
    """
    n_rows, n_columns = point.shape
    units = round_matching_point(point, total)
    limit = (n_rows * n_columns - n_rows + 1) * len(row_orders)
    chosen, weights = np.empty((limit, n_rows), dtype=np.int32), np.empty(limit, dtype=np.int64)
    shuffled = np.empty((n_rows, n_columns), dtype=np.int64)
    n = 0
    for variant in range(len(row_orders)):
        order, onto = row_orders[variant], column_orders[variant]
        for i in range(n_rows):
            source = units[order[i]]
            for j in range(n_columns):
                shuffled[i, j] = source[onto[j]]
        found, mass = strip_matchings(shuffled, total)
        for a in range(len(mass)):
            for i in range(n_rows):
                chosen[n, order[i]] = onto[found[a, i]]
            weights[n] = mass[a]
            n += 1
    return sort_matchings(chosen[:n], weights[:n], n_columns)


@kernel
def packed_matchings(
    point: Floats, n_rows: int, n_columns: int, total: int, row_orders: Integers, column_orders: Integers
) -> tuple[Words, Floats, float]:
    """Return the matchings of a point, their weights, and how far the point lies outside the hull."""
    table = point.reshape(n_rows, n_columns)
    outside = distance_outside(table)
    chosen, mass = decompose_matching_point(table, total, row_orders, column_orders)
    n = mass.size
    words = np.zeros((n, (point.size + 63) // 64), dtype=np.uint64)
    weights = np.empty(n)
    scale = float(len(row_orders) * total)
    for a in range(n):
        weights[a] = mass[a] / scale
        for i in range(n_rows):
            set_bit(words[a], i * n_columns + chosen[a, i])
    weights = grid_weights(weights)
    for a in range(n):
        if weights[a] == 0.0:  # less than a step of the grid
            words, weights = merge_law(words, weights)
            break
    return words, weights, outside
