"""Compiled inner loops of paths in a directed acyclic graph: best path, membership, sums over all paths.

Graph, here and in every kernel of paths: vertices 0..n-1 in topological order, 0 the source, n-1 the sink, all of them on some
path; the edges that leave u are ``start[u]..start[u+1]-1``, edge k enters ``head[k]`` and is coordinate ``edge[k]`` of the
action set. Sums over paths are kept as logarithms.
"""

import numpy as np
import numpy.typing as npt

from swapregret.arrays import Floats, Integers
from swapregret.compiled.kernel import kernel

Places = npt.NDArray[np.uint64]
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
def best_value(start: Integers | Places, head: Integers | Places, gains: Floats) -> float:
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
def log_sums_to_sink(start: Integers | Places, head: Integers | Places, scores: Floats) -> Floats:
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
def log_sums_from_source(start: Integers | Places, head: Integers | Places, scores: Floats) -> Floats:
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
