r"""Compiled minimiser of the hybrid regulariser over the capped simplex.

.. math:: \min_{x \in [0,1]^d,\ \sum x = m}\ c\cdot x + \sum_i \bigl(-\sqrt{x_i} + \gamma (1-x_i)\log(1-x_i)\bigr)
"""

import numpy as np

from swapregret.arrays import Floats
from swapregret.compiled.kernel import kernel

__all__ = ["hybrid_capped"]


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
