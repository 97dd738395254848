r"""Semi-bandit mirror descent with the hybrid regulariser (Zimmert, Luo and Wei 2019): the strongest peer there is.

.. math:: x_t = \arg\min_{x \in \mathrm{conv}(A)}\ x\cdot L_{t-1} + \frac{1}{\eta_t}\sum_i
    \bigl(-\sqrt{x_i} + \gamma(1-x_i)\log(1-x_i)\bigr), \qquad \eta_t = \frac{c}{\sqrt t}

with element losses :math:`\ell_i = 1 - 2mR_i \in [-1, 1]` estimated by :math:`(\ell_i + 1)\,[i \in M_t]/x_{t,i} - 1`
(the 1/x-weighted estimate). The action comes from a decomposition of :math:`x_t`. On m-sets the minimiser is found by
a scalar Newton iteration, on permutations and paths by Newton's method on their balances, on trees and forests by
decomposition (``actions.hybrid``); on any other set by Newton steps whose quadratic models are minimised over conv(A) with the
oracle alone (``geometry.hybrid_step``). The estimate is the semi-bandit one of ``learners.round.day`` about
:math:`\widehat R_i = 1/m`.

**Bound.** External regret O(√(m d T)) against any sequence and O(log T) on independent days, in expectation and up to
constants the authors state for losses in [−1, 1]. Nothing is promised for swap regret.
"""

import math
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np

from swapregret.actions.action_set import ActionSet
from swapregret.actions.family import hybrid
from swapregret.actions.hybrid import has_hybrid
from swapregret.arrays import Vector, as_integer
from swapregret.boundary import refuses
from swapregret.geometry.hybrid_step import ACCEPTABLE, middle_of
from swapregret.learners.baselines.drivers.competitor import PointPlayer, play_point, read_rate, rule_class
from swapregret.learners.player import Feedback
from swapregret.learners.round.day import NOT_PROJECTED, end_windows
from swapregret.learners.round.running import Running

HybridRule = rule_class(__name__, "HybridRule", "scale", "mix", "size", "middle")


@end_windows.of(HybridRule)
def move_hybrid(rule: Any, family: Any, state: Any, n_ending: int) -> int:
    """Move to the minimiser for the losses so far, and decompose it."""
    point, tally = state.learners.points[0], state.tally
    if n_ending != 0:
        rate = rule.scale / np.sqrt(tally.day[0] + 1.0)
        costs = rate * (tally.n_seen[0] - 2.0 * rule.size * tally.total)  # Σ ℓ̃ = Σ (1 − 2m R̃)
        point, gap = hybrid(family, costs, rule.mix, rule.middle, point)
        if not gap <= ACCEPTABLE:
            return NOT_PROJECTED
    return play_point(family, state, point, rule.first_log, point, 0.0)


@dataclass(frozen=True)
class HybridOMD(PointPlayer):
    """The player; :func:`hybrid_omd` explains its settings and chooses them. μ is not played."""

    actions: ActionSet
    scale: float
    mix: float
    variants: int = 8
    feedback: Feedback = "semi-bandit"
    rule_class = HybridRule
    _minimises = True

    @cached_property
    def _family(self) -> Any:
        options: dict[str, Any] = {"variants": self.variants, "has_moment": False}
        made = self.actions.family(self.mu, **options)
        return made if has_hybrid(made) else ActionSet.family(self.actions, self.mu, **options)

    @property
    def size(self) -> int:
        """Return m."""
        return self.actions.size

    @cached_property
    def middle(self) -> Vector:
        """A point of the relative interior."""
        return middle_of(self.actions)

    @cached_property
    def _first(self) -> tuple[Vector, Vector]:
        """The minimiser of the regulariser alone; logarithms are not used."""
        none = np.zeros(self.actions.dimension)
        point, _ = hybrid(self._called, none, self.mix, self.middle.copy(), self.middle.copy())
        return np.array(point), none

    def _running(self, offset: int) -> Running:
        running = super()._running(offset)
        running.state.tally.prediction[:] = 1.0 / self.size  # ℓ = −1: what an element not chosen is taken to lose
        return running


@refuses
def hybrid_omd(
    actions: ActionSet, horizon: int, *, scale: float = 1.0, mix: float | None = None, variants: int = 8
) -> HybridOMD:
    """Return the hybrid semi-bandit learner.

    Parameters
    ----------
    actions : ActionSet
    horizon : int
        Not needed by the algorithm.
    scale : float
        c in η = c/√t; the authors' 1 if not given.
    mix : float, optional
        γ; the authors' 1 if m ≤ d/2, else min(1, 1/√log(d/(d−m))), if not given.
    variants : int
        How many decompositions to average.

    Examples
    --------
    >>> from swapregret.actions.m_sets.m_sets import MSets
    >>> hybrid_omd(MSets(10, 3), 1000).mix
    1.0
    """
    as_integer(horizon, "horizon", 1)
    d, m = actions.dimension, actions.size
    default = 1.0 if 2 * m <= d or m == d else min(1.0, 1.0 / math.sqrt(math.log(d / (d - m))))
    rate, gamma = read_rate(scale, 1.0, "scale"), read_rate(mix, default, "mix")
    return HybridOMD(actions, rate, gamma, as_integer(variants, "variants", 1))
