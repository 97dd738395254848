r"""Σ of a mixture as a dense matrix on r independent coordinates, and Σ⁺M: how most families estimate.

:math:`\Sigma = \sum_s w_s\,\mathbb E_s[M M^\top]`. The choice of generalised inverse does not matter (D8), so the system is
solved on r coordinates that determine the others.
"""

from typing import Any

import numpy as np

from swapregret.actions.family import prepare, solve
from swapregret.arrays import Floats, Integers
from swapregret.compiled.cholesky import cholesky, cholesky_inverse, cholesky_solve, recover, sum_rows
from swapregret.compiled.kernel import kernel

__all__ = ["put_mean", "put_moment"]


@kernel
def put_moment(full: Floats, coordinates: Integers, moment: Floats) -> None:
    """Write what Σ is on the independent coordinates."""
    for i in range(coordinates.size):
        line, row = moment[i], full[coordinates[i]]
        for j in range(coordinates.size):
            line[j] = row[coordinates[j]]


@kernel
def put_mean(weights: Floats, marginals: Floats, mean: Floats) -> None:
    """Write E[M] of a mixture."""
    for i in range(mean.size):
        mean[i] = 0.0
    for s in range(weights.size):
        weight, part = weights[s], marginals[s]
        if weight != 0.0:
            for i in range(mean.size):
                mean[i] += weight * part[i]


@prepare.default
def prepare_dense(family: Any, laws: Any, mix: Any, has_inverse: bool) -> int:
    """Add up Σ and factor it, or invert it where that pays; E[M] is added up too."""
    put_mean(mix.weights, laws.marginals, mix.mean)
    r = mix.factor.shape[0]
    sigma = np.zeros((r, r))
    for s in range(mix.weights.size):
        weight = mix.weights[s]
        if weight == 0.0:
            continue
        source = laws.moments[s]
        for i in range(r):
            line, row = sigma[i, i:], source[i, i:]
            for j in range(line.size):
                line[j] += weight * row[j]
    if r == 0:
        return 0
    factor, is_definite = cholesky(sigma)
    mix.is_inverse[0] = 1 if has_inverse or not is_definite else 0
    if not is_definite:
        factor = recover(sigma)
    elif has_inverse:
        factor = cholesky_inverse(factor)
    mix.factor[:] = factor
    return 0 if is_definite else 1


@solve.default
def solve_dense(family: Any, laws: Any, mix: Any, action: Integers) -> float:
    """Solve on the independent coordinates; 0 elsewhere."""
    coordinates = family.common.coordinates
    n = coordinates.size
    right = np.empty(n)
    for j in range(n):
        right[j] = action[coordinates[j]]
    found = sum_rows(mix.factor, right) if mix.is_inverse[0] else cholesky_solve(mix.factor, right)
    aid = mix.aid
    for i in range(aid.size):
        aid[i] = 0.0
    for j in range(n):
        aid[coordinates[j]] = found[j]
    return 0.0
