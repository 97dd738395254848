r"""Lazy-ComBCP (Algorithm 2): a lazy external-regret learner that works on marginals.

*Notation*: d ``dimension``, m ``size``, x = mq a point of conv(A), X̃ the aggregate of the estimates of one meta-day,
η ``learning_rate``, γ ``exploration``, μ ``exploration_policy``, p̃ ``exploit``.

The learner is frozen configuration; what it has learnt is a :class:`LazyState`, a value. It never samples: the master
plays, and broadcasts one estimate to all.

May touch: ``arrays``, ``errors``, ``policy``, ``actions.base``.
"""

import math
from dataclasses import dataclass
from functools import cached_property

import numpy as np

from swapregret.actions.base import ActionSet
from swapregret.arrays import Vector, frozen
from swapregret.errors import InvalidInput
from swapregret.policy import Policy, mix

__all__ = ["AdaptiveRate", "FixedRate", "LazyComBCP", "LazyState"]


@dataclass(frozen=True)
class FixedRate:
    """The paper's step: a constant η, applied by mirror descent (line 8).

    Parameters
    ----------
    learning_rate : float
        η > 0.
    """

    learning_rate: float

    def __post_init__(self) -> None:
        _check_positive(self.learning_rate, "learning_rate")


@dataclass(frozen=True)
class AdaptiveRate:
    r"""A step that measures the noise: follow the regularised leader within the interval (deviation D17).

    .. math:: \eta_h = c \sqrt{\frac{m \log(d/m)}{\bar V + \sum_{h' \le h} x_{h'} \cdot (X_{h'} - \bar X_{h'})^2}}

    X is centred by its mean under x, which no projection onto a uniform-size set can see. The memory V̄, the mean of
    x·X² over all meta-days of the scale so far, survives restarts.

    Parameters
    ----------
    scale : float
        c > 0.
    """

    scale: float = 3.0

    def __post_init__(self) -> None:
        _check_positive(self.scale, "scale")


def _check_positive(value: float, name: str) -> None:
    if not (math.isfinite(value) and value > 0.0):
        raise InvalidInput(f"`{name}` must be a positive finite number", repr(value), "Pass a float above 0.")


@dataclass(frozen=True, eq=False)
class LazyState:
    """What a Lazy-ComBCP knows in meta-day h of its interval.

    Attributes
    ----------
    point, log_point : Vector
        x = mq and its logarithm (kept: an entry that underflows must be able to recover, deviation D14).
    score : Vector
        Σ X̃ over the interval.
    variation : float
        Σ x·X² over the interval, X centred.
    exploit, policy : Policy
        p̃ and p = (1−γ)p̃ + γμ.
    memory_sum, memory_count : float, int
        Sum and number of all x·X² of this scale, across restarts.
    """

    point: Vector
    log_point: Vector
    score: Vector
    variation: float
    exploit: Policy
    policy: Policy
    memory_sum: float = 0.0
    memory_count: int = 0


@dataclass(frozen=True)
class LazyComBCP:
    """One lazy learner: its set, its exploration, its step.

    Parameters
    ----------
    actions : ActionSet
    exploration : float
        γ in [0, 1): the share of the policy that explores.
    rate : FixedRate or AdaptiveRate
    exploration_policy : Policy, optional
        μ; the best law of the set if not given, ``actions.exploration_policy("spanner")`` is the paper's (line 1).
    variants : int
        How many decompositions to average (deviation D18); 1 is the paper's.

    Examples
    --------
    >>> from swapregret.actions.m_sets import MSets
    >>> learner = LazyComBCP(MSets(4, 2), exploration=0.1, rate=FixedRate(0.5))
    >>> state = learner.update(learner.start(), np.array([1.0, 0.0, 0.0, 0.0]))
    >>> state.point.round(3)
    array([0.709, 0.43 , 0.43 , 0.43 ])
    """

    actions: ActionSet
    exploration: float
    rate: FixedRate | AdaptiveRate
    exploration_policy: Policy | None = None
    variants: int = 8

    def __post_init__(self) -> None:
        if not 0.0 <= self.exploration < 1.0:
            raise InvalidInput("`exploration` must be in [0, 1)", repr(self.exploration), "0.02 is a usual choice.")

    @cached_property
    def mu(self) -> Policy:
        """The exploration law μ."""
        return self.exploration_policy or self.actions.exploration_policy()  # line 1

    @cached_property
    def _first(self) -> LazyState:
        projection = self.actions.kl_project(np.zeros(self.actions.dimension))  # line 2, projected (deviation D1)
        zero = frozen(np.zeros(self.actions.dimension))
        exploit, policy = self._policies(projection.point)
        return LazyState(projection.point, projection.log_point, zero, 0.0, exploit, policy)

    def start(self, previous: LazyState | None = None) -> LazyState:
        """Begin an interval (lines 1, 2); only the memory of the noise is kept from the one before."""
        if previous is None or previous.memory_count == 0:
            return self._first
        first = self._first
        return LazyState(
            first.point,
            first.log_point,
            first.score,
            0.0,
            first.exploit,
            first.policy,
            previous.memory_sum,
            previous.memory_count,
        )

    def update(self, state: LazyState, aggregate: Vector) -> LazyState:
        """End a meta-day (lines 5 to 9): X̃ is the sum of its estimates."""
        score = frozen(state.score + aggregate)
        spread = _centred_square(state.point, aggregate)
        variation = state.variation + spread
        memory_sum, memory_count = state.memory_sum + spread, state.memory_count + 1
        if isinstance(self.rate, FixedRate):
            tilted = state.log_point + self.rate.learning_rate * aggregate  # line 8
        else:
            eta = self._learning_rate(self.rate.scale, variation + memory_sum / memory_count)
            tilted = self._first.log_point + eta * score  # line 8, all of the interval at once
        projection = self.actions.kl_project(tilted)  # line 9
        exploit, policy = self._policies(projection.point)
        return LazyState(
            projection.point,
            projection.log_point,
            score,
            variation,
            exploit,
            policy,
            memory_sum,
            memory_count,
        )

    def _policies(self, point: Vector) -> tuple[Policy, Policy]:
        exploit = self.actions.decompose(point, variants=self.variants)  # line 5
        return exploit, mix([exploit, self.mu], [1.0 - self.exploration, self.exploration])  # line 6

    def _learning_rate(self, scale: float, noise: float) -> float:
        d, m = self.actions.dimension, self.actions.size
        if noise <= 0.0 or m == d:
            return 0.0
        return scale * math.sqrt(m * math.log(d / m) / noise)


def _centred_square(point: Vector, aggregate: Vector) -> float:
    """Return x·(X − X̄)² with X̄ the mean of X under x."""
    mean = float(point @ aggregate) / float(point.sum())
    deviation = aggregate - mean
    return float(point @ (deviation * deviation))
