"""Newton's steps of the hybrid regulariser on paths (``actions.hybrid``): only what enters and leaves a vertex binds."""

import numpy as np

from swapregret.actions.paths.kernels.elimination import Elimination, factor_rows, solve_rows
from swapregret.arrays import Floats, Integers
from swapregret.compiled.kernel import kernel

__all__ = ["flow_move"]


@kernel
def flow_move(
    start: Integers, head: Integers, edge: Integers, plan: Elimination, slopes: Floats, widths: Floats, x: Floats
) -> Floats:
    """Return the step to the flow that minimises slopes·Δ + Σ Δ²/(2 widths)."""
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
