r"""Compiled KL projection onto unit flows by Newton's method on the potentials of the vertices.

The projection of w onto the flows of one unit from the first to the last vertex has the form
:math:`x_e = w_e\,e^{\pi_u - \pi_v}` on the edge e from u to v, with :math:`\pi_t = 0` and as much entering each vertex u as
leaves it. Newton's method is applied to the logarithms of these balances,

.. math:: \log \sum_{e \text{ enters } u} x_e = \log \sum_{e \text{ leaves } u} x_e

(1 enters the source). A sum of exponentials is nearly its largest term, so its logarithm is nearly linear in π, and few steps
lead there even from weights that are out of balance by a factor :math:`e^{100}`; steps on the balances themselves, which is
Newton's method for the dual problem, gain little more than a factor e each. The matrix of a step is
:math:`2I - (\text{what leaves}) - (\text{what enters})`, each relative to its vertex: its rows are as those of a Laplacian.

Before that, sweeps balance one vertex after the other, π_u ← π_u + ½ log(in/out), from the source to the sink and back. They cost
little, and what they leave unbalanced varies slowly along the paths, which is where a Newton step on logarithms is nearly exact.

The graph is as in ``kernels.dag``.
"""

import numpy as np

from swapregret.actions.paths.kernels.elimination import Elimination, factor_rows, solve_rows
from swapregret.arrays import Floats
from swapregret.compiled.kernel import kernel
from swapregret.compiled.vectors import exponentials_in, logarithms

_BALANCED = 1e-12
"""Logarithm of in/out of a vertex at which the iteration stops."""
MAX_FACTORS, MAX_IDLE = 40, 6
CHORD_STEPS = 3.0
_SMALLEST, _LARGEST = 1e-280, 1e280
SWEEPS, MOST_SWEEPS, UNEVEN, SWEPT = 2, 5, 1.1, 0.1


@kernel
def _fill(
    plan: Elimination, flow: Floats, per_in: Floats, per_out: Floats, upper: Floats, lower: Floats, ground: Floats
) -> None:
    """Write the matrix of a step, in the order of elimination."""
    start, head = plan.leave, plan.enter
    upper[:] = 0.0
    lower[:] = 0.0
    ground[:] = 0.0
    place, slot = plan.place, plan.slot
    for u in range(ground.size):
        per, here = per_out[u], place[u]
        for k in range(start[u], start[u + 1]):
            at = slot[k]
            if at < 0:
                ground[here] += flow[k] * per
                continue
            v = head[k]
            forth, back = flow[k] * per, flow[k] * per_in[v]
            if here < place[v]:
                upper[at] += forth
                lower[at] += back
            else:
                upper[at] += back
                lower[at] += forth


@kernel
def _leaving(plan: Elimination, flow: Floats, down: Floats, per_out: Floats) -> None:
    """Write one over what leaves each vertex, the flow of an edge to v being ``flow * down[v]``."""
    start, head = plan.leave, plan.enter
    zero, one, two = np.uint64(0), np.uint64(1), np.uint64(2)
    for u in range(zero, np.uint64(per_out.size)):
        k, last, a, b = start[u], start[u + one], 0.0, 0.0
        while k + one < last:
            a += flow[k] * down[head[k]]
            b += flow[k + one] * down[head[k + one]]
            k += two
        if k < last:
            a += flow[k] * down[head[k]]
        per_out[u] = 1.0 / (a + b)


@kernel
def _sweep(
    plan: Elimination, flow: Floats, up: Floats, down: Floats, inflow: Floats, per_in: Floats, per_out: Floats
) -> float:
    """Balance one vertex after the other, from the source to the sink and back; return how far the way back was out of balance.

    The flow of an edge from u to v is ``flow * up[u] * down[v]``, down = 1/up; ``per_out`` is one over what leaves a vertex before
    it is multiplied by ``up``. What is returned is the largest ratio of what enters a vertex to what leaves it, or the
    other way round.
    """
    zero, one, two = np.uint64(0), np.uint64(1), np.uint64(2)
    start, head, n = plan.leave, plan.enter, np.uint64(per_out.size)
    inflow[:] = 0.0
    inflow[zero] = per_out[zero]
    for u in range(zero, n):
        raised = np.sqrt(inflow[u] * per_out[u])
        up[u] = raised
        per_in[u] = 1.0 / inflow[u]
        for k in range(start[u], start[u + one]):
            inflow[head[k]] += flow[k] * raised
    least, largest = 1.0, 1.0
    w = n
    while w > zero:
        w -= one
        k, last, a, b = start[w], start[w + one], 0.0, 0.0
        while k + one < last:
            a += flow[k] * down[head[k]]
            b += flow[k + one] * down[head[k + one]]
            k += two
        if k < last:
            a += flow[k] * down[head[k]]
        total = a + b
        lowered = np.sqrt(total * per_in[w]) if w > zero else total
        change = lowered * up[w]
        least, largest = min(least, change), max(largest, change)
        down[w], up[w], per_out[w] = lowered, 1.0 / lowered, 1.0 / total
    largest = max(largest, 1.0 / least)
    return float(largest * largest)


