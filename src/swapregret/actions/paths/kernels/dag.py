"""Compiled inner loops of paths in a directed acyclic graph: best path, membership, sums over all paths, Markov chains.

Graph, here and in every kernel of paths: vertices 0..n-1 in topological order, 0 the source, n-1 the sink, all of them on some
path; the edges that leave u are ``start[u]..start[u+1]-1``, edge k enters ``head[k]`` and is coordinate ``edge[k]`` of the
action set. Sums over paths are kept as logarithms.

A chain leaves vertex u by edge k with probability ``transition[k]``; it visits u with probability ``mass[u]`` and edge k with
probability ``flow[k]``.
"""

import numpy as np
import numpy.typing as npt

from swapregret.arrays import Floats, Integers
from swapregret.compiled.kernel import kernel

Offsets = npt.NDArray[np.uint64]
"""Indices without a sign: they need not be checked for one."""


@kernel
def best_path(start: Integers, head: Integers, edge: Integers, weights: Floats) -> Integers:
    """Return the path of largest weight as an action; at each vertex the first best edge wins."""
    n = start.size - 1
    value = np.empty(n)
    value[n - 1] = 0.0
    first, to, of = start.view(np.uint64), head.view(np.uint64), edge.view(np.uint64)
    for u in range(n - 2, -1, -1):
        best = -np.inf
        for k in range(first[u], first[u + 1]):
            best = max(best, weights[of[k]] + value[to[k]])
        value[u] = best
    action = np.zeros(weights.size, dtype=np.int64)
    at = np.uint64(0)
    while at < n - 1:  # which edges are best is only asked along the path
        k = first[at]
        while weights[of[k]] + value[to[k]] < value[at]:
            k += np.uint64(1)
        action[of[k]] = 1
        at = to[k]
    return action


@kernel
def best_value(start: Integers | Offsets, head: Integers | Offsets, gains: Floats) -> float:
    """Return the largest sum of ``gains`` (one per edge, in the order of the graph) over any path."""
    n = start.size - 1
    value = np.empty(n)
    value[n - 1] = 0.0
    for u in range(n - 2, -1, -1):
        best = -np.inf
        for k in range(start[u], start[u + 1]):
            best = max(best, gains[k] + value[head[k]])
        value[u] = best
    return float(value[0])


@kernel
def is_path(start: Integers, head: Integers, edge: Integers, action: Integers) -> bool:
    """Tell whether a 0/1 vector marks the edges of one path and nothing else."""
    n = start.size - 1
    marked = 0
    for i in range(action.size):
        marked += action[i]
    u = np.int64(0)
    while u < n - 1:
        following = np.int64(-1)
        for k in range(start[u], start[u + 1]):
            if action[edge[k]] == 1:
                following = head[k]
                marked -= 1
                break
        if following < 0:
            return False
        u = following
    return marked == 0


@kernel
def log_sums_to_sink(start: Integers | Offsets, head: Integers | Offsets, scores: Floats) -> Floats:
    """Return log Σ exp(score of the path) over the paths from each vertex to the sink."""
    n = start.size - 1
    sums = np.empty(n)
    sums[n - 1] = 0.0
    for u in range(n - 2, -1, -1):
        top = -np.inf
        for k in range(start[u], start[u + 1]):
            top = max(top, scores[k] + sums[head[k]])
        total = 0.0
        for k in range(start[u], start[u + 1]):
            total += np.exp(scores[k] + sums[head[k]] - top)
        sums[u] = top + np.log(total)
    return sums


@kernel
def log_sums_from_source(start: Integers | Offsets, head: Integers | Offsets, scores: Floats) -> Floats:
    """Return log Σ exp(score of the path) over the paths from the source to each vertex."""
    n = start.size - 1
    top = np.full(n, -np.inf)
    total = np.zeros(n)
    sums = np.zeros(n)
    top[0] = 0.0
    total[0] = 1.0
    for u in range(n):
        sums[u] = top[u] + np.log(total[u])
        for k in range(start[u], start[u + 1]):
            v = head[k]
            value = sums[u] + scores[k]
            if value <= top[v]:
                total[v] += np.exp(value - top[v])
            else:
                total[v] = total[v] * np.exp(top[v] - value) + 1.0
                top[v] = value
    return sums


@kernel
def best_paths(start: Integers, head: Integers, edge: Integers, weights: Floats) -> Integers:
    """Return the path of largest weight under each row of weights."""
    found = np.empty(weights.shape, dtype=np.int64)
    for index in range(weights.shape[0]):
        found[index] = best_path(start, head, edge, weights[index])
    return found


_SMALLEST = 1e-290


