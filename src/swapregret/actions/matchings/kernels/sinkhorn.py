r"""KL projection onto matchings: Sinkhorn's sweeps, then Newton's method.

.. math:: \min_x \sum_{ij} x_{ij} (\log x_{ij} - \ell_{ij}), \qquad \sum_j x_{ij} = 1, \quad \sum_i x_{ij} \le 1,

(the second an equality if there are as many columns as rows) is solved by :math:`x_{ij} = e^{\ell_{ij} - u_i - v_j}`. Sweeps
that make rows, then columns right converge at once on spread inputs and hopelessly slowly on concentrated ones; after
a few of them the rate is known, and where it is poor Newton's method takes over, from the prices of the best
assignment if the sweeps are still far off.

References: Sinkhorn (1964), Knight and Ruiz (2013).
"""

import numpy as np

from swapregret.actions.matchings.kernels.assignment import assign
from swapregret.actions.matchings.kernels.permutation_newton import BALANCED_TO, column_residual, newton
from swapregret.arrays import Floats
from swapregret.compiled.kernel import kernel

FEASIBLE = 1e-11
"""How far column sums of an acceptable projection may be off."""
MATCHING_GAP = 1e-9
"""The largest acceptable gap for scores within 1000 of each other; it grows in proportion beyond."""
WIDEST = 1e12
"""Scores further apart than this have no digits left for their differences."""
_MAX_SWEEPS = 30
_SPREAD = 15.0


@kernel
def _start_at_maxima(scores: Floats, potentials: Floats, prices: Floats) -> None:
    """Write potentials that leave a 0 as the largest entry of each row (and, if square, of each column)."""
    n_rows, n_columns = scores.shape
    for i in range(n_rows):
        potentials[i] = scores[i].max()
    prices[:] = 0.0
    if n_rows == n_columns:
        prices[:] = -np.inf
        for i in range(n_rows):
            row, base = scores[i], potentials[i]
            for j in range(n_columns):
                prices[j] = max(prices[j], row[j] - base)


@kernel
def _start_at_assignment(scores: Floats, potentials: Floats, prices: Floats) -> None:
    """Write the prices of the best assignment, the limit of the projection as the scores are scaled up."""
    chosen = np.empty(scores.shape[0], dtype=np.int64)
    assign(scores, chosen, prices)
    for i in range(scores.shape[0]):
        potentials[i] = (scores[i] - prices).max()


@kernel
def _sweep(scores: Floats, x: Floats, potentials: Floats, prices: Floats) -> tuple[int, float]:
    """Make rows and columns right in turn; leave x with rows adding up to 1, and the potentials that belong to it.

    Returns the number of sweeps and the last column residual. Stops as soon as the rate seen says that many further sweeps would
    be needed.
    """
    n_rows, n_columns = scores.shape
    is_square, patience = n_rows == n_columns, 12.0 + 0.8 * n_rows
    transposed = np.empty((n_columns, n_rows))
    row_scale, column_scale = np.empty(n_rows), np.ones(n_columns)
    sums, ceiling = np.empty(n_columns), np.exp(np.minimum(prices, 700.0))
    # x_ij = exp(score − row potential − column price), and its transpose for sums in order
    for i in range(n_rows):
        row, score, base = x[i], scores[i], potentials[i]
        for j in range(n_columns):
            exponent = score[j] - base - prices[j]
            row[j] = np.exp(exponent) if exponent > -700.0 else 0.0
            transposed[j, i] = row[j]
    residual, before = np.inf, np.inf
    n_sweeps = 0
    while True:
        # rows: scale each to add up to 1
        row_scale[:] = 0.0
        for j in range(n_columns):
            column, scale = transposed[j], column_scale[j]
            for i in range(n_rows):
                row_scale[i] += scale * column[i]
        for i in range(n_rows):
            row_scale[i] = 1.0 / row_scale[i]
        # columns: what they add up to now, and how far the worst is off
        sums[:] = 0.0
        for i in range(n_rows):
            row, scale = x[i], row_scale[i]
            for j in range(n_columns):
                sums[j] += scale * row[j]
        before, residual = residual, 0.0
        for j in range(n_columns):
            excess = column_scale[j] * sums[j] - 1.0
            if excess < 0.0 and (is_square or column_scale[j] < ceiling[j]):
                excess = -excess
            residual = max(residual, excess)
        if residual <= BALANCED_TO or n_sweeps == _MAX_SWEEPS:
            break
        # give up where the rate seen says that Newton will be quicker
        if n_sweeps >= 3:
            if residual >= before:
                break
            if np.log(BALANCED_TO / residual) < patience * np.log(residual / before):
                break
        n_sweeps += 1
        # columns: scale to 1, or only down to 1 where there are more of them than rows
        for j in range(n_columns):
            if is_square:
                column_scale[j] = 1.0 / sums[j]
            else:
                column_scale[j] = min(ceiling[j], 1.0 / max(sums[j], 1e-300))
    # put the scales into x, and their logarithms into potentials and prices
    for i in range(n_rows):
        row, scale = x[i], row_scale[i]
        for j in range(n_columns):
            row[j] *= scale * column_scale[j]
        potentials[i] -= np.log(scale)
    for j in range(n_columns):
        if not is_square and column_scale[j] == ceiling[j]:
            prices[j] = 0.0
        else:
            prices[j] -= np.log(column_scale[j])
    return n_sweeps, residual


@kernel
def project_matchings(scores: Floats) -> tuple[Floats, Floats, float, float, int, float]:
    """Project exp(scores), (rows, columns) with rows ≤ columns, onto the convex hull of matchings that cover all rows.

    Returns the point, flat; its logarithm, finite also where the point underflows to 0; a gap, the upper bound on
    ∇f(x)·x − min over matchings of ∇f(x)·M from the relaxation in which each row may choose freely after the prices are taken off;
    how far the worst column sum is off (row sums are right to rounding); the number of sweeps and steps; and the largest less the
    smallest score.
    """
    n_rows, n_columns = scores.shape
    potentials, prices = np.empty(n_rows), np.empty(n_columns)
    x = np.empty((n_rows, n_columns))
    least, most = np.inf, -np.inf
    for i in range(n_rows):
        row = scores[i]
        for j in range(n_columns):
            least, most = min(least, row[j]), max(most, row[j])
    spread = most - least
    if spread > _SPREAD:
        _start_at_assignment(scores, potentials, prices)
    else:
        _start_at_maxima(scores, potentials, prices)
    n_iterations, residual = _sweep(scores, x, potentials, prices)
    if residual > BALANCED_TO:
        n_iterations += newton(x, prices, potentials)

    log_point, sums = np.empty((n_rows, n_columns)), np.zeros(n_columns)
    gap = 0.0
    for i in range(n_rows):
        row, score, logs, base = x[i], scores[i], log_point[i], potentials[i]
        least = np.inf
        for j in range(n_columns):
            logs[j] = score[j] - base - prices[j]
            least = min(least, logs[j] - score[j] + prices[j])
        for j in range(n_columns):
            gap += row[j] * (logs[j] - score[j] + prices[j] - least)
            sums[j] += row[j]
    for j in range(n_columns):
        gap += prices[j] * (1.0 - sums[j])
    residual = column_residual(sums, prices, n_rows == n_columns)
    return x.reshape(-1), log_point.reshape(-1), max(gap, 0.0), residual, n_iterations, spread
