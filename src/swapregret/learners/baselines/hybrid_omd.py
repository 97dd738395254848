r"""Semi-bandit mirror descent with the hybrid regulariser (Zimmert, Luo and Wei 2019): the strongest peer there is.

.. math:: x_t = \arg\min_{x \in \mathrm{conv}(A)}\ x\cdot L_{t-1} + \frac{1}{\eta_t}\sum_i
    \bigl(-\sqrt{x_i} + \gamma(1-x_i)\log(1-x_i)\bigr), \qquad \eta_t = \frac{c}{\sqrt t}

with element losses :math:`\ell_i = 1 - 2mR_i \in [-1, 1]` estimated by :math:`(\ell_i + 1)\,[i \in M_t]/x_{t,i} - 1`
(the 1/x-weighted estimate). The action comes from a decomposition of :math:`x_t`. On m-sets the minimiser is found by
a scalar Newton iteration, on permutations and paths by Newton's method on their balances, on trees and forests by
decomposition (``actions.hybrid``); on any other set by Newton steps whose quadratic models are minimised over conv(A) with the
oracle alone (``geometry.hybrid``). The estimate is the semi-bandit one of ``learners.round.day`` about :math:`\widehat R_i = 1/m`.

**Bound.** External regret O(√(m d T)) against any sequence and O(log T) on independent days, in expectation and up to
constants the authors state for losses in [−1, 1]. Nothing is promised for swap regret.
"""

import math
from dataclasses import dataclass
from functools import cached_property
from typing import Any, NamedTuple

import numpy as np

from swapregret.actions.base import ActionSet
from swapregret.actions.family import FULL, MADE, hybrid, make_law
from swapregret.actions.hybrid import has_hybrid
from swapregret.arrays import Floats, Integers, Vector, as_integer
from swapregret.boundary import refuses
from swapregret.geometry.hybrid import ACCEPTABLE, middle_of
from swapregret.learners.baselines.listing import read_rate
from swapregret.learners.player import Feedback
from swapregret.learners.round.daily import DERIVED, daily_state
from swapregret.learners.round.day import SEMI_BANDIT, mix_slots
from swapregret.learners.round.master import NOT_PROJECTED, OUT_OF_ROOM, PLAYED, end_windows
from swapregret.learners.round.player import RunningPlayer
from swapregret.learners.round.running import Running, room_for_lists
from swapregret.learners.settings import check_settings
from swapregret.policy import Policy

__all__ = ["HybridOMD", "hybrid_omd"]


class HybridRule(NamedTuple):
    """What does not change; the first five fields as of every rule (``learners.multiscale.phases``).

    Attributes
    ----------
    scale, mix : float
        c, γ.
    size : int
        m.
    middle : float64 array, shape (d,)
        A point of the relative interior.
    """

    windows: Integers
    feedback: int
    predictor_step: float
    has_inverse: bool
    first_log: Floats
    scale: float
    mix: float
    size: int
    middle: Floats


@end_windows.of(HybridRule)
def move_hybrid(rule: Any, family: Any, state: Any, n_ending: int) -> int:
    """Move to the minimiser for the losses so far, and decompose it."""
    learners, tally, mix = state.learners, state.tally, state.mix
    point, gap = learners.points[0], 0.0
    if n_ending != 0:
        rate = rule.scale / np.sqrt(tally.day[0] + 1.0)
        costs = np.empty(point.size)
        for i in range(point.size):  # Σ ℓ̃ = Σ (1 − 2m R̃)
            costs[i] = rate * (tally.n_seen[0] - 2.0 * rule.size * tally.total[i])
        point, gap = hybrid(family, costs, rule.mix, rule.middle, point)
        if not gap <= ACCEPTABLE:
            return NOT_PROJECTED
    code = make_law(family, state.laws, 0, point, rule.first_log)
    if code != MADE:
        return OUT_OF_ROOM if code == FULL else NOT_PROJECTED
    for i in range(point.size):
        learners.points[0, i] = point[i]
    mix.is_new[0] = 1
    mix.weights[0] = 1.0
    mix_slots(family, rule, state)
    return PLAYED


@dataclass(frozen=True)
class HybridOMD(RunningPlayer):
    """The player; :func:`hybrid_omd` chooses its constants.

    Parameters
    ----------
    actions : ActionSet
    scale : float
        c.
    mix : float
        γ of the regulariser.
    variants : int
        How many decompositions to average.
    """

    actions: ActionSet
    scale: float
    mix: float
    variants: int = 8
    feedback: Feedback = "semi-bandit"
    _minimises = True

    def __post_init__(self) -> None:
        check_settings(self)

    @cached_property
    def mu(self) -> Policy:
        """The exploration law of the set, which is not played."""
        return self.actions.exploration_policy()

    @cached_property
    def _family(self) -> Any:
        options: dict[str, Any] = {"variants": self.variants, "has_moment": False}
        made = self.actions.moving_family(self.mu, **options)
        return made if has_hybrid(made) else ActionSet.family(self.actions, self.mu, **options)

    @cached_property
    def _middle(self) -> Vector:
        return middle_of(self.actions)

    @cached_property
    def _first(self) -> Vector:
        """The minimiser of the regulariser alone."""
        point, _ = hybrid(
            self._called, np.zeros(self.actions.dimension), self.mix, self._middle.copy(), self._middle.copy()
        )
        return np.array(point)

    def _running(self, offset: int) -> Running:
        none, size = np.zeros(self.actions.dimension), self.actions.size
        rule = HybridRule(
            windows=np.array([1]),
            feedback=SEMI_BANDIT,
            predictor_step=0.0,
            has_inverse=False,
            first_log=none,
            scale=self.scale,
            mix=self.mix,
            size=size,
            middle=self._middle,
        )
        state = daily_state(self._called, 2, room_for_lists(self.actions, self.variants), self._first, none)
        state.tally.prediction[:] = 1.0 / size  # of which ℓ = −1: what an element that was not chosen is taken to lose
        return Running(self._called, rule, state, DERIVED, self)


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
    chosen = max(read_rate(mix, default, "mix"), 1e-12)
    return HybridOMD(actions, max(read_rate(scale, 1.0, "scale"), 1e-300), chosen, as_integer(variants, "variants", 1))
