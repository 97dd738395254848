"""From a point of the matching polytope to its list of matchings, in one call."""

import numpy as np

from swapregret.actions.matchings.kernels.birkhoff import strip_matchings
from swapregret.actions.matchings.kernels.permutation_rounding import round_matching_point
from swapregret.arrays import Floats, Integers, Words
from swapregret.compiled.bits import merge_policy, set_bit
from swapregret.compiled.kernel import kernel


@kernel
def distance_outside(point: Floats) -> float:
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
def packed_matchings(
    point: Floats, n_rows: int, n_columns: int, total: int, row_orders: Integers, column_orders: Integers
) -> tuple[Words, Floats, float]:
    """Return the matchings of a point, their weights, and how far the point lies outside the hull.

    The point is rounded to ``total`` units and stripped of matchings once for each row of the orders, in which the search sees rows
    and columns. Matchings come as they are met: neighbours differ in few pairs, which ``kernels.matching_solve`` lives on.
    """
    table = point.reshape(n_rows, n_columns)
    outside = distance_outside(table)
    units, count = round_matching_point(table, total), len(row_orders)
    most = (n_rows * n_columns - n_rows + 1) * count
    words, weights = np.zeros((most, (point.size + 63) // 64), dtype=np.uint64), np.empty(most)
    shuffled = np.empty((n_rows, n_columns), dtype=np.int64)
    n, scale = 0, float(count * total)
    for variant in range(count):
        order, onto = row_orders[variant], column_orders[variant]
        for i in range(n_rows):
            source, target = units[order[i]], shuffled[i]
            for j in range(n_columns):
                target[j] = source[onto[j]]
        found, mass = strip_matchings(shuffled, total)
        for a in range(mass.size):
            chosen, line = found[a], words[n]
            for i in range(n_rows):
                set_bit(line, order[i] * n_columns + onto[chosen[i]])
            weights[n] = mass[a] / scale
            n += 1
    different, merged = merge_policy(words[:n], weights[:n])
    return different, merged, outside
