r"""Compiled KL projection onto unit flows from far away: weights that differ by factors of :math:`e^{60}` and more.

Where Newton's method from the weights themselves would be lost, follow the solution for the weights :math:`w^s` from a small s
to s = 1: a tangent step as long as every vertex stays within a factor :math:`e^2` of balance, then Newton steps. In the limit of
spread weights the potentials are piecewise linear in s, so the tangent is nearly exact and the steps grow geometrically.

Flows may be smaller than any float. Everything is relative to the vertex: the row of vertex v in the Laplacian is divided by the
flow through v, whose logarithm is kept, so that all numbers lie in [0, 1].
"""

import numpy as np

from swapregret.actions.paths.kernels.dag import log_sums_from_source, log_sums_to_sink
from swapregret.actions.paths.kernels.elimination import Elimination, factor_rows, fill_rows, solve_rows
from swapregret.arrays import Floats
from swapregret.compiled.kernel import kernel

BALANCED = 1e-11
FIRST_SPREAD = 3.0
GOOD_ENOUGH = 0.05
TRUSTED = 2.0
NEARLY = 1e-8
SHORTEST = 1e-9
MAX_STAGES = 2000
MAX_STEPS = 60


@kernel
def gibbs_potential(plan: Elimination, log_weights: Floats) -> Floats:
    """Return potentials at which each edge carries g / sqrt(g_u g_v), g the Gibbs law's probabilities.

    The law p(path) ∝ Π w has g_e = w_e exp(a_u + b_v − b_s) with a, b the log-sums from the source and to the sink; half of
    a − b therefore puts every vertex near balance, whatever the scale of w.
    """
    forth = log_sums_from_source(plan.leave, plan.enter, log_weights)
    back = log_sums_to_sink(plan.leave, plan.enter, log_weights)
    last = forth.size - 1
    shift = 0.5 * (forth[last] - back[last])
    potential = np.empty(last + 1)
    for u in range(last + 1):
        potential[u] = 0.5 * (forth[u] - back[u]) - shift
    return potential


@kernel
def balance(plan: Elimination, log_flow: Floats, out: Floats, into: Floats, top: Floats) -> float:
    """Write the log-flows out of and into each vertex; return the largest |log(in / out)|."""
    start, head, n = plan.leave, plan.enter, out.size
    top[:] = -np.inf
    into[:] = 0.0
    for u in range(n):
        high = -np.inf
        for k in range(start[u], start[u + 1]):
            high = max(high, log_flow[k])
            top[head[k]] = max(top[head[k]], log_flow[k])
        total = 0.0
        for k in range(start[u], start[u + 1]):
            total += np.exp(log_flow[k] - high)
        out[u] = high + np.log(total)
    for u in range(n):
        for k in range(start[u], start[u + 1]):
            v = head[k]
            into[v] += np.exp(log_flow[k] - top[v])
    into[0] = 0.0
    worst = abs(out[0])
    for v in range(1, n):
        into[v] = top[v] + np.log(into[v])
        worst = max(worst, abs(into[v] - out[v]))
    return float(worst)


@kernel
def solve_relative(plan: Elimination, log_flow: Floats, out: Floats, into: Floats, excess: Floats) -> Floats:
    """Solve Laplacian · y = excess, where the excess of a vertex is relative to its scale; y ends with the sink's 0."""
    n = out.size
    upper, lower = np.empty(plan.later.size), np.empty(plan.later.size)
    ground, pivot, work, other, right = np.empty(n), np.empty(n), np.empty(n), np.empty(n), np.zeros(n + 4)
    scale = np.empty(n)
    for v in range(n):
        scale[v] = scale_of(v, out, into)
        right[plan.place[v]] = excess[v]
    fill_rows(log_flow, scale, plan, upper, lower, ground)
    factor_rows(plan, upper, lower, ground, pivot, work, other)
    solve_rows(plan, upper, lower, pivot, right)
    solution = np.zeros(n + 1)
    for v in range(n):
        solution[v] = right[plan.place[v]]
    return solution


