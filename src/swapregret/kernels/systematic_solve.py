r"""Σ⁺M for mixtures of systematic laws and the uniform law over m-sets, without a matrix.

:math:`\Sigma = \alpha I + \beta 11^\top + \sum_c w_c \Sigma_c` with :math:`\alpha = \gamma a`,
:math:`\beta = \gamma b` from the uniform law. Conjugate gradients are preconditioned by
:math:`\alpha I + \beta 11^\top + \sum_c w_c x_c x_c^\top`, which has the bulk and the largest eigenvalues of Σ right and
is inverted by the formula of Woodbury.

May touch: ``kernels.compile``, ``kernels.cholesky``, ``kernels.subsets``, ``kernels.vectors``.
"""

from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from swapregret.kernels.cholesky import cholesky, cholesky_solve
from swapregret.kernels.compile import kernel
from swapregret.kernels.subsets import UNIT
from swapregret.kernels.vectors import dot

__all__ = ["Arcs", "empty_arcs", "lay_arcs", "precondition", "solve_systematic"]

Floats = npt.NDArray[np.float64]
Integers = npt.NDArray[np.int64]
Places = npt.NDArray[np.int32]


class Arcs(NamedTuple):
    """Systematic laws prepared for products, one a slot; n orders of d elements, m of them at every point.

    Attributes
    ----------
    rank : int32 array, shape (slots, n, d)
        Elements by where their arcs begin.
    gap : float64 array, shape (slots, n, d + 1)
        Lengths between these beginnings.
    back, ahead : int32 arrays, shape (slots, n, d)
        The element laid before the one of this rank; the element laid after element i.
    live, whole : float64 arrays, shape (slots, n, d)
        Whether an element's share is a difference of the running integral, and how often it has all of it.
    cover : int32 array, shape (slots, n, m)
        The elements at the end of the circle.
    point : float64 array, shape (slots, d)
    """

    rank: Places
    gap: Floats
    back: Places
    ahead: Places
    live: Floats
    whole: Floats
    cover: Places
    point: Floats


@kernel
def empty_arcs(n_slots: int, n_orders: int, dimension: int, size: int) -> Arcs:
    """Return room for laws."""
    shape = (n_slots, n_orders, dimension)
    return Arcs(
        np.empty(shape, dtype=np.int32),
        np.empty((n_slots, n_orders, dimension + 1)),
        np.empty(shape, dtype=np.int32),
        np.empty(shape, dtype=np.int32),
        np.empty(shape),
        np.empty(shape),
        np.empty((n_slots, n_orders, size), dtype=np.int32),
        np.empty((n_slots, dimension)),
    )


@kernel
def lay_arcs(arcs: Arcs, slot: int, units: Integers, starts: Integers, orders: Integers) -> None:
    """Prepare the law with these marginals, in units of 2⁻⁴⁴, and these beginnings of arcs."""
    n, d = starts.shape
    for v in range(n):
        row, order = starts[v], orders[v]
        before = np.empty(d, dtype=np.int64)
        n_cover = 0
        for j in range(d):
            i = order[j]
            following = order[j + 1] if j + 1 < d else order[0]
            before[following] = i
            arcs.ahead[slot, v, i] = following
            is_whole, is_empty = units[i] == UNIT, units[i] == 0
            arcs.live[slot, v, i] = 0.0 if is_whole or is_empty else 1.0
            arcs.whole[slot, v, i] = 1.0 if is_whole or (not is_empty and row[following] <= row[i]) else 0.0
            if (UNIT - 1 - row[i]) % UNIT < units[i]:
                arcs.cover[slot, v, n_cover] = i
                n_cover += 1
        rank = np.argsort(row, kind="mergesort")
        position = np.int64(0)
        for j in range(d):
            i = rank[j]
            arcs.rank[slot, v, j] = i
            arcs.back[slot, v, j] = before[i]
            arcs.gap[slot, v, j] = float(row[i] - position)
            position = row[i]
        arcs.gap[slot, v, d] = float(UNIT - position)
    for i in range(d):
        arcs.point[slot, i] = units[i] / UNIT


