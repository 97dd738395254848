"""What the adaptive master knows, as arrays.

There are G members: the K cold scales first, then the steady learner, uniform play and the trackers.
"""

from typing import NamedTuple

import numpy as np

from swapregret.actions.policy_slots import Policies
from swapregret.arrays import Floats, Integers, Words
from swapregret.learners.adaptive.experts import Experts, Listed
from swapregret.learners.adaptive.forecaster import Forecast, ForecastRule
from swapregret.learners.adaptive.vector_table import VectorTable, empty_vectors
from swapregret.learners.round.day import Mix, Tally
from swapregret.learners.round.scale import Learners


class Basis(NamedTuple):
    """The r coordinates J on which actions are fitted."""

    place: Integers  # (d,) the place of each element in J, which grows with the elements; −1 for the others
    part: Floats  # (r, r) or (0, 0) P_JJ, P the projection onto span(A); empty where it is the unit matrix


class AdaptiveRule(NamedTuple):
    """What does not change; G members."""

    listed: Listed  # all actions, where they have experts
    windows: Integers  # (K + 1,)
    rates: Floats  # (G,) c of each member's step
    retention: Floats  # (G,) what it keeps of the past from one update to the next, 1 for all but trackers
    # (G,) base windows between updates of members that do not follow the calendar; 0 for uniform play, which never updates
    update_every: Integers
    is_adaptive: bool  # whether steps are adaptive; always True here
    diameter: float
    exploration: float
    predictor_step: float
    feedback: int
    has_fit: bool  # whether members that do not restart follow least squares instead of summed estimates
    basis: Basis  # what these are fitted on
    boldness: float  # how far such a member moves per standard error
    # of the filter (``adaptive.swap_filter``): the weight of the pooled mean in base windows, and what a gain must exceed
    prior: float
    standard_errors: float
    weight_step: float  # how fast the weights move
    weight_spread: float  # the share of weight that is dealt out by the first weights
    threshold: float  # Ŝ above which the guard trips; infinite where there is none
    first_weights: Floats  # (G,) before day 0
    forecast: ForecastRule  # of the forecaster, the last member
    first_point: Floats  # (d,)
    first_log: Floats  # (d,)


class Weights(NamedTuple):
    """Whom the master follows."""

    scores: Floats  # (G,) what each member gained beside the mean
    variance: Floats  # (1,) of the gains under the weights
    typical: Floats  # (1,) their running variance over the members
    policy: Floats  # (G,) the weights


class Parts(NamedTuple):
    """What was seen while a part of an action was recommended, one row per part; no rows where there is no pooling."""

    values: Floats  # (P, d) V2 = Σ c·E, c the chance of the part
    counts: Floats  # (P,) Σ c·n
    squares: Floats  # (P,) Σ c²·n²


class Recommended(NamedTuple):
    """What each of G members recommends often enough to be filtered, at most A actions."""

    n_atoms: Integers  # (G,)
    words: Words  # (G, A, W) packed
    chances: Floats  # (G, A)


class Memory(NamedTuple):
    """What the world paid while an action was recommended."""

    table: VectorTable  # V[a] by recommended action, with Σ p²n² as its square; without rows where there is no filter
    parts: Parts
    noise: Floats  # (1,) σ², the running variance of an entry of X
    seen: Floats  # (G, d) E_g, the sum of w_g X since member g's policy was made
    counts: Floats  # (G,) n_g, the sum of w_g since then
    squares: Floats  # (G,) n²_g, that of w_g²
    recommended: (
        Recommended  # the lists before the filter; what is played instead is in the policies, equal actions merged
    )
    is_old: Integers  # (G,) whether each member's point has moved since its policy was made


class Guard(NamedTuple):
    """An estimate of the swap regret so far, without bias: rules are chosen on every other window and judged on the rest."""

    table: VectorTable  # U[b] by played action: the even windows' vector, then the odd windows'; no rows where there is no guard
    held: Floats  # (G + 1, 2, d) what was seen under the policy in each slot but μ's since it was made, in even and odd windows
    settled: Floats  # (1,) gains of actions that were dropped from the table
    estimate: Floats  # (1,) Ŝ at the last check
    has_tripped: Integers  # (1,)
    n_windows: Integers  # (1,)


class Fit(NamedTuple):
    """What least squares are made of. Without entries where nobody fits.

    Row i of ``shared`` (r, r + 2) has row i of A_JJ from the diagonal on, then entry i of A·1 and of b, of the last days, whatever
    the member; ``own`` (F, r, r + 2) is what must be added for each of the F members that fit, so that a day is added once for all.
    ``plays`` (F + 1, d + 2) has what all elements need: the diagonal of A, the sums of all entries of A and of b; the last row is
    shared, and the others are added to it. ``undo`` (r + 1) has b and its sum, as far as they are shared, before the last day.
    """

    own: Floats
    shared: Floats
    plays: Floats
    undo: Floats


class AdaptiveState(NamedTuple):
    """What changes.

    Slot g holds what is played for member g, slot G what the experts play instead of the pool, the last slot μ; members without
    weight have no policy.
    """

    tally: Tally
    undo: Tally
    learners: Learners
    policies: Policies
    mix: Mix
    weights: Weights
    experts: Experts
    memory: Memory
    guard: Guard
    fit: Fit
    forecast: Forecast


def start_weights(first: Floats) -> Weights:
    """Return the weights before day 0."""
    return Weights(np.zeros(first.size), np.zeros(1), np.zeros(1), first.copy())


def start_memory(n_members: int, dimension: int, n_atoms: int, capacity: int, n_parts: int) -> Memory:
    """Return a memory of nothing, with room for ``capacity`` actions and the rows of so many parts."""
    d, n_words, p = dimension, (dimension + 63) // 64, n_parts
    return Memory(
        empty_vectors(capacity, n_words, d),
        Parts(np.zeros((p, d)), np.zeros(p), np.zeros(p)),
        np.zeros(1),
        np.zeros((n_members, d)),
        np.zeros(n_members),
        np.zeros(n_members),
        Recommended(
            np.zeros(n_members, dtype=np.int64),
            np.zeros((n_members, n_atoms, n_words), dtype=np.uint64),
            np.zeros((n_members, n_atoms)),
        ),
        np.zeros(n_members, dtype=np.int64),
    )


def start_guard(n_slots: int, dimension: int, capacity: int, *, is_guarded: bool) -> Guard:
    """Return a guard that has seen nothing."""
    count = np.zeros(1, dtype=np.int64)
    return Guard(
        empty_vectors(capacity if is_guarded else 0, (dimension + 63) // 64, 2 * dimension),
        np.zeros((n_slots, 2, dimension)),
        np.zeros(1),
        np.zeros(1),
        count,
        count.copy(),
    )


def start_fit(n_fitting: int, dimension: int, rank: int) -> Fit:
    """Return sums over no days."""
    n, d, r = n_fitting, dimension, rank
    return Fit(np.zeros((n, r, r + 2)), np.zeros((r, r + 2)), np.zeros((n + 1, d + 2)), np.zeros(r + 1))
