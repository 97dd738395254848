r"""KL projection onto the convex hull of a list of actions.

*Notation*: N actions in d coordinates, the rows of M; λ their weights, x = Mᵀλ, g = log x − log w.

The projection minimises :math:`\sum_i x_i \log(x_i / w_i) - x_i` over the weights by a primal-dual interior point method: with
slacks :math:`s = M g - \nu \ge 0`, Newton's method for λ·s = σμ (Mehrotra 1992). Every weight stays positive, so that coordinates
of any size keep their relative accuracy; the gap of the result is about Nμ, whatever the spread of w. Steps are solved in the
smaller of N and d dimensions, as far as rounding allows,

.. math:: \bigl(M X^{-1} M^\top + \Theta^{-1}\bigr)^{-1} = \Theta - \Theta M (X + M^\top \Theta M)^{-1} M^\top \Theta, \qquad
    \Theta = \mathrm{diag}(\lambda / s), \; X = \mathrm{diag}(x).
"""

import numpy as np

from swapregret.arrays import Floats, Integers
from swapregret.compiled.cholesky import cholesky, cholesky_solve
from swapregret.compiled.kernel import kernel
from swapregret.compiled.vectors import dot

__all__ = ["TARGET", "gibbs_weights", "project_list", "row_mean", "row_totals"]


TARGET = 1e-10
"""The gap at which a projection ends that is to be exact."""
_STEPS = 100
_BOUNDARY = 0.99
_LEAST_SHARE = 1e-2
"""The share of the target that μ is kept at: with less, weights and slacks vanish before Mg = ν + s holds."""


@kernel
def row_totals(table: Floats, vector: Floats) -> Floats:
    """Return M v."""
    n, d = table.shape
    result = np.empty(n)
    for a in range(n):
        row, total = table[a], 0.0
        for i in range(d):
            total += row[i] * vector[i]
        result[a] = total
    return result


@kernel
def row_mean(table: Floats, weights: Floats) -> Floats:
    """Return Mᵀλ."""
    n, d = table.shape
    result = np.zeros(d)
    for a in range(n):
        row, weight = table[a], weights[a]
        for i in range(d):
            result[i] += weight * row[i]
    return result


@kernel
def _gradient(x: Floats, tilted: Floats) -> Floats:
    """Return log x − log w, 0 where no action has the element."""
    g = np.zeros(x.size)
    for i in range(x.size):
        if x[i] > 0.0:
            g[i] = np.log(x[i]) - tilted[i]
    return g


@kernel
def _elements(table: Floats) -> tuple[Integers, Integers]:
    """Return the elements of all rows, one row after the other, and where each begins and ends: most entries are 0."""
    n, d = table.shape
    elements, ends = np.empty(n * d, dtype=np.int64), np.zeros(n + 1, dtype=np.int64)
    at = 0
    for a in range(n):
        for i in range(d):
            if table[a, i] != 0.0:
                elements[at] = i
                at += 1
        ends[a + 1] = at
    return elements[:at].copy(), ends


@kernel
def _totals(elements: Integers, ends: Integers, vector: Floats) -> Floats:
    """Return M v."""
    result = np.zeros(ends.size - 1)
    for a in range(result.size):
        for e in range(ends[a], ends[a + 1]):
            result[a] += vector[elements[e]]
    return result


@kernel
def _mean(elements: Integers, ends: Integers, weights: Floats, dimension: int) -> Floats:
    """Return Mᵀλ."""
    result = np.zeros(dimension)
    for a in range(weights.size):
        for e in range(ends[a], ends[a + 1]):
            result[elements[e]] += weights[a]
    return result


@kernel
def _factor_short(elements: Integers, ends: Integers, x: Floats, weights: Floats, slack: Floats) -> tuple[Floats, bool]:
    """Factor X + MᵀΘM."""
    matrix = np.zeros((x.size, x.size))
    for a in range(weights.size):
        row, share = elements[ends[a] : ends[a + 1]], weights[a] / slack[a]
        for e in range(row.size):
            line = matrix[row[e]]
            for f in range(e, row.size):
                line[row[f]] += share
    for i in range(x.size):
        matrix[i, i] += x[i] if x[i] > 0.0 else 1.0
    return cholesky(matrix)


@kernel
def _factor_long(table: Floats, x: Floats, weights: Floats, slack: Floats) -> tuple[Floats, bool]:
    """Factor ΛMX⁻¹MᵀΛ + ΛS, whose entries are at most about 1 however small x is."""
    n, d = table.shape
    scaled, matrix = np.zeros((n, d)), np.zeros((n, n))
    for a in range(n):
        for i in range(d):
            if table[a, i] != 0.0:
                scaled[a, i] = weights[a] / np.sqrt(x[i])
    for a in range(n):
        one, line = scaled[a], matrix[a]
        for b in range(a, n):
            line[b] = dot(one, scaled[b])
        line[a] += weights[a] * slack[a]
    return cholesky(matrix)


