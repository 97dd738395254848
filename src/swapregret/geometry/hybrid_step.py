"""The hybrid regulariser over conv(A), with the linear oracle alone."""

import math
from typing import Any

import numpy as np

from swapregret.arrays import Vector
from swapregret.errors import NotConverged
from swapregret.geometry.min_norm import min_norm_point

_STEPS = 60
_GAP = 1e-9
ACCEPTABLE = 1e-6
"""The largest certified gap of a minimiser, in units of 1 + Σ|c|."""


def minimise_hybrid(actions: Any, costs: Vector, mix: float, start: Vector | None = None) -> Vector:
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
    >>> from swapregret.actions.m_sets.m_sets import MSets
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
        raise NotConverged(
            f"the certified gap of the hybrid step, in units of 1 + Σ|c|, must be at most {ACCEPTABLE:.1e}",
            f"{gap / unit:.3g} after {_STEPS} steps",
            "Use a smaller `scale`, or combcp with semi-bandit feedback.",
        )
    return x


def middle_of(actions: Any) -> Vector:
    """Return the mean of actions with and without each element, as far as there are any: it lies in the relative interior.

    Examples
    --------
    >>> from swapregret.actions.m_sets.m_sets import MSets
    >>> middle_of(MSets(2, 1)).tolist()
    [0.5, 0.5]
    """
    rows = [actions.argmax(sign * row) for row in np.eye(actions.dimension) for sign in (1.0, -1.0)]
    return np.asarray(np.mean(rows, axis=0))


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
