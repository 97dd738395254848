"""Cycles that punish followers of the leader.

Three actions G0, G1, G2 that share as few elements as possible. In phase j, G_{j mod 3} is worth .5, the next one 1,
the previous one 0. A learner that follows the leader of the past always plays the one worth .5: its external regret is
about 0, its swap regret per day tends to ½(1 − 1/phases). ``spiral`` has phases that grow, and attacks every time scale; ``slots``
many small cycles at once, each at its own speed.
"""

import math

import numpy as np
import numpy.typing as npt

from swapregret.actions.action_set import ActionSet
from swapregret.arguments import Days, checked
from swapregret.arrays import Integers, Matrix, as_integer
from swapregret.environments.environment import Environment, entropy_from, rows_of
from swapregret.environments.groups import group_levels, three_groups
from swapregret.randomness import Seed, as_generator

_SPIRAL_MIDDLE = 0.6
_SLOT_PHASES, _SPEED_UP = 7.0, 1.3


def cycle_values(middle: float) -> Matrix:
    """Return the values of (G0, G1, G2) in the lead-in and in the three phases of the cycle, one row each."""
    return np.array([[0.55, 0.0, 0.5], [middle, 1.0, 0.0], [0.0, middle, 1.0], [1.0, 0.0, middle]])


def _place(phase: Integers) -> Integers:
    """Return the row of :func:`cycle_values` for each phase: the lead-in, then round and round."""
    return np.where(phase == 0, 0, 1 + (phase - 1) % 3)


@checked
def cyclic(actions: ActionSet, horizon: Days, *, phases: int = 7, rng: Seed = None) -> Environment:
    """Return the cyclic sequence with ``phases`` phases of T // phases days.

    The first phase is a lead-in at values (.55, 0, .5); then the cycle runs. Days left over at the end belong to the
    phase that would follow. ``rng`` chooses the three groups and the noise.

    Examples
    --------
    >>> from swapregret import MSets
    >>> world = cyclic(MSets(6, 2), 700, rng=0)
    >>> sorted((2 * world.means(0, 1)[0]).tolist())
    [0.0, 0.0, 0.5, 0.5, 0.55, 0.55]
    """
    generator = as_generator(rng)
    n_phases = as_integer(phases, "phases", 1, horizon)
    length = horizon // n_phases
    table = group_levels(three_groups(actions, generator), cycle_values(0.5))
    levels = rows_of(table, lambda day: _place(day // length))
    return Environment(f"cyclic-{n_phases}", actions, horizon, levels, entropy_from(generator))


def spiral_ends(horizon: int) -> npt.NDArray[np.int64]:
    """Return the day on which each phase ends, the lead-in first, until the horizon is passed.

    The lead-in lasts L = max(16, T // 4096) days and leaves the next leader x = L/2 behind. It gains .4 per day, so the
    phase lasts ⌈x / .4⌉ days; the one after it is then .6 of that behind.
    """
    ends = [max(16, horizon // 4096)]
    behind = ends[0] / 2.0
    while ends[-1] < horizon:
        length = math.ceil(behind / 0.4 - 1e-9)
        ends.append(ends[-1] + length)
        behind = _SPIRAL_MIDDLE * length
    return np.array(ends)


@checked
def spiral(actions: ActionSet, horizon: Days, *, rng: Seed = None) -> Environment:
    """Return the cyclic sequence with values .6 / 1 / 0 and phases that grow by a factor of 1.5.

    Each phase ends when a follower of the leader has just been overtaken, whatever its scale of time. ``rng`` chooses the three
    groups and the noise.

    Examples
    --------
    >>> from swapregret import MSets
    >>> world = spiral(MSets(6, 2), 700, rng=0)
    >>> sorted((2 * world.means(20, 21)[0]).tolist())
    [0.0, 0.0, 0.6, 0.6, 1.0, 1.0]
    """
    generator = as_generator(rng)
    ends = spiral_ends(horizon)
    table = group_levels(three_groups(actions, generator), cycle_values(_SPIRAL_MIDDLE))
    levels = rows_of(table, lambda day: _place(np.searchsorted(ends, day, side="right")))
    return Environment("spiral", actions, horizon, levels, entropy_from(generator))


@checked
def slots(actions: ActionSet, horizon: Days, *, rng: Seed = None) -> Environment:
    """Return m cycles of three elements each, slot s with phases of ⌊T / (7 · 1.3^s)⌋ days.

    Three least-overlapping actions give slot s its three elements: the s-th of each, in random order. On m-sets that
    is m slots with three active elements each, and 3^m combinations of leaders; other sets reach as many of them as
    they have actions. An element that two slots share has the larger of its two levels. ``rng`` chooses the elements of the
    slots and the noise.

    Examples
    --------
    >>> from swapregret import MSets
    >>> world = slots(MSets(6, 2), 700, rng=0)
    >>> sorted((2 * world.means(0, 1)[0]).tolist())
    [0.0, 0.0, 0.5, 0.5, 0.55, 0.55]
    """
    generator = as_generator(rng)
    members = [generator.permutation(np.flatnonzero(group)) for group in three_groups(actions, generator)]
    values = cycle_values(0.5)
    n_slots = max(len(order) for order in members)
    lengths = [max(1, math.floor(horizon / (_SLOT_PHASES * _SPEED_UP**slot))) for slot in range(n_slots)]

    def levels(start: int, stop: int) -> Matrix:
        result = np.zeros((stop - start, actions.dimension))
        for slot, length in enumerate(lengths):
            rows = values[_place(np.arange(start, stop) // length)]
            for group, order in enumerate(members):
                if slot < len(order):
                    element = order[slot]
                    result[:, element] = np.maximum(result[:, element], rows[:, group])
        return result

    return Environment("slots", actions, horizon, levels, entropy_from(generator))
