"""Compiled decomposition of a flow into paths, in exact integers.

Flows are multiples of 2⁻⁴⁴ that balance exactly; a path is taken off with the least of its flows until nothing is left. Every path
empties an edge, so there are at most |E| − |V| + 2 of them, and no remainder. The graph is as in ``kernels.dag``.
"""

import numpy as np

from swapregret.arrays import Floats, Integers, Words
from swapregret.compiled.bits import UNIT, clear_bit, merge_policy, set_bit
from swapregret.compiled.kernel import kernel


@kernel
def imbalance(start: Integers, head: Integers, flow: Floats) -> float:
    """Return how far a vector is from a flow of one unit: the worst balance of a vertex, or the worst negative flow."""
    n = start.size - 1
    excess = np.zeros(n)
    excess[0] = 1.0
    excess[n - 1] = -1.0
    worst = 0.0
    for u in range(n):
        for k in range(start[u], start[u + 1]):
            worst = max(worst, -flow[k])
            excess[u] -= flow[k]
            excess[head[k]] += flow[k]
    for u in range(n):
        worst = max(worst, abs(excess[u]))
    return worst


@kernel
def round_flow(start: Integers, head: Integers, flow: Floats) -> Integers:
    """Round a flow to multiples of 2⁻⁴⁴ that balance exactly.

    In topological order the units that enter a vertex are shared out by rounding the running sums of what leaves it, so each
    share is off by at most one unit and an edge without flow stays without.
    """
    n = start.size - 1
    units = np.zeros(flow.size, dtype=np.int64)
    inflow = np.zeros(n, dtype=np.int64)
    inflow[0] = UNIT
    for u in range(n - 1):
        if inflow[u] == 0:
            continue
        total = 0.0
        for k in range(start[u], start[u + 1]):
            total += max(flow[k], 0.0)
        if total == 0.0:
            units[start[u]] = inflow[u]
            inflow[head[start[u]]] += inflow[u]
            continue
        running = 0.0
        shared = np.int64(0)
        for k in range(start[u], start[u + 1]):
            running += max(flow[k], 0.0)
            reached = np.int64(np.rint(float(inflow[u]) * (running / total)))
            units[k] = reached - shared
            shared = reached
            inflow[head[k]] += units[k]
    return units


@kernel
def strip_paths(
    start: Integers, head: Integers, edge: Integers, order: Integers, units: Integers, words: Words, amount: Integers
) -> int:
    """Take paths off an exactly balanced flow until nothing is left.

    At each vertex the path follows the first edge that still has flow; ``order[start[u]:start[u+1]]`` says in which order the
    edges that leave u are tried. The next path keeps what comes before the first edge that was emptied.

    Writes the paths as packed actions, and the units of each; returns how many there are.
    """
    n = start.size - 1
    left, turn = units.copy(), start[:n].copy()
    walk, carried = np.empty(n, dtype=np.int64), np.empty(n, dtype=np.int64)
    line = np.zeros(words.shape[1], dtype=np.uint64)
    n_paths, length, kept = 0, 0, 0
    remaining = np.int64(UNIT)
    while remaining > 0:
        # go back to the edge that was emptied, and write down what the edges behind it still have
        u = np.int64(0) if kept == 0 else head[walk[kept - 1]]
        for i in range(kept, length):
            left[walk[i]] = carried[i]
            clear_bit(line, edge[walk[i]])
        length = kept
        # on to the sink, at each vertex by the first edge that has flow
        while u < n - 1:
            at = turn[u]
            while left[order[at]] == 0:
                at += 1
            turn[u] = at
            k = order[at]
            set_bit(line, edge[k])
            walk[length], carried[length] = k, left[k]
            length += 1
            u = head[k]
        # the path carries the least flow on it, which empties an edge
        least = carried[0]
        for i in range(1, length):
            least = min(least, carried[i])
        kept = -1
        for i in range(length):
            carried[i] -= least
            if carried[i] == 0 and kept < 0:
                kept = i
        path = words[n_paths]
        for w in range(line.size):
            path[w] = line[w]
        amount[n_paths] = least
        remaining -= least
        n_paths += 1
    return n_paths


@kernel
def packed_paths(
    point: Floats, start: Integers, head: Integers, edge: Integers, orders: Integers
) -> tuple[Words, Floats, float]:
    """Return the paths of a flow, one variant for each row of ``orders``, their weights, and by how much it is no flow."""
    flow = np.empty(edge.size)
    used = np.zeros(point.size, dtype=np.bool_)
    for k in range(edge.size):
        flow[k] = point[edge[k]]
        used[edge[k]] = True
    outside = imbalance(start, head, flow)
    for i in range(point.size):
        if not used[i]:
            outside = max(outside, abs(point[i]))
    units, count = round_flow(start, head, flow), len(orders)
    most = edge.size - start.size + 3
    words, weights = np.empty((count * most, (point.size + 63) // 64), dtype=np.uint64), np.empty(count * most)
    amount, n = np.empty(most, dtype=np.int64), 0
    for variant in range(count):
        n_paths = strip_paths(start, head, edge, orders[variant], units, words[n:], amount)
        for a in range(n_paths):
            weights[n + a] = amount[a] / (UNIT * count)
        n += n_paths
    different, merged = merge_policy(words[:n], weights[:n])
    return different, merged, outside
