"""The Gibbs policy of spanning trees as matrices: the transfer current of the scaled cuts, marginals, moments, variance.

With R from ``scaled_cuts``, K = Rᵀ (R Rᵀ)⁻¹ R is kept as K = C Cᵀ, one row of C an
edge. Sums run in one fixed order, so that stepped and compiled play agree to the last bit.
"""

import numpy as np

from swapregret.actions.graphs.kernels.kruskal import heaviest_forest, root_forest
from swapregret.actions.graphs.kernels.spanning_tree_gibbs import walk_bound, walk_table
from swapregret.arrays import Floats, Integers
from swapregret.compiled.cholesky import cholesky
from swapregret.compiled.kernel import kernel
from swapregret.compiled.selection import in_order
from swapregret.compiled.vectors import centred, dot


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
