"""A world that stands still but for short interruptions: outages."""

import numpy as np

from swapregret.actions.base import ActionSet
from swapregret.arrays import Matrix, as_integer, as_number
from swapregret.boundary import refuses
from swapregret.environments.base import Environment, Seed, as_levels_apart, entropy_from, seeded
from swapregret.environments.groups import three_groups

__all__ = ["interruptions"]

_STRETCHES = 1000


@refuses
def interruptions(
    actions: ActionSet,
    horizon: int,
    *,
    share: float = 0.1,
    stretch: int | None = None,
    high: float = 0.7,
    low: float = 0.5,
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
    >>> from swapregret.actions.m_sets.m_sets import MSets
    >>> world = interruptions(MSets(4, 2), 1000, rng=0)
    >>> means = 2 * world.means(0, 1000)
    >>> int((means.max(axis=1) == 1.0).sum()), sorted(set(means.ravel().round(6).tolist()))
    (100, [0.0, 0.5, 0.7, 1.0])
    """
    days, generator = seeded(horizon, rng, actions)
    part = as_number(share, "share", 0.0, 1.0)
    length = max(1, days // _STRETCHES) if stretch is None else as_integer(stretch, "stretch", 1, days)
    good, other = as_levels_apart(high, low)
    best, decoy = three_groups(actions, generator)[:2]
    calm = np.where(best == 1, good, other)
    outage = np.where(decoy == 1, 1.0, np.where(best == 1, 0.0, other))
    n_stretches = -(-days // length)
    out = generator.permutation(n_stretches) < round(part * n_stretches)
    table = np.stack([calm, outage])

    def levels(start: int, stop: int) -> Matrix:
        return np.asarray(table[out[np.arange(start, stop) // length].astype(np.int64)])

    return Environment("interruptions", actions, days, levels, entropy_from(generator))
