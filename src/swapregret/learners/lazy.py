r"""The lazy learners of a scale: Lazy-ComBCP (Algorithm 2) and Lazy-ComBand (Algorithm 3, appendix), and how far they move.

Both minimise external regret and move at the end of each meta-day. What they are made of is configured here; the step stands
in ``learners.round.scale`` (line 8), projections and policies in the family of the set (lines 5 and 9), and the masters run them.
"""

import math
from dataclasses import dataclass
from functools import cached_property

import numpy as np

from swapregret.actions.action_set import ActionSet
from swapregret.actions.family import Family
from swapregret.arguments import Share
from swapregret.arrays import Vector
from swapregret.compiled.vectors import action_total
from swapregret.errors import InvalidInput, Unsupported
from swapregret.learners.policy_plan import PolicyPlan
from swapregret.learners.settings import ExplorationPolicy, Positive, Step, check_settings
from swapregret.policy import Policy


@dataclass(frozen=True)
class FixedRate:
    """The paper's step: a constant η.

    Parameters
    ----------
    learning_rate : float
        η > 0.
    """

    learning_rate: Step

    def __post_init__(self) -> None:
        check_settings(self)
        if self.learning_rate == 0.0:
            raise InvalidInput("`learning_rate` of FixedRate must be positive", "0", "Pass a float above 0.")


@dataclass(frozen=True)
class AdaptiveRate:
    """A step that measures the noise (deviation D17); the formula is in ``learners.round.scale``.

    Parameters
    ----------
    scale : float
        c > 0.
    """

    scale: Positive = 3.0

    def __post_init__(self) -> None:
        check_settings(self)


Rate = FixedRate | AdaptiveRate


@dataclass(frozen=True)
class LazyLearner:
    """What the two lazy learners share.

    Each also has ``first`` and ``diameter``, where an interval begins and how far what may be best can be from there; ``family``,
    the set as compiled code takes it; and ``policy_from``, which makes a policy that is no list from what a tape says of it.

    Parameters
    ----------
    actions : ActionSet
    exploration : float
        γ in [0, 1).
    rates : tuple of FixedRate or AdaptiveRate
        The step on each scale.
    plan : PolicyPlan
        How its points are played.
    exploration_policy : str, optional
        Which μ: a ``kind`` of ``actions.exploration_policy``; None the best of the set.
    """

    actions: ActionSet
    exploration: Share
    rates: tuple[Rate, ...]
    plan: PolicyPlan
    exploration_policy: ExplorationPolicy | None = None

    def __post_init__(self) -> None:
        check_settings(self)
        if not 0.0 <= self.exploration < 1.0:
            raise InvalidInput("`exploration` must be in [0, 1)", repr(self.exploration), "0.05 is much already.")

    @cached_property
    def mu(self) -> Policy:
        """The exploration policy μ (line 1)."""
        return self.actions.exploration_policy(self.exploration_policy)

    def _family(self, kind: str) -> Family:
        return self.actions.family(self.mu, kind=kind, variants=self.plan.variants, has_moment=self.plan.has_moment)


class LazyComBCP(LazyLearner):
    """Lazy-ComBCP, on the convex hull of any set; the parameters are those of :class:`LazyLearner`.

    Its point mq moves by exponential weights and a KL projection, and is played by a policy with these marginals.

    Examples
    --------
    >>> from swapregret import MSets
    >>> from swapregret.learners.policy_plan import plan_policies
    >>> actions = MSets(4, 2)
    >>> LazyComBCP(actions, 0.1, (AdaptiveRate(),), plan_policies(actions, 1, "bandit")).first[0]
    array([0.5, 0.5, 0.5, 0.5])
    """

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

    def family(self, *, is_listed: bool = False) -> Family:
        """Return the set as compiled code takes it, with this learner's policies."""
        return self._family(self.plan.kind)

    def policy_from(self, marginals: Vector, exponents: Vector) -> Policy:
        """Return the chain that plays a point."""
        return self.actions.markov_policy(marginals)


class LazyComBand(LazyLearner):
    r"""Lazy-ComBand, on the actions of a set with an exact Gibbs policy; the parameters are those of :class:`LazyLearner`.

    :math:`\widetilde p_{h+1}(M) \propto \widetilde p_h(M)\exp(\eta\,\widetilde X_h\cdot M)`: the paper's update lacks the "·M" and
    the normalisation (deviation D10). The policy has exponentially many actions and is never listed: the set's exact Gibbs
    policy draws from it and gives its moments. The number of elements may vary from action to action.
    """

    def __post_init__(self) -> None:
        super().__post_init__()
        if not self.actions.has_gibbs:
            raise Unsupported(
                "Lazy-ComBand needs a set with an exact Gibbs policy",
                f"{self.actions!r}, which has none",
                "Use swap_combcp, which needs only a projection.",
            )

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

    def family(self, *, is_listed: bool = False) -> Family:
        """Return the set as compiled code takes it; ``is_listed`` for members whose policies are lists of their marginals."""
        return self._family("gibbs list" if is_listed else "gibbs")

    def policy_from(self, marginals: Vector, exponents: Vector) -> Policy:
        """Return the Gibbs policy with these exponents."""
        return self.actions.gibbs(exponents)
