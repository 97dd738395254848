r"""ComBand (Cesa-Bianchi and Lugosi 2012), also known as Exp2 and, with a spanner, GeometricHedge (Dani, Hayes and Kakade 2008).

.. math:: p_t(M) = (1-\gamma)\frac{\exp(\eta\, S_t\cdot M)}{\sum_{M'}\exp(\eta\, S_t\cdot M')} + \gamma\,\mu(M), \qquad
    S_{t+1} = S_t + r_t\,\Sigma_t^+ M_t, \quad \Sigma_t = \mathbb E_{p_t}[M M^\top]

Exponential weights on actions with an estimate that all of them share. Up to 2,000 actions are listed; above that the
set's exact Gibbs policy is used where there is one, and otherwise the list up to ``limit``.

**Bound.** With G the largest leverage of μ (r for a D-optimal policy, at most m/λ_min(μ) always), γ = ηG and η = √(ln N /
(3 r T)): external regret at most 2√(3 r T ln N) for D-optimal exploration (Bubeck, Cesa-Bianchi and Kakade 2012), a
factor √(1 + 2G/r) more otherwise. Nothing is promised for swap regret.
"""

import math
from dataclasses import dataclass
from functools import cached_property

import numpy as np

from swapregret.actions.action_set import ActionSet
from swapregret.actions.family import Family
from swapregret.actions.own_sets.explicit import Explicit
from swapregret.arguments import Days, Share
from swapregret.arrays import Vector
from swapregret.compiled.vectors import tilt
from swapregret.errors import TooLarge
from swapregret.geometry.solve import smallest_eigenvalue
from swapregret.learners.baselines.drivers.action_table import Cost, list_actions
from swapregret.learners.baselines.drivers.competitor import OwnRule, PointPlayer, play_point, rule_class
from swapregret.learners.baselines.drivers.design import d_optimal, leverages
from swapregret.learners.player import Feedback
from swapregret.learners.round.day import PLAYED, State, end_windows
from swapregret.learners.settings import ExplorationPolicy, Limit, Step
from swapregret.policy import FinitePolicy, Policy

_COST = Cost("comband", limit=100_000, base=1e-6, per_action=4e-8, vectors=8)
_LISTED = 2_000


ComBandRule = rule_class(__name__, "ComBandRule", "learning_rate", "exploration")


@end_windows.of(ComBandRule)
def move_exponents(rule: OwnRule, family: Family, state: State, n_ending: int) -> int:
    """Add ηR̃ to the exponents of the Gibbs policy, and mix in what explores; a day that pays nothing changes nothing."""
    exponents, running = state.learners.log_points[0], state.tally.running
    if n_ending != 0:
        if not np.any(running):
            return PLAYED
        exponents = tilt(exponents, running, rule.learning_rate, False)
    return play_point(family, state, state.learners.points[0], exponents, exponents, rule.exploration)


@dataclass(frozen=True)
class ComBand(PointPlayer):
    """ComBand: Lazy-ComBand (Algorithm 3) with a fixed step, which moves every day and never restarts.

    Parameters
    ----------
    actions : ActionSet
        With an exact Gibbs policy, or at most 100,000 actions (or ``limit``).
    horizon : int
    exploration_policy : {"uniform", "spanner", "d-optimal"}, optional
        μ; uniform where that policy exists, and the spanner elsewhere. D-optimal needs the list.
    learning_rate : float, optional
        η; √(ln N / (3 r T)) if not given.
    exploration : float, optional
        γ; min(½, ηG) if not given, G the largest leverage of μ where actions are listed, and its bound m/λ_min(μ)
        where not.
    limit : int, optional

    Examples
    --------
    >>> from swapregret import MSets
    >>> player = comband(MSets(10, 3), 100_000)
    >>> round(player.learning_rate, 6), round(player.exploration, 5)     # η = √(ln 120 / 3·10⁶), γ = 10 η
    (0.001263, 0.01263)
    """

    actions: ActionSet
    horizon: Days
    exploration_policy: ExplorationPolicy | None = None
    learning_rate: Step | None = None
    exploration: Share | None = None
    limit: Limit | None = None
    feedback: Feedback = "bandit"
    rule_class = ComBandRule

    def _default_exploration_policy(self) -> str:
        count = self.actions.n_actions
        is_listed = count is not None and count <= _LISTED
        return "uniform" if self.actions.has_uniform or is_listed else "spanner"

    def _default_learning_rate(self) -> float:
        count, d = self.actions.n_actions, self.actions.dimension
        log_count = math.log(count) if count else self.actions.size * math.log(d)
        return math.sqrt(max(log_count, 1e-12) / (3.0 * self.actions.rank * self.horizon))

    def _default_exploration(self) -> float:
        assert self.learning_rate is not None
        return min(0.5, self.learning_rate * self._leverage())

    def _leverage(self) -> float:
        """Return the largest leverage of μ, or a bound of it where actions are not listed."""
        span = self.actions.span
        if self.listed is not None:
            return float(leverages(self.listed.atoms, span, self.mu).max())
        smallest = smallest_eigenvalue(self.mu, span)
        if smallest <= 0.0:
            raise TooLarge(
                "the exploration policy must show every direction of the span",
                f"one with smallest eigenvalue {smallest}",
                "Use exploration_policy='spanner'.",
            )
        return self.actions.size / smallest

    @property
    def least_numbers(self) -> int:
        """How many numbers a state has at least: one per action, unless the set has Gibbs policies."""
        has_formula = self.actions.has_gibbs and self.exploration_policy != "d-optimal"
        return max(self.actions.dimension, 0 if has_formula else self.actions.n_actions or 0)

    @cached_property
    def listed(self) -> FinitePolicy | None:
        """The uniform policy over the list of all actions, or None where the Gibbs policy takes their place."""
        count = self.actions.n_actions
        if self.actions.has_gibbs and self.exploration_policy != "d-optimal" and (count is None or count > _LISTED):
            return None
        return list_actions(self.actions, self.horizon, _COST, self.limit)

    @cached_property
    def _weighed(self) -> ActionSet:
        """The set whose Gibbs policies are played: the list of all actions where there is one."""
        return self.actions if self.listed is None else Explicit(self.listed.atoms)

    @cached_property
    def mu(self) -> Policy:
        """The exploration policy μ."""
        listed = self.listed
        if self.exploration_policy == "d-optimal":
            assert listed is not None
            return listed.reweighted(d_optimal(listed.atoms, self.actions.span))
        if self.exploration_policy == "uniform":
            return self.actions.uniform_policy() if listed is None else listed
        return self.actions.exploration_policy("spanner")

    @cached_property
    def _family(self) -> Family:
        return self._weighed.family(self.mu, kind="gibbs", has_moment=True)

    @property
    def _n_atoms(self) -> int:
        return 1 if self.listed is None else len(self.listed.atoms)

    def policy_from(self, marginals: Vector, exponents: Vector) -> Policy:
        """Return the Gibbs policy with these exponents."""
        return self._weighed.gibbs(exponents)


comband = ComBand
