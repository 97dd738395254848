r"""Rounding a point of the matching polytope to whole units, with sums that are right exactly.

A point with row sums 1 and column sums at most 1 becomes whole multiples of one unit, rows adding up to exactly
``total`` units and columns to at most that (exactly, if there are as many columns as rows). Entries are rounded down
and what the rows lack is handed back where the point is positive, along alternating paths if need be, so a pair that
the point never uses stays unused.
"""

import numpy as np

from swapregret.arrays import Floats, Integers
from swapregret.compiled.kernel import kernel


@kernel
def _reroute(point: Floats, units: Integers, need: Integers, room: Integers, start: int) -> bool:
    """Bring one row nearer to its sum by an alternating path to a column with room; tell whether there was one."""
    n_rows, n_columns = units.shape
    row_before = np.full(n_columns, -1)
    column_before = np.full(n_rows, -1)
    queue = np.empty(n_rows, dtype=np.int64)
    queue[0] = start
    n_seen = 1
    position = 0
    while position < n_seen:
        row = queue[position]
        position += 1
        for column in range(n_columns):
            if row_before[column] >= 0 or not point[row, column] > 0.0:
                continue
            row_before[column] = row
            if room[column] > 0:
                amount = min(need[start], room[column])
                i, j = row, column
                while i != start:
                    j = column_before[i]
                    amount = min(amount, units[i, j])
                    i = row_before[j]
                need[start] -= amount
                room[column] -= amount
                i, j = row, column
                units[i, j] += amount
                while i != start:
                    j = column_before[i]
                    units[i, j] -= amount
                    i = row_before[j]
                    units[i, j] += amount
                return True
            for other in range(n_rows):
                if units[other, column] > 0 and other != start and column_before[other] < 0:
                    column_before[other] = column
                    queue[n_seen] = other
                    n_seen += 1
    return False


@kernel
def round_matching_point(point: Floats, total: int) -> Integers:
    """Round a point (rows, columns), rows ≤ columns, to units that make ``total``; small negative entries count as 0.

    Row sums are near 1, column sums near or below it. Every row of the result adds up to ``total``, no column to more (and none to
    less if the table is square).
    """
    n_rows, n_columns = point.shape
    units = np.empty((n_rows, n_columns), dtype=np.int64)
    scaled = np.empty((n_rows, n_columns))
    shrink = np.zeros(n_columns)
    for i in range(n_rows):
        source, row = point[i], scaled[i]
        mass = 0.0
        for j in range(n_columns):
            row[j] = max(source[j], 0.0)
            mass += row[j]
        if mass > 1.0:
            for j in range(n_columns):
                row[j] /= mass
        shrink += row
    for j in range(n_columns):
        shrink[j] = total / max(shrink[j], 1.0)
    need, room = np.empty(n_rows, dtype=np.int64), np.full(n_columns, total)
    for i in range(n_rows):
        row, target = scaled[i], units[i]
        need[i] = total
        for j in range(n_columns):
            target[j] = int(row[j] * shrink[j])
            need[i] -= target[j]
            room[j] -= target[j]
    for i in range(n_rows):  # rounding of the sums above may have left a unit too many
        while need[i] < 0:
            j = int(np.argmax(units[i]))
            units[i, j] -= 1
            need[i] += 1
            room[j] += 1
    for j in range(n_columns):
        while room[j] < 0:
            i = int(np.argmax(units[:, j]))
            units[i, j] -= 1
            need[i] += 1
            room[j] += 1
    # First where there is mass on the grid, then where there is any, then by rerouting, last anywhere.
    for least in range(1, -1, -1):
        for i in range(n_rows):
            for j in range(n_columns):
                if need[i] == 0:
                    break
                if room[j] > 0 and units[i, j] >= least and scaled[i, j] > 0.0:
                    amount = min(need[i], room[j])
                    units[i, j] += amount
                    need[i] -= amount
                    room[j] -= amount
    for i in range(n_rows):
        while need[i] > 0 and _reroute(scaled, units, need, room, i):
            pass
    for i in range(n_rows):
        for j in range(n_columns):
            amount = min(need[i], room[j])
            units[i, j] += amount
            need[i] -= amount
            room[j] -= amount
    return units
