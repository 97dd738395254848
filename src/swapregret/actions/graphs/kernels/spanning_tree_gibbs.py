r"""The policy p(T) ∝ exp(Σ_{e ∈ T} s_e) over spanning trees: its matrices, Wilson's sampler and the chain-rule sampler.

The graph may have several components; a tree then is a forest with as many edges as possible. Write the signed incidence
matrix in the basis of a *heaviest* forest F and scale its columns by the weights: :math:`R = [\,I \mid Q\,]` with
:math:`Q_{tc} = \pm e^{(s_c - s_t)/2}` for t on the cycle that c closes with F. No entry is larger than 1, because F is heaviest.
Then :math:`\sum_T e^{s(T)} = e^{s(F)} \det(R R^\top)`, and the transfer current matrix is the projection
:math:`K = R^\top (R R^\top)^{-1} R` with :math:`R R^\top \succeq I`: no spread of the scores makes it ill-conditioned.
"""

import numpy as np
import numpy.typing as npt

from swapregret.actions.graphs.kernels.kruskal import find_root
from swapregret.arrays import Floats, Integers
from swapregret.compiled.kernel import kernel
from swapregret.compiled.vectors import dot


@kernel
def scaled_cuts(
    scores: Floats, chosen: Integers, up: Integers, depths: Integers, tails: Integers, heads: Integers
) -> npt.NDArray[np.float64]:
    """Return R, one row for each edge of the chosen heaviest forest, in increasing order."""
    d = scores.size
    row_of = np.cumsum(chosen) - 1
    R = np.zeros((int(chosen.sum()), d))
    for edge in range(d):
        if chosen[edge]:
            R[row_of[edge], edge] = 1.0
            continue
        u, v = tails[edge], heads[edge]
        while u != v:
            if depths[u] >= depths[v]:
                step, sign = up[u], 1.0
                u = tails[step] + heads[step] - u
            else:
                step, sign = up[v], -1.0
                v = tails[step] + heads[step] - v
            R[row_of[step], edge] = sign * np.exp(0.5 * (scores[edge] - scores[step]))
    return R


@kernel
def walk_table(scores: Floats, starts: Integers, edges: Integers) -> Floats:
    """Return the cumulative probabilities of the steps of the random walk at every vertex."""
    steps = np.empty(edges.size)
    for vertex in range(starts.size - 1):
        low, high = starts[vertex], starts[vertex + 1]
        top = -np.inf
        for index in range(low, high):
            top = max(top, scores[edges[index]])
        total = 0.0
        for index in range(low, high):
            total += np.exp(scores[edges[index]] - top)
            steps[index] = total
        for index in range(low, high):
            steps[index] /= total
    return steps


@kernel
def walk_bound(
    scores: Floats, up: Integers, order: Integers, tails: Integers, heads: Integers, starts: Integers, edges: Integers
) -> float:
    """Bound the expected steps of Wilson's sampler: Σ_v degree(v)·resistance(v, root) along the forest, possibly infinite."""
    resistance = np.zeros(order.size)
    total = 0.0
    for vertex in order:
        step = up[vertex]
        if step >= 0:
            parent = tails[step] + heads[step] - vertex
            resistance[vertex] = resistance[parent] + np.exp(-scores[step])
            for index in range(starts[vertex], starts[vertex + 1]):
                total += np.exp(scores[edges[index]]) * resistance[vertex]
    return total


@kernel
def draw_by_walk(
    rng: np.random.Generator, steps: Floats, up: Integers, starts: Integers, edges: Integers, ends: Integers
) -> Integers:
    """Draw a forest by Wilson's algorithm: loop-erased random walks until all vertices hang together.

    Vertices with ``up`` = −1 are the roots.
    """
    n = up.size
    is_in = up < 0
    way = np.empty(n, dtype=np.int64)
    action = np.zeros(edges.size // 2, dtype=np.int64)
    for start in range(n):
        vertex = start
        while not is_in[vertex]:
            level = rng.random()
            low, high = starts[vertex], starts[vertex + 1] - 1
            while low < high:
                middle = (low + high) // 2
                if steps[middle] > level:
                    high = middle
                else:
                    low = middle + 1
            way[vertex] = low
            vertex = ends[low]
        vertex = start
        while not is_in[vertex]:
            is_in[vertex] = True
            action[edges[way[vertex]]] = 1
            vertex = ends[way[vertex]]
    return action


@kernel
def draw_by_chain(
    rng: np.random.Generator, columns: npt.NDArray[np.float64], tails: Integers, heads: Integers, n_vertices: int
) -> Integers:
    """Draw a forest edge by edge from the projection K = columns @ columns.T, ``columns`` (d, r) being orthonormal.

    Given the edges drawn so far, the next has probability proportional to what is left of its column when theirs are projected out.
    Edges that would close a cycle have nothing left; they are struck out so that rounding cannot bring one back.
    """
    d, r = columns.shape
    parents = np.arange(n_vertices)
    action = np.zeros(d, dtype=np.int64)
    chances = np.empty(d)
    for edge in range(d):
        chances[edge] = dot(columns[edge], columns[edge])
    drawn = np.empty((r, r))
    for count in range(r):
        total = 0.0
        for edge in range(d):
            if chances[edge] > 0.0:
                if action[edge] or find_root(parents, tails[edge]) == find_root(parents, heads[edge]):
                    chances[edge] = 0.0
                total += chances[edge]
        level = rng.random() * total
        pick = -1
        for edge in range(d):
            if chances[edge] > 0.0:
                pick = edge
                level -= chances[edge]
                if level < 0.0:
                    break
        action[pick] = 1
        parents[find_root(parents, heads[pick])] = find_root(parents, tails[pick])
        if count == r - 1:
            break
        direction = drawn[count]
        direction[:] = columns[pick]
        for _ in range(2):
            for before in range(count):
                direction -= dot(drawn[before], direction) * drawn[before]
        direction /= np.sqrt(dot(direction, direction))
        for edge in range(d):
            if chances[edge] > 0.0:
                chances[edge] -= dot(columns[edge], direction) ** 2
    return action
