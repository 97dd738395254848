r"""Σ⁺M for mixtures of systematic laws and the uniform law over m-sets, without a matrix.

:math:`\Sigma = \alpha I + \beta 11^\top + \sum_c w_c \Sigma_c` with :math:`\alpha = \gamma a`,
:math:`\beta = \gamma b` from the uniform law. Conjugate gradients are preconditioned by
:math:`\alpha I + \beta 11^\top + \sum_c w_c x_c x_c^\top`, which has the bulk and the largest eigenvalues of Σ right and
is inverted by the formula of Woodbury.
"""

from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from swapregret.actions.m_sets.kernels.subsets import UNIT
from swapregret.arrays import Floats, Integers
from swapregret.compiled.cholesky import cholesky, cholesky_solve
from swapregret.compiled.kernel import kernel
from swapregret.compiled.vectors import dot, sum_of

__all__ = ["Arcs", "empty_arcs", "lay_arcs", "precondition", "solve_systematic"]

Places = npt.NDArray[np.uint32]


class Arcs(NamedTuple):
    """Systematic laws prepared for products, one a slot; n orders of d elements, m of them at every point.

    Attributes
    ----------
    rank : uint32 array, shape (slots, n, d)
        Elements by where their arcs begin; without a sign, which would have to be checked.
    gap : float64 array, shape (slots, n, d + 1)
        Lengths between these beginnings.
    back, ahead : uint32 arrays, shape (slots, n, d)
        The element laid before the one of this rank; the element laid after element i.
    live, whole : float64 arrays, shape (slots, n, d)
        Whether an element's share is a difference of the running integral, and how often it has all of it.
    cover : uint32 array, shape (slots, n, m)
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
        np.empty(shape, dtype=np.uint32),
        np.empty((n_slots, n_orders, dimension + 1)),
        np.empty(shape, dtype=np.uint32),
        np.empty(shape, dtype=np.uint32),
        np.empty(shape),
        np.empty(shape),
        np.empty((n_slots, n_orders, size), dtype=np.uint32),
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
def _at_the_end(vector: Floats, cover: Places) -> float:
    """Return M·v at the end of the circle."""
    value = 0.0
    for j in range(cover.size):
        value += vector[cover[j]]
    return value


@kernel
def _add_shares(
    arcs: Arcs, slot: int, order: int, scale: float, running: Floats, everything: float, total: Floats
) -> None:
    """Add scale · ∫ M(t)·v over the arc of every element, given the integral up to every beginning and round the circle."""
    ahead, live, whole = arcs.ahead[slot, order], arcs.live[slot, order], arcs.whole[slot, order]
    for i in range(total.size):
        total[i] += scale * (live[i] * (running[ahead[i]] - running[i]) + whole[i] * everything)


@kernel
def _add_product(arcs: Arcs, slot: int, weight: float, vector: Floats, running: Floats, total: Floats) -> None:
    """Add weight · E[M (M·v)] of one law: f(t) = M(t)·v changes only where arcs begin."""
    n, d = arcs.rank.shape[1], vector.size
    scale = weight / (float(UNIT) * n)
    for v in range(n):
        rank, gap, back = arcs.rank[slot, v], arcs.gap[slot, v], arcs.back[slot, v]
        value, integral = _at_the_end(vector, arcs.cover[slot, v]), 0.0
        for j in range(d):
            i = rank[j]
            integral += value * gap[j]
            running[i] = integral
            value += vector[i] - vector[back[j]]
        _add_shares(arcs, slot, v, scale, running, integral + value * gap[d], total)


@kernel
def _add_products(
    arcs: Arcs, slots: Integers, weights: Floats, vector: Floats, running: Floats, other: Floats, total: Floats
) -> None:
    """Add Σ_c w_c E_c[M (M·v)], the laws two by two: neither waits for its own sums while the other's are taken."""
    n, d = arcs.rank.shape[1], vector.size
    c = 0
    while c + 2 <= slots.size:
        one, two = slots[c], slots[c + 1]
        for v in range(n):
            rank, gap, back = arcs.rank[one, v], arcs.gap[one, v], arcs.back[one, v]
            place, space, past = arcs.rank[two, v], arcs.gap[two, v], arcs.back[two, v]
            value, integral = _at_the_end(vector, arcs.cover[one, v]), 0.0
            level, sum_ = _at_the_end(vector, arcs.cover[two, v]), 0.0
            for j in range(d):
                i, k = rank[j], place[j]
                integral += value * gap[j]
                sum_ += level * space[j]
                running[i] = integral
                other[k] = sum_
                value += vector[i] - vector[back[j]]
                level += vector[k] - vector[past[j]]
            per = 1.0 / (float(UNIT) * n)
            _add_shares(arcs, one, v, weights[c] * per, running, integral + value * gap[d], total)
            _add_shares(arcs, two, v, weights[c + 1] * per, other, sum_ + level * space[d], total)
        c += 2
    if c < slots.size:
        _add_product(arcs, slots[c], weights[c], vector, running, total)


