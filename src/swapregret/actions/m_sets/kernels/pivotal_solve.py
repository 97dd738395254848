r"""Σ⁺v for mixtures of pivotal policies and the uniform policy over m-sets, without a matrix and without iterating.

The policies have weights :math:`w_c` and marginals :math:`x_c = m/d + \tilde x_c`, the uniform policy has weight γ. All sets have m
elements, so :math:`\Sigma 1 = m \bar x` with :math:`\bar x` the marginals of the mixture, and what is left is to solve with
its covariance, on vectors that add up to 0:

.. math:: A + \sum_c w_c \tilde x_c \tilde x_c^\top - \tilde x \tilde x^\top,\quad A = \alpha I + \sum_c w_c \mathrm{Cov}_c,\quad
          \tilde x = \sum_c w_c \tilde x_c,

α the γ-fold variance of the uniform policy. Along the line A is the covariance of a sum of processes with one number of state each
(the n of ``kernels.pivotal``, times :math:`\sqrt{w_c}`) and of white noise. So it is factored as Kalman's filter does: with P the
covariance of the states given what came before, :math:`q = Ph`, :math:`f = 1 - h`,

.. math:: s = \alpha + \sum_c w_c v_c + h^\top q,\quad t = f \circ q - w \circ v,\quad k = t/s,\quad
          P' = f f^\top \circ P + \mathrm{diag}(w \circ v) - t t^\top/s,

s is the pivot of the element, k its gain. A right side r is turned into innovations :math:`o = r - h^\top z`,
:math:`z' = f \circ z + k o`; from the last element to the first :math:`y = o/s + k^\top l`, :math:`l' = f \circ l - h y`. The
terms of low rank enter by the formula of Woodbury. O(n²) per element for n policies.

The slots of up to three policies are a tuple. So compiled code knows how many there are, has no loops over them, and keeps in
registers what goes from element to element: it is four times as fast as with an array.
"""

from typing import NamedTuple, TypeAlias

import numpy as np

from swapregret.arrays import Floats, Integers
from swapregret.compiled.address import scratch
from swapregret.compiled.cholesky import cholesky, cholesky_solve
from swapregret.compiled.kernel import kernel
from swapregret.compiled.vectors import dot

_WIDTH = 3
"""How many policies a mixture has at least; those that are missing have weight 0."""
_ROUNDING = 1e-15
Slots: TypeAlias = Integers | tuple[int, int, int]


class Pivots(NamedTuple):
    """Pivotal policies, one per slot: ``point``, and ``tables`` with d numbers that are not used, ``share`` and ``noise``."""

    tables: Floats
    point: Floats


class Sieve(NamedTuple):
    """The factor of a mixture of n policies."""

    roots: Floats  # (n,) √w_c
    gain: Floats  # (n, d) k of each element
    columns: Floats  # (n, d) the innovations of √w_c x̃_c
    per: Floats  # (d,) 1/s of each element
    sifted: Floats  # (d,) the innovations of the right side, over s
    gram: Floats  # (n, n) products of the columns with A⁻¹


@kernel
def solve_pivots(
    pivots: Pivots, weights: Floats, alpha: float, explore: float, right: Floats, size: int
) -> tuple[Floats, float]:
    """Solve Σy = v for the policies in all slots with a weight, and the uniform policy, whose weight is ``explore``.

    Returns y, and what rounding may leave of v.
    """
    slots, roots, n = np.zeros(weights.size + _WIDTH, dtype=np.int64), np.zeros(weights.size + _WIDTH), 0
    for slot in range(weights.size):
        if weights[slot] != 0.0:
            slots[n], roots[n] = slot, np.sqrt(weights[slot])
            n += 1
    if n <= _WIDTH:
        return _solve((slots[0], slots[1], slots[2]), pivots, roots[:_WIDTH], alpha, explore, right, size)
    return _solve(slots[:n], pivots, roots[:n], alpha, explore, right, size)


@kernel
def _solve(
    slots: Slots, pivots: Pivots, roots: Floats, alpha: float, explore: float, right: Floats, size: int
) -> tuple[Floats, float]:
    """Solve for one right side; with what it adds up to in actions taken off, what is left adds up to 0."""
    n, d = len(slots), right.size
    wide, long = np.empty((2, n, d)), np.empty((2, d))
    sieve = Sieve(roots, wide[0], wide[1], long[0], long[1], np.empty((n, n)))
    count = right.sum() / size
    least = _factor(slots, pivots, sieve, alpha, right, count, size / d)
    inner, small, trace = np.empty(n), np.empty((n, n)), 0.0
    for c in range(n):
        inner[c] = dot(sieve.columns[c], sieve.sifted)
        for e in range(n):
            small[c, e] = sieve.gram[c, e] + roots[c] * roots[e] / explore
        small[c, c] += 1.0
        trace += small[c, c]  # of a matrix whose eigenvalues are 1 and more
    ratio = _ROUNDING * trace if least > 0.0 and explore > 0.0 else np.inf
    taken, shift = _turn(sieve, small, inner, count, size)
    return _finish(slots, pivots.tables, sieve, taken, shift), ratio


