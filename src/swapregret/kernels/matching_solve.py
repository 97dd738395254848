r"""Σ⁺M for mixtures of listed permutations and the uniform law, without a matrix.

The uniform law has the eigenvalue 1 on the constant table and 1/(n−1) on tables whose rows and columns add up to 0, and these span
all permutations, so its Σ⁺ is known. With weight γ, and :math:`\sum_c w_c x_c x_c^\top` for the listed laws beside it, it
preconditions conjugate gradients.

May touch: ``kernels.compile``, ``kernels.cholesky``, ``kernels.vectors``.
"""

from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from swapregret.kernels.cholesky import cholesky, cholesky_solve
from swapregret.kernels.compile import kernel
from swapregret.kernels.vectors import dot

__all__ = ["Matchings", "prepare_matchings", "solve_matchings"]

Floats = npt.NDArray[np.float64]
Integers = npt.NDArray[np.int64]
Coordinates = npt.NDArray[np.int32]


class Matchings(NamedTuple):
    """A mixture, and its preconditioner.

    Attributes
    ----------
    elements : int32 array, shape (N, n)
        The coordinates of all listed permutations.
    weights : float64 array, shape (N,)
    explore : float
        γ, the weight of the uniform law.
    columns, solved : float64 arrays, shape (q, n²)
        √w_c x_c, and what γ times the uniform law makes of them.
    factor : float64 array, shape (q, q)
        Of I + columns · solvedᵀ.
    """

    elements: Coordinates
    weights: Floats
    explore: float
    columns: Floats
    solved: Floats
    factor: Floats


@kernel
def _uniform_inverse(n: int, explore: float, residual: Floats, shaped: Floats) -> None:
    """Solve for γ times the uniform law; the residual is in the span of the permutations."""
    mean = 0.0
    for i in range(residual.size):
        mean += residual[i]
    mean /= residual.size
    for i in range(residual.size):
        shaped[i] = ((n - 1) * (residual[i] - mean) + mean) / explore


@kernel
def prepare_matchings(elements: Coordinates, weights: Floats, explore: float, columns: Floats) -> Matchings:
    """Make the preconditioner."""
    n, q = elements.shape[1], len(columns)
    solved, gram = np.empty(columns.shape), np.empty((q, q))
    for c in range(q):
        _uniform_inverse(n, explore, columns[c], solved[c])
    for c in range(q):
        for e in range(q):
            gram[c, e] = dot(columns[c], solved[e]) + (1.0 if c == e else 0.0)
    factor, _ = cholesky(gram)
    return Matchings(elements, weights, explore, columns, solved, factor)


@kernel
def _product(mixture: Matchings, vector: Floats, result: Floats) -> None:
    """Write Σv: the uniform law in closed form, the lists permutation by permutation."""
    n = mixture.elements.shape[1]
    single, pair = mixture.explore / n, mixture.explore / (n * (n - 1))
    across, down = np.zeros(n), np.zeros(n)
    total = 0.0
    for i in range(n):
        row = vector[i * n : (i + 1) * n]
        for j in range(n):
            across[i] += row[j]
            down[j] += row[j]
        total += across[i]
    for i in range(n):
        row, target = vector[i * n : (i + 1) * n], result[i * n : (i + 1) * n]
        rest = total - across[i]
        for j in range(n):
            target[j] = single * row[j] + pair * (rest - down[j] + row[j])
    for a in range(mixture.weights.size):
        chosen = mixture.elements[a]
        value = 0.0
        for i in range(n):
            value += vector[chosen[i]]
        value *= mixture.weights[a]
        for i in range(n):
            result[chosen[i]] += value


@kernel
def solve_matchings(mixture: Matchings, action: Integers, tolerance: float, limit: int) -> tuple[Floats, float]:
    """Solve Σy = M; return y and the relative residual reached, in the norm of the preconditioner."""
    n, d, q = mixture.elements.shape[1], action.size, len(mixture.columns)
    result, residual = np.zeros(d), np.empty(d)
    for i in range(d):
        residual[i] = action[i]
    shaped, direction, product, inner = np.empty(d), np.zeros(d), np.empty(d), np.empty(q)
    first, energy = 0.0, 0.0
    for step in range(limit + 1):
        _uniform_inverse(n, mixture.explore, residual, shaped)
        for c in range(q):
            inner[c] = dot(mixture.columns[c], shaped)
        inner = cholesky_solve(mixture.factor, inner)
        for c in range(q):
            value, solved = inner[c], mixture.solved[c]
            for i in range(d):
                shaped[i] -= value * solved[i]
        previous, energy = energy, dot(residual, shaped)
        if step == 0:
            if not energy > 0.0:
                return result, 0.0
            first = energy
            direction[:] = shaped
        else:
            if energy <= first * tolerance * tolerance or step == limit:
                break
            ratio = energy / previous
            for i in range(d):
                direction[i] = shaped[i] + ratio * direction[i]
        _product(mixture, direction, product)
        curvature = dot(direction, product)
        if not curvature > 0.0:
            break
        length = energy / curvature
        for i in range(d):
            result[i] += length * direction[i]
            residual[i] -= length * product[i]
    return result, np.sqrt(max(energy, 0.0) / first)
