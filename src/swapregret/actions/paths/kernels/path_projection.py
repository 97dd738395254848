r"""Compiled projections for paths: KL onto unit flows, and orthogonal onto the span.

The KL projection tries near, then from afar; its point is made exact and certified. A vector is in the span exactly when as much
enters each inner vertex as leaves it. What is orthogonal to it are differences of potentials, 0 at the source and the sink; the
potentials to take off solve a system with the Laplacian of the graph, grounded at both, which is factored once. The graph is as
in ``kernels.dag``.
"""

import numpy as np

from swapregret.actions.paths.kernels.dag import best_value
from swapregret.actions.paths.kernels.dag_newton import newton_flow
from swapregret.actions.paths.kernels.elimination import Elimination, factor_rows, solve_rows
from swapregret.actions.paths.kernels.log_newton import gibbs_potential, newton_logs, set_log_flow
from swapregret.arrays import Floats, Integers
from swapregret.compiled.kernel import kernel
from swapregret.compiled.vectors import logarithms, sum_of

FAR, NEAR = 1e4, 1e13
"""From how far out of balance Newton's method starts at weights as they are, and at weights brought near a known flow."""
_FAR_OFF = 1e3


@kernel
def path_scores(edge: Integers, log_weights: Floats, is_uniform: bool) -> Floats:
    """Put log-weights into the order of the graph.

    Where all paths are equally long their scale does not matter, only rounding does: a large mean is taken off.
    """
    n = edge.size
    scores = np.empty(n)
    for k in range(n):
        scores[k] = log_weights[edge[k]]
    if is_uniform:
        mean = sum_of(scores) / n
        if abs(mean) > _FAR_OFF:
            for k in range(n):
                scores[k] -= mean
    return scores


@kernel
def bring_near(plan: Elimination, edge: Integers, scores: Floats, log_point: Floats) -> None:
    """Add potential differences to scores, which changes no projection, so that they begin near a flow known from before.

    ``scores`` are in the order of the graph, ``log_point`` by coordinate. Each vertex gets the potential that gives its heaviest
    incoming edge the flow it had; if the scores have changed little, so have all flows.
    """
    start, head = plan.leave, plan.enter
    n = start.size - 1
    potential, heaviest = np.zeros(n), np.full(n, -np.inf)
    for u in range(n):
        here = potential[u]
        for k in range(start[u], start[u + 1]):
            v, known, score = head[k], log_point[edge[k]], scores[k]
            if known > heaviest[v]:
                heaviest[v] = known
                potential[v] = here + score - known
            scores[k] = score + here
    for k in range(scores.size):
        scores[k] -= potential[head[k]]


@kernel
def project_flow(plan: Elimination, log_weights: Floats, limit: float) -> tuple[Floats, Floats, float, int]:
    r"""Project exp(log_weights) onto the flows of one unit in unnormalised KL divergence.

    Newton's method starts from the weights themselves if they are balanced up to the factor ``limit``, else from the
    potentials of the Gibbs policy, else works with logarithms. The flow found is balanced to about 1e-12; scaling
    what leaves each vertex, in topological order, to what enters it makes it a flow to rounding.

    Returns the point, its logarithm, the certified gap :math:`\max_M g\cdot(x - M)` with g = log x − log w, by one pass of dynamic
    programming, and the number of Newton steps.
    """
    log_point = np.empty(log_weights.size)
    potential, point, n_steps = newton_flow(plan, log_weights, limit)
    if n_steps < 0:
        potential = gibbs_potential(plan, log_weights)
        set_log_flow(plan, log_weights, potential, log_point)
        change, point, n_steps = newton_flow(plan, log_point, 1e30)
        potential += change
    if n_steps >= 0:
        gap = _settle(plan, log_weights, potential, point, log_point)
        return point, log_point, gap, n_steps
    potential, n_steps = newton_logs(plan, log_weights)
    _settle_logs(plan, log_weights, potential, point, log_point)
    gain = np.empty(point.size)
    mean = 0.0
    for k in range(point.size):
        gain[k] = log_weights[k] - log_point[k]
        mean += gain[k] * point[k]
    return point, log_point, max(best_value(plan.leave, plan.enter, gain) - mean, 0.0), n_steps


