r"""Compiled KL projection onto unit flows by Newton's method on the potentials of the vertices.

The projection of w onto the flows of one unit from the first to the last vertex has the form
:math:`x_e = w_e\,e^{\pi_u - \pi_v}` on the edge e from u to v. The potentials minimise the convex function
:math:`\sum_e w_e e^{\pi_u-\pi_v} - \pi_s` with :math:`\pi_t = 0`; its gradient is what flows out of a vertex minus what
flows in, its second derivative the Laplacian of the graph with conductances x, grounded at the sink.

Graph, here and in every kernel of paths: vertices 0..n-1 in topological order, 0 the source, n-1 the sink; the edges that
leave u are ``start[u]..start[u+1]-1``, and edge k enters ``head[k]``.

May touch: ``kernels.compile``, ``kernels.path_elimination``.
"""

import numpy as np
import numpy.typing as npt

from swapregret.kernels.compile import kernel
from swapregret.kernels.path_elimination import Elimination, factor, fill, solve

__all__ = ["newton_flow"]

Floats = npt.NDArray[np.float64]
Integers = npt.NDArray[np.int64]

BALANCED = 1e-12
"""Relative imbalance of a vertex at which the iteration stops."""
LARGE_STEP = 2.0
MAX_FACTORS = 60
CHORD_STEPS = 5.0
SMALLEST = 1e-280


@kernel
def newton_flow(
    start: Integers, head: Integers, plan: Elimination, log_weights: Floats, limit: float
) -> tuple[Floats, Floats, int]:
    """Find the potentials whose flow is balanced to 1e-12 at every vertex, starting from the weights as they are.

    A factor serves further steps (chord steps) as long as few of them remain. A step that changes some log-flow by
    ρ > 2 is shortened to log(1 + ρ)/ρ, which is certain to decrease the function: its third derivative is at most ρ times
    its second.

    Returns the potentials, the flow and the number of steps; −1 steps if some vertex is out of balance by more than the
    factor ``limit`` at the start, has a flow too small for floats, or if the iteration does not settle.
    """
    n = start.size - 2
    potential = np.zeros(n + 1)
    flow = np.exp(log_weights)
    conductance = np.empty(plan.later.size)
    ground, pivot, work, right = np.empty(n), np.empty(n), np.empty(n), np.empty(n)
    inflow = np.empty(n + 1)
    step = np.zeros(n + 1)
    up = np.ones(n + 1)
    down = np.ones(n + 1)
    n_factors = 0
    n_steps = 0
    before = np.inf
    while True:
        inflow[:] = 0.0
        inflow[0] = 1.0
        worst = 0.0
        for u in range(n):
            raised = up[u]
            total = 0.0
            for k in range(start[u], start[u + 1]):
                v = head[k]
                value = flow[k] * (raised * down[v])
                flow[k] = value
                total += value
                inflow[v] += value
            excess = inflow[u] - total
            right[plan.place[u]] = excess
            least = min(total, inflow[u])
            if not least > SMALLEST:
                return potential, flow, -1
            worst = max(worst, abs(excess) / least)
        if n_steps == 0 and not worst < limit:
            return potential, flow, -1
        if worst <= BALANCED or (worst < 1e-9 and worst > 0.5 * before):
            return potential, flow, n_steps
        shrinks = worst < 0.5 * before and before < 1.0
        if not (shrinks and np.log(worst / BALANCED) < CHORD_STEPS * np.log(before / worst)):
            if n_factors == MAX_FACTORS:
                return potential, flow, -1
            fill(start, flow, plan, conductance, ground)
            factor(plan, conductance, ground, pivot, work)
            n_factors += 1
        before = worst
        solve(plan, conductance, pivot, right)
        for u in range(n):
            step[u] = right[plan.place[u]]
        n_steps += 1
        largest = 0.0
        for u in range(n):
            for k in range(start[u], start[u + 1]):
                largest = max(largest, abs(step[u] - step[head[k]]))
        size = 1.0
        if largest > LARGE_STEP:
            size = np.log1p(largest) / largest
        for u in range(n):
            move = size * step[u]
            potential[u] += move
            up[u] = np.exp(move)
            down[u] = 1.0 / up[u]
