"""Scales of exponential weights on a list of actions: the turns of TreeSwap, and whole runs, compiled."""

import numpy as np
import numpy.typing as npt

from swapregret.compiled.kernel import kernel
from swapregret.kernels.exponential import exponential_weights
from swapregret.kernels.listed_steps import (
    ListedLog,
    choose,
    daily_uniform,
    listed_shares,
    listed_totals,
    note_law,
    play_listed,
)

__all__ = ["add_day", "mean_row", "run_treeswap", "turn_scales"]

Floats = npt.NDArray[np.float64]
Integers = npt.NDArray[np.int64]


@kernel
def add_day(
    aggregates: Floats, rows: Floats, arm: int, gain: float, probability: float, uniform: float, is_shared: bool
) -> None:
    """Add the estimate of a day to the aggregate of the scale that chose the arm, or, if shared, to all, in place."""
    n_scales = rows.shape[0]
    if is_shared:
        for k in range(n_scales):
            aggregates[k, arm] += gain / probability
    else:
        k = choose(rows[:, arm].copy(), uniform)
        aggregates[k, arm] += n_scales * gain / rows[k, arm]


@kernel
def turn_scales(scores: Floats, aggregates: Floats, rows: Floats, n_ending: int, rates: Floats) -> None:
    """End ``n_ending`` windows: scale ``n_ending`` updates if there is one, those before it restart, in place."""
    n_scales, n = rows.shape
    if n_ending <= n_scales:
        k = n_ending - 1
        for a in range(n):
            scores[k, a] += aggregates[k, a]
        aggregates[k] = 0.0
        rows[k] = exponential_weights(scores[k], rates[k], 0.0)
    for k in range(min(n_ending - 1, n_scales)):
        scores[k] = 0.0
        aggregates[k] = 0.0
        rows[k] = 1.0 / n


@kernel
def mean_row(rows: Floats) -> Floats:
    """Return the mean of the rows, added from the first to the last."""
    mean: Floats = rows[0].copy()
    for k in range(1, rows.shape[0]):
        for a in range(mean.size):
            mean[a] += rows[k, a]
    for a in range(mean.size):
        mean[a] /= rows.shape[0]
    return mean


@kernel
def run_treeswap(
    rng: np.random.Generator,
    rewards: Floats,
    columns: Floats,
    windows: Integers,
    rates: Floats,
    is_full: bool,
    is_shared: bool,
    baseline: float,
    seed: int,
    least: float,
    position: int,
    day: int,
    scores: Floats,
    aggregates: Floats,
    rows: Floats,
    log: ListedLog,
) -> None:
    """Play one day a row of ``rewards``; ``position`` is the day counted with the offset of the windows."""
    shares = listed_shares(mean_row(rows), least)
    is_new = True
    for index in range(len(rewards)):
        if is_new:
            note_law(log, index, shares)
        chosen, reward = play_listed(rng, columns, rewards[index], shares, log, index)
        if is_full:
            totals = listed_totals(columns, rewards[index])
            for k in range(rows.shape[0]):
                for a in range(totals.size):
                    aggregates[k, a] += totals[a]
        else:
            uniform = daily_uniform(seed, day + index)
            add_day(aggregates, rows, chosen, reward - baseline, shares[chosen], uniform, is_shared)
        n_ending = 0
        while n_ending < windows.size and (position + index + 1) % windows[n_ending] == 0:
            n_ending += 1
        is_new = n_ending > 0
        if is_new:
            turn_scales(scores, aggregates, rows, n_ending, rates)
            shares = listed_shares(mean_row(rows), least)
    log.filled[1] = 0 if is_new else 1
