"""What the ladder knows, as arrays; what the filter and least squares know is as in the adaptive master.

There are G = 2K + 2 members: the cold learner of each of K levels, the tracker of each, the steady member and the fast one.
"""

from typing import NamedTuple

import numpy as np

from swapregret.actions.policy_slots import Policies
from swapregret.arrays import Floats, Integers
from swapregret.learners.adaptive.state import Basis, Fit, Memory
from swapregret.learners.round.day import Mix, Tally
from swapregret.learners.round.scale import Learners


class LadderRule(NamedTuple):
    """What does not change.

    Attributes
    ----------
    windows : int64 array, shape (K + 1,)
    first_days : int64 array, shape (K,)
        From which day on each window can be the base window.
    rates, retention : float64 arrays, shape (G,)
        c of each member's step; what it keeps of the past from one update to the next, 1 for all but trackers.
    is_adaptive : bool
        Whether steps are adaptive; always True here.
    diameter, exploration, predictor_step : float
    seen_per_day : float
        n in γ = (n t)^{-1/3}, at most ``exploration``; 0 where γ stays as it is.
    feedback : int
    has_fit : bool
        Whether members that do not restart follow least squares instead of summed estimates.
    basis : Basis
        What it is fitted on.
    boldness : float
        How far such a member moves per standard error.
    prior, standard_errors : float
        Of the filter: the weight of the pooled mean in base windows, and what a gain must exceed
        (``adaptive.swap_filter``).
    weight_step, weight_spread, price : float
        How fast choices are learned, the least share of an option, and λ₀ (``ladder.shares``).
    first_point, first_log : float64 arrays, shape (d,)
    """

    windows: Integers
    first_days: Integers
    rates: Floats
    retention: Floats
    is_adaptive: bool
    diameter: float
    exploration: float
    seen_per_day: float
    predictor_step: float
    feedback: int
    has_fit: bool
    basis: Basis
    boldness: float
    prior: float
    standard_errors: float
    weight_step: float
    weight_spread: float
    price: float
    first_point: Floats
    first_log: Floats


class Weights(NamedTuple):
    """Whom the master follows.

    Choices are the share of each of K levels, the tracker of each against its cold learner, the steady and the fast member, and the
    filter of each of G members: 2G in all.

    Attributes
    ----------
    shares, scores, gains, variance : float64 arrays, shape (2G,)
        Of each choice: how often its first option is followed; Σz over the blocks that have ended, and over the one that has not;
        and Σz².
    policy : float64 array, shape (G,)
        The weights of the members.
    plain : float64 array, shape (G, d)
        The marginals of what each member recommends, before the filter.
    bottom, top, n_windows, closed : int64 arrays, shape (1,)
        The levels that are played; how many base windows have ended, and after which day the last one did.
    """

    shares: Floats
    scores: Floats
    gains: Floats
    variance: Floats
    policy: Floats
    plain: Floats
    bottom: Integers
    top: Integers
    n_windows: Integers
    closed: Integers


class LadderState(NamedTuple):
    """What changes. Slot g holds what is played for member g, the last slot μ; members of levels that wait have no policy."""

    tally: Tally
    undo: Tally
    learners: Learners
    policies: Policies
    mix: Mix
    weights: Weights
    memory: Memory
    fit: Fit


def start_weights(shares: Floats, dimension: int) -> Weights:
    """Return the weights before day 0, with the first shares of all choices: level 0 is played alone."""
    n_members = shares.size // 2
    sums, count, policy = np.zeros(shares.size), np.zeros(1, dtype=np.int64), np.zeros(n_members)
    plain = np.zeros((n_members, dimension))
    counts = (count, count.copy(), count.copy(), count.copy())
    return Weights(shares, sums, sums.copy(), sums.copy(), policy, plain, *counts)
