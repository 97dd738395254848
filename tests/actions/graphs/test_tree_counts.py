"""Counts of spanning forests, against fraction-free determinants."""

from fractions import Fraction

import numpy as np

from swapregret.actions.graphs.kernels.tree_counts import forests_modulo
from swapregret.actions.graphs.undirected import UndirectedGraph


def elimination_rows(tails, heads, n):
    """Return in which order vertices are taken out, and their neighbours then."""
    return UndirectedGraph(tuple(range(n)), (), tails, heads, ())._elimination


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


def test_counts_modulo_primes_agree_with_the_determinant_of_the_laplacian():
    """On random connected multigraphs the residues are those of the exact count, which the product of the degrees bounds."""
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
        rows = elimination_rows(tails, heads, n)
        assert exact <= np.bincount(np.append(tails, heads)).prod()  # so many primes are enough
        for prime in (2**31 - 1, 65_537, 101):
            residue = forests_modulo(tails, heads, *rows, prime)
            assert residue in (exact % prime, -1)
        assert forests_modulo(tails, heads, *rows, 2**31 - 1) == exact % (2**31 - 1)


def test_a_sum_that_vanishes_is_reported():
    """Three parallel edges have the sum 3, which is 0 modulo 3."""
    tails, heads = np.array([0, 0, 0]), np.array([1, 1, 1])
    rows = elimination_rows(tails, heads, 2)
    assert forests_modulo(tails, heads, *rows, 3) == -1
    assert forests_modulo(tails, heads, *rows, 5) == 3
