r"""CombEXP (Combes, Talebi, Proutiere and Lelarge 2015), as in the paper's appendix.

With :math:`\mu^0` the marginals of the uniform policy over A divided by m, :math:`\mu_{\min} = \min_i m\mu^0(i)`,
:math:`\underline\lambda` the smallest non-zero eigenvalue of :math:`\mathbb E_{U(A)}[MM^\top]` and :math:`C =
\underline\lambda / m^{3/2}`:

.. math:: q' = (1-\gamma)q + \gamma\mu^0, \quad \sum_M p(M) M = m q', \quad
    \tilde R = r\,\Sigma^+ M, \quad \tilde q_i \propto q_i \exp(\eta \tilde R_i), \quad q = \mathrm{proj}_{KL}(\tilde q)

.. math:: \gamma = \frac{\sqrt{m\log\mu_{\min}^{-1}}}{\sqrt{m\log\mu_{\min}^{-1}} + \sqrt{C(Cm^2d+m)T}}, \qquad \eta = \gamma C.

The point that explores is mixed in *before* the decomposition, so a policy with the right marginals may still never play
some action, and an element that few actions have is hardly ever seen: the shortcut of ``environments.shortcut_dag``.
Any decomposition is allowed; this one averages ``variants`` of them, as Swap-ComBCP does.

**Bound.** The authors state 2√(m³T(d + √m/λ) log(1/μ_min)) + … for external regret on sets whose actions all have m
elements; on the shortcut DAG the realised regret is T with probability at least 1 − T/(2ⁿ+1) (the paper's appendix).
"""

import math
from dataclasses import dataclass
from functools import cached_property

import numpy as np

from swapregret.actions.action_set import ActionSet
from swapregret.actions.family import Family
from swapregret.actions.hull import project
from swapregret.arguments import Days, Share
from swapregret.arrays import Vector
from swapregret.compiled.vectors import tilt
from swapregret.geometry.solve import smallest_eigenvalue
from swapregret.learners.baselines.drivers.action_table import Cost, list_actions
from swapregret.learners.baselines.drivers.competitor import OwnRule, PointPlayer, play_point, rule_class
from swapregret.learners.player import Feedback
from swapregret.learners.round.day import NOT_PROJECTED, PLAYED, State, end_windows
from swapregret.learners.settings import Step, Variants
from swapregret.policy import Policy

_COST = Cost("combexp", limit=100_000, base=2e-4, per_action=0.0, vectors=2)
CombEXPRule = rule_class(__name__, "CombEXPRule", "learning_rate", "exploration", "uniform")


@end_windows.of(CombEXPRule)
def move_point(rule: OwnRule, family: Family, state: State, n_ending: int) -> int:
    """Update and project, mix in what explores, and decompose; a day that pays nothing changes nothing."""
    learners, running = state.learners, state.tally.running
    point, log_point = learners.points[0], learners.log_points[0]
    if n_ending != 0:
        if not np.any(running):
            return PLAYED
        point, log_point, gap = project(family, tilt(log_point, running, rule.learning_rate, False), log_point)
        if not gap < np.inf:
            return NOT_PROJECTED
    mixed = (1.0 - rule.exploration) * point + rule.exploration * rule.uniform
    return play_point(family, state, point, log_point, mixed, 0.0)


@dataclass(frozen=True)
class CombEXP(PointPlayer):
    """CombEXP.

    Parameters
    ----------
    actions : ActionSet
        With a uniform or Gibbs policy, or at most 100,000 actions.
    horizon : int
    exploration, learning_rate : float, optional
        γ and η; the formulas of the appendix if not given.
    variants : int
        How many decompositions to average; 1 is the least.

    Examples
    --------
    >>> from swapregret import MSets
    >>> player = combexp(MSets(10, 3), 100_000)
    >>> round(player.exploration, 6), round(player.learning_rate, 9)
    (0.010575, 0.000474863)
    """

    actions: ActionSet
    horizon: Days
    exploration: Share | None = None
    learning_rate: Step | None = None
    variants: Variants = 8
    feedback: Feedback = "bandit"
    rule_class = CombEXPRule

    @property
    def _eigenvalue(self) -> float:
        """Return C."""
        return smallest_eigenvalue(self.mu, self.actions.span) / float(self.actions.size**1.5)

    def _default_exploration(self) -> float:
        d, m, least = self.actions.dimension, self.actions.size, float(self.uniform.min())
        if not least > 0.0:
            return 1.0
        C, root = self._eigenvalue, math.sqrt(m * max(math.log(1.0 / least), 0.0))
        return root / (root + math.sqrt(C * (C * m**2 * d + m) * self.horizon))

    def _default_learning_rate(self) -> float:
        assert self.exploration is not None
        return self.exploration * self._eigenvalue

    @cached_property
    def mu(self) -> Policy:
        """The uniform policy over A: exact where the set has one, by listing elsewhere."""
        return self._uniform_policy()

    @cached_property
    def uniform(self) -> Vector:
        """Return mμ⁰."""
        return np.array(self.mu.marginals())

    @cached_property
    def _family(self) -> Family:
        return self.actions.family(self.actions.exploration_policy(), variants=self.variants)

    @property
    def _first(self) -> tuple[Vector, Vector]:
        return self.uniform, np.log(np.maximum(self.uniform, 1e-300))

    def _uniform_policy(self) -> Policy:
        """Return the uniform policy over all actions, or refuse where there is neither an exact one nor a list."""
        if self.actions.has_uniform:
            return self.actions.uniform_policy()
        if self.actions.has_gibbs:
            return self.actions.gibbs(np.zeros(self.actions.dimension))
        return list_actions(self.actions, self.horizon, _COST)


combexp = CombEXP
