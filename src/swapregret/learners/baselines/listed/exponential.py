"""Compiled exponential weights: one vector, or a matrix of which one column changes a day."""

import numpy as np

from swapregret.arrays import Floats
from swapregret.compiled.kernel import kernel

__all__ = ["exponential_row", "exponential_rows", "exponential_weights", "lifted_weights", "shift_column"]


@kernel
def exponential_weights(scores: Floats, learning_rate: float, exploration: float) -> Floats:
    """Return (1 − γ) exp(η s_i) / Σ_j exp(η s_j) + γ/N."""
    n = scores.size
    largest = scores[0]
    for i in range(n):
        largest = max(largest, scores[i])
    weights = np.empty(n)
    total = 0.0
    for i in range(n):
        weights[i] = np.exp(learning_rate * (scores[i] - largest))
        total += weights[i]
    share, floor = (1.0 - exploration) / total, exploration / n
    for i in range(n):
        weights[i] = share * weights[i] + floor
    return weights


@kernel
def lifted_weights(weights: Floats, least: float) -> Floats:
    """Lift weights below ``least`` to it, if there are any, and divide by the sum then."""
    lowest = np.inf
    for i in range(weights.size):
        lowest = min(lowest, weights[i])
    result = weights.copy()
    if lowest < least:
        total = 0.0
        for i in range(weights.size):
            result[i] = max(weights[i], least)
            total += result[i]
        for i in range(weights.size):
            result[i] /= total
    return result


@kernel
def exponential_rows(scores: Floats, learning_rate: float, weights: Floats, log_totals: Floats) -> None:
    """Write the exponential weights of every row, and the logarithms of their normalisers, into the last two arrays."""
    for i in range(scores.shape[0]):
        log_totals[i] = exponential_row(scores[i], learning_rate, weights[i])


@kernel
def exponential_row(row: Floats, learning_rate: float, out: Floats) -> float:
    """Write the exponential weights of one row and return the logarithm of its normaliser."""
    largest = row[0]
    for j in range(row.size):
        largest = max(largest, row[j])
    total = 0.0
    for j in range(row.size):
        out[j] = np.exp(learning_rate * (row[j] - largest))
        total += out[j]
    for j in range(row.size):
        out[j] /= total
    return float(learning_rate * largest + np.log(total))


@kernel
def shift_column(
    scores: Floats, weights: Floats, log_totals: Floats, column: int, increments: Floats, learning_rate: float
) -> None:
    """Add increments to one column of the scores and renormalise the rows without taking all exponentials again.

    All three arrays are changed in place. With f = exp(η·increment), a row's normaliser grows by the factor 1 + w_c (f −
    1), its other weights shrink by it, and the weight of the column is taken afresh from its score. Weights that had
    underflowed to 0 stay there until all rows are taken afresh by ``exponential_rows``.
    """
    for i in range(scores.shape[0]):
        row = weights[i]
        growth = 1.0 + row[column] * np.expm1(learning_rate * increments[i])
        scores[i, column] += increments[i]
        if growth < 1e-3:  # nearly all weight was on the column and is lost: rescaling the rest would lose digits
            log_totals[i] = exponential_row(scores[i], learning_rate, row)
            continue
        log_totals[i] += np.log(growth)
        shrink = 1.0 / growth
        for j in range(row.size):
            row[j] *= shrink
        row[column] = np.exp(learning_rate * scores[i, column] - log_totals[i])
