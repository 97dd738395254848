r"""Σ⁺M for mixtures of pivotal laws and the uniform law over m-sets, without a matrix and without iterating.

The laws have weights :math:`w_c` and marginals :math:`x_c = m/d + \tilde x_c`, the uniform law has weight γ. All sets have m
elements, so :math:`\Sigma 1 = m \bar x` with :math:`\bar x` the marginals of the mixture, and what is left is to solve with
its covariance, on vectors that add up to 0:

.. math:: A + \sum_c w_c \tilde x_c \tilde x_c^\top - \tilde x \tilde x^\top,\quad A = \alpha I + \sum_c w_c \mathrm{Cov}_c,\quad
          \tilde x = \sum_c w_c \tilde x_c,

α the γ-fold variance of the uniform law. Along the line A is the covariance of a sum of processes with one number of state each
(the n of ``kernels.pivotal``, times :math:`\sqrt{w_c}`) and of white noise. So it is factored as Kalman's filter does: with P the
covariance of the states given what came before, :math:`q = Ph`, :math:`f = 1 - h`,

.. math:: s = \alpha + \sum_c w_c v_c + h^\top q,\quad t = f \circ q - w \circ v,\quad k = t/s,\quad
          P' = f f^\top \circ P + \mathrm{diag}(w \circ v) - k t^\top,

s is the pivot of the element, k its gain. A right side r is turned into innovations :math:`o = r - h^\top z`,
:math:`z' = f \circ z + k o`; from the last element to the first :math:`y = o/s + k^\top l`, :math:`l' = f \circ l - h y`. The
terms of low rank enter by the formula of Woodbury. O(n²) an element for n laws, O(n) an action after that.

Up to three laws are written out, for speed; more are in ``kernels.pivotal_many``.
"""

from typing import NamedTuple

import numpy as np

from swapregret.actions.m_sets.kernels.pivotal_many import factor_many, finish_many, sift_many, weigh_many
from swapregret.arrays import Floats, Integers
from swapregret.compiled.cholesky import cholesky, cholesky_solve
from swapregret.compiled.kernel import kernel
from swapregret.compiled.vectors import dot

WIDTH = 3
"""Up to how many laws are written out."""
_ROUNDING = 1e-15


class Pivots(NamedTuple):
    """Pivotal laws, one per slot: ``share``, ``noise`` and ``point`` of ``pivotal_law``."""

    share: Floats
    noise: Floats
    point: Floats


class Sieve(NamedTuple):
    """The factor of a mixture.

    Attributes
    ----------
    slots : int64 array, shape (n,)
        The laws of the mixture; at least three, with weight 0 where there are fewer.
    roots : float64 array, shape (n,)
        √w_c.
    gain, columns : float64 arrays, shape (3, d), or (d, n) for more than three laws
        k of each element, and the innovations of √w_c x̃_c.
    per : float64 array, shape (d,)
        1/s of each element.
    gram, factor : float64 arrays, shape (n, n)
        Products of the columns with A⁻¹, above the diagonal; the factor of I + √w √wᵀ/γ + gram.
    ratio : float64 array, shape (1,)
        What rounding may leave of a right side: the trace of that, whose eigenvalues are 1 and more, times 1e-15.
    """

    slots: Integers
    roots: Floats
    gain: Floats
    columns: Floats
    per: Floats
    gram: Floats
    factor: Floats
    ratio: Floats


@kernel
def empty_sieve(n_laws: int, dimension: int) -> Sieve:
    """Return room for the factor of a mixture of at most so many laws."""
    n = max(n_laws, WIDTH)
    return Sieve(
        np.zeros(n, dtype=np.int64),
        np.zeros(n),
        np.empty((n, dimension)),
        np.empty((n, dimension)),
        np.empty(dimension),
        np.zeros((n, n)),
        np.zeros((n, n)),
        np.zeros(1),
    )


@kernel
def sieve_in(room: Sieve, n_laws: int) -> Sieve:
    """Return the part of some room that the factor of a mixture of so many laws takes."""
    n, d = max(n_laws, WIDTH), room.per.size
    shape = (d, n) if n > WIDTH else (n, d)
    return Sieve(
        room.slots[:n],
        room.roots[:n],
        room.gain.reshape(-1)[: n * d].reshape(shape),
        room.columns.reshape(-1)[: n * d].reshape(shape),
        room.per,
        room.gram.reshape(-1)[: n * n].reshape((n, n)),
        room.factor.reshape(-1)[: n * n].reshape((n, n)),
        room.ratio,
    )