@kernel
def scale_of(v: int, out: Floats, into: Floats) -> float:
    """Return the logarithm by whose exponential the row of a vertex is divided; the source's inflow is fixed."""
    return float(max(out[v], into[v]) if v > 0 else out[v])


@kernel
def newton_step(plan: Elimination, log_flow: Floats, out: Floats, into: Floats, potential: Floats) -> None:
    """Add a Newton step to the potentials; one that changes some log-flow by ρ > 2 is shortened to log(1 + ρ)/ρ."""
    start, head, n = plan.leave, plan.enter, out.size
    excess = np.empty(n)
    for v in range(n):
        scale = scale_of(v, out, into)
        excess[v] = np.exp(into[v] - scale) - np.exp(out[v] - scale)
    step = solve_relative(plan, log_flow, out, into, excess)
    largest = 0.0
    for u in range(n):
        for k in range(start[u], start[u + 1]):
            largest = max(largest, abs(step[u] - step[head[k]]))
    size = 1.0 if largest <= TRUSTED else np.log1p(largest) / largest
    for v in range(n):
        potential[v] += size * step[v]


@kernel
def tangent(
    plan: Elimination,
    log_weights: Floats,
    log_flow: Floats,
    out: Floats,
    into: Floats,
) -> Floats:
    """Return the derivative of the potentials by s: it makes up for the flow that log w alone would add at each vertex."""
    start, head, n = plan.leave, plan.enter, out.size
    excess = np.zeros(n)
    for u in range(n):
        for k in range(start[u], start[u + 1]):
            v = head[k]
            excess[u] -= np.exp(log_flow[k] - scale_of(u, out, into)) * log_weights[k]
            if v < n:
                excess[v] += np.exp(log_flow[k] - scale_of(v, out, into)) * log_weights[k]
    return solve_relative(plan, log_flow, out, into, excess)


@kernel
def set_log_flow(plan: Elimination, log_weights: Floats, potential: Floats, log_flow: Floats) -> None:
    """Write log x = log w + π_u − π_v."""
    start, head = plan.leave, plan.enter
    for u in range(start.size - 1):
        for k in range(start[u], start[u + 1]):
            log_flow[k] = log_weights[k] + (potential[u] - potential[head[k]])


@kernel
def continue_flow(plan: Elimination, log_weights: Floats) -> tuple[Floats, int]:
    """Return the potentials of the projection, and how many Laplacians were factored; −1 if it did not settle."""
    n = plan.leave.size - 2
    log_flow = np.empty(log_weights.size)
    out, into, top = np.empty(n), np.empty(n + 1), np.empty(n + 1)
    s = min(1.0, FIRST_SPREAD / max(np.abs(log_weights).max(), FIRST_SPREAD))
    stride = s
    potential = gibbs_potential(plan, s * log_weights)
    n_factors = 0
    for _ in range(MAX_STAGES):
        worst = np.inf
        for _ in range(MAX_STEPS):
            before = worst
            set_log_flow(plan, s * log_weights, potential, log_flow)
            worst = balance(plan, log_flow, out, into, top)
            if worst <= (BALANCED if s == 1.0 else GOOD_ENOUGH) or (worst < NEARLY and worst > 0.5 * before):
                break
            newton_step(plan, log_flow, out, into, potential)
            n_factors += 1
        if s == 1.0:
            return potential, n_factors if worst < NEARLY else -1
        slope = tangent(plan, log_weights, log_flow, out, into)
        n_factors += 1
        while True:
            goal = min(1.0, s + stride)
            trial = potential + (goal - s) * slope
            set_log_flow(plan, goal * log_weights, trial, log_flow)
            worst = balance(plan, log_flow, out, into, top)
            if worst < TRUSTED:
                break
            stride *= 0.5
            if not stride > SHORTEST:
                return potential, -1
        stride *= 4.0 if worst < 0.3 else (2.0 if worst < 1.0 else 1.0)
        s, potential = goal, trial
    return potential, -1
