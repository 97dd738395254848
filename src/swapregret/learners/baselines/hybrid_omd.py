r"""Semi-bandit mirror descent with the hybrid regulariser (Zimmert, Luo and Wei 2019): the strongest peer there is.

.. math:: x_t = \arg\min_{x \in \mathrm{conv}(A)}\ x\cdot L_{t-1} + \frac{1}{\eta_t}\sum_i
    \bigl(-\sqrt{x_i} + \gamma(1-x_i)\log(1-x_i)\bigr), \qquad \eta_t = \frac{c}{\sqrt t}

with element losses :math:`\ell_i = 1 - 2mR_i \in [-1, 1]` estimated by :math:`(\ell_i + 1)\,[i \in M_t]/x_{t,i} - 1`
(the 1/x-weighted estimate). The action comes from a decomposition of :math:`x_t`. On m-sets the minimiser is found by
a scalar Newton iteration, on permutations and paths by Newton's method on their balances, on trees and forests by
decomposition (``kernels.hybrid_hulls``); on any other set by Newton steps whose quadratic models are minimised over conv(A)
with the oracle alone.

**Bound.** External regret O(√(m d T)) against any sequence and O(log T) on independent days, in expectation and up to
constants the authors state for losses in [−1, 1]. Nothing is promised for swap regret.
"""

import math
from dataclasses import dataclass
from functools import cached_property

import numpy as np
import numpy.typing as npt

from swapregret.actions.base import ActionSet
from swapregret.actions.hybrid_capped import hybrid_capped
from swapregret.actions.m_sets.m_sets import MSets
from swapregret.arrays import Vector, as_integer, frozen
from swapregret.boundary import refuses
from swapregret.errors import NotConverged
from swapregret.geometry.min_norm import min_norm_point
from swapregret.kernels.hybrid_hulls import hybrid_hull
from swapregret.learners.baselines.listing import read_rate
from swapregret.learners.hulls import Hulls, hulls_of
from swapregret.learners.player import Arrays, Decision, Feedback
from swapregret.learners.settings import check_settings
from swapregret.policy import Policy

__all__ = ["HybridOMD", "HybridState", "hybrid_omd", "minimise_hybrid"]

_STEPS = 60
_GAP = 1e-9
ACCEPTABLE = 1e-6
"""The largest certified gap of a step, in units of 1 + Σ|c|."""


@dataclass(frozen=True, eq=False)
class HybridState:
    """What is known before a day: estimated losses of the elements, the point, and the law that plays it."""

    day: int
    losses: Vector
    point: Vector
    law: Policy


@dataclass(frozen=True)
class HybridOMD:
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

    def __post_init__(self) -> None:
        check_settings(self)

    def start(self, rng: np.random.Generator) -> HybridState:
        """Begin at the minimiser of the regulariser."""
        return self.moved(0, np.zeros(self.actions.dimension), None)

    def policy(self, state: HybridState) -> Policy:
        """Return the law of the next action."""
        return state.law

    def observe(self, state: HybridState, decision: Decision, reward: float | Vector | None) -> HybridState:
        """Add the weighted losses of the elements that were chosen."""
        if reward is None:
            return self.moved(state.day + 1, state.losses.copy(), state.point)
        marginals = state.point if decision.policy is state.law else decision.policy.marginals()
        chosen = decision.action > 0
        losses = state.losses - 1.0
        seen = 2.0 - 2.0 * self.actions.size * np.asarray(reward, dtype=np.float64)[chosen]
        losses[chosen] += seen / marginals[chosen]
        return self.moved(state.day + 1, losses, state.point)

    @cached_property
    def hulls(self) -> Hulls | None:
        """The hull of the set as the kernels take it, where they know it."""
        return hulls_of(self.actions, self.variants)

    @cached_property
    def middle(self) -> Vector:
        """A point of the relative interior."""
        return middle_of(self.actions)

    @cached_property
    def is_free(self) -> npt.NDArray[np.bool_]:
        """Which elements some actions have and others do not."""
        return np.asarray((self.middle > 0.0) & (self.middle < 1.0))

    def moved(self, day: int, losses: Vector, before: Vector | None) -> HybridState:
        """Return the state of a day on which these losses are known, its point sought from the one before on."""
        costs = self.scale / math.sqrt(day + 1) * losses
        if isinstance(self.actions, MSets):
            point, _ = hybrid_capped(costs, self.actions.size, self.mix)
        elif self.hulls is None:
            point = minimise_hybrid(self.actions, costs, self.mix, before)
        else:
            start = np.array(self.middle if before is None else before)
            point, gap = hybrid_hull(*self.hulls, costs, self.mix, self.is_free, start)
            if not gap <= ACCEPTABLE:
                raise _not_converged(gap)
        return self.at(day, losses, point)

    def law(self, point: Vector) -> Policy:
        """Return the law that is played at a point."""
        return self.actions.decompose(point, variants=self.variants)

    def at(self, day: int, losses: Vector, point: Vector) -> HybridState:
        """Return the state of a day on which these losses have led to this point."""
        return HybridState(day, frozen(losses), frozen(point), self.law(point))

    def dump(self, state: HybridState) -> Arrays:
        """Write day, losses and point."""
        return {"day": np.array(state.day), "losses": state.losses, "point": state.point}

    def load(self, arrays: Arrays) -> HybridState:
        """Read day, losses and point."""
        losses, point = (np.array(arrays[name], dtype=np.float64) for name in ("losses", "point"))
        return self.at(int(arrays["day"]), losses, point)