@kernel
def factor_into(
    sieve: Sieve,
    pivots: Pivots,
    slots: Integers,
    weights: Floats,
    alpha: float,
    explore: float,
    action: Integers,
    size: int,
) -> Floats:
    """Factor Σ of the laws in some slots with the uniform law, whose weight is ``explore``; sift an action on the way."""
    n = slots.size
    for c in range(sieve.slots.size):
        sieve.slots[c] = slots[c] if c < n else (slots[0] if n else 0)
        sieve.roots[c] = np.sqrt(weights[c]) if c < n else 0.0
    if n > WIDTH:
        share, noise, point = pivots.share, pivots.noise, pivots.point
        mean = size / action.size
        least = factor_many(
            share, noise, point, slots, weights, alpha, mean, sieve.gain, sieve.columns, sieve.per, sieve.gram
        )
        _close(sieve, explore, least)
        return sift_action(pivots, sieve, action, size)
    return _factor_three(sieve, pivots, weights, alpha, explore, action, size)


@kernel
def _close(sieve: Sieve, explore: float, least: float) -> None:
    """Factor what is of low rank; ``least`` is the least of 1/s, which must be positive."""
    n = sieve.slots.size
    roots, gram, small, trace = sieve.roots, sieve.gram, np.empty((n, n)), 0.0
    for c in range(n):
        for e in range(c, n):
            small[c, e] = gram[c, e] + roots[c] * roots[e] / explore
        small[c, c] += 1.0
        trace += small[c, c]
    factor, _ = cholesky(small)
    sieve.factor[:] = factor
    sieve.ratio[0] = _ROUNDING * trace if least > 0.0 and explore > 0.0 else np.inf


@kernel
def _factor_three(
    sieve: Sieve, pivots: Pivots, weights: Floats, alpha: float, explore: float, action: Integers, size: int
) -> Floats:
    """Do so for three laws: filter, columns and action in one pass."""
    d, n, slots = action.size, weights.size, sieve.slots
    h_0, h_1, h_2 = pivots.share[slots[0]], pivots.share[slots[1]], pivots.share[slots[2]]
    v_0, v_1, v_2 = pivots.noise[slots[0]], pivots.noise[slots[1]], pivots.noise[slots[2]]
    x_0, x_1, x_2 = pivots.point[slots[0]], pivots.point[slots[1]], pivots.point[slots[2]]
    gain, columns, per, sifted = sieve.gain, sieve.columns, sieve.per, np.empty(d)
    k_0, k_1, k_2, o_0, o_1, o_2 = gain[0], gain[1], gain[2], columns[0], columns[1], columns[2]
    w0, w1, w2 = weights[0] if n else 0.0, weights[1] if n > 1 else 0.0, weights[2] if n > 2 else 0.0
    r0, r1, r2, mean = sieve.roots[0], sieve.roots[1], sieve.roots[2], size / d
    p00, p01, p02, p11, p12, p22 = 0.0, 0.0, 0.0, 0.0, 0.0, 0.0
    a0, a1, a2, a3 = 0.0, 0.0, 0.0, 0.0
    b0, b1, b2, b3 = 0.0, 0.0, 0.0, 0.0
    c0, c1, c2, c3 = 0.0, 0.0, 0.0, 0.0
    g00, g01, g02, g11, g12, g22 = 0.0, 0.0, 0.0, 0.0, 0.0, 0.0
    least = np.inf
    for i in range(d):
        h0, h1, h2 = h_0[i], h_1[i], h_2[i]
        n0, n1, n2 = w0 * v_0[i], w1 * v_1[i], w2 * v_2[i]
        f0, f1, f2 = 1.0 - h0, 1.0 - h1, 1.0 - h2
        q0 = (p00 * h0 + p01 * h1) + p02 * h2
        q1 = (p01 * h0 + p11 * h1) + p12 * h2
        q2 = (p02 * h0 + p12 * h1) + p22 * h2
        over = 1.0 / (((alpha + ((n0 + n1) + n2)) + q0 * h0) + (q1 * h1 + q2 * h2))
        least = min(least, over)
        t0, t1, t2 = f0 * q0 - n0, f1 * q1 - n1, f2 * q2 - n2
        k0, k1, k2 = t0 * over, t1 * over, t2 * over
        p00 = ((f0 * f0) * p00 + n0) - k0 * t0
        p11 = ((f1 * f1) * p11 + n1) - k1 * t1
        p22 = ((f2 * f2) * p22 + n2) - k2 * t2
        p01 = (f0 * f1) * p01 - k0 * t1
        p02 = (f0 * f2) * p02 - k0 * t2
        p12 = (f1 * f2) * p12 - k1 * t2
        o0 = r0 * (x_0[i] - mean) - ((h0 * a0 + h1 * b0) + h2 * c0)
        o1 = r1 * (x_1[i] - mean) - ((h0 * a1 + h1 * b1) + h2 * c1)
        o2 = r2 * (x_2[i] - mean) - ((h0 * a2 + h1 * b2) + h2 * c2)
        o3 = (action[i] - mean) - ((h0 * a3 + h1 * b3) + h2 * c3)
        a0, a1, a2, a3 = f0 * a0 + k0 * o0, f0 * a1 + k0 * o1, f0 * a2 + k0 * o2, f0 * a3 + k0 * o3
        b0, b1, b2, b3 = f1 * b0 + k1 * o0, f1 * b1 + k1 * o1, f1 * b2 + k1 * o2, f1 * b3 + k1 * o3
        c0, c1, c2, c3 = f2 * c0 + k2 * o0, f2 * c1 + k2 * o1, f2 * c2 + k2 * o2, f2 * c3 + k2 * o3
        per[i] = over
        k_0[i], k_1[i], k_2[i] = k0, k1, k2
        o_0[i], o_1[i], o_2[i] = o0, o1, o2
        sifted[i] = o3 * over
        u0, u1, u2 = o0 * over, o1 * over, o2 * over
        g00, g01, g02 = g00 + o0 * u0, g01 + o0 * u1, g02 + o0 * u2
        g11, g12, g22 = g11 + o1 * u1, g12 + o1 * u2, g22 + o2 * u2
    gram = sieve.gram
    gram[0, 0], gram[0, 1], gram[0, 2], gram[1, 1], gram[1, 2], gram[2, 2] = g00, g01, g02, g11, g12, g22
    _close(sieve, explore, least)
    return sifted


