"""Many small cycles at once, each at its own speed."""

import math

import numpy as np

from swapregret.actions.base import ActionSet
from swapregret.arrays import Matrix
from swapregret.boundary import refuses
from swapregret.environments.base import Environment, Seed, entropy_from, seeded
from swapregret.environments.cyclic import cycle_values
from swapregret.environments.groups import three_groups

__all__ = ["slots"]

_PHASES, _SPEED_UP = 7.0, 1.3


@refuses
def slots(actions: ActionSet, horizon: int, *, rng: Seed = None) -> Environment:
    """Return m cycles of three elements each, slot s with phases of ⌊T / (7 · 1.3^s)⌋ days.

    Three least-overlapping actions give slot s its three elements: the s-th of each, in random order. On m-sets that
    is m slots with three active elements each, and 3^m combinations of leaders; other sets reach as many of them as
    they have actions. An element that two slots share has the larger of its two levels.

    Parameters
    ----------
    actions : ActionSet
    horizon : int
    rng : int, SeedSequence, Generator or None
        Chooses the elements of the slots and the noise.

    Examples
    --------
    >>> from swapregret.actions.m_sets.m_sets import MSets
    >>> world = slots(MSets(6, 2), 700, rng=0)
    >>> sorted((2 * world.means(0, 1)[0]).tolist())
    [0.0, 0.0, 0.5, 0.5, 0.55, 0.55]
    """
    days, generator = seeded(horizon, rng, actions)
    members = [generator.permutation(np.flatnonzero(group)) for group in three_groups(actions, generator)]
    values = cycle_values(0.5)
    n_slots = max(len(order) for order in members)
    lengths = [max(1, math.floor(days / (_PHASES * _SPEED_UP**slot))) for slot in range(n_slots)]

    def levels(start: int, stop: int) -> Matrix:
        result = np.zeros((stop - start, actions.dimension))
        for slot, length in enumerate(lengths):
            phase = np.arange(start, stop) // length
            rows = values[np.where(phase == 0, 0, 1 + (phase - 1) % 3)]
            for group, order in enumerate(members):
                if slot < len(order):
                    element = order[slot]
                    result[:, element] = np.maximum(result[:, element], rows[:, group])
        return result

    return Environment("slots", actions, days, levels, entropy_from(generator))
