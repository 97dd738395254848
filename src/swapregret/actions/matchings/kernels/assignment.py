r"""The best assignment of rows to columns, with prices that prove it best.

.. math:: \max_{\sigma : [k] \hookrightarrow [m]} \sum_i w_{i\,\sigma(i)}, \qquad k \le m,

solved by the method of Jonker and Volgenant (1987) in its maximising, rectangular form: a short bidding phase assigns
most rows, then each row left over is assigned by a shortest augmenting path. Prices :math:`v \ge 0` vanish on columns
that stay free, and with :math:`u_i = \max_j w_{ij} - v_j` every pair has :math:`u_i + v_j \ge w_{ij}`, with equality on
the pairs assigned: that is the proof of optimality (linear programming duality).
"""

import numpy as np

from swapregret.arrays import Floats, Integers
from swapregret.compiled.kernel import kernel

_FREE = -1


@kernel
def assign(weights: Floats, chosen: Integers, prices: Floats) -> None:
    """Assign every row a column of its own, with the largest total weight; O(rows² · columns).

    ``weights`` (rows, columns) are finite, rows ≤ columns. Writes the column of each row, and the prices v ≥ 0, zero on columns
    that no row has. Among equally good columns a row takes the leftmost that is free, so equal weights give the identity.
    """
    n_rows, n_columns = weights.shape
    owner = np.full(n_columns, _FREE)
    waiting = np.empty(n_rows, dtype=np.int64)
    prices[:] = 0.0
    if n_rows == n_columns:  # all columns will be taken, so any prices may start: column maxima, lowest at 0
        prices[:] = weights[0]
        for row in range(1, n_rows):
            values = weights[row]
            for j in range(n_columns):
                prices[j] = max(prices[j], values[j])
        prices -= prices.min()
    chosen[:] = _FREE
    n_waiting = n_rows
    for row in range(n_rows):
        waiting[row] = row

    # Bidding: a row takes its best column and raises the price until its second best is as good. Two rounds.
    for _ in range(2):
        n_later = 0
        position = 0
        bids_left = 4 * n_rows
        while position < n_waiting:
            row = waiting[position]
            position += 1
            values = weights[row]
            best, second = -np.inf, -np.inf
            column, other = 0, 0
            for j in range(n_columns):
                value = values[j] - prices[j]
                if value > second:
                    if value > best:
                        second, other = best, column
                        best, column = value, j
                    else:
                        second, other = value, j
            rises = best > second and n_columns > 1
            if rises:
                prices[column] += best - second
            elif owner[column] != _FREE and n_columns > 1:
                column = other
                for j in range(n_columns):
                    if owner[j] == _FREE and values[j] - prices[j] == best:
                        column = j
                        break
            displaced = owner[column]
            owner[column] = row
            chosen[row] = column
            if displaced != _FREE:
                chosen[displaced] = _FREE
                bids_left -= 1
                if rises and bids_left > 0:
                    position -= 1
                    waiting[position] = displaced
                else:
                    waiting[n_later] = displaced
                    n_later += 1
        n_waiting = n_later
        if n_waiting == 0:
            return

    # Shortest augmenting paths from the rows that still wait.
    distance = np.empty(n_columns)
    parent = np.empty(n_columns, dtype=np.int64)
    pending = np.empty(n_columns, dtype=np.int64)
    for index in range(n_waiting):
        start = waiting[index]
        row = start
        base = 0.0
        for j in range(n_columns):
            distance[j] = np.inf
            parent[j] = start
            pending[j] = j
        n_pending = n_columns
        while True:
            values = weights[row]
            own = chosen[row]
            offset = base
            if own != _FREE:
                offset += values[own] - prices[own]
            best = np.inf
            where = 0
            for k in range(n_pending):
                j = pending[k]
                reach = offset - (values[j] - prices[j])
                if reach < distance[j]:
                    distance[j] = reach
                    parent[j] = row
                else:
                    reach = distance[j]
                if reach < best:
                    best, where = reach, k
                elif reach == best and owner[j] == _FREE and owner[pending[where]] != _FREE:
                    where = k
            column = pending[where]
            n_pending -= 1
            pending[where] = pending[n_pending]
            pending[n_pending] = column
            base = best
            if owner[column] == _FREE:
                break
            row = owner[column]
        for k in range(n_pending, n_columns):
            j = pending[k]
            prices[j] += max(base - distance[j], 0.0)
        while True:
            row = parent[column]
            previous = chosen[row]
            owner[column] = row
            chosen[row] = column
            if row == start:
                break
            column = previous


@kernel
def best_matching(weights: Floats) -> Integers:
    """Return the best assignment as a 0/1 vector over the (row, column) pairs, row by row.

    Weights beyond 1e100 are scaled by a power of two first, so that no difference of them overflows.
    """
    n_rows, n_columns = weights.shape
    largest = 0.0
    for row in range(n_rows):
        for column in range(n_columns):
            largest = max(largest, abs(weights[row, column]))
    scaled = weights * 2.0**-700 if largest > 1e100 else weights
    chosen = np.empty(n_rows, dtype=np.int64)
    prices = np.empty(n_columns)
    assign(scaled, chosen, prices)
    action = np.zeros(n_rows * n_columns, dtype=np.int64)
    for row in range(n_rows):
        action[row * n_columns + chosen[row]] = 1
    return action
