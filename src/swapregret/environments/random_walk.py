"""A world that drifts."""

import numpy as np

from swapregret.actions.base import ActionSet
from swapregret.arrays import Matrix, as_integer, as_number, check_memory
from swapregret.boundary import refuses
from swapregret.environments.base import Environment, Seed, entropy_from, seeded

__all__ = ["random_walk"]


@refuses
def random_walk(
    actions: ActionSet, horizon: int, *, steps: int = 2000, deviation: float = 0.03, rng: Seed = None
) -> Environment:
    """Return levels that walk at random between 0 and 1, each element on its own.

    The walk starts at uniform levels, which are stationary, and makes ``steps`` normal steps over the horizon (one a
    day at most), reflected at 0 and 1; between two steps it stands still.

    Parameters
    ----------
    actions : ActionSet
    horizon : int
    steps : int
    deviation : float
        Standard deviation of a step.
    rng : int, SeedSequence, Generator or None
        Chooses the walk and the noise.

    Examples
    --------
    >>> from swapregret.actions.m_sets.m_sets import MSets
    >>> world = random_walk(MSets(4, 2), 10_000, rng=0)
    >>> bool((world.means(0, 5) == world.means(0, 1)).all()), bool((world.means(5, 6) == world.means(0, 1)).any())
    (True, False)
    """
    days, generator = seeded(horizon, rng, actions)
    count = min(as_integer(steps, "steps", 1), days)
    deviation = as_number(deviation, "deviation", 0.0)
    check_memory(count * actions.dimension, "the table of a random walk", 32)
    start_levels = generator.random(actions.dimension)
    moves = deviation * generator.standard_normal((count - 1, actions.dimension))
    path = np.vstack([start_levels, start_levels + np.cumsum(moves, axis=0)])
    folded = np.abs(path) % 2.0
    table = np.where(folded > 1.0, 2.0 - folded, folded)

    def levels(start: int, stop: int) -> Matrix:
        return np.asarray(table[np.arange(start, stop) * count // days])

    return Environment("random-walk", actions, days, levels, entropy_from(generator))
