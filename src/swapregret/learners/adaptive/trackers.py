"""Members that forget: how long each remembers, how seldom it needs to move, and what it keeps from one move to the next.

A tracker is the learner of a cold scale without restarts: its score and its noise fade with time constant τ. Best on worlds
that drift, where a window that ends at the wrong moment forgets too much and one that does not end forgets nothing.

May touch: ``actions.base``, ``learners.schedule``.
"""

import math

from swapregret.actions.base import ActionSet
from swapregret.learners.schedule import Schedule

__all__ = ["retention", "time_constants", "windows_between"]

_UPDATES_PER_MEMORY = 16


def time_constants(actions: ActionSet, horizon: int) -> tuple[float, ...]:
    """Return the τ of the trackers: 4dm·4^j below T/2, d the rank.

    Examples
    --------
    >>> from swapregret.actions.m_sets import MSets
    >>> time_constants(MSets(10, 3), 100_000)
    (120.0, 480.0, 1920.0, 7680.0, 30720.0)
    """
    first = 4.0 * actions.rank * max(1, actions.size)
    constants: list[float] = []
    while first * 4.0 ** len(constants) < horizon / 2.0:
        constants.append(first * 4.0 ** len(constants))
    return tuple(constants)


def windows_between(tau: float, schedule: Schedule) -> int:
    """Return how many base windows a member with memory τ waits between updates: a sixteenth of τ.

    Examples
    --------
    >>> windows_between(1920.0, Schedule([12, 396, 1584]))
    10
    """
    return max(1, int(tau / (_UPDATES_PER_MEMORY * schedule.windows[0])))


def retention(tau: float, schedule: Schedule) -> float:
    """Return what a tracker keeps of the past from one update to the next, e^{−days/τ}.

    Examples
    --------
    >>> round(retention(1920.0, Schedule([12, 396, 1584])), 4)
    0.9394
    """
    return math.exp(-windows_between(tau, schedule) * schedule.windows[0] / tau)
