r"""Compiled projection onto the span of the paths of a graph.

A vector is in the span exactly when as much enters each inner vertex as leaves it. What is orthogonal to it are differences of
potentials, 0 at the source and the sink; the potentials to take off solve a system with the Laplacian of the graph,
grounded at both, which is factored once.

The graph is as in ``kernels.dag``.
"""

import numpy as np

from swapregret.actions.paths.kernels.elimination import Elimination, factor_rows, solve_rows
from swapregret.arrays import Floats, Integers
from swapregret.compiled.kernel import kernel

__all__ = ["factor_balance", "path_span_part"]


@kernel
def factor_balance(start: Integers, head: Integers, plan: Elimination) -> tuple[Floats, Floats]:
    """Factor the Laplacian with unit conductances, grounded at the source and the sink."""
    n = start.size - 2
    joined = np.zeros(plan.later.size)
    ground, pivot, work, other = np.zeros(n), np.empty(n), np.empty(n), np.empty(n)
    for u in range(n):
        for k in range(start[u], start[u + 1]):
            if u == 0:
                ground[plan.place[0]] = 1.0
                if plan.slot[k] >= 0:
                    ground[plan.place[head[k]]] += 1.0
            elif plan.slot[k] < 0:
                ground[plan.place[u]] += 1.0
            else:
                joined[plan.slot[k]] += 1.0
    lower = joined.copy()
    factor_rows(plan, joined, lower, ground, pivot, work, other)
    return joined, pivot


@kernel
def path_span_part(
    start: Integers, head: Integers, edge: Integers, plan: Elimination, joined: Floats, pivot: Floats, vector: Floats
) -> Floats:
    """Return the part of a vector in the span, with the factors of :func:`factor_balance`."""
    n = start.size - 2
    right, potential = np.zeros(n + 4), np.zeros(n + 1)
    for u in range(n):
        for k in range(start[u], start[u + 1]):
            value = vector[edge[k]]
            if u > 0:
                right[plan.place[u]] += value
            if head[k] < n:
                right[plan.place[head[k]]] -= value
    right[plan.place[0]] = 0.0
    solve_rows(plan, joined, joined, pivot, right)
    for u in range(1, n):
        potential[u] = right[plan.place[u]]
    result = np.zeros(vector.size)
    for u in range(n):
        for k in range(start[u], start[u + 1]):
            result[edge[k]] = vector[edge[k]] - (potential[u] - potential[head[k]])
    return result
