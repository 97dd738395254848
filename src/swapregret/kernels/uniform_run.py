"""Whole blocks of uniform play on m-sets, compiled."""

import numpy as np
import numpy.typing as npt

from swapregret.actions.m_sets.kernels.subsets import draw_uniform
from swapregret.compiled.kernel import kernel
from swapregret.compiled.vectors import action_total

__all__ = ["run_uniform"]

Floats = npt.NDArray[np.float64]
Integers = npt.NDArray[np.int64]


@kernel
def run_uniform(rng: np.random.Generator, rewards: Floats, size: int, plays: Integers) -> Floats:
    """Draw an m-set a row of ``rewards`` as ``UniformSubsets.sample`` does, and return what each earned.

    The sets are written to ``plays`` if it has rows.
    """
    n_days, d = rewards.shape
    received = np.empty(n_days)
    for day in range(n_days):
        action = draw_uniform(rng, d, size)
        if len(plays):
            plays[day] = action
        received[day] = min(max(action_total(rewards[day], action), 0.0), 1.0)
    return received