@kernel
def newton_flow(plan: Elimination, log_weights: Floats, limit: float) -> tuple[Floats, Floats, int]:
    """Find the potentials whose flow is balanced to 1e-12 at every vertex, starting from the weights as they are.

    Sweeps over the vertices come first, and one after each step that began far off: each costs a tenth of a step. A factor serves
    further steps (chord steps) as long as few of them remain.

    Returns the potentials, the flow and the number of steps; −1 steps if some vertex is out of balance by more than the
    factor ``limit`` after the first sweeps, has a flow too small or too large for floats, or if the iteration does not settle.
    """
    n = plan.leave.size - 2
    potential, flow = np.zeros(n + 1), np.empty(plan.enter.size)
    joined, room = np.empty((2, max(plan.later.size, flow.size))), np.zeros((11, n + 4))
    upper, lower = joined[0], joined[1]
    exponentials_in(log_weights, flow, upper)
    ground, pivot, work, other, move = room[0, :n], room[1, :n], room[2, :n], room[3, :n], room[4, :n]
    per_in, per_out, up, right = room[5, :n], room[6, :n], room[7, :n], room[8]
    inflow, down = room[9, : n + 1], room[10, : n + 1]
    down[:] = 1.0
    begin, enter = plan.leave, plan.enter
    one, two = np.uint64(1), np.uint64(2)
    n_factors, n_steps, n_idle = 0, 0, 0
    before, least = np.inf, np.inf
    # sweeps: each vertex in turn sends on what it takes in; cheap, and good until the flow is only a little uneven
    _leaving(plan, flow, down, per_out)
    n_sweeps, out, far = 0, np.inf, np.inf
    while n_sweeps < SWEEPS or (n_sweeps < MOST_SWEEPS and out > UNEVEN and out * out < far):
        far, out = out, _sweep(plan, flow, up, down, inflow, per_in, per_out)
        n_sweeps += 1
    while True:
        if n_sweeps > 0:
            logarithms(up, move, work)
        for u in range(n):
            potential[u] += move[u]
        n_sweeps = 0
        # the flow x_e = w_e exp(π_u − π_v) of the potentials as they are, and what enters and leaves each vertex
        inflow[:] = 0.0
        inflow[0] = 1.0
        is_float = True
        for u in range(n):
            raised = up[u]
            k, last, a, b = begin[u], begin[u + 1], 0.0, 0.0
            while k + one < last:
                v, w = enter[k], enter[k + one]
                value, other_value = flow[k] * (raised * down[v]), flow[k + one] * (raised * down[w])
                flow[k], flow[k + one] = value, other_value
                a += value
                b += other_value
                inflow[v] += value
                inflow[w] += other_value
                k += two
            if k < last:
                v = enter[k]
                value = flow[k] * (raised * down[v])
                flow[k] = value
                a += value
                inflow[v] += value
            total, enters = a + b, inflow[u]
            is_float &= min(total, enters) > _SMALLEST and max(total, enters) < _LARGEST
            per_in[u], per_out[u] = 1.0 / enters, 1.0 / total
            work[u] = enters * per_out[u]
        if not is_float:
            return potential, flow, -1
        # how far out of balance: log(in / out) of each vertex, the right side of a Newton step
        logarithms(work, other, ground)
        worst = 0.0
        for u in range(n):
            right[plan.place[u]] = other[u]
            worst = max(worst, abs(other[u]))
        if n_steps == 0 and not worst < np.log(limit):
            return potential, flow, -1
        if worst <= _BALANCED or (worst < 1e-9 and worst > 0.5 * before):
            return potential, flow, n_steps
        n_idle = 0 if worst < least else n_idle + 1
        least = min(least, worst)
        # a new factor of the Laplacian of the flow, unless a few more chord steps with the old one will do
        shrinks = worst < 0.5 * before and before < 1.0
        if not (shrinks and np.log(worst / _BALANCED) < CHORD_STEPS * np.log(before / worst)):
            if n_factors == MAX_FACTORS or n_idle == MAX_IDLE:
                return potential, flow, -1
            _fill(plan, flow, per_in, per_out, upper, lower, ground)
            factor_rows(plan, upper, lower, ground, pivot, work, other)
            n_factors += 1
        before = worst
        # the step: the Laplacian solved for the imbalances
        solve_rows(plan, upper, lower, pivot, right)
        n_steps += 1
        for u in range(n):
            move[u] = right[plan.place[u]]
        exponentials_in(move, up, work)
        for u in range(n):
            down[u] = 1.0 / up[u]
        if worst > SWEPT:
            _leaving(plan, flow, down, per_out)
            _sweep(plan, flow, up, down, inflow, per_in, per_out)
            n_sweeps = 1
