"""Compiled steps of a day of any algorithm that lists all actions: its policy, what all would have paid, exponential weights.

Actions are given as ``columns``, shape (dimension, N): entry (i, a) is 1.0 if action a has element i.
"""

import numpy as np

from swapregret.arrays import Floats
from swapregret.compiled.bits import grid_weights
from swapregret.compiled.kernel import kernel

LEAST = 2.0**-51
"""Weights of policies are lifted to this, so that the policies of all days have the same actions."""
_STEP = np.uint64(0x9E3779B97F4A7C15)
_FIRST = np.uint64(0xBF58476D1CE4E5B9)
_SECOND = np.uint64(0x94D049BB133111EB)
_SHIFTS = (np.uint64(30), np.uint64(27), np.uint64(31), np.uint64(11))


@kernel
def listed_shares(weights: Floats) -> Floats:
    """Return a policy on the grid of multiples of 2⁻⁵² in which every action has at least about 2⁻⁵¹."""
    lifted = weights
    if weights.min() < LEAST:
        lifted = np.maximum(weights, LEAST)
        lifted /= lifted.sum()
    return grid_weights(lifted)


@kernel
def listed_totals(columns: Floats, vector: Floats) -> Floats:
    """Return what each action is paid by a vector: elements in order, as ``action_total`` adds them."""
    totals = np.zeros(columns.shape[1])
    for i in range(columns.shape[0]):
        line, value = columns[i], vector[i]
        for a in range(totals.size):
            totals[a] += line[a] * value
    return totals


@kernel
def daily_uniform(seed: int, day: int) -> float:
    """Return a number in [0, 1) that is uniform over the days of a seed, always the same for the same two."""
    x = np.uint64(seed) + np.uint64(day + 1) * _STEP
    x = (x ^ (x >> _SHIFTS[0])) * _FIRST
    x = (x ^ (x >> _SHIFTS[1])) * _SECOND
    return float((x ^ (x >> _SHIFTS[2])) >> _SHIFTS[3]) / 2.0**53


@kernel
def choose(weights: Floats, uniform: float) -> int:
    """Return the index that a uniform number falls on when weights are laid end to end and scaled to 1."""
    place, reached = uniform * weights.sum(), 0.0
    for i in range(weights.size):
        reached += weights[i]
        if reached > place:
            return i
    return weights.size - 1


@kernel
def exponential_row(row: Floats, learning_rate: float, out: Floats) -> float:
    """Write exp(η s_i) / Σ_j exp(η s_j) and return the logarithm of the normaliser."""
    largest, total = row.max(), 0.0
    for j in range(row.size):
        out[j] = np.exp(learning_rate * (row[j] - largest))
        total += out[j]
    out /= total
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
