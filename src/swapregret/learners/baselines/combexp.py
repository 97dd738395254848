r"""CombEXP (Combes, Talebi, Proutiere and Lelarge 2015), as in the paper's appendix.

With :math:`\mu^0` the marginals of the uniform law over A divided by m, :math:`\mu_{\min} = \min_i m\mu^0(i)`,
:math:`\underline\lambda` the smallest non-zero eigenvalue of :math:`\mathbb E_{U(A)}[MM^\top]` and :math:`C =
\underline\lambda / m^{3/2}`:

.. math:: q' = (1-\gamma)q + \gamma\mu^0, \quad \sum_M p(M) M = m q', \quad
    \tilde R = r\,\Sigma^+ M, \quad \tilde q_i \propto q_i \exp(\eta \tilde R_i), \quad q = \mathrm{proj}_{KL}(\tilde q)

.. math:: \gamma = \frac{\sqrt{m\log\mu_{\min}^{-1}}}{\sqrt{m\log\mu_{\min}^{-1}} + \sqrt{C(Cm^2d+m)T}}, \qquad \eta = \gamma C.

The point that explores is mixed in *before* the decomposition, so a law with the right marginals may still never play
some action, and an element that few actions have is hardly ever seen: the shortcut of ``environments.shortcut_dag``.
Any decomposition is allowed; this one averages ``variants`` of them, as Swap-ComBCP does.

**Bound.** The authors state 2√(m³T(d + √m/λ) log(1/μ_min)) + … for external regret on sets whose actions all have m
elements; on the shortcut DAG the realised regret is T with probability at least 1 − T/(2ⁿ+1) (the paper's appendix).
"""

import math
from dataclasses import dataclass, replace
from functools import cached_property

import numpy as np

from swapregret.actions.base import ActionSet
from swapregret.arrays import Vector, as_integer, frozen
from swapregret.boundary import refuses
from swapregret.geometry.moments import smallest_eigenvalue
from swapregret.geometry.solve import Solver, make_solver
from swapregret.learners.baselines.listing import Cost, list_actions, read_rate, read_share
from swapregret.learners.player import Arrays, Decision, Feedback
from swapregret.learners.settings import check_settings
from swapregret.policy import Policy

__all__ = ["CombEXP", "CombEXPState", "combexp"]

COST = Cost("combexp", limit=100_000, base=2e-4, per_action=0.0, vectors=2)


@dataclass(frozen=True, eq=False)
class CombEXPState:
    """What is known before a day.

    Attributes
    ----------
    log_point, point : Vector
        mq and its logarithm (an entry that underflows must be able to recover).
    law : Policy
        p, with marginals mq'.
    solver : Solver
        Σ⁺ of that law, kept while it stays.
    """

    day: int
    log_point: Vector
    point: Vector
    law: Policy
    solver: Solver


@dataclass(frozen=True)
class CombEXP:
    """The player; :func:`combexp` chooses its constants.

    Parameters
    ----------
    actions : ActionSet
    horizon : int
    learning_rate, exploration : float
        η, γ.
    variants : int
        How many decompositions to average.
    """

    actions: ActionSet
    horizon: int
    learning_rate: float
    exploration: float
    variants: int = 8
    feedback: Feedback = "bandit"

    def __post_init__(self) -> None:
        check_settings(self)

    @cached_property
    def uniform(self) -> Policy:
        """The uniform law over A: exact where the set has one, by listing elsewhere."""
        return uniform_law(self.actions, self.horizon)

    def start(self, rng: np.random.Generator) -> CombEXPState:
        """Begin with q₀ = μ⁰."""
        point = self.uniform.marginals()
        return self.at(0, np.log(np.maximum(point, 1e-300)), point)

    def policy(self, state: CombEXPState) -> Policy:
        """Return p."""
        return state.law

    def observe(self, state: CombEXPState, decision: Decision, reward: float | Vector | None) -> CombEXPState:
        """Estimate, update and project; a day that pays nothing changes nothing."""
        if reward is None or float(reward) == 0.0:
            return replace(state, day=state.day + 1)
        is_own = decision.policy is state.law
        solver = state.solver if is_own else make_solver(decision.policy, self.actions.span)
        estimate = float(reward) * solver.solve(decision.action)
        projection = self.actions.kl_project(state.log_point + self.learning_rate * estimate)
        return self.at(state.day + 1, projection.log_point, projection.point)

    def law(self, point: Vector) -> Policy:
        """Return the law that is played at a point."""
        mixed = (1.0 - self.exploration) * point + self.exploration * self.uniform.marginals()
        return self.actions.decompose(mixed, variants=self.variants)

    def at(self, day: int, log_point: Vector, point: Vector) -> CombEXPState:
        """Return the state of a day on which the point has been moved here."""
        law = self.law(point)
        solver = make_solver(law, self.actions.span)
        return CombEXPState(day, frozen(np.array(log_point)), frozen(np.array(point)), law, solver)

    def dump(self, state: CombEXPState) -> Arrays:
        """Write day and point."""
        return {"day": np.array(state.day), "log_point": state.log_point, "point": state.point}

    def load(self, arrays: Arrays) -> CombEXPState:
        """Read day and point."""
        log_point, point = (np.array(arrays[name], dtype=np.float64) for name in ("log_point", "point"))
        return self.at(int(arrays["day"]), log_point, point)


def uniform_law(actions: ActionSet, horizon: int) -> Policy:
    """Return the uniform law over all actions, or refuse where there is neither an exact one nor a list."""
    if actions.has_uniform:
        return actions.uniform_policy()
    if actions.has_gibbs:
        return actions.gibbs(np.zeros(actions.dimension))
    return list_actions(actions, horizon, COST).uniform


@refuses
def combexp(
    actions: ActionSet,
    horizon: int,
    *,
    learning_rate: float | None = None,
    exploration: float | None = None,
    variants: int = 8,
) -> CombEXP:
    """Return CombEXP.

    Parameters
    ----------
    actions : ActionSet
        With a uniform or Gibbs law, or at most 100,000 actions.
    horizon : int
    learning_rate, exploration : float, optional
        η and γ; the formulas of the appendix if not given.
    variants : int
        How many decompositions to average; 1 is the least.

    Examples
    --------
    >>> from swapregret.actions.m_sets.m_sets import MSets
    >>> player = combexp(MSets(10, 3), 100_000)
    >>> round(player.exploration, 6), round(player.learning_rate, 9)
    (0.010575, 0.000474863)
    """
    days = as_integer(horizon, "horizon", 1)
    d, m = actions.dimension, actions.size
    law = uniform_law(actions, days)
    least = float(law.marginals().min())
    C = smallest_eigenvalue(law, actions.span) / m**1.5
    root = math.sqrt(m * max(math.log(1.0 / least), 0.0)) if least > 0.0 else math.inf
    gamma = 1.0 if math.isinf(root) else root / (root + math.sqrt(C * (C * m**2 * d + m) * days))
    share = read_share(gamma if exploration is None else exploration, "exploration")
    rate = read_rate(learning_rate, share * C)
    return CombEXP(actions, days, rate, share, as_integer(variants, "variants", 1))
