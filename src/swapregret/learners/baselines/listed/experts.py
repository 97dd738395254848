"""Blum and Mansour's and Ito's experts, one per action: how they learn."""

import numpy as np

from swapregret.arrays import Floats
from swapregret.compiled.kernel import kernel
from swapregret.learners.baselines.listed.exponential import exponential_rows, shift_column
from swapregret.learners.baselines.listed.steps import choose
from swapregret.learners.baselines.listed.tsallis import loss_estimate, tsallis_weights

__all__ = ["mixed_rows", "teach_all", "teach_one", "tell_all"]


@kernel
def mixed_rows(rows: Floats, exploration: float) -> Floats:
    """Return (1 − γ) rows + γ/N, or the rows themselves where nothing explores."""
    if exploration == 0.0:
        return rows
    result = np.empty(rows.shape)
    floor = exploration / rows.shape[0]
    for i in range(rows.shape[0]):
        for j in range(rows.shape[1]):
            result[i, j] = (1.0 - exploration) * rows[i, j] + floor
    return result


@kernel
def tell_all(
    scores: Floats,
    rows: Floats,
    log_totals: Floats,
    shares: Floats,
    column: int,
    estimate: float,
    rate: float,
    afresh: bool,
) -> None:
    """Tell expert i that ``column`` paid its share p(i) of an estimate; the weights of all rows follow, in place."""
    shift_column(scores, rows, log_totals, column, shares * estimate, rate)
    if afresh:
        exponential_rows(scores, rate, rows, log_totals)


@kernel
def teach_all(scores: Floats, rows: Floats, log_totals: Floats, shares: Floats, totals: Floats, rate: float) -> None:
    """Tell expert i its share p(i) of what every action paid; the weights of all rows follow, in place."""
    for i in range(shares.size):
        for j in range(totals.size):
            scores[i, j] += shares[i] * totals[j]
    exponential_rows(scores, rate, rows, log_totals)


@kernel
def teach_one(
    losses: Floats,
    rows: Floats,
    counts: Floats,
    point: Floats,
    arm: int,
    reward: float,
    uniform: float,
    scale: float,
    is_variance_reduced: bool,
) -> None:
    """Draw the expert that chose an arm, P(i | j) ∝ p(i) q_i(j), and let it learn by Tsallis-INF, in place."""
    posterior = np.empty(point.size)
    for i in range(point.size):
        posterior[i] = point[i] * rows[i, arm]
    expert = choose(posterior, uniform)
    rate = scale / np.sqrt(counts[expert] + 1.0)
    losses[expert, arm] += loss_estimate(1.0 - reward, rows[expert, arm], rate, is_variance_reduced)
    counts[expert] += 1.0
    weights, _ = tsallis_weights(losses[expert], scale / np.sqrt(counts[expert] + 1.0))
    rows[expert] = weights