@kernel
def precondition(arcs: Arcs, slots: Integers, weights: Floats, alpha: float, beta: float) -> tuple[Floats, Floats]:
    """Return Uᵀ, one row a column, with αI + UUᵀ the preconditioner, and the factor of I + UᵀU/α."""
    d, q = arcs.point.shape[1], slots.size + 1
    columns = np.empty((q, d))
    for c in range(slots.size):
        root, point, column = np.sqrt(weights[c]), arcs.point[slots[c]], columns[c]
        for i in range(d):
            column[i] = root * point[i]
    columns[q - 1] = np.sqrt(beta)
    gram = np.empty((q, q))
    for c in range(q):
        for e in range(c + 1):
            gram[e, c] = dot(columns[e], columns[c]) / alpha + (1.0 if c == e else 0.0)
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
    q, d = columns.shape
    result, residual = np.zeros(d), np.empty(d)
    for i in range(d):
        residual[i] = action[i]
    direction, product, inner = np.zeros(d), np.empty(d), np.empty(q)
    running, other = np.empty(d), np.empty(d)
    root = np.sqrt(beta)  # all that is in the last column
    first, energy = 0.0, 0.0
    step = 0
    while True:
        for c in range(q - 1):
            inner[c] = dot(columns[c], residual) / alpha
        inner[q - 1] = root * sum_of(residual) / alpha
        solved = cholesky_solve(factor, inner)
        previous, energy = energy, dot(residual, residual) / alpha - dot(inner, solved)
        ratio = 0.0
        if step == 0:
            if not energy > 0.0:
                return result, 0.0
            first = energy
        else:
            if not energy > first * tolerance * tolerance or step == limit:
                break
            ratio = energy / previous
        per, level = 1.0 / alpha, solved[q - 1] * root / alpha
        for i in range(d):
            direction[i] = (per * residual[i] - level) + ratio * direction[i]
        c = 0
        while c + 2 < q:
            value, column, more, next_ = solved[c] * per, columns[c], solved[c + 1] * per, columns[c + 1]
            for i in range(d):
                direction[i] -= value * column[i] + more * next_[i]
            c += 2
        if c + 1 < q:
            value, column = solved[c] * per, columns[c]
            for i in range(d):
                direction[i] -= value * column[i]
        level = beta * sum_of(direction)
        for i in range(d):
            product[i] = alpha * direction[i] + level
        _add_products(arcs, slots, weights, direction, running, other, product)
        curvature = dot(direction, product)
        if not curvature > 0.0:
            break
        length = energy / curvature
        for i in range(d):
            result[i] += length * direction[i]
        for i in range(d):
            residual[i] -= length * product[i]
        step += 1
    return result, np.sqrt(max(energy, 0.0) / first)