@kernel
def _solve(
    elements: Integers, ends: Integers, weights: Floats, slack: Floats, factor: Floats, is_short: bool, right: Floats
) -> Floats:
    """Return (MX⁻¹Mᵀ + Θ⁻¹)⁻¹ times a vector, with the factor of either matrix."""
    n = weights.size
    result = np.empty(n)
    if is_short:
        for a in range(n):
            result[a] = weights[a] / slack[a] * right[a]
        inner = _totals(elements, ends, cholesky_solve(factor, _mean(elements, ends, result, factor.shape[0])))
        for a in range(n):
            result[a] -= weights[a] / slack[a] * inner[a]
        return result
    for a in range(n):
        result[a] = weights[a] * right[a]
    result = cholesky_solve(factor, result)
    for a in range(n):
        result[a] *= weights[a]
    return result


@kernel
def project_list(table: Floats, tilted: Floats, target: float) -> tuple[Floats, Floats, float]:
    """Return the KL projection of exp(tilted) onto the hull of the rows, its weights, and the certified gap, at most the target."""
    n, d = table.shape
    weights = np.full(n, 1.0 / n)
    elements, ends = _elements(table)
    x = _mean(elements, ends, weights, d)
    best_weights, best_gap = weights.copy(), np.inf
    slack = np.empty(0)
    nu = 0.0
    is_short = n > d
    for step in range(_STEPS):
        g = _gradient(x, tilted)
        totals = _totals(elements, ends, g)
        least, mean = np.inf, 0.0
        for a in range(n):
            least = min(least, totals[a])
            mean += weights[a] * totals[a]
        gap = max(mean - least, 0.0)
        if gap < best_gap:
            best_gap = gap
            best_weights[:] = weights
        if gap <= target:
            break
        if step == 0:
            slack = totals - least + max(0.1 * gap, 1e-3)
            nu = least - max(0.1 * gap, 1e-3)
        mu = 0.0
        for a in range(n):
            mu += weights[a] * slack[a] / n
        factor, is_definite = np.empty((0, 0)), False
        if is_short:
            factor, is_definite = _factor_short(elements, ends, x, weights, slack)
            is_short = is_definite  # x may be too small beside Θ; the other matrix is as good, and larger
        if not is_short:
            factor, is_definite = _factor_long(table, x, weights, slack)
        if not is_definite:
            break
        ones = _solve(elements, ends, weights, slack, factor, is_short, np.ones(n))
        below = ones.sum()
        # how far a step towards μ = 0 goes says how much μ can be lowered (Mehrotra's rule), and how much of the second-order
        # term to trust: with all of it, steps can go in circles
        centre, trust = 0.0, 0.0
        delta, change, d_nu = np.zeros(n), np.zeros(n), 0.0
        for attempt in range(2):
            right = np.empty(n)
            for a in range(n):  # −(Mg − ν − s) − (λs − σμ)/λ; the second time, with the second-order term of λs
                second = trust * delta[a] * change[a]
                right[a] = nu - totals[a] + (centre * mu - second) / weights[a]
            solved = _solve(elements, ends, weights, slack, factor, is_short, right)
            d_nu = -solved.sum() / below
            length = 1.0
            for a in range(n):
                second = trust * delta[a] * change[a]
                delta_a = solved[a] + d_nu * ones[a]
                change[a] = (centre * mu - second - slack[a] * delta_a) / weights[a] - slack[a]
                delta[a] = delta_a
                if delta_a < 0.0:
                    length = min(length, -_BOUNDARY * weights[a] / delta_a)
                if change[a] < 0.0:
                    length = min(length, -_BOUNDARY * slack[a] / change[a])
            if attempt == 0:
                trust, aim = length, 0.0
                for a in range(n):
                    aim += (weights[a] + length * delta[a]) * (slack[a] + length * change[a]) / n
                centre = max(min(max((aim / mu) ** 3, 1e-6), 1.0), _LEAST_SHARE * target / (n * mu))
        total = 0.0
        for a in range(n):
            weights[a] += length * delta[a]
            slack[a] += length * change[a]
            total += weights[a]
        nu += length * d_nu
        for a in range(n):
            weights[a] /= total
        x = _mean(elements, ends, weights, d)
    return _mean(elements, ends, best_weights, d), best_weights, best_gap


@kernel
def gibbs_weights(table: Floats, scores: Floats) -> Floats:
    """Return p(M) ∝ exp(scores·M) for every row."""
    mass = row_totals(table, scores)
    top, total = mass.max(), 0.0
    for a in range(mass.size):
        mass[a] = np.exp(mass[a] - top)
        total += mass[a]
    for a in range(mass.size):
        mass[a] /= total
    return mass
