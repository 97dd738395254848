"""Counts of spanning forests, against fraction-free determinants."""

from fractions import Fraction

import numpy as np

from swapregret.actions.graphs.undirected import UndirectedGraph


def determinant(matrix):
    """Return an exact determinant by elimination in fractions."""
    rows = [[Fraction(int(entry)) for entry in row] for row in matrix]
    result = Fraction(1)
    for i in range(len(rows)):
        pivot = next((j for j in range(i, len(rows)) if rows[j][i] != 0), None)
        if pivot is None:
            return 0
        if pivot != i:
            rows[i], rows[pivot] = rows[pivot], rows[i]
            result = -result
        result *= rows[i][i]
        for j in range(i + 1, len(rows)):
            factor = rows[j][i] / rows[i][i]
            rows[j] = [x - factor * y for x, y in zip(rows[j], rows[i], strict=True)]
    return int(result)


def test_counts_agree_with_the_determinant_of_the_laplacian():
    """On random connected multigraphs the count is the determinant, which the product of the degrees bounds."""
    rng = np.random.default_rng(5)
    for _ in range(30):
        n = int(rng.integers(2, 12))
        tree = [(v, int(rng.integers(v))) for v in range(1, n)]
        more = [tuple(rng.choice(n, 2, replace=False).tolist()) for _ in range(rng.integers(0, 20))]
        tails, heads = np.array(tree + more, dtype=np.int64).T.copy()
        laplacian = np.zeros((n, n), dtype=np.int64)
        for u, v in zip(tails, heads, strict=True):
            laplacian[u, u] += 1
            laplacian[v, v] += 1
            laplacian[u, v] -= 1
            laplacian[v, u] -= 1
        exact = determinant(laplacian[1:, 1:])
        assert exact <= np.bincount(np.append(tails, heads)).prod()  # so a prime above that is enough
        assert UndirectedGraph(tuple(range(n)), (), tails, heads, ()).n_forests == exact


def test_large_counts_are_exact():
    """Cayley: n vertices have nⁿ⁻² trees; a bundle of k parallel edges has k."""
    tails, heads = np.triu_indices(40, 1)
    assert UndirectedGraph(tuple(range(40)), (), tails, heads, ()).n_forests == 40**38
    bundle = np.zeros(2**7 - 1, dtype=np.int64)  # a small prime would divide the only sum
    assert UndirectedGraph((0, 1), (), bundle, bundle + 1, ()).n_forests == 2**7 - 1
