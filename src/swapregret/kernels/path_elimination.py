r"""Compiled elimination of the vertices of a graph: the Laplacian of a flow, factored and solved without subtractions.

The Laplacian of a connected graph with conductances c, grounded at one vertex, has off-diagonal entries −c and a diagonal that
makes up for them. Eliminating a vertex joins its neighbours a and b by a new conductance :math:`c_a c_b / \sum c`. Only
conductances are stored and the diagonal is their sum, so elimination adds positive numbers and never subtracts: every factor is
right to a few units in the last place, however unlike the conductances are (Grassmann, Taksar and Heyman 1985).

The symmetric pair of functions works on the conductances themselves. The other pair divides each row by a scale of its own, for
flows that span more than the range of floats.

May touch: ``kernels.compile``.
"""

from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from swapregret.kernels.compile import kernel

__all__ = ["Elimination", "factor", "factor_rows", "fill", "fill_rows", "solve", "solve_rows"]

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
    """

    place: Integers
    slot: Integers
    start: Integers
    later: Integers
    before: Integers
    earlier: Integers
    at: Integers


@kernel
def fill(start: Integers, flow: Floats, plan: Elimination, conductance: Floats, ground: Floats) -> None:
    """Write the flow as conductances, in the order of elimination."""
    conductance[:] = 0.0
    ground[:] = 0.0
    for u in range(ground.size):
        for k in range(start[u], start[u + 1]):
            if plan.slot[k] < 0:
                ground[plan.place[u]] += flow[k]
            else:
                conductance[plan.slot[k]] += flow[k]


@kernel
def factor(plan: Elimination, conductance: Floats, ground: Floats, pivot: Floats, work: Floats) -> None:
    """Eliminate all vertices, in place: column k takes in the columns before it that contain k."""
    for k in range(pivot.size):
        first, end = plan.start[k], plan.start[k + 1]
        rows = plan.later[first:end]
        values = conductance[first:end]
        for i in range(rows.size):
            work[rows[i]] = values[i]
        leak = ground[k]
        for q in range(plan.before[k], plan.before[k + 1]):
            j = plan.earlier[q]
            share = conductance[plan.at[q]] / pivot[j]
            leak += share * ground[j]
            reached = plan.later[plan.at[q] + 1 : plan.start[j + 1]]
            source = conductance[plan.at[q] + 1 : plan.start[j + 1]]
            for i in range(reached.size):
                work[reached[i]] += share * source[i]
        total = leak
        for i in range(rows.size):
            values[i] = work[rows[i]]
            total += values[i]
        ground[k] = leak
        pivot[k] = total


@kernel
def solve(plan: Elimination, conductance: Floats, pivot: Floats, right: Floats) -> None:
    """Solve with the factors of :func:`factor`, in place."""
    solve_rows(plan, conductance, conductance, pivot, right)


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
def solve_rows(plan: Elimination, upper: Floats, lower: Floats, pivot: Floats, right: Floats) -> None:
    """Solve with the factors of :func:`factor_rows`, in place."""
    for j in range(pivot.size):
        rows = plan.later[plan.start[j] : plan.start[j + 1]]
        values = lower[plan.start[j] : plan.start[j + 1]]
        share = right[j] / pivot[j]
        for i in range(rows.size):
            right[rows[i]] += values[i] * share
    for j in range(pivot.size - 1, -1, -1):
        rows = plan.later[plan.start[j] : plan.start[j + 1]]
        values = upper[plan.start[j] : plan.start[j + 1]]
        total = right[j]
        for i in range(rows.size):
            total += values[i] * right[rows[i]]
        right[j] = total / pivot[j]
