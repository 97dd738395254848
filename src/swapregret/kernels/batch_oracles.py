"""The oracles of the families for many weight vectors at once: one call instead of one an action.

May touch: the kernels they are made of.
"""

import numpy as np
import numpy.typing as npt

from swapregret.compiled.kernel import kernel
from swapregret.compiled.selection import top_elements
from swapregret.kernels.assignment import best_matching
from swapregret.kernels.dag import best_path
from swapregret.kernels.kruskal import heaviest_forest

__all__ = ["best_matchings", "best_paths", "best_subsets", "heaviest_forests"]

Floats = npt.NDArray[np.float64]
Integers = npt.NDArray[np.int64]


@kernel
def best_subsets(weights: Floats, size: int) -> Integers:
    """Return the ``size`` largest entries of each row."""
    found = np.empty(weights.shape, dtype=np.int64)
    for index in range(weights.shape[0]):
        found[index] = top_elements(weights[index], size)
    return found


@kernel
def best_matchings(weights: Floats, n_rows: int, n_columns: int) -> Integers:
    """Return the best assignment under each row of weights over the (row, column) pairs."""
    found = np.empty(weights.shape, dtype=np.int64)
    for index in range(weights.shape[0]):
        found[index] = best_matching(weights[index].reshape(n_rows, n_columns))
    return found


@kernel
def best_paths(start: Integers, head: Integers, edge: Integers, weights: Floats) -> Integers:
    """Return the path of largest weight under each row of weights."""
    found = np.empty(weights.shape, dtype=np.int64)
    for index in range(weights.shape[0]):
        found[index] = best_path(start, head, edge, weights[index])
    return found


@kernel
def heaviest_forests(weights: Floats, tails: Integers, heads: Integers, n_vertices: int, size: int) -> Integers:
    """Return the heaviest forest of ``size`` edges under each row of weights."""
    found = np.empty(weights.shape, dtype=np.int64)
    for index in range(weights.shape[0]):
        found[index] = heaviest_forest(weights[index], tails, heads, n_vertices, size)
    return found
