"""Whole runs of Exp3 and Tsallis-INF on a list of actions, compiled.

The same kernels in the same order as stepping a ``Session`` day by day, so both give the same bits.
"""

import numpy as np
import numpy.typing as npt

from swapregret.compiled.kernel import kernel
from swapregret.kernels.exponential import exponential_weights
from swapregret.kernels.listed_steps import ListedLog, listed_shares, listed_totals, note_law, play_listed
from swapregret.kernels.tsallis import loss_estimate, tsallis_weights

__all__ = ["run_scores"]

Floats = npt.NDArray[np.float64]


@kernel
def run_scores(
    rng: np.random.Generator,
    rewards: Floats,
    columns: Floats,
    is_tsallis: bool,
    is_full: bool,
    rate: float,
    exploration: float,
    baseline: float,
    is_variance_reduced: bool,
    least: float,
    day: int,
    scores: Floats,
    log: ListedLog,
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
        shares = listed_shares(weights, least)
        note_law(log, index, shares)
        chosen, reward = play_listed(rng, columns, rewards[index], shares, log, index)
        if is_full:
            totals = listed_totals(columns, rewards[index])
            for a in range(scores.size):
                scores[a] += totals[a]
        elif is_tsallis:
            scores[chosen] += loss_estimate(1.0 - reward, shares[chosen], today, is_variance_reduced)
        else:
            scores[chosen] += (reward - baseline) / shares[chosen]