def minimise_hybrid(actions: ActionSet, costs: Vector, mix: float, start: Vector | None = None) -> Vector:
    r"""Minimise :math:`c\cdot x + \sum_i -\sqrt{x_i} + \gamma(1-x_i)\log(1-x_i)` over conv(A) with the oracle.

    Newton steps: the quadratic model at x is a weighted distance, minimised over conv(A) by Wolfe's algorithm; the
    step is shortened until the function falls. Elements that all actions have, or none, are left out.

    Parameters
    ----------
    actions : ActionSet
    costs : array, shape (dimension,)
    mix : float
        γ.
    start : array, optional
        A point of the relative interior; the mean of actions with and without each element if not given.

    Raises
    ------
    NotConverged
        If the certified gap does not fall below 1e-6 (1 + Σ|c|).

    Examples
    --------
    >>> minimise_hybrid(MSets(4, 2), np.zeros(4), 1.0).round(6)
    array([0.5, 0.5, 0.5, 0.5])
    """
    d = actions.dimension
    x = middle_of(actions) if start is None else np.array(start)
    free = (x > 0.0) & (x < 1.0)
    gap, unit = math.inf, 1.0 + float(np.abs(costs).sum())
    for _ in range(_STEPS):
        root, rest = np.sqrt(x[free]), 1.0 - x[free]
        g = np.zeros(d)
        g[free] = costs[free] - 0.5 / root - mix * (1.0 + np.log(rest))
        gap = float(g @ (x - actions.argmax(-g)))
        if gap <= _GAP * unit:
            return x
        h = np.ones(d)
        h[free] = 0.25 / root**3 + mix / rest
        target = x - g / h
        move = min_norm_point(actions, target, h).point - x
        move[~free] = 0.0
        slope = float(g @ move)
        if slope >= 0.0:
            break
        x = x + _shorten(x[free], move[free], costs[free], mix, slope) * move
    if gap > ACCEPTABLE * unit:
        raise _not_converged(gap / unit)
    return x


def middle_of(actions: ActionSet) -> Vector:
    """Return the mean of actions with and without each element, as far as there are any: it lies in the relative interior.

    Examples
    --------
    >>> middle_of(MSets(2, 1)).tolist()
    [0.5, 0.5]
    """
    rows = [actions.argmax(sign * row) for row in np.eye(actions.dimension) for sign in (1.0, -1.0)]
    return np.asarray(np.mean(rows, axis=0))


def _not_converged(gap: float) -> NotConverged:
    return NotConverged(
        f"the certified gap of the hybrid step, in units of 1 + Σ|c|, must be at most {ACCEPTABLE:.1e}",
        f"{gap:.3g} after {_STEPS} steps",
        "Use a smaller `scale`, or combcp with semi-bandit feedback.",
    )


def _shorten(x: Vector, move: Vector, costs: Vector, mix: float, slope: float) -> float:
    """Return the first of 1, ½, ¼, … that takes a quarter of the promised fall and keeps a twentieth of every distance."""

    def value(y: Vector) -> float:
        return float((costs * y - np.sqrt(y) + mix * (1.0 - y) * np.log1p(-y)).sum())

    step, before = 1.0, value(x)
    while step > 1e-12:
        y = x + step * move
        is_inside = bool((y >= 0.05 * x).all() and (1.0 - y >= 0.05 * (1.0 - x)).all())
        if is_inside and value(y) <= before + 0.25 * step * slope:
            break
        step *= 0.5
    return step


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
    >>> hybrid_omd(MSets(10, 3), 1000).mix
    1.0
    """
    as_integer(horizon, "horizon", 1)
    d, m = actions.dimension, actions.size
    default = 1.0 if 2 * m <= d or m == d else min(1.0, 1.0 / math.sqrt(math.log(d / (d - m))))
    chosen = max(read_rate(mix, default, "mix"), 1e-12)
    return HybridOMD(actions, max(read_rate(scale, 1.0, "scale"), 1e-300), chosen, as_integer(variants, "variants", 1))
