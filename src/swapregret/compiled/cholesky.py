"""Cholesky factor and solve, in one fixed order of operations: the same bits whatever the number of BLAS threads.

Rows of the upper factor are combined four at a time, and four rows take them in at once, so that what is read once is used four
times; the compiler makes vector instructions of it without reordering any sum. Up to a few hundred rows this is faster than
LAPACK. Blocks of zeros are passed over: Σ is sparse on paths, where most elements never meet.
"""

import numpy as np

from swapregret.arrays import Floats
from swapregret.compiled.kernel import kernel
from swapregret.compiled.vectors import dot

CUT = 1e-12
"""Eigenvalues below this share of the largest are taken for 0 where Σ is singular to working precision."""


@kernel
def _is_nothing(flat: Floats, at: np.uint64, size: np.uint64) -> bool:
    """Tell whether a block of four by four entries is zero."""
    for i in range(4):
        for j in range(4):
            if flat[at + np.uint64(i) * size + np.uint64(j)] != 0.0:
                return False
    return True


@kernel
def _take_in(flat: Floats, n: int, target: int) -> None:
    """Subtract from rows target..target+3 all rows above them, as often as their own columns say.

    ``flat`` is a square matrix, row by row; rows are read from column ``target`` on. Indices have no sign: they need not be
    checked for one.
    """
    size, first = np.uint64(n), np.uint64(target)
    one, two, three, four = np.uint64(1), np.uint64(2), np.uint64(3), np.uint64(4)
    e = first * size
    f, g, h = e + size, e + two * size, e + three * size
    k = np.uint64(0)
    while k < first:
        a = k * size
        if _is_nothing(flat, a + first, size):
            k += four
            continue
        # how often the four rows a..d go into each of the four rows e..h: p, q, r, s
        b, c, d = a + size, a + two * size, a + three * size
        at = first
        p0, p1, p2, p3 = flat[a + at], flat[b + at], flat[c + at], flat[d + at]
        at += one
        q0, q1, q2, q3 = flat[a + at], flat[b + at], flat[c + at], flat[d + at]
        at += one
        r0, r1, r2, r3 = flat[a + at], flat[b + at], flat[c + at], flat[d + at]
        at += one
        s0, s1, s2, s3 = flat[a + at], flat[b + at], flat[c + at], flat[d + at]
        # four columns at a time: 64 products of 32 numbers that were read once
        j = first
        while j + four <= size:
            a0, a1, a2, a3 = flat[a + j], flat[a + j + one], flat[a + j + two], flat[a + j + three]
            b0, b1, b2, b3 = flat[b + j], flat[b + j + one], flat[b + j + two], flat[b + j + three]
            c0, c1, c2, c3 = flat[c + j], flat[c + j + one], flat[c + j + two], flat[c + j + three]
            d0, d1, d2, d3 = flat[d + j], flat[d + j + one], flat[d + j + two], flat[d + j + three]
            e0 = flat[e + j] - ((p0 * a0 + p1 * b0) + (p2 * c0 + p3 * d0))
            e1 = flat[e + j + one] - ((p0 * a1 + p1 * b1) + (p2 * c1 + p3 * d1))
            e2 = flat[e + j + two] - ((p0 * a2 + p1 * b2) + (p2 * c2 + p3 * d2))
            e3 = flat[e + j + three] - ((p0 * a3 + p1 * b3) + (p2 * c3 + p3 * d3))
            f0 = flat[f + j] - ((q0 * a0 + q1 * b0) + (q2 * c0 + q3 * d0))
            f1 = flat[f + j + one] - ((q0 * a1 + q1 * b1) + (q2 * c1 + q3 * d1))
            f2 = flat[f + j + two] - ((q0 * a2 + q1 * b2) + (q2 * c2 + q3 * d2))
            f3 = flat[f + j + three] - ((q0 * a3 + q1 * b3) + (q2 * c3 + q3 * d3))
            g0 = flat[g + j] - ((r0 * a0 + r1 * b0) + (r2 * c0 + r3 * d0))
            g1 = flat[g + j + one] - ((r0 * a1 + r1 * b1) + (r2 * c1 + r3 * d1))
            g2 = flat[g + j + two] - ((r0 * a2 + r1 * b2) + (r2 * c2 + r3 * d2))
            g3 = flat[g + j + three] - ((r0 * a3 + r1 * b3) + (r2 * c3 + r3 * d3))
            h0 = flat[h + j] - ((s0 * a0 + s1 * b0) + (s2 * c0 + s3 * d0))
            h1 = flat[h + j + one] - ((s0 * a1 + s1 * b1) + (s2 * c1 + s3 * d1))
            h2 = flat[h + j + two] - ((s0 * a2 + s1 * b2) + (s2 * c2 + s3 * d2))
            h3 = flat[h + j + three] - ((s0 * a3 + s1 * b3) + (s2 * c3 + s3 * d3))
            flat[e + j], flat[e + j + one], flat[e + j + two], flat[e + j + three] = e0, e1, e2, e3
            flat[f + j], flat[f + j + one], flat[f + j + two], flat[f + j + three] = f0, f1, f2, f3
            flat[g + j], flat[g + j + one], flat[g + j + two], flat[g + j + three] = g0, g1, g2, g3
            flat[h + j], flat[h + j + one], flat[h + j + two], flat[h + j + three] = h0, h1, h2, h3
            j += four
        while j < size:
            a0, b0, c0, d0 = flat[a + j], flat[b + j], flat[c + j], flat[d + j]
            flat[e + j] -= (p0 * a0 + p1 * b0) + (p2 * c0 + p3 * d0)
            flat[f + j] -= (q0 * a0 + q1 * b0) + (q2 * c0 + q3 * d0)
            flat[g + j] -= (r0 * a0 + r1 * b0) + (r2 * c0 + r3 * d0)
            flat[h + j] -= (s0 * a0 + s1 * b0) + (s2 * c0 + s3 * d0)
            j += one
        k += four


