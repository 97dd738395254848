"""Worlds without an opponent: one that stands still, one that changes a few times, one that drifts, one with outages."""

from typing import Annotated

import numpy as np

from swapregret.actions.action_set import ActionSet
from swapregret.arguments import Between, Count, Days, Share, checked
from swapregret.arrays import as_integer, check_memory
from swapregret.environments.environment import Environment, check_apart, entropy_from, rows_of
from swapregret.environments.groups import random_action, three_groups
from swapregret.randomness import Seed, as_generator

_STRETCHES = 1000


@checked
def iid(actions: ActionSet, horizon: Days, *, high: Share = 0.7, low: Share = 0.5, rng: Seed = None) -> Environment:
    """Return independent days of one distribution: the elements of a random action at ``high``, the others at ``low``.

    Both are levels in [0, 1]; ``rng`` chooses the good action and the noise.

    Examples
    --------
    >>> from swapregret import MSets
    >>> sorted((2 * iid(MSets(4, 2), 10, rng=0).means(0, 1)[0]).tolist())
    [0.5, 0.5, 0.7, 0.7]
    """
    generator = as_generator(rng)
    check_apart(high, low)
    table = np.where(random_action(actions, generator) == 1, high, low)[None, :]
    return Environment("iid", actions, horizon, rows_of(table, np.zeros_like), entropy_from(generator))


@checked
def piecewise(
    actions: ActionSet, horizon: Days, *, pieces: Count = 8, high: Share = 0.8, low: Share = 0.3, rng: Seed = None
) -> Environment:
    """Return equal pieces, each with a random action at ``high`` and all other elements at ``low``.

    Both are levels in [0, 1]; ``rng`` chooses the good actions and the noise.

    Examples
    --------
    >>> from swapregret import MSets
    >>> world = piecewise(MSets(4, 2), 80, rng=0)
    >>> sorted((2 * world.means(10, 11)[0]).tolist())
    [0.3, 0.3, 0.8, 0.8]
    """
    generator, count = as_generator(rng), as_integer(pieces, "pieces", 1, horizon)
    check_apart(high, low)
    check_memory(count * actions.dimension, "the table of a piecewise environment", 16)
    table = np.array([np.where(random_action(actions, generator) == 1, high, low) for _ in range(count)])
    levels = rows_of(table, lambda day: day * count // horizon)
    return Environment(f"piecewise-{count}", actions, horizon, levels, entropy_from(generator))


@checked
def random_walk(
    actions: ActionSet,
    horizon: Days,
    *,
    steps: Count = 2000,
    deviation: Annotated[float, Between(0.0)] = 0.03,
    rng: Seed = None,
) -> Environment:
    """Return levels that walk at random between 0 and 1, each element on its own.

    The walk starts at uniform levels, which are stationary, and makes ``steps`` normal steps over the horizon (at most one
    per day) of standard deviation ``deviation``, reflected at 0 and 1; between two steps it stands still. ``rng`` chooses the walk
    and the noise.

    Examples
    --------
    >>> from swapregret import MSets
    >>> world = random_walk(MSets(4, 2), 10_000, rng=0)
    >>> bool((world.means(0, 5) == world.means(0, 1)).all()), bool((world.means(5, 6) == world.means(0, 1)).any())
    (True, False)
    """
    generator, count = as_generator(rng), min(steps, horizon)
    check_memory(count * actions.dimension, "the table of a random walk", 32)
    start_levels = generator.random(actions.dimension)
    moves = deviation * generator.standard_normal((count - 1, actions.dimension))
    path = np.vstack([start_levels, start_levels + np.cumsum(moves, axis=0)])
    folded = np.abs(path) % 2.0
    table = np.where(folded > 1.0, 2.0 - folded, folded)
    levels = rows_of(table, lambda day: day * count // horizon)
    return Environment("random-walk", actions, horizon, levels, entropy_from(generator))


@checked
def interruptions(
    actions: ActionSet,
    horizon: Days,
    *,
    share: Share = 0.1,
    stretch: Days | None = None,
    high: Share = 0.7,
    low: Share = 0.5,
    rng: Seed = None,
) -> Environment:
    """Return days as of ``iid``, a share of them in short stretches in which the best action pays nothing and a decoy everything.

    Outages are common, and learners that restart or track react to them too much or too little.

    Parameters
    ----------
    actions : ActionSet
    horizon : int
    share : float
        Of the days that are interrupted, in [0, 1].
    stretch : int, optional
        Days per interruption; a thousandth of the horizon if not given.
    high, low : float
        Levels of the best action's elements and of all others on other days, in [0, 1].
    rng : int, SeedSequence, Generator or None
        Chooses the two actions, the stretches and the noise.

    Examples
    --------
    >>> from swapregret import MSets
    >>> world = interruptions(MSets(4, 2), 1000, rng=0)
    >>> means = 2 * world.means(0, 1000)
    >>> int((means.max(axis=1) == 1.0).sum()), sorted(set(means.ravel().round(6).tolist()))
    (100, [0.0, 0.5, 0.7, 1.0])
    """
    generator = as_generator(rng)
    length = max(1, horizon // _STRETCHES) if stretch is None else as_integer(stretch, "stretch", 1, horizon)
    check_apart(high, low)
    best, decoy = three_groups(actions, generator)[:2]
    calm = np.where(best == 1, high, low)
    outage = np.where(decoy == 1, 1.0, np.where(best == 1, 0.0, low))
    n_stretches = -(-horizon // length)
    is_out = (generator.permutation(n_stretches) < round(share * n_stretches)).astype(np.int64)
    levels = rows_of(np.stack([calm, outage]), lambda day: is_out[day // length])
    return Environment("interruptions", actions, horizon, levels, entropy_from(generator))
