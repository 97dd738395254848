"""Small loops of matchings: a uniform draw, and the part of a table that matchings can see."""

import numpy as np

from swapregret.arrays import Floats, Integers
from swapregret.compiled.kernel import kernel


@kernel
def draw_matching(rng: np.random.Generator, n_rows: int, n_columns: int) -> Integers:
    """Draw a matching uniformly: the first rows of a shuffle of the columns, one random number per row."""
    left = np.arange(n_columns)
    action = np.zeros(n_rows * n_columns, dtype=np.int64)
    for i in range(n_rows):
        j = i + int(rng.random() * (n_columns - i))
        left[i], left[j] = left[j], left[i]
        action[i * n_columns + left[i]] = 1
    return action


@kernel
def matching_span_part(vector: Floats, n_rows: int, n_columns: int) -> Floats:
    """Return the part of a table in the span of the matchings: tables of equal row sums (and column sums, if square).

    What sets one row or column apart from the others is spread evenly over it and taken off.
    """
    result = vector.copy()
    down = np.zeros(n_columns)
    across = np.empty(n_rows)
    total = 0.0
    for i in range(n_rows):
        row = vector[i * n_columns : (i + 1) * n_columns]
        value = 0.0
        for j in range(n_columns):
            value += row[j]
            down[j] += row[j]
        across[i] = value
        total += value
    for i in range(n_rows):
        row = result[i * n_columns : (i + 1) * n_columns]
        excess = (across[i] - total / n_rows) / n_columns
        for j in range(n_columns):
            row[j] -= excess
            if n_rows == n_columns:
                row[j] -= (down[j] - total / n_columns) / n_rows
    return result
