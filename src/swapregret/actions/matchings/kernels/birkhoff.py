r"""Birkhoff's decomposition in whole numbers: a table of units as a sum of matchings, with remainder exactly 0.

A table :math:`y` of non-negative integers with row sums :math:`S` and column sums at most :math:`S` is written as
:math:`\sum_a w_a M_a` with integers :math:`w_a > 0`, :math:`\sum_a w_a = S`. A clock runs from 0 to S; at each moment one
matching is on, and it stays on until one of its entries is used up. Only the row that lost its entry looks for another
(an alternating path in the support, which exists by Birkhoff's theorem), so one matching costs little more than copying
it. Columns left over go to one extra row that takes ``columns − rows`` of them and whose entries are what the columns
lack; a column that lacks nothing more is then covered of necessity.

The support shrinks to a smaller face of the polytope at every step: at most rank = rows·columns − rows + 1 matchings,
n² − 2n + 2 if there are as many columns as rows. No matching comes twice.

A point with row sums 1 and column sums at most 1 is made such a table first. Entries are rounded down and what the rows lack is
handed back where the point is positive, along alternating paths if need be, so a pair that the point never uses stays unused.
"""

import numpy as np
import numpy.typing as npt

from swapregret.arrays import Floats, Integers, Words
from swapregret.compiled.bits import lowest_bit, merge_policy, set_bit
from swapregret.compiled.kernel import kernel

_ColumnArray = npt.NDArray[np.int32]
_NOBODY = -1
_ONE = np.uint64(1)
_SIX_BITS = np.uint64(63)


@kernel
def _find_path(
    start: int,
    support: Words,
    open_columns: Words,
    owner: Integers,
    unseen: Words,
    queue: Integers,
    via: Integers,
    parent: Integers,
    extra: int,
) -> int:
    """Search from a row that needs a column; return the free column reached, with ``parent`` and ``via`` to walk back.

    ``parent[j]`` is the row that would take column j, ``via[r]`` the column row r would give up for it.
    """
    n_words = support.shape[1]
    # a free column beside the row itself
    for word in range(n_words):
        found = support[start, word] & open_columns[word]
        if found:
            column = 64 * word + lowest_bit(found)
            parent[column] = start
            return column
    # breadth first over the rows whose columns it could take: each column is met once, and so is the row of spare columns
    unseen[:] = ~np.uint64(0)
    queue[0] = start
    n_queued, position = 1, 0
    is_extra_seen = start == extra
    while position < n_queued:
        row = queue[position]
        position += 1
        for word in range(n_words):
            fresh = support[row, word] & unseen[word]
            unseen[word] &= ~fresh
            while fresh:
                column = 64 * word + lowest_bit(fresh)
                fresh &= fresh - _ONE
                other = owner[column]
                if other == extra:
                    if is_extra_seen:
                        continue
                    is_extra_seen = True
                parent[column] = row
                via[other] = column
                # the owner is done if a free column is beside it; otherwise it waits for its turn
                for goal in range(n_words):
                    found = support[other, goal] & open_columns[goal]
                    if found:
                        last = 64 * goal + lowest_bit(found)
                        parent[last] = other
                        return last
                queue[n_queued] = other
                n_queued += 1
    return _NOBODY


@kernel
def strip_matchings(units: Integers, total: int) -> tuple[_ColumnArray, Integers]:
    """Write a table of units (rows, columns), rows ≤ columns, as a sum of matchings.

    Rows add up to ``total``, columns to at most that (exactly, if square). Returns the column of each row, one matching a row, and
    their weights, positive, adding up to ``total``; both are empty if the sums of the table are not as asked.
    """
    n_rows, n_columns = units.shape
    n_spare = n_columns - n_rows
    n_words = (n_columns + 63) // 64
    left = np.empty((n_rows + 1, n_columns), dtype=np.int64)
    support = np.zeros((n_rows + 1, n_words), dtype=np.uint64)
    left[n_rows] = total
    for i in range(n_rows):
        left[i] = units[i]
        left[n_rows] -= units[i]
    # which entries are positive, as bits; spare columns belong to one more row
    n_positive = 0
    for i in range(n_rows + 1 if n_spare > 0 else n_rows):
        row = left[i]
        for j in range(n_columns):
            if row[j] > 0:
                n_positive += 1
                support[i, j >> 6] |= _ONE << (np.uint64(j) & _SIX_BITS)
    limit = min(n_positive, n_rows * n_columns - n_rows + 1)
    chosen = np.empty((limit, n_rows), dtype=np.int32)
    weights = np.empty(limit, dtype=np.int64)

    owner, deadline = np.full(n_columns, _NOBODY), np.zeros(n_columns, dtype=np.int64)
    current = np.empty(n_rows, dtype=np.int32)
    open_columns, unseen = np.zeros(n_words, dtype=np.uint64), np.empty(n_words, dtype=np.uint64)
    queue, via = np.empty(n_rows + 1, dtype=np.int64), np.empty(n_rows + 1, dtype=np.int64)
    parent = np.empty(n_columns, dtype=np.int64)
    seekers = np.empty(n_columns, dtype=np.int64)
    for j in range(n_columns):
        open_columns[j >> 6] |= _ONE << (np.uint64(j) & _SIX_BITS)
        seekers[j] = min(j, n_rows)
    n_seekers = n_columns
    clock = 0
    n = 0
    while True:
        # match every row that has lost its column, along an augmenting path in the support
        for k in range(n_seekers):
            start = seekers[k]
            column = _find_path(start, support, open_columns, owner, unseen, queue, via, parent, n_rows)
            if column == _NOBODY:
                return chosen[:0], weights[:0]
            open_columns[column >> 6] ^= _ONE << (np.uint64(column) & _SIX_BITS)
            while True:
                row, before = parent[column], owner[column]
                if before != _NOBODY:
                    left[before, column] = deadline[column] - clock
                owner[column] = row
                deadline[column] = clock + left[row, column]
                if row < n_rows:
                    current[row] = column
                if row == start:
                    break
                column = via[row]
        # the matching lasts until its smallest entry is used up: that is its weight
        soonest = deadline[0]
        for j in range(1, n_columns):
            soonest = min(soonest, deadline[j])
        if n == limit:
            return chosen[:0], weights[:0]
        target = chosen[n]
        for i in range(n_rows):
            target[i] = current[i]
        weights[n] = soonest - clock
        n += 1
        clock = soonest
        if clock == total:
            return chosen[:n], weights[:n]
        # entries that are used up leave the support, and their rows look for another column
        n_seekers = 0
        for j in range(n_columns):
            if deadline[j] == clock:
                row = owner[j]
                bit = _ONE << (np.uint64(j) & _SIX_BITS)
                support[row, j >> 6] ^= bit
                open_columns[j >> 6] |= bit
                left[row, j] = 0
                owner[j] = _NOBODY
                seekers[n_seekers] = row
                n_seekers += 1


@kernel
def table_distance(point: Floats) -> float:
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
    and columns. Matchings come as they are met: neighbours differ in few pairs.
    """
    table = point.reshape(n_rows, n_columns)
    outside = table_distance(table)
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
    # rows that add up to at most 1, and by what each column must shrink to do so too
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
    # rounded down: what each row still needs, and what room each column has
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
