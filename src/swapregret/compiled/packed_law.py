"""Weights of a law on a grid, and a law over packed actions with every action once."""

import numpy as np

from swapregret.arrays import Floats, Words
from swapregret.compiled.bits import merge_rows
from swapregret.compiled.kernel import kernel

__all__ = ["grid_weights", "merge_law"]


_GRID = 2**52


@kernel
def grid_weights(weights: Floats) -> Floats:
    """Round weights that add up to 1 to multiples of 2⁻⁵² that do so exactly (``policy.on_grid``)."""
    n = weights.size
    units = np.empty(n, dtype=np.int64)
    missing = np.int64(_GRID)
    largest = 0
    for i in range(n):
        units[i] = np.int64(np.floor(weights[i] * _GRID))
        missing -= units[i]
        if units[i] > units[largest]:
            largest = i
    units[largest] += missing
    result = np.empty(n)
    for i in range(n):
        result[i] = units[i] / _GRID
    return result


@kernel
def merge_law(words: Words, weights: Floats) -> tuple[Words, Floats]:
    """Return the different actions of a list, in the order they are met, and the sums of their weights.

    Weights, which add up to 1 within rounding, come back as multiples of 2⁻⁵² that do so exactly, those that are 0 left out.
    """
    merged, sums = words.copy(), weights.copy()
    count = merge_rows(merged, sums)
    rounded = grid_weights(sums[:count])
    n_kept = 0
    for index in range(count):
        if rounded[index] > 0.0:
            merged[n_kept] = merged[index]
            rounded[n_kept] = rounded[index]
            n_kept += 1
    return merged[:n_kept].copy(), rounded[:n_kept].copy()
