"""Whole runs of Exp3 and Tsallis-INF on a list of actions, compiled.

The same kernels in the same order as stepping a ``Session`` day by day, so both give the same bits; see
``learners.engines.scores`` for the glue.

May touch: ``kernels.compile``, ``kernels.exponential``, ``kernels.master_steps``, ``kernels.tsallis``, ``kernels.vectors``.
"""

import numpy as np
import numpy.typing as npt

from swapregret.kernels.compile import kernel
from swapregret.kernels.exponential import exponential_weights, lifted_weights
from swapregret.kernels.master_steps import grid_weights
from swapregret.kernels.tsallis import tsallis_weights
from swapregret.kernels.vectors import action_total

__all__ = ["run_scores"]

Floats = npt.NDArray[np.float64]
Integers = npt.NDArray[np.int64]


@kernel
def run_scores(
    rng: np.random.Generator,
    rewards: Floats,
    rows: Integers,
    is_tsallis: bool,
    rate: float,
    exploration: float,
    baseline: float,
    is_variance_reduced: bool,
    least: float,
    day: int,
    scores: Floats,
    received: Floats,
) -> None:
    """Play one day a row of ``rewards``; ``scores``, one an action, are changed in place.

    ``rate`` is η of Exp3 and c of Tsallis-INF, whose scores are losses. Weights below ``least`` are lifted to it.
    """
    for index in range(len(rewards)):
        today = rate / np.sqrt(day + index + 1) if is_tsallis else rate
        if is_tsallis:
            weights, _ = tsallis_weights(scores, today)
        else:
            weights = exponential_weights(scores, today, exploration)
        shares = grid_weights(lifted_weights(weights, least))
        chosen = np.searchsorted(np.cumsum(shares), rng.random(), side="right")
        reward = min(max(action_total(rewards[index], rows[chosen]), 0.0), 1.0)
        received[index] = reward
        share = shares[chosen]
        if is_tsallis:
            middle = 0.5 if is_variance_reduced and share >= today * today else 0.0
            scores[chosen] += ((1.0 - reward) - middle) / share
        else:
            scores[chosen] += (reward - baseline) / share