@kernel
def _finish_rows(factor: Floats, first: int) -> None:
    """Write what four rows are behind their diagonal block, which is done: each less those above it, over its root."""
    last = first + 4
    block, e, f, g, h = (
        factor[first:last, first:last],
        factor[first, last:],
        factor[first + 1, last:],
        factor[first + 2, last:],
        factor[first + 3, last:],
    )
    p1, p2, p3 = block[0, 1], block[0, 2], block[0, 3]
    q2, q3, r3 = block[1, 2], block[1, 3], block[2, 3]
    s0, s1, s2, s3 = 1.0 / block[0, 0], 1.0 / block[1, 1], 1.0 / block[2, 2], 1.0 / block[3, 3]
    for j in range(e.size):
        a = e[j] * s0
        b = (f[j] - p1 * a) * s1
        c = ((g[j] - p2 * a) - q2 * b) * s2
        d = (((h[j] - p3 * a) - q3 * b) - r3 * c) * s3
        e[j], f[j], g[j], h[j] = a, b, c, d


@kernel
def factorise(factor: Floats) -> bool:
    """Write the upper factor U of a symmetric matrix over it, A = Uᵀ U; tell whether all pivots were safely positive.

    A pivot below 1e-14 of its diagonal entry has lost all its digits. Only the upper triangle is read and written.
    """
    n = factor.shape[0]
    flat, diagonal = factor.reshape(-1), np.diag(factor).copy()
    for first in range(0, n, 4):
        last = min(first + 4, n)
        if last == first + 4:
            _take_in(flat, n, first)
        else:
            for k in range(0, first, 4):
                for i in range(first, n):
                    p, q, r, s = factor[k, i], factor[k + 1, i], factor[k + 2, i], factor[k + 3, i]
                    for j in range(i, n):
                        a, b, c, d = factor[k, j], factor[k + 1, j], factor[k + 2, j], factor[k + 3, j]
                        factor[i, j] -= (p * a + q * b) + (r * c + s * d)
        for i in range(first, last):
            row = factor[i, i:last]
            for k in range(first, i):
                a = factor[k, i:last]
                p = a[0]
                for j in range(row.size):
                    row[j] -= p * a[j]
            pivot = row[0]
            if not pivot > 1e-14 * diagonal[i]:
                return False
            root = np.sqrt(pivot)
            scale = 1.0 / root
            row[0] = root
            for j in range(1, row.size):
                row[j] *= scale
        if last < n:
            _finish_rows(factor, first)
    return True


@kernel
def cholesky(matrix: Floats) -> tuple[Floats, bool]:
    """Return the upper factor of a symmetric matrix, which stays as it is, and whether all pivots were safely positive."""
    factor = matrix.copy()
    return factor, factorise(factor)


@kernel
def cholesky_solve(factor: Floats, right: Floats) -> Floats:
    """Solve Uᵀ U y = b."""
    n = right.size
    result = right.copy()
    for i in range(n):
        row, rest = factor[i, i:], result[i:]
        value = rest[0] / row[0]
        rest[0] = value
        for j in range(1, rest.size):
            rest[j] -= value * row[j]
    solve_upper(factor, result)
    return result


@kernel
def solve_upper(factor: Floats, result: Floats) -> None:
    """Solve U y = b, in place."""
    n = result.size
    for first in range(4 * ((n - 1) // 4), -1, -4):
        last = min(first + 4, n)
        for i in range(first, last):  # four sums at once: none waits for another
            result[i] -= dot(factor[i, last:], result[last:])
        for i in range(last - 1, first - 1, -1):
            for j in range(i + 1, last):
                result[i] -= factor[i, j] * result[j]
            result[i] /= factor[i, i]


@kernel
def recover(sigma: Floats) -> Floats:
    """Return the pseudo-inverse of Σ, for one that is singular to working precision; only its upper triangle is read."""
    n = sigma.shape[0]
    full = sigma.copy()
    for i in range(n):
        for j in range(i):
            full[i, j] = full[j, i]
    values, vectors = np.linalg.eigh(full)
    least = CUT * max(values[n - 1], 0.0)
    result = np.zeros((n, n))
    for k in range(n):
        if values[k] > least:
            for i in range(n):
                part = vectors[i, k] / values[k]
                for j in range(n):
                    result[i, j] += part * vectors[j, k]
    return result
