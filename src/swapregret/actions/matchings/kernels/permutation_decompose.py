"""From a point of the matching polytope to its list of matchings, in one call; a matching is the column of each row."""

import numpy as np
import numpy.typing as npt

from swapregret.actions.matchings.kernels.birkhoff import strip_matchings
from swapregret.actions.matchings.kernels.permutation_rounding import round_matching_point
from swapregret.arrays import Floats, Integers, Words
from swapregret.compiled.bits import grid_weights, merge_law, set_bit
from swapregret.compiled.kernel import kernel
from swapregret.compiled.selection import in_order

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
def sort_matchings(chosen: _ColumnArray, weights: _IntArray, n_columns: int) -> tuple[_ColumnArray, _IntArray]:
    """Put matchings in canonical order (last row most significant) and merge equal ones.

    As many rows as fit are packed into one number, the last rows first; what is equal so far is sorted by the rows before them.
    """
    n, n_rows = chosen.shape
    n_bits = 1
    while (1 << n_bits) < n_columns:
        n_bits += 1
    order, is_same = np.arange(n), np.ones(n, dtype=np.bool_)  # as the one before, in the rows looked at
    is_same[:1] = False
    keys, high = np.empty(n, dtype=np.int64), n_rows
    while high > 0:
        low = max(high - 62 // n_bits, 0)
        begin = 0
        while begin < n:
            end = begin + 1
            while end < n and is_same[end]:
                end += 1
            if end > begin + 1:
                run, packed = order[begin:end].copy(), keys[begin:end]
                for k in range(run.size):
                    row, key = chosen[run[k]], 0
                    for i in range(high - 1, low - 1, -1):
                        key = (key << n_bits) | row[i]
                    packed[k] = key
                ranks = in_order(packed)
                for k in range(run.size):
                    order[begin + k] = run[ranks[k]]
                    is_same[begin + k] = k > 0 and packed[ranks[k]] == packed[ranks[k - 1]]
            begin = end
        high = low
    rows, mass = np.empty((n, n_rows), dtype=np.int32), np.empty(n, dtype=np.int64)
    n_kept = 0
    for k in range(n):
        if is_same[k]:
            mass[n_kept - 1] += weights[order[k]]
        else:
            source, target = chosen[order[k]], rows[n_kept]
            for i in range(n_rows):
                target[i] = source[i]
            mass[n_kept] = weights[order[k]]
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
