r"""Σ⁺M for mixtures of pivotal laws and the uniform law over m-sets, without a matrix and without iterating.

:math:`\Sigma = \alpha I + \beta 11^\top + \sum_c w_c (\mathrm{Cov}_c + x_c x_c^\top)` with :math:`\alpha = \gamma a`,
:math:`\beta = \gamma b` from the uniform law. Along the line :math:`\alpha I + \sum_c w_c \mathrm{Cov}_c` is the covariance of a
sum of processes with one number of state each (the n of ``kernels.pivotal``, times :math:`\sqrt{w_c}`) and of white noise. So it is
factored as Kalman's filter does: with P the covariance of the states given what came before, :math:`q = Ph`, :math:`f = 1 - h`,

.. math:: s = \alpha + \sum_c w_c v_c + h^\top q,\quad t = f \circ q - w \circ v,\quad k = t/s,\quad
          P' = f f^\top \circ P + \mathrm{diag}(w \circ v) - k t^\top,

s is the pivot of the element, k its gain. A right side r is turned into innovations :math:`o = r - h^\top z`,
:math:`z' = f \circ z + k o`; from the last element to the first :math:`y = o/s + k^\top l`, :math:`l' = f \circ l - h y`. The other
terms are of low rank and enter by the formula of Woodbury. O(n²) an element for n laws, O(n) an action after that.

Up to three laws are written out, for speed; more are in ``kernels.pivotal_many``. May touch: that, ``kernels.cholesky``,
``kernels.compile``.
"""

from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from swapregret.kernels.cholesky import cholesky, cholesky_solve
from swapregret.kernels.compile import kernel
from swapregret.kernels.pivotal_many import factor_many, finish_many, sift_many, weigh_many

__all__ = ["Pivots", "Sieve", "empty_pivots", "factor_pivots", "finish_pivots", "sift_action"]

Floats = npt.NDArray[np.float64]
Integers = npt.NDArray[np.int64]

_WIDTH = 3
_ROUNDING = 2.3e-16


class Pivots(NamedTuple):
    """Pivotal laws, one a slot: ``share``, ``noise`` and ``point`` of :func:`~swapregret.kernels.pivotal.pivotal_law`."""

    share: Floats
    noise: Floats
    point: Floats


class Sieve(NamedTuple):
    """The factor of a mixture.

    Attributes
    ----------
    slots : int64 array, shape (n,)
        The laws of the mixture; at least three, with weight 0 where there are fewer.
    gain : float64 array, shape (3, d), or (d, n) for more than three laws
    per : float64 array, shape (d,)
        1/s of each element.
    columns : float64 array, shape (d, n + 1)
        Innovations of √w_c x_c and √β 1.
    factor : float64 array, shape (n + 1, n + 1)
        Of the matrix of Woodbury's formula.
    ratio : float
        What rounding may leave of a right side: the trace of that matrix, whose least eigenvalue is 1 or more, times 2⁻⁵².
    """

    slots: Integers
    gain: Floats
    per: Floats
    columns: Floats
    factor: Floats
    ratio: float


@kernel
def empty_pivots(n_slots: int, dimension: int) -> Pivots:
    """Return room for laws."""
    shape = (n_slots, dimension)
    return Pivots(np.empty(shape), np.empty(shape), np.empty(shape))


@kernel
def factor_pivots(
    pivots: Pivots, slots: Integers, weights: Floats, alpha: float, beta: float, action: Integers
) -> tuple[Sieve, Floats]:
    """Factor Σ of the laws in some slots with the uniform law; return the factor, and what it makes of an action."""
    if slots.size <= _WIDTH:
        three, shares = np.full(_WIDTH, slots[0] if slots.size else 0), np.zeros(_WIDTH)
        three[: slots.size] = slots
        shares[: slots.size] = weights
        return _factor_three(pivots, three, shares, alpha, beta, action)
    gain, per, columns, gram, least = factor_many(pivots.share, pivots.noise, pivots.point, slots, weights, alpha, beta)
    factor, _ = cholesky(gram)
    ratio = _ROUNDING * np.trace(gram) if least > 0.0 else np.inf
    return Sieve(slots, gain, per, columns, factor, ratio), sift_many(pivots.share, slots, gain, per, action)