@kernel
def _factor(
    slots: Slots, pivots: Pivots, sieve: Sieve, alpha: float, values: Floats, count: float, mean: float
) -> float:
    """Write gains, 1/s, innovations of the columns and of v − count · m/d (over s), and products; return the least 1/s."""
    n, n_right = len(slots), len(slots) + 1
    tables, point, gain, columns, d = pivots.tables, pivots.point, sieve.gain, sieve.columns, values.size
    h, own, turned, k, roots = scratch(n), scratch(n), scratch(n), scratch(n), scratch(n)
    right, state, spread, gram = scratch(n_right), scratch(n * n_right), scratch(n * n), scratch(n * n)
    right[:], state[:], spread[:], gram[:] = 0.0, 0.0, 0.0, 0.0
    for c in range(n):
        roots[c] = sieve.roots[c]
    least = np.inf
    for i in range(values.size):
        # the innovation's variance s of element i: α, its own noise and what earlier elements still tell of it
        s = alpha
        for c in range(n):
            h[c] = tables[slots[c], d + i]
            own[c] = roots[c] * roots[c] * tables[slots[c], 2 * d + i]
            right[c] = roots[c] * (point[slots[c], i] - mean)
            s += own[c]
        right[n] = values[i] - count * mean
        for c in range(n):
            q = spread[c * n] * h[0]
            for e in range(1, n):
                q += spread[c * n + e] * h[e]
            s += h[c] * q
            turned[c] = (1.0 - h[c]) * q - own[c]
        # the gain k, and the spread of the state after element i
        over = 1.0 / s
        least = min(least, over)
        sieve.per[i] = over
        for c in range(n):
            k[c] = turned[c] * over
            gain[c, i] = k[c]
            for e in range(n):
                faded = (1.0 - h[c]) * (1.0 - h[e]) * spread[c * n + e]
                spread[c * n + e] = faded - turned[c] * turned[e] * over
            spread[c * n + c] += own[c]
        # the innovations of the right sides, and their products
        _advance(h, k, right, state)
        sieve.sifted[i] = right[n] * over
        for c in range(n):
            columns[c, i] = right[c]
            for e in range(n):
                gram[c * n + e] += right[c] * over * right[e]
    for c in range(n):
        for e in range(n):
            sieve.gram[c, e] = gram[c * n + e]
    return least


@kernel
def _advance(h: Floats, k: Floats, right: Floats, state: Floats) -> None:
    """Turn right sides at one element into innovations, in place; ``state`` has one row per policy, one column per right side."""
    n, n_right = h.size, right.size
    for e in range(n_right):
        behind = h[0] * state[e]
        for c in range(1, n):
            behind += h[c] * state[c * n_right + e]
        right[e] -= behind
    for c in range(n):
        for e in range(n_right):
            state[c * n_right + e] = (1.0 - h[c]) * state[c * n_right + e] + k[c] * right[e]


@kernel
def _turn(sieve: Sieve, small: Floats, inner: Floats, count: float, size: int) -> tuple[Floats, float]:
    """Return what is taken off of each column, and what is added to all elements at the end.

    ``small`` is I + √w √wᵀ/γ + gram, ``inner`` has the products of the columns with A⁻¹(v − count · m/d).
    """
    gram, roots, right, along = sieve.gram, sieve.roots, inner.copy(), 0.0
    n = inner.size
    for c in range(n):
        for e in range(n):
            right[c] -= count * gram[c, e] * roots[e]
    factor, _ = cholesky(small)
    taken = cholesky_solve(factor, right)
    for c in range(n):
        taken[c] += count * roots[c]
    for c in range(n):
        left = inner[c]
        for e in range(n):
            left -= gram[c, e] * taken[e]
        along += roots[c] * left
    return taken, (count - along) / size


@kernel
def _finish(slots: Slots, tables: Floats, sieve: Sieve, found: Floats, shift: float) -> Floats:
    """Go from the last element to the first, and shift all."""
    n, gain, columns, per, sifted = len(slots), sieve.gain, sieve.columns, sieve.per, sieve.sifted
    result, taken, state = np.empty(sifted.size), scratch(n), scratch(n)
    for c in range(n):
        taken[c], state[c] = found[c], 0.0
    for i in range(sifted.size - 1, -1, -1):
        low, far = columns[0, i] * taken[0], gain[1, i] * state[1]
        for c in range(1, n):
            low += columns[c, i] * taken[c]
        for c in range(2, n):
            far += gain[c, i] * state[c]
        y = (sifted[i] - per[i] * low + gain[0, i] * state[0]) + far
        for c in range(n):
            h = tables[slots[c], sifted.size + i]
            state[c] = (1.0 - h) * state[c] - h * y
        result[i] = y + shift
    return result
