"""A world that changes a few times."""

import numpy as np

from swapregret.actions.base import ActionSet
from swapregret.arrays import Matrix, as_integer, check_memory
from swapregret.boundary import refuses
from swapregret.environments.base import Environment, Seed, as_levels_apart, entropy_from, seeded
from swapregret.environments.groups import random_action

__all__ = ["piecewise"]


@refuses
def piecewise(
    actions: ActionSet, horizon: int, *, pieces: int = 8, high: float = 0.8, low: float = 0.3, rng: Seed = None
) -> Environment:
    """Return equal pieces, each with a random action at ``high`` and all other elements at ``low``.

    Parameters
    ----------
    actions : ActionSet
    horizon : int
    pieces : int
    high, low : float
        Levels in [0, 1].
    rng : int, SeedSequence, Generator or None
        Chooses the good actions and the noise.

    Examples
    --------
    >>> from swapregret.actions.m_sets.m_sets import MSets
    >>> world = piecewise(MSets(4, 2), 80, rng=0)
    >>> sorted((2 * world.means(10, 11)[0]).tolist())
    [0.3, 0.3, 0.8, 0.8]
    """
    days, generator = seeded(horizon, rng, actions)
    count = as_integer(pieces, "pieces", 1, days)
    good, other = as_levels_apart(high, low)
    check_memory(count * actions.dimension, "the table of a piecewise environment", 16)
    table = np.array([np.where(random_action(actions, generator) == 1, good, other) for _ in range(count)])

    def levels(start: int, stop: int) -> Matrix:
        return np.asarray(table[np.arange(start, stop) * count // days])

    return Environment(f"piecewise-{count}", actions, days, levels, entropy_from(generator))