@kernel
def _factor_three(
    pivots: Pivots, slots: Integers, weights: Floats, alpha: float, beta: float, action: Integers
) -> tuple[Sieve, Floats]:
    """Do so for three laws: filter, columns and action in one pass."""
    d = action.size
    h_0, h_1, h_2 = pivots.share[slots[0]], pivots.share[slots[1]], pivots.share[slots[2]]
    v_0, v_1, v_2 = pivots.noise[slots[0]], pivots.noise[slots[1]], pivots.noise[slots[2]]
    x_0, x_1, x_2 = pivots.point[slots[0]], pivots.point[slots[1]], pivots.point[slots[2]]
    gain, per, columns, sifted = np.empty((_WIDTH, d)), np.empty(d), np.empty((d, _WIDTH + 1)), np.empty(d)
    k_0, k_1, k_2 = gain[0], gain[1], gain[2]
    w0, w1, w2 = weights[0], weights[1], weights[2]
    r0, r1, r2, r3 = np.sqrt(w0), np.sqrt(w1), np.sqrt(w2), np.sqrt(beta)
    p00, p01, p02, p11, p12, p22 = 0.0, 0.0, 0.0, 0.0, 0.0, 0.0
    a0, a1, a2, a3, a4 = 0.0, 0.0, 0.0, 0.0, 0.0
    b0, b1, b2, b3, b4 = 0.0, 0.0, 0.0, 0.0, 0.0
    c0, c1, c2, c3, c4 = 0.0, 0.0, 0.0, 0.0, 0.0
    g00, g01, g02, g03, g11, g12, g13, g22, g23, g33 = 1.0, 0.0, 0.0, 0.0, 1.0, 0.0, 0.0, 1.0, 0.0, 1.0
    least = alpha
    for i in range(d):
        h0, h1, h2 = h_0[i], h_1[i], h_2[i]
        n0, n1, n2 = w0 * v_0[i], w1 * v_1[i], w2 * v_2[i]
        f0, f1, f2 = 1.0 - h0, 1.0 - h1, 1.0 - h2
        q0 = (p00 * h0 + p01 * h1) + p02 * h2
        q1 = (p01 * h0 + p11 * h1) + p12 * h2
        q2 = (p02 * h0 + p12 * h1) + p22 * h2
        squares = ((h0 * h0) * p00 + (h1 * h1) * p11) + ((h2 * h2) * p22 + (alpha + ((n0 + n1) + n2)))
        s = squares + (((2.0 * h0 * h1) * p01 + (2.0 * h0 * h2) * p02) + (2.0 * h1 * h2) * p12)
        least = min(least, s)
        over = 1.0 / s
        t0, t1, t2 = f0 * q0 - n0, f1 * q1 - n1, f2 * q2 - n2
        k0, k1, k2 = t0 * over, t1 * over, t2 * over
        p00 = ((f0 * f0) * p00 + n0) - (t0 * t0) * over
        p11 = ((f1 * f1) * p11 + n1) - (t1 * t1) * over
        p22 = ((f2 * f2) * p22 + n2) - (t2 * t2) * over
        p01 = (f0 * f1) * p01 - (t0 * t1) * over
        p02 = (f0 * f2) * p02 - (t0 * t2) * over
        p12 = (f1 * f2) * p12 - (t1 * t2) * over
        per[i] = over
        k_0[i], k_1[i], k_2[i] = k0, k1, k2
        o0 = r0 * x_0[i] - ((h0 * a0 + h1 * b0) + h2 * c0)
        o1 = r1 * x_1[i] - ((h0 * a1 + h1 * b1) + h2 * c1)
        o2 = r2 * x_2[i] - ((h0 * a2 + h1 * b2) + h2 * c2)
        o3 = r3 - ((h0 * a3 + h1 * b3) + h2 * c3)
        o4 = action[i] - ((h0 * a4 + h1 * b4) + h2 * c4)
        a0, a1, a2, a3 = f0 * a0 + k0 * o0, f0 * a1 + k0 * o1, f0 * a2 + k0 * o2, f0 * a3 + k0 * o3
        b0, b1, b2, b3 = f1 * b0 + k1 * o0, f1 * b1 + k1 * o1, f1 * b2 + k1 * o2, f1 * b3 + k1 * o3
        c0, c1, c2, c3 = f2 * c0 + k2 * o0, f2 * c1 + k2 * o1, f2 * c2 + k2 * o2, f2 * c3 + k2 * o3
        a4, b4, c4 = f0 * a4 + k0 * o4, f1 * b4 + k1 * o4, f2 * c4 + k2 * o4
        u0, u1, u2, u3 = o0 * over, o1 * over, o2 * over, o3 * over
        columns[i, 0], columns[i, 1], columns[i, 2], columns[i, 3] = o0, o1, o2, o3
        sifted[i] = o4 * over
        g00, g01, g02, g03 = g00 + o0 * u0, g01 + o0 * u1, g02 + o0 * u2, g03 + o0 * u3
        g11, g12, g13 = g11 + o1 * u1, g12 + o1 * u2, g13 + o1 * u3
        g22, g23, g33 = g22 + o2 * u2, g23 + o2 * u3, g33 + o3 * u3
    gram = np.zeros((_WIDTH + 1, _WIDTH + 1))
    gram[0, 0], gram[0, 1], gram[0, 2], gram[0, 3] = g00, g01, g02, g03
    gram[1, 1], gram[1, 2], gram[1, 3] = g11, g12, g13
    gram[2, 2], gram[2, 3], gram[3, 3] = g22, g23, g33
    factor, _ = cholesky(gram)
    ratio = _ROUNDING * (g00 + g11 + g22 + g33) if least > 0.0 else np.inf
    return Sieve(slots, gain, per, columns, factor, ratio), sifted


