"""Cycles that punish followers of the leader.

Three actions G0, G1, G2 that share as few elements as possible. In phase j, G_{j mod 3} is worth .5, the next one 1,
the previous one 0. A learner that follows the leader of the past always plays the one worth .5: its external regret is
about 0, its swap regret per day tends to ½(1 − 1/phases).
"""

import numpy as np

from swapregret.actions.base import ActionSet
from swapregret.arrays import Matrix, as_integer
from swapregret.boundary import refuses
from swapregret.environments.base import Environment, Seed, entropy_from, seeded
from swapregret.environments.groups import group_levels, three_groups

__all__ = ["cycle_values", "cyclic"]


def cycle_values(middle: float) -> Matrix:
    """Return the values of (G0, G1, G2) in the lead-in and in the three phases of the cycle, a row each.

    Examples
    --------
    >>> cycle_values(.5).tolist()
    [[0.55, 0.0, 0.5], [0.5, 1.0, 0.0], [0.0, 0.5, 1.0], [1.0, 0.0, 0.5]]
    """
    return np.array([[0.55, 0.0, 0.5], [middle, 1.0, 0.0], [0.0, middle, 1.0], [1.0, 0.0, middle]])


@refuses
def cyclic(actions: ActionSet, horizon: int, *, phases: int = 7, rng: Seed = None) -> Environment:
    """Return the cyclic sequence with ``phases`` phases of T // phases days.

    The first phase is a lead-in at values (.55, 0, .5); then the cycle runs. Days left over at the end belong to the
    phase that would follow.

    Parameters
    ----------
    actions : ActionSet
    horizon : int
    phases : int
    rng : int, SeedSequence, Generator or None
        Chooses the three groups and the noise.

    Examples
    --------
    >>> from swapregret.actions.m_sets.m_sets import MSets
    >>> world = cyclic(MSets(6, 2), 700, rng=0)
    >>> sorted((2 * world.means(0, 1)[0]).tolist())
    [0.0, 0.0, 0.5, 0.5, 0.55, 0.55]
    """
    days, generator = seeded(horizon, rng, actions)
    n_phases = as_integer(phases, "phases", 1, days)
    length = days // n_phases
    table = group_levels(three_groups(actions, generator), cycle_values(0.5))

    def levels(start: int, stop: int) -> Matrix:
        phase = np.arange(start, stop) // length
        return np.asarray(table[np.where(phase == 0, 0, 1 + (phase - 1) % 3)])

    return Environment(f"cyclic-{n_phases}", actions, days, levels, entropy_from(generator))
