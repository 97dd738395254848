r"""Lazy-ComBCP (Algorithm 2): a lazy external-regret learner on the convex hull of the actions.

Its point mq moves by exponential weights and a KL projection at the end of each meta-day, and is played by a policy with these
marginals. What it is made of is configured here; its lines stand in ``learners.round.scale`` (8), in the family of the set
(5 and 9) and in the masters that run it.
"""

import math
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np

from swapregret.actions.base import ActionSet
from swapregret.arrays import Vector
from swapregret.compiled.vectors import action_total
from swapregret.learners.law_plan import LawPlan
from swapregret.learners.lazy import Rate, check_exploration
from swapregret.learners.settings import check_settings
from swapregret.policy import Policy

__all__ = ["LazyComBCP"]


@dataclass(frozen=True)
class LazyComBCP:
    """One lazy learner on any set.

    Parameters
    ----------
    actions : ActionSet
    exploration : float
        γ in [0, 1).
    rates : tuple of FixedRate or AdaptiveRate
        The step on each scale.
    plan : LawPlan
        How its points are played.
    exploration_law : str, optional
        Which μ: a ``kind`` of ``actions.exploration_policy``; None the best of the set.

    Examples
    --------
    >>> from swapregret.actions.m_sets.m_sets import MSets
    >>> from swapregret.learners.law_plan import plan_laws
    >>> from swapregret.learners.lazy import AdaptiveRate
    >>> actions = MSets(4, 2)
    >>> LazyComBCP(actions, 0.1, (AdaptiveRate(),), plan_laws(actions, 1, "bandit")).first[0]
    array([0.5, 0.5, 0.5, 0.5])
    """

    actions: ActionSet
    exploration: float
    rates: tuple[Rate, ...]
    plan: LawPlan
    exploration_law: str | None = None

    def __post_init__(self) -> None:
        check_settings(self)
        check_exploration(self.exploration)

    @cached_property
    def mu(self) -> Policy:
        """The exploration policy μ (line 1)."""
        return self.actions.exploration_policy(self.exploration_law)

    @cached_property
    def first(self) -> tuple[Vector, Vector]:
        """Where an interval begins, and its logarithm: the uniform point (line 2), projected (D1)."""
        found = self.actions.kl_project(np.zeros(self.actions.dimension))
        return np.array(found.point), np.where(np.isneginf(found.log_point), 0.0, found.log_point)

    @cached_property
    def diameter(self) -> float:
        """A bound on the divergence of any action from the start: m log(d/m), or the maximum where sizes differ."""
        d, m = self.actions.dimension, self.actions.size
        if self.actions.is_uniform:
            return m * math.log(d / m)
        point, log_point = self.first
        gain = -1.0 - log_point  # KL(M, x) = Σ_i M_i (−1 − log x_i) + Σ_i x_i
        return action_total(gain, self.actions.argmax(gain)) + float(point.sum())

    def family(self, *, is_listed: bool = False) -> Any:
        """Return the set as compiled code takes it, with this learner's policies."""
        plan = self.plan
        return self.actions.family(self.mu, kind=plan.kind, variants=plan.variants, has_moment=plan.has_moment)

    def policy_from(self, marginals: Vector, exponents: Vector) -> Policy:
        """Return the chain that plays a point."""
        return self.actions.markov_policy(marginals)