@kernel
def sift_action(pivots: Pivots, sieve: Sieve, action: Integers) -> Floats:
    """Return the innovations of an action, over s."""
    slots, per = sieve.slots, sieve.per
    if slots.size > _WIDTH:
        return sift_many(pivots.share, slots, sieve.gain, per, action)
    h_0, h_1, h_2 = pivots.share[slots[0]], pivots.share[slots[1]], pivots.share[slots[2]]
    k_0, k_1, k_2 = sieve.gain[0], sieve.gain[1], sieve.gain[2]
    sifted = np.empty(action.size)
    a, b, c = 0.0, 0.0, 0.0
    for i in range(action.size):
        h0, h1, h2 = h_0[i], h_1[i], h_2[i]
        o = action[i] - ((h0 * a + h1 * b) + h2 * c)
        a, b, c = (1.0 - h0) * a + k_0[i] * o, (1.0 - h1) * b + k_1[i] * o, (1.0 - h2) * c + k_2[i] * o
        sifted[i] = o * per[i]
    return sifted


@kernel
def finish_pivots(pivots: Pivots, sieve: Sieve, sifted: Floats) -> Floats:
    """Solve Σy = M, given the innovations of M over s."""
    slots, per, columns = sieve.slots, sieve.per, sieve.columns
    if slots.size > _WIDTH:
        solved = cholesky_solve(sieve.factor, weigh_many(columns, sifted))
        return finish_many(pivots.share, slots, sieve.gain, per, columns, solved, sifted)
    h_0, h_1, h_2 = pivots.share[slots[0]], pivots.share[slots[1]], pivots.share[slots[2]]
    k_0, k_1, k_2 = sieve.gain[0], sieve.gain[1], sieve.gain[2]
    inner, result = np.empty(_WIDTH + 1), np.empty(sifted.size)
    e0, e1, e2, e3 = 0.0, 0.0, 0.0, 0.0
    for i in range(sifted.size):
        o = sifted[i]
        e0, e1, e2, e3 = e0 + columns[i, 0] * o, e1 + columns[i, 1] * o, e2 + columns[i, 2] * o, e3 + columns[i, 3] * o
    inner[0], inner[1], inner[2], inner[3] = e0, e1, e2, e3
    solved = cholesky_solve(sieve.factor, inner)
    e0, e1, e2, e3 = solved[0], solved[1], solved[2], solved[3]
    a, b, c = 0.0, 0.0, 0.0
    for i in range(sifted.size - 1, -1, -1):
        h0, h1, h2 = h_0[i], h_1[i], h_2[i]
        low = (columns[i, 0] * e0 + columns[i, 1] * e1) + (columns[i, 2] * e2 + columns[i, 3] * e3)
        y = ((sifted[i] - per[i] * low) + k_2[i] * c) + (k_0[i] * a + k_1[i] * b)
        a, b, c = (1.0 - h0) * a - h0 * y, (1.0 - h1) * b - h1 * y, (1.0 - h2) * c - h2 * y
        result[i] = y
    return result
