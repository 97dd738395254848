"""Compiled exponential weights: one vector, or a matrix of which one column changes a day."""

import numpy as np

from swapregret.arrays import Floats
from swapregret.compiled.kernel import kernel


@kernel
def exponential_row(row: Floats, learning_rate: float, out: Floats) -> float:
    """Write exp(η s_i) / Σ_j exp(η s_j) and return the logarithm of the normaliser."""
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
def exponential_weights(scores: Floats, learning_rate: float) -> Floats:
    """Return exp(η s_i) / Σ_j exp(η s_j)."""
    weights = np.empty(scores.size)
    exponential_row(scores, learning_rate, weights)
    return weights


@kernel
def exponential_rows(scores: Floats, learning_rate: float, weights: Floats, log_totals: Floats) -> None:
    """Write the exponential weights of every row, and the logarithms of their normalisers, into the last two arrays."""
    for i in range(scores.shape[0]):
        log_totals[i] = exponential_row(scores[i], learning_rate, weights[i])


@kernel
def mixed_weights(weights: Floats, exploration: float) -> Floats:
    """Return (1 − γ) weights + γ/N, of a vector or of every row."""
    if exploration == 0.0:
        return weights
    mixed: Floats = (1.0 - exploration) * weights + exploration / weights.shape[0]
    return mixed


@kernel
def add_shares(scores: Floats, shares: Floats, totals: Floats) -> None:
    """Add the share p(i) of what every action paid to row i, in place."""
    for i in range(shares.size):
        for j in range(totals.size):
            scores[i, j] += shares[i] * totals[j]


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
