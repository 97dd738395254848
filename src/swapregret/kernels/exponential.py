"""Compiled exponential weights: one vector, or a matrix of which one column changes a day.

May touch: ``kernels.compile``.
"""

import numpy as np
import numpy.typing as npt

from swapregret.kernels.compile import kernel

__all__ = ["exponential_rows", "exponential_weights", "lifted_weights", "shift_column"]

Floats = npt.NDArray[np.float64]


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
def exponential_rows(scores: Floats, learning_rate: float) -> tuple[Floats, Floats]:
    """Return the exponential weights of every row, and the logarithms of their normalisers."""
    n, width = scores.shape
    weights = np.empty((n, width))
    log_totals = np.empty(n)
    for i in range(n):
        row = scores[i]
        out = weights[i]
        largest = row[0]
        for j in range(width):
            largest = max(largest, row[j])
        total = 0.0
        for j in range(width):
            out[j] = np.exp(learning_rate * (row[j] - largest))
            total += out[j]
        for j in range(width):
            out[j] /= total
        log_totals[i] = learning_rate * largest + np.log(total)
    return weights, log_totals


@kernel
def shift_column(
    scores: Floats, weights: Floats, log_totals: Floats, column: int, increments: Floats, learning_rate: float
) -> tuple[Floats, Floats, Floats]:
    """Add increments to one column of the scores and renormalise the rows without taking all exponentials again.

    With f = exp(η·increment), a row's normaliser grows by the factor 1 + w_c (f − 1), its other weights shrink by it,
    and the weight of the column is taken afresh from its score. Weights that had underflowed to 0 stay there until all
    rows are taken afresh by ``exponential_rows``.
    """
    new_scores, new_weights, new_totals = scores.copy(), weights.copy(), log_totals.copy()
    for i in range(scores.shape[0]):
        row = new_weights[i]
        growth = 1.0 + row[column] * np.expm1(learning_rate * increments[i])
        new_scores[i, column] += increments[i]
        if growth < 1e-3:  # nearly all weight was on the column and is lost: rescaling the rest would lose digits
            old = new_scores[i]
            largest = old[0]
            for j in range(old.size):
                largest = max(largest, old[j])
            total = 0.0
            for j in range(old.size):
                row[j] = np.exp(learning_rate * (old[j] - largest))
                total += row[j]
            for j in range(old.size):
                row[j] /= total
            new_totals[i] = learning_rate * largest + np.log(total)
            continue
        new_totals[i] += np.log(growth)
        shrink = 1.0 / growth
        for j in range(row.size):
            row[j] *= shrink
        row[column] = np.exp(learning_rate * new_scores[i, column] - new_totals[i])
    return new_scores, new_weights, new_totals
