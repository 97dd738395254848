r"""Compiled elimination of the vertices of a graph: the Laplacian of a flow, factored and solved without subtractions.

The Laplacian of a connected graph with conductances c, grounded at one vertex, has off-diagonal entries −c and a diagonal that
makes up for them. Eliminating a vertex joins its neighbours a and b by a new conductance :math:`c_a c_b / \sum c`. Only
conductances are stored and the diagonal is their sum, so elimination adds positive numbers and never subtracts: every factor is
right to a few units in the last place, however unlike the conductances are (Grassmann, Taksar and Heyman 1985).

Only the sums of rows matter for that, so rows may be divided by scales of their own, and entries differ from row to row.

May touch: ``kernels.compile``.
"""

from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from swapregret.kernels.compile import kernel

__all__ = ["Elimination", "factor_rows", "fill_rows", "solve_rows"]

Floats = npt.NDArray[np.float64]
Integers = npt.NDArray[np.int64]


class Elimination(NamedTuple):
    """Which vertices are joined when the vertices are eliminated in a fixed order; the sink is the ground.

    Attributes
    ----------
    place : int64 array, shape (n,)
        When each vertex but the sink is eliminated.
    slot : int64 array, shape (n_edges,)
        Where an edge's conductance is stored; −1 for edges into the sink.
    start, later : int64 arrays
        Column j: its neighbours among the vertices eliminated later, ``later[start[j]:start[j+1]]``, increasing.
    before, earlier, at : int64 arrays
        Row k: the columns ``earlier[before[k]:before[k+1]]`` that contain k, and where in ``later``.
    band : uint64 array, shape (n + 1,) or (0,)
        ``start`` once more if every column holds all vertices up to its last, so that nothing has to be looked up.
    """

    place: Integers
    slot: Integers
    start: Integers
    later: Integers
    before: Integers
    earlier: Integers
    at: Integers
    band: npt.NDArray[np.uint64]


@kernel
def fill_rows(
    start: Integers,
    head: Integers,
    log_flow: Floats,
    scale: Floats,
    plan: Elimination,
    upper: Floats,
    lower: Floats,
    ground: Floats,
) -> None:
    """Write the Laplacian of exp(log_flow) with the row of vertex v divided by exp(scale[v]).

    ``upper`` takes the entries of a row towards later vertices, ``lower`` those of a column from later rows.
    """
    upper[:] = 0.0
    lower[:] = 0.0
    ground[:] = 0.0
    for u in range(ground.size):
        for k in range(start[u], start[u + 1]):
            v = head[k]
            forth = np.exp(log_flow[k] - scale[u])
            if plan.slot[k] < 0:
                ground[plan.place[u]] += forth
                continue
            back = np.exp(log_flow[k] - scale[v])
            if plan.place[u] < plan.place[v]:
                upper[plan.slot[k]] += forth
                lower[plan.slot[k]] += back
            else:
                upper[plan.slot[k]] += back
                lower[plan.slot[k]] += forth


@kernel
def factor_rows(
    plan: Elimination, upper: Floats, lower: Floats, ground: Floats, pivot: Floats, work: Floats, other: Floats
) -> None:
    """Eliminate all vertices of a Laplacian with scaled rows, in place."""
    if plan.band.size:
        _factor_band(plan.band, upper, lower, ground, pivot, work)
        return
    for k in range(pivot.size):
        first, end = plan.start[k], plan.start[k + 1]
        for i in range(first, end):
            work[plan.later[i]] = upper[i]
            other[plan.later[i]] = lower[i]
        leak = ground[k]
        for q in range(plan.before[k], plan.before[k + 1]):
            j = plan.earlier[q]
            down = lower[plan.at[q]] / pivot[j]
            across = upper[plan.at[q]] / pivot[j]
            leak += down * ground[j]
            for i in range(plan.at[q] + 1, plan.start[j + 1]):
                work[plan.later[i]] += down * upper[i]
                other[plan.later[i]] += across * lower[i]
        total = leak
        for i in range(first, end):
            upper[i] = work[plan.later[i]]
            lower[i] = other[plan.later[i]]
            total += upper[i]
        ground[k] = leak
        pivot[k] = total


