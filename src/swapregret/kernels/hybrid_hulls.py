r"""Compiled minimisers of the hybrid regulariser over the hulls of matchings, paths and forests.

.. math:: \min_{x \in \mathrm{conv}(A)}\ c\cdot x + \sum_i \varphi(x_i), \qquad
    \varphi(x) = -\sqrt{x} + \gamma (1-x)\log(1-x)

:math:`\varphi'` is infinite at 0 and at 1, so of the constraints of matchings and paths only balances bind: sums of rows and
columns, what enters and leaves a vertex. Newton's method on them solves one Laplacian a step, with conductances
:math:`1/\varphi''(x_i)`. A column that may stay free has a price of at least 0; prices enter one after the other and never leave,
for the matrix has no positive entry off its diagonal (Chandrasekaran 1970). On forests the decomposition of
``kernels.tree_partition`` is exact for any sum of convex functions.
"""

import numpy as np
import numpy.typing as npt

from swapregret.actions.graphs.kernels.tree_partition import hybrid_partition
from swapregret.actions.matchings.kernels.assignment import best_matching
from swapregret.actions.matchings.kernels.permutation_newton import solve_laplacian
from swapregret.actions.paths.kernels.dag import best_path
from swapregret.actions.paths.kernels.elimination import factor_rows, solve_rows
from swapregret.compiled.kernel import kernel
from swapregret.kernels.hulls import ForestHull, MatchingHull, PathHull

__all__ = ["hybrid_hull"]

Floats = npt.NDArray[np.float64]
Integers = npt.NDArray[np.int64]
Flags = npt.NDArray[np.bool_]

STEPS, IDLE = 60, 3
GAP, LATE = 1e-9, 1e-12
LEAST, MOST = 1e-18, 1.0 - 2.0**-52


@kernel
def _flow_move(paths: PathHull, slopes: Floats, widths: Floats, x: Floats) -> Floats:
    """Return the step to the flow that minimises slopes·Δ + Σ Δ²/(2 widths)."""
    start, head, edge, plan = paths.start, paths.head, paths.edge, paths.plan
    n = start.size - 2
    upper, lower = np.zeros(plan.later.size), np.zeros(plan.later.size)
    ground, pivot, right = np.zeros(n), np.empty(n), np.zeros(n)
    work, other = np.empty(n), np.empty(n)
    right[plan.place[0]] = 1.0
    for u in range(n):
        here = plan.place[u]
        for k in range(start[u], start[u + 1]):
            width = widths[edge[k]]
            pull = width * slopes[edge[k]] - x[edge[k]]
            right[here] += pull
            if plan.slot[k] < 0:
                ground[here] += width
                continue
            right[plan.place[head[k]]] -= pull
            upper[plan.slot[k]] += width
            lower[plan.slot[k]] += width
    factor_rows(plan, upper, lower, ground, pivot, work, other)
    solve_rows(plan, upper, lower, pivot, right)
    move = np.zeros(x.size)
    for u in range(n):
        here = right[plan.place[u]]
        for k in range(start[u], start[u + 1]):
            there = 0.0 if plan.slot[k] < 0 else right[plan.place[head[k]]]
            move[edge[k]] = widths[edge[k]] * (here - there - slopes[edge[k]])
    return move


@kernel
def _priced_move(
    n_rows: int, n_columns: int, slopes: Floats, widths: Floats, x: Floats, priced: Integers, move: Floats
) -> None:
    """Write the step of matchings that brings the sums of all rows and of the priced columns to 1."""
    n = n_rows + priced.size
    weights, ground, right = np.zeros((n, n)), np.zeros(n), np.zeros(n)
    node = np.full(n_columns, -1, dtype=np.int64)
    for a in range(priced.size):
        node[priced[a]] = n_rows + a
        right[n_rows + a] = -1.0
    for i in range(n_rows):
        right[i] = 1.0
        for j in range(n_columns):
            e = i * n_columns + j
            pull = widths[e] * slopes[e] - x[e]
            right[i] += pull
            if node[j] < 0:
                ground[i] += widths[e]
            else:
                weights[i, node[j]] = widths[e]
                right[node[j]] -= pull
    solve_laplacian(weights, ground, right)
    for i in range(n_rows):
        for j in range(n_columns):
            e = i * n_columns + j
            price = right[node[j]] if node[j] >= 0 else 0.0
            move[e] = widths[e] * (right[i] - price - slopes[e])


