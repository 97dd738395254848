"""Rewards on every scale of time: a tree over the days."""

import math

import numpy as np

from swapregret.actions.base import ActionSet
from swapregret.arrays import Matrix, as_integer, check_memory
from swapregret.boundary import refuses
from swapregret.environments.base import Environment, Seed, entropy_from, seeded
from swapregret.environments.groups import random_action

__all__ = ["tree"]

_DAYS_PER_LEAF = 50


@refuses
def tree(
    actions: ActionSet, horizon: int, *, branching: int = 4, depth: int | None = None, rng: Seed = None
) -> Environment:
    """Return a tree over the days: each node has a random action, which pays 1/depth while its node lasts.

    Below the root, which would only add a constant, the days are divided into ``branching`` equal parts, each of them
    again, down to ``depth``. On a day the nodes on the path from the root to its leaf are open; an element's level is
    the share of them whose action contains it.

    Parameters
    ----------
    actions : ActionSet
    horizon : int
    branching : int
        Four if not given.
    depth : int, optional
        ⌊log₄(T / 50)⌋ (with the branching in place of 4), at least 1, if not given.
    rng : int, SeedSequence, Generator or None
        Chooses the actions and the noise.

    Notes
    -----
    branching^depth oracle calls, and as many rows of memory, up to a factor branching / (branching − 1).

    Examples
    --------
    >>> from swapregret.actions.m_sets.m_sets import MSets
    >>> world = tree(MSets(6, 2), 800, rng=0)
    >>> float(world.means(0, 800).sum().round(9))       # two levels, each pays one action, 1 a day in total
    800.0
    """
    days, generator = seeded(horizon, rng, actions)
    fan = as_integer(branching, "branching", 2)
    if depth is None:
        depth = max(1, math.floor(math.log(max(1.0, days / _DAYS_PER_LEAF), fan) + 1e-9))
    n_levels = as_integer(depth, "depth", 1, max(1, math.floor(math.log(days, fan) + 1e-9)))
    check_memory(2 * fan**n_levels, "the tables of a tree", 16 * actions.dimension)
    tables = [
        np.array([random_action(actions, generator) for _ in range(fan**level)], dtype=np.float64)
        for level in range(1, n_levels + 1)
    ]

    def levels(start: int, stop: int) -> Matrix:
        leaf = np.arange(start, stop) * fan**n_levels // days
        total = np.zeros((stop - start, actions.dimension))
        for level, table in enumerate(tables, start=1):
            total += table[leaf // fan ** (n_levels - level)]
        return total / n_levels

    return Environment("tree", actions, days, levels, entropy_from(generator))
