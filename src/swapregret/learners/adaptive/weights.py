r"""Whom to follow: exponential weights over the members, with a share dealt out evenly.

After a base window in which member g gained :math:`z_g = x_g\cdot X`, :math:`\bar z` under the weights w,

.. math:: S_g \mathrel{+}= z_g - \bar z, \quad w_g \propto \exp(\eta S_g), \quad
   \eta = \text{step}\,\sqrt{\frac{\log(G+1)}{\sum \mathrm{Var}_w z + 4\,\overline{\mathrm{Var}}\,z}},

the second variance a running mean over the members.
"""

import numpy as np

from swapregret.arrays import Floats
from swapregret.compiled.kernel import kernel
from swapregret.learners.adaptive.state import Weights

FORGET = 0.01
"""Least share of the newest window in a running mean."""
_LEAST_EXPONENT = -30.0


@kernel
def weigh(weights: Weights, first: Floats, gains: Floats, forget: float, step: float, even: float) -> None:
    """Move the weights by what the members gained in a window."""
    n = gains.size
    policy, scores = weights.policy, weights.scores
    mean, flat = 0.0, 0.0
    for g in range(n):
        mean += policy[g] * gains[g]
        flat += gains[g] / n
    second, typical = 0.0, 0.0
    for g in range(n):
        second += policy[g] * (gains[g] - mean) ** 2
        typical += (gains[g] - flat) ** 2 / n
    weights.variance[0] += second
    weights.typical[0] += forget * (typical - weights.typical[0])
    noise = weights.variance[0] + 4.0 * weights.typical[0]
    eta = step * np.sqrt(np.log(n + 1.0) / noise) if noise > 0.0 else 0.0
    top = -np.inf
    for g in range(n):
        scores[g] += gains[g] - mean
        top = max(top, scores[g])
    total = 0.0
    for g in range(n):
        policy[g] = first[g] * np.exp(max(eta * (scores[g] - top), _LEAST_EXPONENT))
        total += policy[g]
    for g in range(n):
        policy[g] = (1.0 - even) * policy[g] / total + even * first[g]
