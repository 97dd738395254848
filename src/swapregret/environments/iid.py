"""The benign world: one action is better, every day."""

import numpy as np

from swapregret.actions.base import ActionSet
from swapregret.arrays import Matrix
from swapregret.boundary import refuses
from swapregret.environments.base import Environment, Seed, as_levels_apart, entropy_from, seeded
from swapregret.environments.groups import random_action

__all__ = ["iid"]


@refuses
def iid(actions: ActionSet, horizon: int, *, high: float = 0.7, low: float = 0.5, rng: Seed = None) -> Environment:
    """Return independent days of one law: the elements of a random action at ``high``, the others at ``low``.

    Parameters
    ----------
    actions : ActionSet
    horizon : int
    high, low : float
        Levels in [0, 1].
    rng : int, SeedSequence, Generator or None
        Chooses the good action and the noise.

    Examples
    --------
    >>> from swapregret.actions.m_sets.m_sets import MSets
    >>> sorted((2 * iid(MSets(4, 2), 10, rng=0).means(0, 1)[0]).tolist())
    [0.5, 0.5, 0.7, 0.7]
    """
    days, generator = seeded(horizon, rng, actions)
    good, other = as_levels_apart(high, low)
    row = np.where(random_action(actions, generator) == 1, good, other)

    def levels(start: int, stop: int) -> Matrix:
        return np.tile(row, (stop - start, 1))

    return Environment("iid", actions, days, levels, entropy_from(generator))
