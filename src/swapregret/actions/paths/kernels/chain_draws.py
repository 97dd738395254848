"""Compiled Markov chains on the edges of a graph.

The graph is as in ``kernels.dag``. A chain leaves vertex u by edge k with probability ``transition[k]``; it visits u with
probability ``mass[u]`` and edge k with probability ``flow[k]``.
"""

import numpy as np

from swapregret.actions.paths.kernels.dag import Places
from swapregret.arrays import Floats, Integers
from swapregret.compiled.kernel import kernel

_SMALLEST = 1e-290


@kernel
def gibbs_transition(start: Integers | Places, head: Integers | Places, scores: Floats, to_sink: Floats) -> Floats:
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
def chain_flow(start: Integers | Places, head: Integers | Places, transition: Floats) -> tuple[Floats, Floats]:
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
