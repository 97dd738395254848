r"""The policy p(T) ∝ exp(Σ_{e ∈ T} s_e) over spanning trees: its matrices, Wilson's sampler and the chain-rule sampler.

The graph may have several components; a tree then is a forest with as many edges as possible. Write the signed incidence
matrix in the basis of a *heaviest* forest F and scale its columns by the weights: :math:`R = [\,I \mid Q\,]` with
:math:`Q_{tc} = \pm e^{(s_c - s_t)/2}` for t on the cycle that c closes with F. No entry is larger than 1, because F is heaviest.
Then :math:`\sum_T e^{s(T)} = e^{s(F)} \det(R R^\top)`, and the transfer current matrix is the projection
:math:`K = R^\top (R R^\top)^{-1} R` with :math:`R R^\top \succeq I`: no spread of the scores makes it ill-conditioned.
It is kept as :math:`K = C C^\top`, one row of C an edge. Sums run in one fixed order, so that stepped and compiled play agree to
the last bit.
"""

import numpy as np
import numpy.typing as npt

from swapregret.actions.graphs.kernels.kruskal import find_root, heaviest_forest, root_forest
from swapregret.arrays import Floats, Integers
from swapregret.compiled.cholesky import cholesky
from swapregret.compiled.kernel import kernel
from swapregret.compiled.selection import in_order
from swapregret.compiled.vectors import centred, dot


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
        # strike out what would close a cycle, and draw one of the others in proportion to what is left of it
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
        # the column of the edge, orthogonal to those before (twice, against rounding), is projected out of all others
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


@kernel
def root_order(scores: Floats, tails: Integers, heads: Integers, n_vertices: int) -> Integers:
    """Return the vertices by decreasing weight of the edges at them, the lowest number first on ties."""
    top = -np.inf
    for edge in range(scores.size):
        top = max(top, scores[edge])
    degrees = np.zeros(n_vertices)
    for edge in range(scores.size):
        weight = np.exp(scores[edge] - top)
        degrees[tails[edge]] += weight
        degrees[heads[edge]] += weight
    return in_order(-degrees)


@kernel
def hang_heaviest(
    scores: Floats, size: int, tails: Integers, heads: Integers, starts: Integers, edges: Integers, ends: Integers
) -> tuple[Integers, Integers, Integers, Integers]:
    """Return the heaviest forest, hung from the vertices of largest weight: chosen edges, edges upwards, depths, order."""
    n = starts.size - 1
    chosen = heaviest_forest(scores, tails, heads, n, size)
    up, depths, order = root_forest(chosen, root_order(scores, tails, heads, n), starts, edges, ends)
    return chosen, up, depths, order


@kernel
def short_walk(
    scores: Floats,
    size: int,
    up: Integers,
    order: Integers,
    tails: Integers,
    heads: Integers,
    starts: Integers,
    edges: Integers,
) -> Floats:
    """Return the steps of the random walk that draws; none where drawing edge by edge is the faster way."""
    s = centred(scores, True)
    affordable = 64.0 * (starts.size - 1) + 0.05 * size * size * s.size
    if walk_bound(s, up, order, tails, heads, starts, edges) <= affordable:
        return walk_table(s, starts, edges)
    return np.empty(0)


@kernel
def reduce_cuts(cuts: Floats) -> tuple[Floats, float]:
    """Return C, and log det R Rᵀ / 2."""
    r, d = cuts.shape
    gram = np.empty((r, r))
    for i in range(r):
        for j in range(i, r):
            gram[i, j] = dot(cuts[i], cuts[j])
    factor, _ = cholesky(gram)
    rows = cuts.copy()
    logarithm = 0.0
    for k in range(r):
        row = rows[k]
        for j in range(k):
            p, other = factor[j, k], rows[j]
            for i in range(d):
                row[i] -= p * other[i]
        root = factor[k, k]
        logarithm += np.log(root)
        for i in range(d):
            row[i] /= root
    return rows.T.copy(), logarithm


@kernel
def tree_marginals(columns: Floats) -> Floats:
    """Return K_ee, at most 1."""
    result = np.empty(len(columns))
    for edge in range(result.size):
        result[edge] = min(dot(columns[edge], columns[edge]), 1.0)
    return result


@kernel
def tree_squared(columns: Floats, squared: Floats) -> None:
    """Write K∘K, the upper triangle alone; four columns of C are taken in at once."""
    d, r = columns.shape
    rows = columns.T.copy()
    for i in range(d):
        line, weights = squared[i, i:], columns[i]
        for j in range(line.size):
            line[j] = 0.0
        k = 0
        while k + 4 <= r:
            p, q, s, t = weights[k], weights[k + 1], weights[k + 2], weights[k + 3]
            a, b, c, e = rows[k, i:], rows[k + 1, i:], rows[k + 2, i:], rows[k + 3, i:]
            for j in range(line.size):
                line[j] += (p * a[j] + q * b[j]) + (s * c[j] + t * e[j])
            k += 4
        while k < r:
            p, a = weights[k], rows[k, i:]
            for j in range(line.size):
                line[j] += p * a[j]
            k += 1
        for j in range(line.size):
            line[j] *= line[j]


@kernel
def tree_moment_on(x: Floats, squared: Floats, coordinates: Integers, moment: Floats) -> None:
    """Write Σ = xxᵀ − K∘K with diagonal x, on some coordinates, the upper triangle alone."""
    for a in range(coordinates.size):
        i, line = coordinates[a], moment[a]
        line[a] = x[i]
        for b in range(a + 1, coordinates.size):
            j = coordinates[b]
            line[b] = max(x[i] * x[j] - squared[min(i, j), max(i, j)], 0.0)


@kernel
def tree_variance(x: Floats, squared: Floats, vector: Floats) -> float:
    """Return Var(M·v) = Σ x v² − vᵀ (K∘K) v."""
    total = 0.0
    for i in range(x.size):
        own, above = (x[i] - squared[i, i]) * vector[i], dot(squared[i, i + 1 :], vector[i + 1 :])
        total += vector[i] * (own - 2.0 * above)
    return max(total, 0.0)
