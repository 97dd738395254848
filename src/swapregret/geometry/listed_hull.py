r"""KL projection onto the convex hull of a list of actions.

*Notation*: N actions in d coordinates, the rows of M; λ their weights, x = Mᵀλ, g = log x − log w.

The projection minimises :math:`\sum_i x_i \log(x_i / w_i) - x_i` over the weights by a primal-dual interior point method: with
slacks :math:`s = M g - \nu \ge 0`, Newton's method for λ·s = σμ (Mehrotra 1992). Every weight stays positive, so that coordinates
of any size keep their relative accuracy; the gap of the result is about Nμ, whatever the spread of w. Steps are solved in d
dimensions,

.. math:: \bigl(M X^{-1} M^\top + \Theta^{-1}\bigr)^{-1} = \Theta - \Theta M (X + M^\top \Theta M)^{-1} M^\top \Theta, \qquad
    \Theta = \mathrm{diag}(\lambda / s), \; X = \mathrm{diag}(x),

but for the few rows whose Θ is so large that X would be lost beside it. Rows may be added on the way (``kl_from_actions``).

A coordinate below μ is found only to be small. *In relative terms*, Newton's method is for λ·s = σμ·ω, where ω of a row is its
least coordinate, as it is at each step: what is small then becomes as exact as what is not.
"""

from typing import NamedTuple

import numpy as np

from swapregret.arrays import Floats, Integers
from swapregret.compiled.cholesky import cholesky, cholesky_solve
from swapregret.compiled.kernel import kernel
from swapregret.compiled.vectors import dot
from swapregret.geometry.rows import add_totals, mean_of_rows, padded_rows, totals_of_rows

TARGET = 1e-10
"""The gap at which a projection ends that is to be exact."""
SMALLEST = 1e-280
"""The least coordinate that is found in relative terms."""
_STEPS = 100
_BOUNDARY = 0.99
_STIFF = 1e14
"""λ/s beside x from which a row is one of the stiff ones: where it would drown what X has to say."""
_LEAST_SHARE = 1e-2
"""The share of the target that μ is kept at: with less, weights and slacks vanish before Mg = ν + s holds."""


@kernel
def gradient(x: Floats, tilted: Floats) -> Floats:
    """Return log x − log w, 0 where no action has the element."""
    g = np.zeros(x.size)
    for i in range(x.size):
        if x[i] > 0.0:
            g[i] = np.log(x[i]) - tilted[i]
    return g


@kernel
def _mean(padded: Integers, weights: Floats, result: Floats) -> None:
    """Write Mᵀλ; entry d is 0."""
    for i in range(result.size):
        result[i] = 0.0
    for k in range(padded.shape[0]):
        line = padded[k]
        for a in range(weights.size):
            result[line[a]] += weights[a]
    result[result.size - 1] = 0.0


@kernel
def _find_least(padded: Integers, x: Floats, least: Floats) -> None:
    """Lower numbers to the least coordinate of a point that each row has; not below what leaves room for its products."""
    for k in range(padded.shape[0]):
        line = padded[k]
        for a in range(least.size):
            if line[a] < x.size - 1:
                least[a] = min(least[a], max(x[line[a]], SMALLEST))


class _System(NamedTuple):
    """MX⁻¹Mᵀ + Θ⁻¹ in factors: of A = X + NᵀΘN, N the rows that are not ``stiff``, and of Θ⁻¹ + BA⁻¹Bᵀ, B those that are.

    ``stiff`` has their numbers, and ``halves`` the rows of B after the first half of a solution with A. All have one coordinate
    more than actions have elements, which no row has.
    """

    share: Floats
    stiff: Integers
    upper: Floats
    halves: Floats
    factor: Floats


