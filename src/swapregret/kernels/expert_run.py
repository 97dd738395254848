"""Blum and Mansour's and Ito's experts, one an action: how they learn, and whole runs on a list of actions, compiled."""

import numpy as np
import numpy.typing as npt

from swapregret.compiled.kernel import kernel
from swapregret.kernels.exponential import exponential_rows, shift_column
from swapregret.kernels.listed_steps import (
    ListedLog,
    choose,
    daily_uniform,
    listed_shares,
    listed_totals,
    note_law,
    play_listed,
)
from swapregret.kernels.stationary import restation
from swapregret.kernels.tsallis import loss_estimate, tsallis_weights

__all__ = ["mixed_rows", "run_experts", "run_single_experts", "teach_all", "teach_one", "tell_all"]

Floats = npt.NDArray[np.float64]


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


@kernel
def run_experts(
    rng: np.random.Generator,
    rewards: Floats,
    columns: Floats,
    first: int,
    is_full: bool,
    rate: float,
    exploration: float,
    baseline: float,
    period: int,
    least: float,
    tolerance: float,
    patience: int,
    day: int,
    scores: Floats,
    rows: Floats,
    log_totals: Floats,
    point: Floats,
    inverse: Floats,
    log: ListedLog,
) -> tuple[int, bool]:
    """Play Blum and Mansour from row ``first`` of ``rewards`` on; all rows of weights are taken afresh every ``period`` days.

    Returns how many rows are done, and whether ``point`` belongs to the rows of weights: if not, it must be found anew
    before the rest is played.
    """
    for index in range(first, len(rewards)):
        shares = listed_shares(point, least)
        note_law(log, index, shares)
        chosen, reward = play_listed(rng, columns, rewards[index], shares, log, index)
        if is_full:
            teach_all(scores, rows, log_totals, point, listed_totals(columns, rewards[index]), rate)
        else:
            estimate = (reward - baseline) / shares[chosen]
            tell_all(scores, rows, log_totals, point, chosen, estimate, rate, (day + index + 1) % period == 0)
        if not restation(mixed_rows(rows, exploration), point, inverse, tolerance, patience):
            return index + 1, False
    return len(rewards), True


@kernel
def run_single_experts(
    rng: np.random.Generator,
    rewards: Floats,
    columns: Floats,
    first: int,
    scale: float,
    is_variance_reduced: bool,
    seed: int,
    least: float,
    tolerance: float,
    patience: int,
    day: int,
    losses: Floats,
    rows: Floats,
    counts: Floats,
    point: Floats,
    inverse: Floats,
    log: ListedLog,
) -> tuple[int, bool]:
    """Play Ito from row ``first`` of ``rewards`` on; returns what :func:`run_experts` does."""
    for index in range(first, len(rewards)):
        shares = listed_shares(point, least)
        note_law(log, index, shares)
        chosen, reward = play_listed(rng, columns, rewards[index], shares, log, index)
        uniform = daily_uniform(seed, day + index)
        teach_one(losses, rows, counts, point, chosen, reward, uniform, scale, is_variance_reduced)
        if not restation(rows, point, inverse, tolerance, patience):
            return index + 1, False
    return len(rewards), True