@kernel
def _matching_move(matchings: MatchingHull, slopes: Floats, widths: Floats, x: Floats) -> Floats:
    """Return the step to the table that minimises slopes·Δ + Σ Δ²/(2 widths)."""
    n_rows, n_columns = matchings.n_rows, matchings.n_columns
    move = np.zeros(x.size)
    if n_rows == n_columns:
        _priced_move(n_rows, n_columns, slopes, widths, x, np.arange(n_columns - 1), move)
        return move
    priced, n_priced = np.empty(n_columns, dtype=np.int64), 0
    is_priced = np.zeros(n_columns, dtype=np.bool_)
    while True:
        _priced_move(n_rows, n_columns, slopes, widths, x, priced[:n_priced], move)
        before = n_priced
        for j in range(n_columns):
            if not is_priced[j]:
                total = 0.0
                for i in range(n_rows):
                    total += x[i * n_columns + j] + move[i * n_columns + j]
                if total > 1.0 + 1e-12:
                    is_priced[j] = True
                    priced[n_priced] = j
                    n_priced += 1
        if n_priced == before:
            return move


@kernel
def _hybrid_value(x: Floats, costs: Floats, mix: float, is_free: Flags) -> float:
    total = 0.0
    for i in range(x.size):
        if is_free[i]:
            total += costs[i] * x[i] - np.sqrt(x[i]) + mix * (1.0 - x[i]) * np.log1p(-x[i])
    return total


@kernel
def _shorten(x: Floats, move: Floats, costs: Floats, mix: float, is_free: Flags, slope: float, is_late: bool) -> Floats:
    """Step by the first of 1, ½, ¼, … that takes a quarter of the promised fall and keeps a twentieth of every distance.

    Late in the iteration the fall is less than rounding, and not looked at.
    """
    before = _hybrid_value(x, costs, mix, is_free)
    step = 1.0
    y = np.empty(x.size)
    while True:
        is_inside = True
        for i in range(x.size):
            y[i] = x[i] + step * move[i] if is_free[i] else x[i]
            if is_free[i] and not (y[i] >= 0.05 * x[i] and 1.0 - y[i] >= 0.05 * (1.0 - x[i])):
                is_inside = False
        if step <= 1e-12 or (
            is_inside and (is_late or _hybrid_value(y, costs, mix, is_free) <= before + 0.25 * step * slope)
        ):
            return y
        step *= 0.5


@kernel
def hybrid_hull(
    matchings: MatchingHull | None,
    paths: PathHull | None,
    forests: ForestHull | None,
    costs: Floats,
    mix: float,
    is_free: Flags,
    start: Floats,
) -> tuple[Floats, float]:
    """Return the minimiser, and its certified gap in units of 1 + Σ|c|, which is 0 on forests, where it is exact.

    ``is_free`` marks the elements that some actions have and others do not; ``start`` is a point near the relative interior.
    """
    if forests is not None:
        graph = forests.graph
        return hybrid_partition(graph.tails, graph.heads, costs, graph.n_vertices, graph.size, mix), 0.0
    d = start.size
    x = start.copy()
    slopes, widths = np.zeros(d), np.ones(d)
    found, least, n_idle = x, np.inf, 0
    unit = 1.0
    for i in range(d):
        unit += abs(costs[i])
        if is_free[i]:
            x[i] = min(max(x[i], LEAST), MOST)
    is_late = False
    for _ in range(STEPS):
        for i in range(d):
            if is_free[i]:
                root, rest = np.sqrt(x[i]), 1.0 - x[i]
                slopes[i] = costs[i] - 0.5 / root - mix * (1.0 + np.log(rest))
                widths[i] = 1.0 / (0.25 / (root * root * root) + mix / rest)
        best, move = np.zeros(d, dtype=np.int64), slopes
        if matchings is not None:
            best = best_matching((-slopes).reshape(matchings.n_rows, matchings.n_columns))
        if paths is not None:
            best = best_path(paths.start, paths.head, paths.edge, -slopes)
        gap = 0.0
        for i in range(d):
            gap += slopes[i] * (x[i] - best[i])
        n_idle = 0 if gap < 0.5 * least else n_idle + is_late
        if gap < least:
            found, least = x, gap
        if gap <= GAP * unit or n_idle == IDLE:
            break
        if matchings is not None:
            move = _matching_move(matchings, slopes, widths, x)
        if paths is not None:
            move = _flow_move(paths, slopes, widths, x)
        slope, size = 0.0, 1.0
        for i in range(d):
            slope += slopes[i] * move[i]
            size += abs(costs[i]) * x[i]
        is_late = -slope <= LATE * size
        x = _shorten(x, move, costs, mix, is_free, slope, is_late)
    return found, least / unit
