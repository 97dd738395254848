"""Σ⁺M of many actions under one policy."""

import numpy as np
import numpy.typing as npt

from swapregret.compiled.cholesky import cholesky_solve, sum_rows
from swapregret.compiled.kernel import kernel

__all__ = ["solve_many"]

Floats = npt.NDArray[np.float64]
Integers = npt.NDArray[np.int64]


@kernel
def solve_many(plays: Integers, has_inverse: bool, factor: Floats, coordinates: Integers) -> Floats:
    """Return Σ⁺M for each row of ``plays``, on the independent ``coordinates``."""
    aids = np.zeros(plays.shape)
    n = coordinates.size
    right = np.empty(n)
    for row in range(plays.shape[0]):
        for j in range(n):
            right[j] = plays[row, coordinates[j]]
        found = sum_rows(factor, right) if has_inverse else cholesky_solve(factor, right)
        for j in range(n):
            aids[row, coordinates[j]] = found[j]
    return aids
