"""The cycle with phases that grow: it attacks every time scale."""

import math

import numpy as np
import numpy.typing as npt

from swapregret.actions.base import ActionSet
from swapregret.arrays import Matrix
from swapregret.boundary import refuses
from swapregret.environments.base import Environment, Seed, entropy_from, seeded
from swapregret.environments.cyclic import cycle_values
from swapregret.environments.groups import group_levels, three_groups

__all__ = ["spiral", "spiral_ends"]

_MIDDLE = 0.6


def spiral_ends(horizon: int) -> npt.NDArray[np.int64]:
    """Return the day on which each phase ends, the lead-in first, until the horizon is passed.

    The lead-in lasts L = max(16, T // 4096) days and leaves the next leader x = L/2 behind. It gains .4 a day, so the
    phase lasts ⌈x / .4⌉ days; the one after it is then .6 of that behind.

    Examples
    --------
    >>> spiral_ends(200).tolist()
    [16, 36, 66, 111, 179, 281]
    """
    ends = [max(16, horizon // 4096)]
    behind = ends[0] / 2.0
    while ends[-1] < horizon:
        length = math.ceil(behind / 0.4 - 1e-9)
        ends.append(ends[-1] + length)
        behind = _MIDDLE * length
    return np.array(ends)


@refuses
def spiral(actions: ActionSet, horizon: int, *, rng: Seed = None) -> Environment:
    """Return the cyclic sequence with values .6 / 1 / 0 and phases that grow by a factor of 1.5.

    Each phase ends when a follower of the leader has just been overtaken, whatever its scale of time.

    Parameters
    ----------
    actions : ActionSet
    horizon : int
    rng : int, SeedSequence, Generator or None
        Chooses the three groups and the noise.

    Examples
    --------
    >>> from swapregret.actions.m_sets.m_sets import MSets
    >>> world = spiral(MSets(6, 2), 700, rng=0)
    >>> sorted((2 * world.means(20, 21)[0]).tolist())
    [0.0, 0.0, 0.6, 0.6, 1.0, 1.0]
    """
    days, generator = seeded(horizon, rng, actions)
    ends = spiral_ends(days)
    table = group_levels(three_groups(actions, generator), cycle_values(_MIDDLE))

    def levels(start: int, stop: int) -> Matrix:
        phase = np.searchsorted(ends, np.arange(start, stop), side="right")
        return np.asarray(table[np.where(phase == 0, 0, 1 + (phase - 1) % 3)])

    return Environment("spiral", actions, days, levels, entropy_from(generator))
