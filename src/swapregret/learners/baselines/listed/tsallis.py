r"""Compiled Tsallis-INF weights.

With regulariser :math:`-2\sum_i \sqrt{p_i}\cdot 2/\eta`, the minimiser over the simplex of :math:`p\cdot L` plus it is
:math:`p_i = 4\,(\eta (L_i - x))^{-2}`, with the one :math:`x < \min L` for which they add up to 1.
"""

import numpy as np

from swapregret.arrays import Floats
from swapregret.compiled.kernel import kernel

__all__ = ["loss_estimate", "tsallis_weights"]

_STEPS = 100


@kernel
def tsallis_weights(losses: Floats, learning_rate: float) -> tuple[Floats, float]:
    """Return the weights and the x they belong to.

    The sum of the weights is convex and increasing in x. At min L − 2/η it is at least 1, so Newton's steps go down to
    the root and never pass it; the last step changes nothing in double precision.
    """
    n = losses.size
    least = losses[0]
    for i in range(n):
        least = min(least, losses[i])
    depth = 2.0 / learning_rate  # x = least − depth: relative to the least loss, no digits are lost
    weights = np.empty(n)
    for _ in range(_STEPS):
        total, slope = 0.0, 0.0
        for i in range(n):
            root = 2.0 / (learning_rate * (losses[i] - least + depth))
            weights[i] = root * root
            total += weights[i]
            slope += weights[i] * root
        step = (total - 1.0) / (learning_rate * slope)
        if total <= 1.0 + 1e-15 or depth + step == depth:
            break
        depth += step
    for i in range(n):
        weights[i] /= total
    return weights, least - depth


@kernel
def loss_estimate(loss: float, probability: float, rate: float, is_variance_reduced: bool) -> float:
    """Return the estimate for the arm that was played, less the constant that all arms would get."""
    middle = 0.5 if is_variance_reduced and probability >= rate * rate else 0.0
    return (loss - middle) / probability
