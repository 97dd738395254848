r"""Compiled KL projection onto unit flows from far away: weights that differ by factors of :math:`e^{60}` and more.

The steps are those of ``kernels.dag_newton``, Newton's method on the logarithms of the balances, but flows may be smaller than any
float. So only their logarithms are kept, and an edge counts relative to what leaves its tail and to what enters its head. The steps
begin at the potentials of the Gibbs policy. One that brings the worst vertex no nearer to balance is halved: in the limit of spread
weights the balances are piecewise linear, and whole steps can go round in circles.
"""

import numpy as np

from swapregret.actions.paths.kernels.dag import log_sums_from_source, log_sums_to_sink
from swapregret.actions.paths.kernels.elimination import Elimination, factor_rows, solve_rows
from swapregret.arrays import Floats
from swapregret.compiled.kernel import kernel

_BALANCED = 1e-11
SHORTEST = 1e-9
MAX_STEPS = 200
STUCK, ROUGHLY = 1e-6, 0.05
"""Largest |log(in / out)| where steps are not stuck, and where weights may be spread further."""
SPREAD = 4.0


@kernel
def gibbs_potential(plan: Elimination, log_weights: Floats) -> Floats:
    """Return potentials at which each edge carries g / sqrt(g_u g_v), g the Gibbs policy's probabilities.

    The policy p(path) ∝ Π w has g_e = w_e exp(a_u + b_v − b_s) with a, b the log-sums from the source and to the sink; half of
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
def set_log_flow(plan: Elimination, log_weights: Floats, potential: Floats, log_flow: Floats) -> None:
    """Write log x = log w + π_u − π_v."""
    start, head = plan.leave, plan.enter
    for u in range(start.size - 1):
        for k in range(start[u], start[u + 1]):
            log_flow[k] = log_weights[k] + (potential[u] - potential[head[k]])


@kernel
def _balance(plan: Elimination, log_flow: Floats, out: Floats, into: Floats, top: Floats) -> float:
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
def fill_rows(
    plan: Elimination, log_flow: Floats, out: Floats, into: Floats, upper: Floats, lower: Floats, ground: Floats
) -> None:
    """Write the flow of each edge over exp(out) of its tail in the row of that, over exp(into) of its head in the row of that."""
    start, head = plan.leave, plan.enter
    upper[:] = 0.0
    lower[:] = 0.0
    ground[:] = 0.0
    for u in range(ground.size):
        for k in range(start[u], start[u + 1]):
            v = head[k]
            forth = np.exp(log_flow[k] - out[u])
            if plan.slot[k] < 0:
                ground[plan.place[u]] += forth
                continue
            back = np.exp(log_flow[k] - into[v])
            if plan.place[u] < plan.place[v]:
                upper[plan.slot[k]] += forth
                lower[plan.slot[k]] += back
            else:
                upper[plan.slot[k]] += back
                lower[plan.slot[k]] += forth


@kernel
def _step_near(plan: Elimination, log_weights: Floats, potential: Floats, enough: float) -> tuple[Floats, int, float]:
    """Take steps from some potentials until no log(in / out) is larger than enough; return where, how many, and the largest."""
    n = plan.leave.size - 2
    log_flow, upper, lower = np.empty(log_weights.size), np.empty(plan.later.size), np.empty(plan.later.size)
    out, into, top, right = np.empty(n), np.empty(n + 1), np.empty(n + 1), np.zeros(n + 4)
    ground, pivot, work, other = np.empty(n), np.empty(n), np.empty(n), np.empty(n)
    potential, trial = potential.copy(), potential.copy()
    set_log_flow(plan, log_weights, potential, log_flow)
    worst = _balance(plan, log_flow, out, into, top)
    for step in range(MAX_STEPS):
        if worst <= enough:
            return potential, step, worst
        fill_rows(plan, log_flow, out, into, upper, lower, ground)
        factor_rows(plan, upper, lower, ground, pivot, work, other)
        for v in range(n):
            right[plan.place[v]] = into[v] - out[v]
        solve_rows(plan, upper, lower, pivot, right)
        length, before = 2.0, worst
        while not worst < (1.0 - 0.1 * length) * before:
            length *= 0.5
            if length < SHORTEST:
                return potential, step, before
            for v in range(n):
                trial[v] = potential[v] + length * right[plan.place[v]]
            set_log_flow(plan, log_weights, trial, log_flow)
            worst = _balance(plan, log_flow, out, into, top)
        potential, trial = trial, potential
    return potential, MAX_STEPS, worst


@kernel
def newton_logs(plan: Elimination, log_weights: Floats) -> tuple[Floats, int]:
    """Return the potentials whose flow is as balanced as rounding allows, and the number of steps.

    Steps that get stuck, as they may on graphs of hundreds of vertices, begin again with weights that are hardly spread, which are
    then spread fourfold at a time, the potentials with them.
    """
    potential, n_steps, worst = _step_near(plan, log_weights, gibbs_potential(plan, log_weights), _BALANCED)
    if worst <= STUCK:
        return potential, n_steps
    share = SPREAD / max(np.abs(log_weights).max(), SPREAD)
    potential = gibbs_potential(plan, share * log_weights)
    while True:
        enough = _BALANCED if share == 1.0 else ROUGHLY
        potential, n_more, _ = _step_near(plan, share * log_weights, potential, enough)
        n_steps += n_more
        if share == 1.0:
            return potential, n_steps
        grown = min(SPREAD, 1.0 / share)
        share = 1.0 if grown < SPREAD else share * grown
        potential = potential * grown
