r"""One learner of a master: Lazy-ComBCP (Algorithm 2) or Lazy-ComBand (Algorithm 3), whichever the family projects for.

*Notation*: X̃ the ``aggregate`` of the estimates of a meta-day, v its local variance, η the step, mq the ``point``.

At the end of a meta-day the learner moves to the projection of :math:`q_1 \exp(\eta_h \sum_{h' \le h} \widetilde X_{h'})` with

.. math:: \eta_h = c \sqrt{\frac{D}{\bar V + \sum_{h' \le h} v_{h'}}}

D bounds the divergence of any action from the start, and the memory V̄, the mean of v over all meta-days so far, survives
restarts (deviation D17). A fixed step η, the paper's, moves from where the learner is. A learner that forgets keeps a share
of its score and its noise from one meta-day to the next; cold scales keep all.
"""

from typing import NamedTuple, Protocol

import numpy as np

from swapregret.actions.family import Family
from swapregret.actions.policy_slots import Policies, spread
from swapregret.arrays import Floats, Integers
from swapregret.compiled.kernel import kernel
from swapregret.compiled.vectors import tilt


class Rule(Protocol):
    """What does not change, as far as every player has it."""

    @property
    def windows(self) -> Integers:
        """After how many days something changes, the shortest first."""

    @property
    def feedback(self) -> int:
        """BANDIT, SEMI_BANDIT or FULL_VECTOR of ``day``."""

    @property
    def predictor_step(self) -> float:
        """How fast the prediction learns."""

    @property
    def first_log(self) -> Floats:
        """The logarithm of the point before day 0."""


class TiltRule(Rule, Protocol):
    """What does not change, as far as learners are tilted."""

    @property
    def rates(self) -> Floats:
        """The step of each learner."""

    @property
    def is_adaptive(self) -> bool:
        """Whether that is c of an adaptive step, or η."""

    @property
    def retention(self) -> Floats:
        """The share of its score that each learner keeps."""

    @property
    def diameter(self) -> float:
        """D."""


class Learners(NamedTuple):
    """What G learners know; d coordinates."""

    n_updates: Integers  # (G,) meta-days of the interval that have ended
    # (G, d) mq and its logarithm: an entry that underflows must be able to recover (D14). For Lazy-ComBand the marginals of the
    # Gibbs policy, and its exponents
    points: Floats
    log_points: Floats
    scores: Floats  # (G, d) Σ X̃ over the interval
    aggregates: Floats  # (G, d) X̃ of the meta-day up to now
    variation: Floats  # (G,) Σ v over the interval
    memory_sum: Floats  # (G,) Σ v over all meta-days
    memory_count: Integers  # (G,) how many those are


def start_learners(count: int, first_point: Floats, first_log: Floats) -> Learners:
    """Return learners at the beginning of their first interval."""
    d = first_point.size
    return Learners(
        np.zeros(count, dtype=np.int64),
        np.tile(first_point, (count, 1)),
        np.tile(first_log, (count, 1)),
        np.zeros((count, d)),
        np.zeros((count, d)),
        np.zeros(count),
        np.zeros(count),
        np.zeros(count, dtype=np.int64),
    )


@kernel
def step_size(rate: float, diameter: float, noise: float) -> float:
    """Return c·√(D / noise), and 0 where there is no noise yet."""
    return rate * np.sqrt(diameter / noise) if noise > 0.0 and diameter > 0.0 else 0.0


@kernel
def tilt_learner(
    family: Family, rule: TiltRule, learners: Learners, policies: Policies, slot: int, g: int, aggregate: Floats
) -> tuple[Floats, float]:
    """Return the log-weights learner g would project at the end of its meta-day, and v, of which a fixed step takes no note.

    ``slot`` is where its policy is, ``aggregate`` X̃ of the meta-day.
    """
    if not rule.is_adaptive:
        return tilt(learners.log_points[g], aggregate, rule.rates[g], False), 0.0  # line 8
    v = spread(family, policies, slot, learners.points[g], aggregate)
    keep = rule.retention[g]
    noise = keep * learners.variation[g] + v + (learners.memory_sum[g] + v) / (learners.memory_count[g] + 1)
    eta = step_size(rule.rates[g], rule.diameter, noise)
    score = keep * learners.scores[g] + aggregate
    return tilt(rule.first_log, score, eta, family.common.is_uniform), v  # line 8, the whole interval at once


@kernel
def end_meta_day(
    learners: Learners, g: int, keep: float, aggregate: Floats, v: float, point: Floats, log_point: Floats
) -> None:
    """Let learner g be where its projection is."""
    learners.n_updates[g] += 1
    learners.variation[g] = keep * learners.variation[g] + v
    learners.memory_sum[g] += v
    learners.memory_count[g] += 1
    for i in range(point.size):
        learners.points[g, i] = point[i]
        learners.log_points[g, i] = log_point[i]
        learners.scores[g, i] = keep * learners.scores[g, i] + aggregate[i]
        learners.aggregates[g, i] = 0.0


@kernel
def forget_interval(learners: Learners, g: int) -> None:
    """Let learner g forget what it has seen, but for the memory of the noise, and stay where it is."""
    learners.n_updates[g] = 0
    learners.variation[g] = 0.0
    for i in range(learners.scores.shape[1]):
        learners.scores[g, i] = 0.0
        learners.aggregates[g, i] = 0.0


@kernel
def begin_interval(learners: Learners, g: int, first_point: Floats, first_log: Floats) -> None:
    """Let learner g begin again; only the memory of the noise is kept (Algorithm 1, line 13)."""
    forget_interval(learners, g)
    for i in range(first_point.size):
        learners.points[g, i] = first_point[i]
        learners.log_points[g, i] = first_log[i]