@kernel
def gibbs_transition(start: Integers | Offsets, head: Integers | Offsets, scores: Floats, to_sink: Floats) -> Floats:
    """Push weights: the chain of the policy p(path) ∝ exp(Σ scores), from the log-sums of paths to the sink."""
    transition = np.empty(head.size)
    for u in range(start.size - 1):
        total = 0.0
        for k in range(start[u], start[u + 1]):
            transition[k] = np.exp(scores[k] + to_sink[head[k]] - to_sink[u])
            total += transition[k]
        for k in range(start[u], start[u + 1]):
            transition[k] /= total
    return transition


@kernel
def flow_transition(start: Integers, flow: Floats) -> Floats:
    """Leave each vertex in proportion to the flow; a vertex without flow is left by any edge alike."""
    transition = np.empty(flow.size)
    for k in range(flow.size):
        transition[k] = max(flow[k], 0.0)
    for u in range(start.size - 1):
        first, last = start[u], start[u + 1]
        a, b = 0.0, 0.0
        k = first
        while k + 1 < last:
            a += transition[k]
            b += transition[k + 1]
            k += 2
        if k < last:
            a += transition[k]
        total = a + b
        if total > _SMALLEST:
            per = 1.0 / total
            for i in range(first, last):
                transition[i] *= per
        else:
            for i in range(first, last):
                transition[i] = transition[i] / total if total > 0.0 else 1.0 / (last - first)
    return transition


@kernel
def chain_flow(start: Integers | Offsets, head: Integers | Offsets, transition: Floats) -> tuple[Floats, Floats]:
    """Return the probabilities of visiting each edge and each vertex."""
    mass = np.zeros(start.size - 1)
    mass[0] = 1.0
    flow = np.empty(head.size)
    for u in range(mass.size):
        for k in range(start[u], start[u + 1]):
            flow[k] = mass[u] * transition[k]
            mass[head[k]] += flow[k]
    return flow, mass


@kernel
def chain_draw(
    start: Integers, head: Integers, edge: Integers, transition: Floats, uniform: Floats, dimension: int
) -> Integers:
    """Walk from the source to the sink, one uniform number per step; rounding never leads along an edge of probability 0."""
    action = np.zeros(dimension, dtype=np.int64)
    u = 0
    step = 0
    while u < start.size - 2:
        left = uniform[step]
        chosen = -1
        for k in range(start[u], start[u + 1]):
            if transition[k] > 0.0:
                chosen = k
                left -= transition[k]
                if left < 0.0:
                    break
        action[edge[chosen]] = 1
        u = head[chosen]
        step += 1
    return action


@kernel
def chain_moment(
    start: Integers, head: Integers, edge: Integers, transition: Floats, flow: Floats, mass: Floats, vector: Floats
) -> Floats:
    """Return E[M (M·v)] in two passes over the edges.

    Given that edge e from u to w is visited, what comes before u and what comes after w are independent: the expectation
    of M·v is (what u expects behind it) + v_e + (what w expects ahead of it).
    """
    n = mass.size
    ahead = np.empty(n)
    ahead[n - 1] = 0.0
    for u in range(n - 2, -1, -1):
        total = 0.0
        for k in range(start[u], start[u + 1]):
            total += transition[k] * (vector[edge[k]] + ahead[head[k]])
        ahead[u] = total
    behind = np.zeros(n)
    result = np.zeros(vector.size)
    for u in range(n - 1):
        past = behind[u] / mass[u] if mass[u] > 0.0 else 0.0
        for k in range(start[u], start[u + 1]):
            so_far = flow[k] * (past + vector[edge[k]])
            behind[head[k]] += so_far
            result[edge[k]] = so_far + flow[k] * ahead[head[k]]
    return result


@kernel
def chain_cooccurrence(
    start: Integers, head: Integers, edge: Integers, transition: Floats, flow: Floats, dimension: int
) -> Floats:
    """Return P(e and f visited) = flow(e) · P(head of e reaches tail of f) · transition(f) for f after e."""
    n = start.size - 1
    result = np.zeros((dimension, dimension))
    reach = np.empty(n)
    arrives = np.zeros(n)
    for w in range(n):
        reach[:] = 0.0
        reach[w] = 1.0
        for u in range(w, n):
            if reach[u] > 0.0:
                for k in range(start[u], start[u + 1]):
                    reach[head[k]] += reach[u] * transition[k]
        for v in range(w):
            for e in range(start[v], start[v + 1]):
                if head[e] != w or flow[e] == 0.0:
                    continue
                row = result[edge[e]]
                row[edge[e]] = flow[e]
                for u in range(w, n):
                    arrives[u] = flow[e] * reach[u]
                    for k in range(start[u], start[u + 1]):
                        row[edge[k]] = arrives[u] * transition[k]
    for i in range(dimension):
        for j in range(i):
            together = max(result[i, j], result[j, i])
            result[i, j] = together
            result[j, i] = together
    return result
