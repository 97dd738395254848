r"""Lazy-ComBCP (Algorithm 2): a lazy external-regret learner that works on marginals.

*Notation*: x = mq a point of conv(A), X̃ the ``aggregate`` of a meta-day, η ``learning_rate``, γ ``exploration``,
μ ``mu``, p̃ ``exploit``. The learner is frozen configuration; what it has learnt is a
:class:`~swapregret.learners.lazy.LazyState`. It never samples: the master plays, and broadcasts one estimate to all.

May touch: ``arrays``, ``errors``, ``policy``, ``kernels.vectors``, ``actions.base``, ``learners.lazy``.
"""

import math
from dataclasses import dataclass, replace
from functools import cached_property

import numpy as np

from swapregret.actions.base import ActionSet
from swapregret.arrays import Vector, frozen
from swapregret.errors import InvalidInput
from swapregret.kernels.vectors import action_total, centred_square, tilt
from swapregret.learners.lazy import FixedRate, LazyState, Rate, check_exploration, step_size
from swapregret.policy import Policy, mix

__all__ = ["LazyComBCP"]


@dataclass(frozen=True)
class LazyComBCP:
    """One lazy learner on marginals: its set, its exploration, its step.

    Parameters
    ----------
    actions : ActionSet
    exploration : float
        γ in [0, 1): the share of the policy that explores.
    rate : FixedRate or AdaptiveRate
        Mirror descent with the paper's constant η, or follow the regularised leader with a measured one (D17).
    exploration_law : str, optional
        Which μ: a ``kind`` of ``actions.exploration_policy``. ``"spanner"`` is the paper's; None the best of the set.
    variants : int
        How many decompositions to average (deviation D18); 1 is the paper's.
    law : {"list", "chain", "none"}
        What plays a point: a list of actions, the paper's, or, on sets with one, a Markov chain with its marginals,
        which has no list but products with Σ in O(d). "none" is for learners whose points others play (a pool): μ stands
        where their law would be.

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
    rate: Rate
    exploration_law: str | None = None
    variants: int = 8
    law: str = "list"

    def __post_init__(self) -> None:
        check_exploration(self.exploration)
        if self.law not in ("list", "chain", "none") or (self.law == "chain" and not self.actions.has_markov):
            raise InvalidInput(
                "`law` must be 'list', or 'chain' on a set with a Markov law",
                f"{self.law!r} on {self.actions!r}",
                "Leave it out.",
            )

    @cached_property
    def mu(self) -> Policy:
        """The exploration law μ."""
        return self.actions.exploration_policy(self.exploration_law)  # line 1

    @cached_property
    def _first(self) -> LazyState:
        return self._state(self._from_log_weights(np.zeros(self.actions.dimension)))  # line 2, projected (D1)

    def start(self, previous: LazyState | None = None, prior: Vector | None = None) -> LazyState:
        """Begin an interval (lines 1, 2).

        Only the memory of the noise is kept from the interval before; a ``prior`` point of conv(A) replaces the
        uniform start (deviation D21).
        """
        first = self._first
        if prior is not None:
            usable = first.point > 0.0
            log_prior = np.log(np.where(usable, np.maximum(prior, 1e-300), 1.0))
            projected = self._from_log_weights(log_prior)
            if not np.array_equal(projected[0], first.point):
                first = self._state(projected)
        if previous is None:
            return first
        return replace(first, memory_sum=previous.memory_sum, memory_count=previous.memory_count)

    def update(self, state: LazyState, aggregate: Vector) -> LazyState:
        """End a meta-day (lines 7 to 9, then 5 and 6 of the next): X̃ is the sum of its estimates."""
        score = frozen(state.score + aggregate)
        spread = centred_square(state.point, aggregate, self.actions.is_uniform)
        variation = state.variation + spread
        memory_sum, memory_count = state.memory_sum + spread, state.memory_count + 1
        if isinstance(self.rate, FixedRate):
            tilted = state.log_weights + self.rate.learning_rate * aggregate  # line 8
        else:
            eta = step_size(self.rate, self.diameter, variation + memory_sum / memory_count)
            tilted = tilt(state.origin, score, eta, self.actions.is_uniform)  # line 8, the whole interval at once (D17)
        point, log_point = self._from_log_weights(tilted, state.log_weights)  # line 9
        return LazyState(
            state.n_updates + 1,
            log_point,
            state.origin,
            score,
            variation,
            point,
            *self._policies(point),  # lines 5, 6
            memory_sum,
            memory_count,
        )

    def resume(self, state: LazyState) -> LazyState:
        """Rebuild the policies of a state whose numbers were read from a file."""
        first = self._first
        if state.n_updates == 0 and np.array_equal(state.point, first.point):
            return replace(state, exploit=first.exploit, policy=first.policy)
        exploit, policy = self._policies(state.point)
        return replace(state, exploit=exploit, policy=policy)

    @cached_property
    def diameter(self) -> float:
        """A bound on the divergence of any action from the start: m log(d/m), or the maximum where sizes differ."""
        d, m = self.actions.dimension, self.actions.size
        if self.actions.is_uniform:
            return m * math.log(d / m)
        first = self._first
        gain = -1.0 - first.log_weights  # KL(M, x) = Σ_i M_i (−1 − log x_i) + Σ_i x_i
        return action_total(gain, self.actions.argmax(gain)) + float(first.point.sum())

    def _from_log_weights(self, tilted: Vector, near: Vector | None = None) -> tuple[Vector, Vector]:
        if near is None:
            projection = self.actions.kl_project(tilted)
        else:
            projection = self.actions.kl_project_near(tilted, near)  # line 9
        log_point = projection.log_point
        if np.isneginf(log_point).any():  # elements of no action: their weight is never looked at
            log_point = frozen(np.where(np.isneginf(log_point), 0.0, log_point))
        return projection.point, log_point

    def _state(self, projected: tuple[Vector, Vector]) -> LazyState:
        point, log_point = projected
        exploit, policy = self._policies(point)
        return LazyState(0, log_point, log_point, frozen(np.zeros(len(point))), 0.0, point, exploit, policy)

    def _policies(self, point: Vector) -> tuple[Policy, Policy]:
        if self.law == "none":
            return self.mu, self.mu
        if self.law == "chain":
            exploit = self.actions.markov_policy(point)
        else:
            exploit = self.actions.decompose(point, variants=self.variants)  # line 5
        return exploit, mix([exploit, self.mu], [1.0 - self.exploration, self.exploration])  # line 6
