r"""Newton's method on the prices of a matching projection.

With row potentials eliminated, the dual of the KL projection onto matchings is

.. math:: \min_v \; \varphi(v) = \sum_i \log \sum_j e^{\ell_{ij} - v_j} + \sum_j v_j,

over all :math:`v` if there are as many columns as rows, over :math:`v \ge 0` if there are more (a price is paid only
for a column that is wanted more than once). With :math:`x_{ij} \propto e^{\ell_{ij}-v_j}`, rows adding up to 1, and
column sums :math:`c`, the gradient is :math:`1 - c` and the Hessian :math:`\mathrm{diag}(c) - x^\top x`: the Laplacian of
the graph on columns with weights :math:`\sum_i x_{ij} x_{ik}`. It is eliminated without one subtraction (Grassmann, Taksar and
Heyman 1985), so columns that hang together by 1e-20 are still told apart, which is what nearly-vertex inputs need.
"""

import numpy as np

from swapregret.arrays import Floats, Integers
from swapregret.compiled.kernel import kernel

BALANCED_TO = 1e-14
"""How far column sums may be off where sweeps and steps stop."""
_MAX_STEPS = 200
_WEAKEST = 1e-17
_LATE = 1e-9


@kernel
def column_residual(sums: Floats, prices: Floats, is_square: bool) -> float:
    """Return how far column sums are from what their prices ask: 1 where there is a price, else at most 1."""
    worst = 0.0
    for j in range(len(sums)):
        excess = sums[j] - 1.0
        if excess < 0.0 and (is_square or prices[j] > 0.0):
            excess = -excess
        worst = max(worst, excess)
    return worst


@kernel
def solve_laplacian(weights: Floats, ground: Floats, rhs: Floats) -> None:
    """Solve a grounded Laplacian of f nodes in place, without subtractions; O(f³/6).

    ``weights`` (f, f) has edge weights ≥ 0 above the diagonal, the rest is not read, ``ground`` those of the edges to the ground;
    both are overwritten, and ``rhs`` by the solution. Where a group of columns hangs on the rest by less than 1e-17 it either
    holds as many rows as columns, and what is left of its right-hand side is rounding: it stays; or it does not, and then it
    drifts as a whole by ±1e6, as far as the caller lets it.
    """
    f = len(rhs)
    for p in range(f):
        row = weights[p]
        total = ground[p]
        for a in range(p + 1, f):
            total += row[a]
        if total <= _WEAKEST:
            total = 1.0
            rhs[p] = 1e6 * np.sign(rhs[p]) if abs(rhs[p]) > 0.5 else 0.0
            row[p + 1 :] = 0.0
        weights[p, p] = total
        inverse = 1.0 / total
        for a in range(p + 1, f):
            share = row[a] * inverse
            if share > 0.0:
                target, source = weights[a, a + 1 :], row[a + 1 :]
                for b in range(len(target)):
                    target[b] += share * source[b]
                ground[a] += share * ground[p]
                rhs[a] += share * rhs[p]
    for p in range(f - 1, -1, -1):
        row = weights[p]
        total = rhs[p]
        for a in range(p + 1, f):
            total += row[a] * rhs[a]
        rhs[p] = total / row[p]


@kernel
def _direction(x: Floats, sums: Floats, free: Integers, step: Floats) -> float:
    """Write the Newton step of the free columns into ``step``, given the steps of the others, and return −∇φ·step."""
    n_rows, f = x.shape[0], len(free)
    gathered = np.empty((n_rows, f))
    outside, pull = np.zeros(n_rows), np.zeros(n_rows)
    is_free = np.zeros(x.shape[1], dtype=np.bool_)
    for a in range(f):
        is_free[free[a]] = True
    # x on the free columns; of the others their mass per row and what their steps do to it
    for i in range(n_rows):
        row = x[i]
        for a in range(f):
            gathered[i, a] = row[free[a]]
        for j in range(len(row)):
            if not is_free[j]:
                outside[i] += row[j]
                pull[i] += row[j] * step[j]
    # the right side: how far the columns are off, and the steps of the others
    weights = np.zeros((f, f))
    ground = np.zeros(f)
    rhs = np.empty(f)
    for a in range(f):
        rhs[a] = sums[free[a]] - 1.0
    for i in range(n_rows):
        row, share, shift = gathered[i], outside[i], pull[i]
        for a in range(f):
            ground[a] += share * row[a]
            rhs[a] += shift * row[a]
    # the Laplacian Σ_i x_ia x_ib of the free columns, four rows at a time
    last = n_rows - n_rows % 4
    for i in range(0, last, 4):
        row0, row1, row2, row3 = gathered[i], gathered[i + 1], gathered[i + 2], gathered[i + 3]
        for a in range(f):
            y0, y1, y2, y3 = row0[a], row1[a], row2[a], row3[a]
            target = weights[a, a + 1 :]
            z0, z1, z2, z3 = row0[a + 1 :], row1[a + 1 :], row2[a + 1 :], row3[a + 1 :]
            for b in range(len(target)):
                target[b] += (y0 * z0[b] + y1 * z1[b]) + (y2 * z2[b] + y3 * z3[b])
    for i in range(last, n_rows):
        row0 = gathered[i]
        for a in range(f):
            y0 = row0[a]
            target, z0 = weights[a, a + 1 :], row0[a + 1 :]
            for b in range(len(target)):
                target[b] += y0 * z0[b]
    solve_laplacian(weights, ground, rhs)
    for a in range(f):
        step[free[a]] = rhs[a]
    # −∇φ·step, over all columns
    decrement = 0.0
    for j in range(len(step)):
        decrement += step[j] * (sums[j] - 1.0)
    return decrement


