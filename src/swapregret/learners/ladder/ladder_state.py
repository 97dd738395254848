"""What the ladder knows, as arrays; what the filter and least squares know is as in the adaptive master.

There are G = 2K + 2 members: the cold learner of each of K levels, the tracker of each, the steady member and the fast one.
"""

from typing import NamedTuple

import numpy as np

from swapregret.actions.policy_slots import Policies
from swapregret.arrays import Floats, Integers
from swapregret.learners.adaptive.experts import Experts, Listed
from swapregret.learners.adaptive.state import Basis, Fit, Memory
from swapregret.learners.round.day import Mix, Tally
from swapregret.learners.round.scale import Learners


class LadderRule(NamedTuple):
    """What does not change; G members."""

    listed: Listed  # all actions, where they have experts
    windows: Integers  # (K + 1,)
    first_days: Integers  # (K,) from which day on each window can be the base window
    rates: Floats  # (G,) c of each member's step
    retention: Floats  # (G,) what it keeps of the past from one update to the next, 1 for all but trackers
    is_adaptive: bool  # whether steps are adaptive; always True here
    diameter: float
    exploration: float
    seen_per_day: float  # n in γ = (n t)^{-1/3}, at most ``exploration``; 0 where γ stays as it is
    predictor_step: float
    feedback: int
    has_fit: bool  # whether members that do not restart follow least squares instead of summed estimates
    basis: Basis  # what these are fitted on
    boldness: float  # how far such a member moves per standard error
    # of the filter (``adaptive.swap_filter``): the weight of the pooled mean in base windows, and what a gain must exceed
    prior: float
    standard_errors: float
    weight_step: float  # how fast choices are learned (``ladder.shares``)
    weight_spread: float  # the least share of an option
    price: float  # λ₀
    first_point: Floats  # (d,)
    first_log: Floats  # (d,)


class Weights(NamedTuple):
    """Whom the master follows.

    Choices are the share of each of K levels, the tracker of each against its cold learner, the steady and the fast member, and the
    filter of each of G members: 2G in all.
    """

    shares: Floats  # (2G,) how often the first option of each choice is followed
    scores: Floats  # (2G,) Σz over the blocks that have ended
    gains: Floats  # (2G,) and over the one that has not
    variance: Floats  # (2G,) Σz²
    policy: Floats  # (G,) the weights of the members
    plain: Floats  # (G, d) the marginals of what each member recommends, before the filter
    bottom: Integers  # (1,) like ``top``, the levels that are played
    top: Integers  # (1,)
    n_windows: Integers  # (1,) how many base windows have ended
    closed: Integers  # (1,) after which day the last one did


class LadderState(NamedTuple):
    """What changes.

    Slot g holds what is played for member g, slot G what the experts play instead of the ladder, the last slot μ; members of
    levels that wait have no policy.
    """

    tally: Tally
    undo: Tally
    learners: Learners
    policies: Policies
    mix: Mix
    weights: Weights
    experts: Experts
    memory: Memory
    fit: Fit


def start_weights(shares: Floats, dimension: int) -> Weights:
    """Return the weights before day 0, with the first shares of all choices: level 0 is played alone."""
    n_members = shares.size // 2
    sums, count, policy = np.zeros(shares.size), np.zeros(1, dtype=np.int64), np.zeros(n_members)
    plain = np.zeros((n_members, dimension))
    counts = (count, count.copy(), count.copy(), count.copy())
    return Weights(shares, sums, sums.copy(), sums.copy(), policy, plain, *counts)
