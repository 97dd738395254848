r"""Minimising the hybrid regulariser over conv(A), where the set has a compiled form.

.. math:: \min_{x \in \mathrm{conv}(A)}\ c\cdot x + \sum_i \varphi(x_i), \qquad
    \varphi(x) = -\sqrt{x} + \gamma (1-x)\log(1-x)

:math:`\varphi'` is infinite at 0 and at 1, so of the constraints of matchings and paths only balances bind: sums of rows and
columns, what enters and leaves a vertex. Newton's method on them solves one Laplacian per step, with conductances
:math:`1/\varphi''(x_i)` (:func:`hybrid_move`). m-sets and forests have exact methods of their own, and a product minimises each of
its parts.
"""

from typing import Any

import numpy as np

from swapregret.actions.family import best, hybrid
from swapregret.arrays import Flags, Floats
from swapregret.compiled.kernel import kernel
from swapregret.compiled.methods import method

STEPS, IDLE = 60, 3
GAP, LATE = 1e-9, 1e-12
LEAST, MOST = 1e-18, 1.0 - 2.0**-52


@method
def hybrid_move(family: Any, slopes: Floats, widths: Floats, x: Floats) -> Floats:  # type: ignore[empty-body]
    """Return the step Δ that minimises slopes·Δ + Σ Δ²/(2 widths) among those that keep the balances of the set."""


@kernel
def _hybrid_value(x: Floats, costs: Floats, mix: float, is_free: Flags) -> float:
    total = 0.0
    for i in range(x.size):
        if is_free[i]:
            total += costs[i] * x[i] - np.sqrt(x[i]) + mix * (1.0 - x[i]) * np.log1p(-x[i])
    return total


@kernel
def _shorten(x: Floats, move: Floats, costs: Floats, mix: float, is_free: Flags, slope: float, is_late: bool) -> Floats:
    """Step by the first of 1, ½, ¼, … that takes a quarter of the promised fall and keeps a twentieth of every distance.

    Late in the iteration the fall is less than rounding, and not looked at.
    """
    before = _hybrid_value(x, costs, mix, is_free)
    step = 1.0
    y = np.empty(x.size)
    while True:
        is_inside = True
        for i in range(x.size):
            y[i] = x[i] + step * move[i] if is_free[i] else x[i]
            if is_free[i] and not (y[i] >= 0.05 * x[i] and 1.0 - y[i] >= 0.05 * (1.0 - x[i])):
                is_inside = False
        if step <= 1e-12 or (
            is_inside and (is_late or _hybrid_value(y, costs, mix, is_free) <= before + 0.25 * step * slope)
        ):
            return y
        step *= 0.5


@hybrid.default
def hybrid_newton(family: Any, costs: Floats, mix: float, middle: Floats, near: Floats) -> tuple[Floats, float]:
    """Minimise by Newton's method from a point near the relative interior on."""
    d = near.size
    x = near.copy()
    is_free = (middle > 0.0) & (middle < 1.0)
    slopes, widths = np.zeros(d), np.ones(d)
    found, least, n_idle = x, np.inf, 0
    unit = 1.0
    for i in range(d):
        unit += abs(costs[i])
        if is_free[i]:
            x[i] = min(max(x[i], LEAST), MOST)
    is_late = False
    for _ in range(STEPS):
        for i in range(d):
            if is_free[i]:
                root, rest = np.sqrt(x[i]), 1.0 - x[i]
                slopes[i] = costs[i] - 0.5 / root - mix * (1.0 + np.log(rest))
                widths[i] = 1.0 / (0.25 / (root * root * root) + mix / rest)
        action = best(family, -slopes)
        gap = 0.0
        for i in range(d):
            gap += slopes[i] * (x[i] - action[i])
        n_idle = 0 if gap < 0.5 * least else n_idle + is_late
        if gap < least:
            found, least = x, gap
        if gap <= GAP * unit or n_idle == IDLE:
            break
        move = hybrid_move(family, slopes, widths, x)
        slope, size = 0.0, 1.0
        for i in range(d):
            slope += slopes[i] * move[i]
            size += abs(costs[i]) * x[i]
        is_late = -slope <= LATE * size
        x = _shorten(x, move, costs, mix, is_free, slope, is_late)
    return found, least / unit


def has_hybrid(family: Any) -> bool:
    """Tell whether the minimiser over a family is at hand; a set without one is asked by its oracle alone."""
    if hasattr(family, "first") and hasattr(family, "second"):  # a product
        return has_hybrid(family.first) and has_hybrid(family.second)
    return hybrid.has_code_for(type(family)) or hybrid_move.has_code_for(type(family))


@kernel
def invert_slope(target: float, mix: float) -> float:
    """Return the x in (0, 1) with −1/(2√x) − γ log(1 − x) = target, by Newton's method inside a bracket."""
    low, high = 0.0, 1.0
    x = min(0.5, 0.25 / (target * target)) if target < -0.5 else 1.0 - 0.5 * np.exp(-max(0.0, target + 0.5) / mix)
    for _ in range(100):
        value = -0.5 / np.sqrt(x) - mix * np.log1p(-x) - target
        if value > 0.0:
            high = x
        else:
            low = x
        step = value / (0.25 / (x * np.sqrt(x)) + mix / (1.0 - x))
        new = x - step
        if not low < new < high:
            new = 0.5 * (low + high)
        if abs(new - x) <= 1e-15 * x or new == x or new >= 1.0:
            break
        x = new
    return float(x)


@kernel
def hybrid_capped(costs: Floats, size: int, mix: float) -> tuple[Floats, float]:
    """Return the minimiser and the multiplier ν of Σ x = m: every slope −1/(2√x_i) − γ(1 + log(1 − x_i)) + c_i equals ν."""
    d = costs.size
    x = np.ones(d)
    if size == d:
        return x, 0.0
    even = size / d
    slope = -0.5 / np.sqrt(even) - mix * (1.0 + np.log1p(-even))
    low, high = costs.min() + slope, costs.max() + slope  # all x ≤ m/d at the one, all x ≥ m/d at the other
    nu = 0.5 * (low + high)
    for _ in range(200):
        total, rate = 0.0, 0.0
        for i in range(d):
            x[i] = invert_slope(nu - costs[i] + mix, mix)
            total += x[i]
            rate += 1.0 / (0.25 / (x[i] * np.sqrt(x[i])) + mix / (1.0 - x[i]))
        if total > size:
            high = nu
        else:
            low = nu
        if abs(total - size) <= 1e-13 * size or high - low <= 1e-15 * (1.0 + abs(nu)):
            break
        new = nu - (total - size) / rate
        nu = new if low < new < high else 0.5 * (low + high)
    for i in range(d):
        x[i] = min(1.0, x[i] * size / total)
    return x, nu