@kernel
def _try_step(
    x: Floats, prices: Floats, step: Floats, length: float, is_late: bool, trial: Floats, totals: Floats
) -> float:
    """Return φ(v + length · step) − φ(v), or the column residual there if ``is_late``.

    Writes Δv and e^{−Δv} as the rows of ``trial``, and the row sums.
    """
    moves, factors, is_square = trial[0], trial[1], x.shape[0] == x.shape[1]
    change = 0.0
    for j in range(len(prices)):
        move = length * step[j]
        if not is_square and move < -prices[j]:
            move = -prices[j]
        move = min(max(move, -300.0), 300.0)
        change += move
        moves[j] = move
        factors[j] = np.exp(-move)
    for i in range(len(totals)):
        row = x[i]
        total = 0.0
        for j in range(len(factors)):
            total += row[j] * factors[j]
        totals[i] = total
        change += np.log(total)
    if not is_late:
        return change
    sums = np.zeros(len(prices))
    for i in range(len(totals)):
        row, inverse = x[i], 1.0 / totals[i]
        for j in range(len(sums)):
            sums[j] += row[j] * inverse
    return column_residual(sums * factors, prices + moves, is_square)


@kernel
def newton(x: Floats, prices: Floats, potentials: Floats) -> int:
    """Move prices v until column sums are right; return the number of steps.

    ``x`` = exp(ℓ − u − v), whose rows add up to 1, and the row potentials u are kept in step. A step is stretched while that pays
    (weakly connected columns drift by one unit a plain step) and shortened while it does not, judged by φ and, once the decrement
    is below 1e-9, by the column sums. Steps without progress end the iteration: what is left is rounding.
    """
    n_rows, n_columns = x.shape
    is_square = n_rows == n_columns
    step, feasible = np.empty(n_columns), np.empty(n_columns)
    trial, totals = np.empty((2, n_columns)), np.empty(n_rows)
    best_trial, best_totals = np.empty((2, n_columns)), np.empty(n_rows)
    sums = np.empty(n_columns)
    free = np.empty(n_columns, dtype=np.int64)
    best_residual = np.inf
    n_stalled = 0
    for n_steps in range(_MAX_STEPS + 1):
        if not is_square:  # a common price for all columns is a gift to nobody: x does not change without it
            lowest = prices.min()
            prices -= lowest
            potentials += lowest
        sums[:] = 0.0
        for i in range(n_rows):
            sums += x[i]
        residual = column_residual(sums, prices, is_square)
        if residual <= BALANCED_TO or n_steps == _MAX_STEPS:
            return n_steps
        n_stalled = n_stalled + 1 if residual > 0.5 * best_residual and residual < 1e-12 else 0
        best_residual = min(best_residual, residual)
        if n_stalled == 2:
            return n_steps

        n_free = 0
        step[:] = 0.0
        for j in range(n_columns):
            if is_square or prices[j] > 0.0 or sums[j] > 1.0:
                free[n_free] = j
                n_free += 1
        if n_free == n_columns:  # only differences of prices matter then: hold the lowest
            n_free -= 1
            free[np.argmin(prices) :] += 1
        feasible[:] = 0.0
        is_fixed = False
        decrement = _direction(x, sums, free[:n_free], step)
        while not is_square:  # prices stop at 0: follow the step to the first that does, fix it, solve for the others
            reach, first = 1.0, -1
            for k in range(n_free):
                j = free[k]
                if prices[j] + step[j] < 0.0:
                    ratio = (prices[j] + feasible[j]) / (feasible[j] - step[j])
                    if ratio < reach or first < 0:
                        reach, first = ratio, k
            if first < 0:
                break
            is_fixed = True
            for j in range(n_columns):
                feasible[j] += reach * (step[j] - feasible[j])
            feasible[free[first]] = -prices[free[first]]
            step[free[first]] = -prices[free[first]]
            n_free -= 1
            free[first:n_free] = free[first + 1 : n_free + 1]
            decrement = _direction(x, sums, free[:n_free], step)
        if not decrement > 0.0:
            return n_steps

        length = 1.0
        is_late = decrement <= _LATE  # φ no longer tells steps apart, column sums do
        score = _try_step(x, prices, step, length, is_late, best_trial, best_totals)
        bar = residual * (10.0 if is_fixed else 1.0)  # a price that comes to rest at 0 may be wanted again at once
        while score > (bar if is_late else -1e-4 * length * decrement):
            length *= 0.5
            if length < 1e-9:
                return n_steps
            score = _try_step(x, prices, step, length, is_late, best_trial, best_totals)
        is_slow = length == 1.0 and (score > 0.2 * residual if is_late else score < -0.55 * decrement)
        while is_slow and length < 1024.0:
            length *= 2.0
            stretched = _try_step(x, prices, step, length, is_late, trial, totals)
            if not stretched < score:
                break
            score = stretched
            best_trial, trial = trial, best_trial
            best_totals, totals = totals, best_totals

        moves, factors = best_trial[0], best_trial[1]
        for i in range(n_rows):
            row, inverse = x[i], 1.0 / best_totals[i]
            for j in range(n_columns):
                row[j] *= inverse * factors[j]
            potentials[i] += np.log(best_totals[i])
        for j in range(n_columns):
            prices[j] += moves[j]
    return _MAX_STEPS