@kernel
def _make_system(padded: Integers, x: Floats, weights: Floats, slack: Floats) -> tuple[_System, bool]:
    """Factor MX⁻¹Mᵀ + Θ⁻¹; tell whether it is definite to working precision."""
    (width, n), size = padded.shape, x.size
    share, stiff, count = weights / slack, np.empty(n, dtype=np.int64), 0
    least, taken = np.full(n, np.inf), share.copy()
    _find_least(padded, x, least)
    for a in range(n):
        if share[a] > _STIFF * least[a]:
            stiff[count] = a
            taken[a] = 0.0
            count += 1
    flat = np.zeros(size * size)
    for k in range(width):
        for j in range(k, width):
            line, other = padded[k], padded[j]
            for a in range(n):
                flat[line[a] * size + other[a]] += taken[a]
    matrix = flat.reshape(size, size)
    for i in range(size):
        matrix[i, i] += x[i] if x[i] > 0.0 else 1.0
        matrix[i, size - 1] = 0.0
    matrix[size - 1, size - 1] = 1.0
    upper, is_definite = cholesky(matrix)
    halves, inner = np.zeros((count, size)), np.empty((count, count))
    for k in range(count):
        half, a = halves[k], stiff[k]
        for j in range(width):
            half[padded[j, a]] = 1.0
        half[size - 1] = 0.0
        _solve_half(upper, half)
        for j in range(k + 1):
            inner[j, k] = dot(halves[j], half)
        inner[k, k] += 1.0 / share[a]
    factor = inner
    if count and is_definite:
        factor, is_definite = cholesky(inner)
    return _System(share, stiff[:count].copy(), upper, halves, factor), is_definite


@kernel
def _solve_half(upper: Floats, vector: Floats) -> None:
    """Overwrite a vector by U⁻ᵀ times it."""
    for i in range(vector.size):
        vector[i] /= upper[i, i]
        value, row = vector[i], upper[i]
        if value != 0.0:
            for j in range(i + 1, vector.size):
                vector[j] -= value * row[j]


@kernel
def _solve(padded: Integers, system: _System, right: Floats) -> Floats:
    """Return (MX⁻¹Mᵀ + Θ⁻¹)⁻¹ times a vector.

    δ = Θ(r − My) with Xy = Mᵀδ: y = A⁻¹(NᵀΘr + Bᵀδ), and on the stiff rows (Θ⁻¹ + BA⁻¹Bᵀ)δ = r − BA⁻¹NᵀΘr.
    """
    share, stiff = system.share, system.stiff
    result, y, inner = share * right, np.empty(system.upper.shape[0]), np.zeros(right.size)
    for k in range(stiff.size):
        result[stiff[k]] = 0.0
    _mean(padded, result, y)
    if stiff.size:
        half, rest = y.copy(), np.empty(stiff.size)
        _solve_half(system.upper, half)
        for k in range(stiff.size):
            rest[k] = right[stiff[k]] - dot(system.halves[k], half)
        found = cholesky_solve(system.factor, rest)
        for k in range(stiff.size):
            for j in range(padded.shape[0]):
                y[padded[j, stiff[k]]] += found[k]
        y[y.size - 1] = 0.0
    add_totals(padded, cholesky_solve(system.upper, y), inner)
    for a in range(share.size):
        result[a] -= share[a] * inner[a]
    if stiff.size:
        for k in range(stiff.size):
            result[stiff[k]] = found[k]
    return result


@kernel
def first_weights(elements: Integers, ends: Integers, tilted: Floats) -> tuple[Floats, Floats, Floats]:
    """Return weights λ half of which are equal and half those of the Gibbs policy, slacks s that leave room, and ν, as an array."""
    n = ends.size - 1
    weights = gibbs_weights(elements, ends, tilted)
    for a in range(n):
        weights[a] = 0.5 * (weights[a] + 1.0 / n)
    totals = totals_of_rows(elements, ends, gradient(mean_of_rows(elements, ends, weights, tilted.size), tilted))
    slack, level = _leave_room(totals, max(0.1 * (totals.mean() - totals.min()), 1e-3))
    return weights, slack, level


@kernel
def further_slacks(
    elements: Integers, ends: Integers, tilted: Floats, weights: Floats, gap: float
) -> tuple[Floats, Floats]:
    """Return slacks and ν for weights some of which are new: with room of a tenth of the gap there was, steps are long again."""
    totals = totals_of_rows(elements, ends, gradient(mean_of_rows(elements, ends, weights, tilted.size), tilted))
    return _leave_room(totals, 0.1 * max(dot(weights, totals) - totals.min(), gap))


