"""Cycles that punish followers of the leader.

Three actions G0, G1, G2 that share as few elements as possible. In phase j, G_{j mod 3} is worth .5, the next one 1, the
previous one 0. A learner that follows the leader of the past always plays the one worth .5: its external regret is about
0, its swap regret per day tends to ½(1 − 1/phases).

May touch: ``environments.base``, ``actions.base``, ``arrays``, ``errors``.
"""

import numpy as np

from swapregret.actions.base import ActionSet
from swapregret.arrays import Actions, Matrix, as_integer
from swapregret.environments.base import Environment

__all__ = ["cyclic", "three_groups"]

Seed = int | np.random.SeedSequence | np.random.Generator | None


def three_groups(actions: ActionSet, rng: np.random.Generator) -> Actions:
    """Find three actions that overlap as little as a greedy search by the oracle can make them.

    Ties between elements used equally often are broken at random.
    """
    used = np.zeros(actions.dimension)
    groups = []
    for _ in range(3):
        groups.append(actions.argmax(rng.random(actions.dimension) - 2.0 * actions.dimension * used))
        used += groups[-1]
    return np.array(groups)


def cyclic(actions: ActionSet, horizon: int, *, phases: int = 7, rng: Seed = None) -> Environment:
    """Return the cyclic sequence with ``phases`` phases of T // phases days.

    The first phase is a lead-in at levels (.55, 0, .5); then the cycle runs. Days left over at the end belong to the
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
    >>> from swapregret.actions.m_sets import MSets
    >>> world = cyclic(MSets(6, 2), 700, rng=0)
    >>> sorted((2 * world.means(0, 1)[0]).tolist())
    [0.0, 0.0, 0.5, 0.5, 0.55, 0.55]
    """
    days = as_integer(horizon, "horizon", 1)
    n_phases = as_integer(phases, "phases", 1, days)
    generator = np.random.default_rng(rng)
    groups = three_groups(actions, generator)
    length = days // n_phases
    values = np.array([[0.55, 0.0, 0.5], [0.5, 1.0, 0.0], [0.0, 0.5, 1.0], [1.0, 0.0, 0.5]])
    table = (values[:, :, None] * groups[None, :, :]).max(axis=1)

    def levels(start: int, stop: int) -> Matrix:
        phase = np.arange(start, stop) // length
        return np.asarray(table[np.where(phase == 0, 0, 1 + (phase - 1) % 3)])

    return Environment(f"cyclic-{n_phases}", actions, days, levels, int(generator.integers(2**63)))