@kernel
def _settle(plan: Elimination, log_weights: Floats, potential: Floats, point: Floats, log_point: Floats) -> float:
    r"""Scale what leaves each vertex to what enters it, write the logarithms, and return the gap.

    With :math:`\log x_e = \log w_e + s_u - \pi_v` the gain of a path is :math:`\sum_e (\pi_v - s_u)`, and its mean under x is
    :math:`\sum_v m_v (\pi_v - s_v)`, m the flow through the vertices.
    """
    zero, one, two = np.uint64(0), np.uint64(1), np.uint64(2)
    start, head = plan.leave, plan.enter
    n = np.uint64(start.size - 2)
    room = np.zeros((4, start.size - 1))
    inflow, value, ratio, shift = room[0], room[1], room[2, :n], room[3, :n]
    inflow[0] = 1.0
    # forwards: scale what leaves each vertex to what enters it, m_u
    for u in range(zero, n):
        first, last = start[u], start[u + one]
        k, a, b = first, 0.0, 0.0
        while k + one < last:
            a += point[k]
            b += point[k + one]
            k += two
        if k < last:
            a += point[k]
        scale = inflow[u] / (a + b)
        ratio[u] = scale
        for k in range(first, last):
            scaled = point[k] * scale
            point[k] = scaled
            inflow[head[k]] += scaled
    logarithms(ratio, shift, value)
    # s_u, log x_e, and the mean gain of a path
    mean = 0.0
    for u in range(zero, n):
        mean -= inflow[u] * shift[u]
        shift[u] += potential[u]
        here = shift[u]
        for k in range(start[u], start[u + one]):
            log_point[k] = log_weights[k] + (here - potential[head[k]])
    mean += potential[n] - potential[zero]
    # backwards: the best gain of a path from each vertex; what the best of all lies above the mean is the gap
    value[n] = potential[n]
    w = n
    while w > zero:
        w -= one
        k, last, best, other = start[w], start[w + one], -np.inf, -np.inf
        while k + one < last:
            best = max(best, value[head[k]])
            other = max(other, value[head[k + one]])
            k += two
        if k < last:
            best = max(best, value[head[k]])
        value[w] = max(best, other) - shift[w] + (potential[w] if w > zero else 0.0)
    return float(max(value[zero] - mean, 0.0))


@kernel
def _settle_logs(plan: Elimination, log_weights: Floats, potential: Floats, point: Floats, log_point: Floats) -> None:
    """Make a flow of nearly balanced potentials whose flows may be too small for floats.

    What leaves a vertex is scaled to what enters it, once in floats, which keeps the balance to rounding, and once in logarithms.
    """
    start, head = plan.leave, plan.enter
    n = start.size - 1
    top = np.full(n, -np.inf)
    total, inflow = np.zeros(n), np.zeros(n)
    top[0], total[0], inflow[0] = 0.0, 1.0, 1.0
    for u in range(n - 1):
        high = -np.inf
        for k in range(start[u], start[u + 1]):
            log_point[k] = log_weights[k] - potential[head[k]]
            high = max(high, log_point[k])
        out = 0.0
        for k in range(start[u], start[u + 1]):
            point[k] = np.exp(log_point[k] - high)
            out += point[k]
        shift = top[u] + np.log(total[u]) - (high + np.log(out))
        ratio = inflow[u] / out
        for k in range(start[u], start[u + 1]):
            v = head[k]
            point[k] *= ratio
            inflow[v] += point[k]
            value = log_point[k] + shift
            log_point[k] = value
            if value <= top[v]:
                total[v] += np.exp(value - top[v])
            else:
                total[v] = total[v] * np.exp(top[v] - value) + 1.0
                top[v] = value


@kernel
def factor_balance(plan: Elimination) -> tuple[Floats, Floats]:
    """Factor the Laplacian with unit conductances, grounded at the source and the sink."""
    start, head = plan.leave, plan.enter
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
def path_span_part(plan: Elimination, edge: Integers, joined: Floats, pivot: Floats, vector: Floats) -> Floats:
    """Return the part of a vector in the span, with the factors of :func:`factor_balance`."""
    start, head, place = plan.leave, plan.enter, plan.place
    n = start.size - 2
    right, potential = np.zeros(n + 4), np.zeros(n + 1)
    for u in range(n):
        balance = potential[u]
        for k in range(start[u], start[u + 1]):
            value = vector[edge[k]]
            balance += value
            potential[head[k]] -= value
        right[place[u]] = balance
    right[place[0]] = 0.0
    solve_rows(plan, joined, joined, pivot, right)
    for u in range(n):
        potential[u] = right[place[u]]
    potential[0], potential[n] = 0.0, 0.0
    result = np.zeros(vector.size)
    for u in range(n):
        here = potential[u]
        for k in range(start[u], start[u + 1]):
            result[edge[k]] = vector[edge[k]] - (here - potential[head[k]])
    return result