@kernel
def _factor_band(
    start: npt.NDArray[np.uint64], upper: Floats, lower: Floats, ground: Floats, pivot: Floats, per: Floats
) -> None:
    """Do the same where columns are unbroken: vertex k takes in those before it, four at a time where they end alike.

    Indices have no sign: they need not be checked for one.
    """
    zero, one, two, three, four = np.uint64(0), np.uint64(1), np.uint64(2), np.uint64(3), np.uint64(4)
    first = zero
    for k in range(zero, np.uint64(pivot.size)):
        while first + (start[first + one] - start[first]) < k:
            first += one
        here = start[k]
        leak = ground[k]
        j = first
        while j < k:
            p, end = start[j] + k - j, start[j + one]
            a, e = lower[p - one] * per[j], upper[p - one] * per[j]
            if j + four > k or start[j + four] - start[j + three] + three != end - start[j]:
                leak += a * ground[j]
                for i in range(zero, end - p):
                    upper[here + i] += a * upper[p + i]
                    lower[here + i] += e * lower[p + i]
                j += one
                continue
            q, r, s = start[j + one] + k - j - one, start[j + two] + k - j - two, start[j + three] + k - j - three
            b, c, d = lower[q - one] * per[j + one], lower[r - one] * per[j + two], lower[s - one] * per[j + three]
            f, g, h = upper[q - one] * per[j + one], upper[r - one] * per[j + two], upper[s - one] * per[j + three]
            leak += (a * ground[j] + b * ground[j + one]) + (c * ground[j + two] + d * ground[j + three])
            for i in range(zero, end - p):
                upper[here + i] += (a * upper[p + i] + b * upper[q + i]) + (c * upper[r + i] + d * upper[s + i])
                lower[here + i] += (e * lower[p + i] + f * lower[q + i]) + (g * lower[r + i] + h * lower[s + i])
            j += four
        total = leak
        for i in range(here, start[k + one]):
            total += upper[i]
        ground[k] = leak
        pivot[k] = total
        per[k] = 1.0 / total


@kernel
def _solve_band(start: npt.NDArray[np.uint64], upper: Floats, lower: Floats, pivot: Floats, right: Floats) -> None:
    """Solve with the factors of :func:`_factor_band`, in place."""
    zero, one = np.uint64(0), np.uint64(1)
    n = np.uint64(pivot.size)
    for j in range(zero, n):
        share = right[j] / pivot[j]
        first, onward = start[j], j + one
        for i in range(zero, start[j + one] - first):
            right[onward + i] += lower[first + i] * share
    row = n
    while row > zero:
        row -= one
        first, onward = start[row], row + one
        total = right[row]
        for i in range(zero, start[row + one] - first):
            total += upper[first + i] * right[onward + i]
        right[row] = total / pivot[row]


@kernel
def solve_rows(plan: Elimination, upper: Floats, lower: Floats, pivot: Floats, right: Floats) -> None:
    """Solve with the factors of :func:`factor_rows`, in place."""
    if plan.band.size:
        _solve_band(plan.band, upper, lower, pivot, right)
        return
    n = pivot.size
    for j in range(n):
        rows = plan.later[plan.start[j] : plan.start[j + 1]]
        values = lower[plan.start[j] : plan.start[j + 1]]
        share = right[j] / pivot[j]
        for i in range(rows.size):
            right[rows[i]] += values[i] * share
    for j in range(n - 1, -1, -1):
        rows = plan.later[plan.start[j] : plan.start[j + 1]]
        values = upper[plan.start[j] : plan.start[j + 1]]
        total = right[j]
        for i in range(rows.size):
            total += values[i] * right[rows[i]]
        right[j] = total / pivot[j]
