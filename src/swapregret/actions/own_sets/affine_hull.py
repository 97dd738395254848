r"""Kullback–Leibler projection onto the affine hull of the actions, with no coordinate above 1.

Every action is a 0/1 vector of the affine hull :math:`\{x : Cx = c\}`, so conv(A) lies in
:math:`P = \{x : Cx = c,\ x \le 1\}`, and on m-sets, paths and permutations it is P. The
projection onto P needs no action: with multipliers y,

.. math:: x_i = \min(1, w_i e^{(C^\top y)_i}), \qquad \min_y \sum_i h(\log w_i + (C^\top y)_i) - c\cdot y, \quad
    h'(t) = \min(1, e^t),

by Newton's method in as many dimensions as there are equations. Where it is found to lie in conv(A), it is the projection onto
conv(A) too: :math:`g\cdot(x - M) \le 0` for :math:`g = \log x - \log w` and every action M, whatever these are.
"""

from typing import TYPE_CHECKING

import numpy as np

from swapregret.arrays import Floats, Matrix
from swapregret.compiled.cholesky import cholesky, cholesky_solve
from swapregret.compiled.kernel import kernel
from swapregret.compiled.selection import in_order
from swapregret.compiled.vectors import dot

if TYPE_CHECKING:
    from swapregret.actions.action_set import ActionSet

_DIRECTIONS, _SAME = 8, 1e-9
_STEPS = 60
_EXACT, _ENOUGH = 1e-14, 1e-13
"""The error of the equations at which steps end; and, per coordinate, the one that is enough where they make it no smaller."""
_RIDGE = 1e-13
_LEAST_STEP = 1e-6


def affine_equations(actions: "ActionSet") -> Matrix:
    """Return C and, in one column more, c, if P is conv(A) as far as some fixed directions tell; else no rows.

    That takes eight questions and as many linear programs, and two questions more where actions differ in size. No rows either
    where there is no equation, or an element that no action has.
    """
    span, d = actions.span, actions.dimension
    others = np.setdiff1d(np.arange(d), span.coordinates)
    rows = np.zeros((len(others), d + 1))
    rows[np.arange(len(others)), others] = 1.0
    rows[:, span.coordinates] -= span.lift[others]
    if actions.is_uniform:
        rows = np.vstack([np.append(np.ones(d), actions.size), rows])
    else:
        level = np.zeros(d)
        level[span.coordinates] = np.linalg.solve(
            span.basis[:, span.coordinates].astype(np.float64), np.ones(span.rank)
        )
        ends = [float(level @ actions.argmax(sign * level)) for sign in (1.0, -1.0)]
        if max(abs(end - 1.0) for end in ends) <= _SAME:
            rows = np.vstack([np.append(level, 1.0), rows])
    is_empty = len(rows) == 0 or (np.count_nonzero(rows[:, :d], axis=1) == 1).any()
    return rows[:0] if is_empty or not _is_hull(actions, rows) else np.ascontiguousarray(rows)


def _is_hull(actions: "ActionSet", rows: Matrix) -> bool:
    """Tell whether no point of P is better than the best action in some fixed directions."""
    from scipy.optimize import linprog

    d = actions.dimension
    for weights in np.random.default_rng(0).standard_normal((_DIRECTIONS, d)):
        best = float(weights @ actions.argmax(weights))
        found = linprog(-weights, A_eq=rows[:, :d], b_eq=rows[:, d], bounds=(0.0, 1.0))
        if not found.success or -found.fun > best + _SAME * d:
            return False
    return True


@kernel
def project_affine(w: Floats, equations: Floats) -> tuple[Floats, bool]:
    """Return log x of the projection of exp(w) onto P, and whether it solves the equations to rounding."""
    k, d = equations.shape[0], w.size
    y, t = np.zeros(k), w.copy()
    if k == 0:
        return t, False
    y[0] = _level(w, max(abs(equations[0, d]), 1e-3))
    _add_columns(equations, y, t)
    before = np.inf
    for _ in range(_STEPS):
        value, slope, matrix = _derivatives(equations, y, t)
        largest = 0.0
        for j in range(k):
            largest = max(largest, abs(slope[j]))
        if largest <= _EXACT or (largest <= _ENOUGH * (1.0 + d) and largest > 0.5 * before):
            return np.minimum(t, 0.0), True
        before = largest
        for j in range(k):
            matrix[j, j] += _RIDGE + _RIDGE * matrix[j, j]
        factor, is_definite = cholesky(matrix)
        if not is_definite:
            break
        move, length = cholesky_solve(factor, slope), 1.0
        promised = dot(move, slope)
        while length > _LEAST_STEP:
            trial, moved = y - length * move, w.copy()
            _add_columns(equations, trial, moved)
            if _value(equations, trial, moved) <= value - 0.1 * length * promised + 1e-14 * abs(value):
                break
            length *= 0.5
        if length <= _LEAST_STEP:
            break
        y, t = trial, moved
    return np.minimum(t, 0.0), False


@kernel
def _level(w: Floats, size: float) -> float:
    """Return the y at which Σ min(1, exp(w + y)) is a size, or as large as it gets: where the first equation would hold alone."""
    order, total = in_order(w), 0.0
    sums = np.empty(w.size)  # of exp(w) beside the largest of them, from the smallest on
    for k in range(w.size):
        total = total * np.exp(w[order[k - 1]] - w[order[k]]) + 1.0 if k else 1.0
        sums[k] = total
    for k in range(w.size - 1, 0, -1):
        left = size - (w.size - 1 - k)
        if left <= sums[k]:  # then the largest that is left is at most 1
            return float(np.log(left / sums[k]) - w[order[k]])
    return float(-w[order[0]])


@kernel
def _add_columns(equations: Floats, y: Floats, t: Floats) -> None:
    """Add Cᵀy."""
    for j in range(y.size):
        value, row = y[j], equations[j]
        for i in range(t.size):
            t[i] += value * row[i]


@kernel
def _value(equations: Floats, y: Floats, t: Floats) -> float:
    """Return Σ h(t) − c·y."""
    total = 0.0
    for i in range(t.size):
        total += np.exp(t[i]) if t[i] < 0.0 else 1.0 + t[i]
    for j in range(y.size):
        total -= y[j] * equations[j, t.size]
    return total


@kernel
def _derivatives(equations: Floats, y: Floats, t: Floats) -> tuple[float, Floats, Floats]:
    """Return Σ h(t) − c·y, its gradient Cx − c and its second derivative, C diag(x; 0 where x = 1) Cᵀ."""
    k, d = y.size, t.size
    x, free = np.ones(d), np.zeros(d)
    for i in range(d):
        if t[i] < 0.0:
            x[i] = np.exp(t[i])
            free[i] = x[i]
    slope, matrix = np.empty(k), np.zeros((k, k))
    for j in range(k):
        slope[j] = dot(equations[j, :d], x) - equations[j, d]
        scaled = equations[j, :d] * free
        for i in range(j + 1):
            matrix[i, j] = dot(scaled, equations[i, :d])
    return _value(equations, y, t), slope, matrix