@kernel
def _add_product(arcs: Arcs, slot: int, weight: float, vector: Floats, running: Floats, total: Floats) -> None:
    """Add weight · E[M (M·v)] of one law: f(t) = M(t)·v changes only where arcs begin."""
    n, d = arcs.rank.shape[1], vector.size
    scale = weight / (float(UNIT) * n)
    for v in range(n):
        rank, gap, back, ahead = arcs.rank[slot, v], arcs.gap[slot, v], arcs.back[slot, v], arcs.ahead[slot, v]
        live, whole, cover = arcs.live[slot, v], arcs.whole[slot, v], arcs.cover[slot, v]
        value = 0.0
        for j in range(cover.size):
            value += vector[cover[j]]
        integral = 0.0
        for j in range(d):
            i = rank[j]
            integral += value * gap[j]
            running[i] = integral
            value += vector[i] - vector[back[j]]
        everything = integral + value * gap[d]
        for i in range(d):
            total[i] += scale * (live[i] * (running[ahead[i]] - running[i]) + whole[i] * everything)


@kernel
def precondition(arcs: Arcs, slots: Integers, weights: Floats, alpha: float, beta: float) -> tuple[Floats, Floats]:
    """Return U, one row an element, with αI + UUᵀ the preconditioner, and the factor of I + UᵀU/α."""
    d, q = arcs.point.shape[1], slots.size + 1
    columns = np.empty((d, q))
    for c in range(slots.size):
        root, point = np.sqrt(weights[c]), arcs.point[slots[c]]
        for i in range(d):
            columns[i, c] = root * point[i]
    columns[:, q - 1] = np.sqrt(beta)
    gram = np.zeros((q, q))
    for i in range(d):
        row = columns[i]
        for c in range(q):
            for e in range(q):
                gram[c, e] += row[c] * row[e]
    gram /= alpha
    for c in range(q):
        gram[c, c] += 1.0
    factor, _ = cholesky(gram)
    return columns, factor


@kernel
def solve_systematic(
    arcs: Arcs,
    slots: Integers,
    weights: Floats,
    alpha: float,
    beta: float,
    columns: Floats,
    factor: Floats,
    action: Integers,
    tolerance: float,
    limit: int,
) -> tuple[Floats, float]:
    """Solve (αI + β11ᵀ + Σ_c w_c Σ_c) y = M; return y and the relative residual reached, in the preconditioner's norm.

    ``columns`` and ``factor`` come from :func:`precondition`; the iteration ends at ``tolerance``, after ``limit`` steps, or
    where rounding leaves no direction.
    """
    d, q = columns.shape
    result, residual = np.zeros(d), np.empty(d)
    for i in range(d):
        residual[i] = action[i]
    direction, product, running, shaped = np.zeros(d), np.empty(d), np.empty(d), np.empty(d)
    first, energy = 0.0, 0.0
    for step in range(limit + 1):
        inner = np.zeros(q)
        for i in range(d):
            row, value = columns[i], residual[i]
            for c in range(q):
                inner[c] += row[c] * value
        inner = cholesky_solve(factor, inner / alpha)
        for i in range(d):
            row, value = columns[i], residual[i]
            for c in range(q):
                value -= row[c] * inner[c]
            shaped[i] = value / alpha
        previous, energy = energy, dot(residual, shaped)
        if step == 0:
            if not energy > 0.0:
                return result, 0.0
            first, previous = energy, energy
            direction[:] = shaped
        else:
            if energy <= first * tolerance * tolerance or step == limit:
                break
            ratio = energy / previous
            for i in range(d):
                direction[i] = shaped[i] + ratio * direction[i]
        sum_ = 0.0
        for i in range(d):
            sum_ += direction[i]
        for i in range(d):
            product[i] = alpha * direction[i] + beta * sum_
        for c in range(slots.size):
            _add_product(arcs, slots[c], weights[c], direction, running, product)
        curvature = dot(direction, product)
        if not curvature > 0.0:
            break
        length = energy / curvature
        for i in range(d):
            result[i] += length * direction[i]
            residual[i] -= length * product[i]
    return result, np.sqrt(max(energy, 0.0) / first)
