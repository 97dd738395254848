"""What compiled runs of the multi-scale master work on: its configuration, what it knows, and what a run leaves behind.

Arrays of a :class:`Memory` and a :class:`Log` are changed in place.

May touch: nothing.
"""

from typing import NamedTuple

import numpy as np
import numpy.typing as npt

__all__ = ["NOT_PROJECTED", "NOT_SOLVED", "PLAYED", "Explore", "Log", "Memory", "Rule"]

Floats = npt.NDArray[np.float64]
Integers = npt.NDArray[np.int64]

PLAYED, NOT_PROJECTED, NOT_SOLVED = 0, 1, 2
"""How a run ended: well, or because a projection or Σ⁺M was not to be had."""


class Rule(NamedTuple):
    """What a master was configured with.

    Attributes
    ----------
    windows : int64 array, shape (K + 1,)
    groups : int64 array, shape (K,)
        The first scale with the same learner: such scales share their law when fresh.
    rates : float64 array, shape (K,)
        c of an adaptive rate, η of a fixed one.
    shares : float64 array, shape (2,)
        Weights of exploit and explore in the policy of a scale.
    diameter, predictor_step : float
    is_adaptive, is_uniform : bool
        Of the rate; of the set.
    feedback : int
        0 bandit, 1 semi-bandit, 2 full.
    has_inverse : bool
        Whether Σ is inverted once a law instead of solved with every day.
    """

    windows: Integers
    groups: Integers
    rates: Floats
    shares: Floats
    diameter: float
    predictor_step: float
    is_adaptive: bool
    is_uniform: bool
    feedback: int
    has_inverse: bool


class Explore(NamedTuple):
    """The exploration law of a set, as far as it is alike on all sets.

    Attributes
    ----------
    atoms : int64 array, shape (n, d)
        Its atoms, if it is a list; a law that is none is drawn from in the way of the set.
    cumulative : float64 array, shape (n,)
    moment : float64 array, shape (r, r) or (0, 0)
        Its Σ on independent coordinates, where Σ is factored.
    marginals : float64 array, shape (d,)
    """

    atoms: Integers
    cumulative: Floats
    moment: Floats
    marginals: Floats


class Memory(NamedTuple):
    """What a master knows; K scales, d coordinates.

    Attributes
    ----------
    clock : int64 array
        (day, offset).
    prediction, running, total : float64 arrays, shape (d,)
    aggregates, points, log_weights, scores : float64 arrays, shape (K, d)
    scalars : float64 array, shape (K, 2)
        (variation, memory_sum) of each scale.
    counts : int64 array, shape (K, 2)
        (n_updates, memory_count) of each scale.
    first_point, first_log : float64 arrays, shape (d,)
        Where a scale begins.
    earned : float64 array, shape (1,)
        Sum of the rewards.
    recoveries : int64 array, shape (1,)
        Days whose iteration for Σ⁺M ended short of its tolerance.
    """

    clock: Integers
    prediction: Floats
    running: Floats
    total: Floats
    aggregates: Floats
    points: Floats
    log_weights: Floats
    scores: Floats
    scalars: Floats
    counts: Integers
    first_point: Floats
    first_log: Floats
    earned: Floats
    recoveries: Integers


class Log(NamedTuple):
    """What a run leaves behind.

    Attributes
    ----------
    received : float64 array, shape (n_days,)
        The reward of each day.
    events : int64 array, shape (n, 2)
        Turns of the calendar: (day that ended, number of windows that ended with it).
    points : float64 array, shape (n, d) or (0, d)
        The point of the scale that updated at each turn; without rows where nobody asks.
    tilted : float64 array, shape (d,)
        The log-weights whose projection failed, if one did.
    plays : int64 array, shape (n_days, d) or (0, d)
        The actions; without rows where nobody asks.
    """

    received: Floats
    events: Integers
    points: Floats
    tilted: Floats
    plays: Integers