@kernel
def sift_action(pivots: Pivots, sieve: Sieve, action: Integers, size: int) -> Floats:
    """Return the innovations of M − m/d, over s."""
    slots, per, mean = sieve.slots, sieve.per, size / action.size
    if slots.size > WIDTH:
        return sift_many(pivots.share, slots, sieve.gain, per, action, mean)
    h_0, h_1, h_2 = pivots.share[slots[0]], pivots.share[slots[1]], pivots.share[slots[2]]
    k_0, k_1, k_2 = sieve.gain[0], sieve.gain[1], sieve.gain[2]
    sifted = np.empty(action.size)
    a, b, c = 0.0, 0.0, 0.0
    for i in range(action.size):
        h0, h1, h2 = h_0[i], h_1[i], h_2[i]
        o = (action[i] - mean) - ((h0 * a + h1 * b) + h2 * c)
        a, b, c = (1.0 - h0) * a + k_0[i] * o, (1.0 - h1) * b + k_1[i] * o, (1.0 - h2) * c + k_2[i] * o
        sifted[i] = o * per[i]
    return sifted


@kernel
def _turn(sieve: Sieve, inner: Floats, size: int) -> tuple[Floats, float]:
    """Return what is taken off of each column, and what is added to all elements at the end.

    ``inner`` has the products of the columns with A⁻¹(M − m/d).
    """
    gram, roots, n = sieve.gram, sieve.roots, inner.size
    right = inner.copy()
    for c in range(n):
        for e in range(n):
            right[c] -= (gram[c, e] if c <= e else gram[e, c]) * roots[e]
    taken = cholesky_solve(sieve.factor, right)
    along = 0.0
    for c in range(n):
        taken[c] += roots[c]
    for c in range(n):
        left = inner[c]
        for e in range(n):
            left -= (gram[c, e] if c <= e else gram[e, c]) * taken[e]
        along += roots[c] * left
    return taken, (1.0 - along) / size


@kernel
def finish_pivots(pivots: Pivots, sieve: Sieve, sifted: Floats, size: int) -> Floats:
    """Solve Σy = M, given what was sifted from M."""
    slots, per, columns = sieve.slots, sieve.per, sieve.columns
    if slots.size > WIDTH:
        taken, shift = _turn(sieve, weigh_many(columns, sifted), size)
        return finish_many(pivots.share, slots, sieve.gain, columns, per, sifted, taken, shift)
    h_0, h_1, h_2 = pivots.share[slots[0]], pivots.share[slots[1]], pivots.share[slots[2]]
    k_0, k_1, k_2, o_0, o_1, o_2 = sieve.gain[0], sieve.gain[1], sieve.gain[2], columns[0], columns[1], columns[2]
    inner, result = np.empty(WIDTH), np.empty(sifted.size)
    inner[0], inner[1], inner[2] = dot(o_0, sifted), dot(o_1, sifted), dot(o_2, sifted)
    taken, shift = _turn(sieve, inner, size)
    e0, e1, e2 = taken[0], taken[1], taken[2]
    a, b, c = 0.0, 0.0, 0.0
    for i in range(sifted.size - 1, -1, -1):
        h0, h1, h2 = h_0[i], h_1[i], h_2[i]
        own = sifted[i] - per[i] * ((o_0[i] * e0 + o_1[i] * e1) + o_2[i] * e2)
        y = (own + k_2[i] * c) + (k_0[i] * a + k_1[i] * b)
        a, b, c = (1.0 - h0) * a - h0 * y, (1.0 - h1) * b - h1 * y, (1.0 - h2) * c - h2 * y
        result[i] = y + shift
    return result
