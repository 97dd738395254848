r"""Lazy-ComBand (Algorithm 3, appendix): a lazy external-regret learner on the actions themselves.

:math:`\widetilde p_{h+1}(M) \propto \widetilde p_h(M)\exp(\eta\,\widetilde X_h\cdot M)`: the paper's update lacks the "·M" and
the normalisation (deviation D10). The policy has exponentially many actions and is never listed: the set's exact Gibbs policy
draws from it and gives its moments. The number of elements may vary from action to action.
"""

import math
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np

from swapregret.actions.base import ActionSet
from swapregret.actions.gibbs_members import GibbsMembers
from swapregret.arrays import Vector
from swapregret.errors import Unsupported
from swapregret.learners.law_plan import LawPlan
from swapregret.learners.lazy import Rate, check_exploration
from swapregret.learners.settings import check_settings
from swapregret.policy import Policy

__all__ = ["LazyComBand"]


@dataclass(frozen=True)
class LazyComBand:
    """One lazy learner on a set with an exact Gibbs policy.

    Parameters
    ----------
    actions : ActionSet
        With ``has_gibbs``.
    exploration : float
        γ in [0, 1).
    rates : tuple of FixedRate or AdaptiveRate
        The step on each scale.
    plan : LawPlan
    exploration_law : str, optional
        Which μ: a ``kind`` of ``actions.exploration_policy``; None the best of the set.
    """

    actions: ActionSet
    exploration: float
    rates: tuple[Rate, ...]
    plan: LawPlan
    exploration_law: str | None = None

    def __post_init__(self) -> None:
        check_settings(self)
        check_exploration(self.exploration)
        if not self.actions.has_gibbs:
            raise Unsupported(
                "Lazy-ComBand needs a set with an exact Gibbs policy",
                f"{self.actions!r}, which has none",
                "Use swap_combcp, which needs only a projection.",
            )

    @cached_property
    def mu(self) -> Policy:
        """The exploration policy μ (line 1)."""
        return self.actions.exploration_policy(self.exploration_law)

    @cached_property
    def first(self) -> tuple[Vector, Vector]:
        """Where an interval begins, uniform over A (line 1): its marginals and its exponents."""
        exponents = np.zeros(self.actions.dimension)
        return np.array(self.actions.gibbs(exponents).marginals()), exponents

    @cached_property
    def diameter(self) -> float:
        """A bound on the divergence of any policy from the uniform one: log N."""
        d, m, count = self.actions.dimension, self.actions.size, self.actions.n_actions
        return math.log(count) if count is not None else m * math.log(d)

    def family(self, *, is_listed: bool = False) -> Any:
        """Return the set as compiled code takes it; ``is_listed`` for members whose policies are lists of their marginals."""
        plan = self.plan
        options: dict[str, Any] = {"variants": plan.variants, "has_moment": plan.has_moment}
        gibbs = self.actions.family(self.mu, kind="gibbs", **options)
        if not is_listed:
            return gibbs
        return GibbsMembers.of(self.actions.family(self.mu, kind="list", **options), gibbs)

    def policy_from(self, marginals: Vector, exponents: Vector) -> Policy:
        """Return the Gibbs policy with these exponents."""
        return self.actions.gibbs(exponents)
