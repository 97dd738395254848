"""Scales of exponential weights on a list of actions: the turns of TreeSwap."""

from swapregret.arrays import Floats
from swapregret.compiled.kernel import kernel
from swapregret.learners.baselines.listed.exponential import exponential_weights
from swapregret.learners.baselines.listed.steps import choose

__all__ = ["add_day", "mean_row", "turn_scales"]


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