@kernel
def _leave_room(totals: Floats, extra: float) -> tuple[Floats, Floats]:
    """Return the slacks s = Mg − ν, all of at least some size, and ν, as an array."""
    level = totals.min() - extra
    return totals - totals.min() + extra, np.full(1, level)


@kernel
def improve_weights(
    elements: Integers,
    ends: Integers,
    tilted: Floats,
    target: float,
    weights: Floats,
    slack: Floats,
    level: Floats,
    is_relative: bool,
) -> float:
    """Move λ, s and ν on until the certified gap is at most the target, or as small as it gets; return it.

    The gap is Σ λ(Mg − min Mg), in relative terms Σ λ(Mg − min Mg)/ω.
    """
    n, d = weights.size, tilted.size
    padded, x, logs = padded_rows(elements, ends, d), np.empty(d + 1), np.append(tilted, 0.0)
    _mean(padded, weights, x)
    best_weights, best_gap = weights.copy(), np.inf
    nu, omega = level[0], np.ones(n)
    for _ in range(_STEPS):
        totals = np.zeros(n)
        add_totals(padded, gradient(x, logs), totals)
        if is_relative:
            omega[:] = 1.0
            _find_least(padded, x, omega)
        least, gap, mu = totals.min(), 0.0, 0.0
        for a in range(n):
            share = weights[a] / omega[a]
            gap += share * (totals[a] - least)
            mu += share * slack[a]
        mu /= n
        if gap < best_gap:
            best_gap = gap
            best_weights[:] = weights
        if gap <= target:
            break
        system, is_definite = _make_system(padded, x, weights, slack)
        if not is_definite:
            break
        ones = _solve(padded, system, np.ones(n))
        below = ones.sum()
        # how far a step towards μ = 0 goes says how much μ can be lowered (Mehrotra's rule), and how much of the second-order
        # term to trust: with all of it, steps can go in circles
        centre, trust = 0.0, 0.0
        delta, change, d_nu = np.zeros(n), np.zeros(n), 0.0
        for attempt in range(2):
            right = np.empty(n)
            for a in range(n):  # −(Mg − ν − s) − (λs − σμ)/λ; the second time, with the second-order term of λs
                second = trust * delta[a] * change[a]
                right[a] = nu - totals[a] + (centre * mu * omega[a] - second) / weights[a]
            solved = _solve(padded, system, right)
            d_nu = -solved.sum() / below
            length = 1.0
            for a in range(n):
                second = trust * delta[a] * change[a]
                delta_a = solved[a] + d_nu * ones[a]
                change[a] = (centre * mu * omega[a] - second - slack[a] * delta_a) / weights[a] - slack[a]
                delta[a] = delta_a
                if delta_a < 0.0:
                    length = min(length, -_BOUNDARY * weights[a] / delta_a)
                if change[a] < 0.0:
                    length = min(length, -_BOUNDARY * slack[a] / change[a])
            if attempt == 0:
                trust, aim = length, 0.0
                for a in range(n):
                    aim += (weights[a] + length * delta[a]) / omega[a] * (slack[a] + length * change[a])
                centre = max(min(max((aim / (n * mu)) ** 3, 1e-6), 1.0), _LEAST_SHARE * target / (n * mu))
        total = 0.0
        for a in range(n):
            weights[a] += length * delta[a]
            slack[a] += length * change[a]
            total += weights[a]
        nu += length * d_nu
        for a in range(n):
            weights[a] /= total
        _mean(padded, weights, x)
    weights[:] = best_weights
    level[0] = nu
    return best_gap


@kernel
def gibbs_weights(elements: Integers, ends: Integers, scores: Floats) -> Floats:
    """Return p(M) ∝ exp(scores·M) for every row."""
    scores = totals_of_rows(elements, ends, scores)
    mass, top, total = np.empty(scores.size), scores.max(), 0.0
    for a in range(mass.size):
        mass[a] = np.exp(scores[a] - top)
        total += mass[a]
    for a in range(mass.size):
        mass[a] /= total
    return mass
