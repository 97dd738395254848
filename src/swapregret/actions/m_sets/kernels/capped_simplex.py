"""Selecting the largest of some weights, and projecting onto the capped simplex."""

import numpy as np

from swapregret.arrays import Floats
from swapregret.compiled.kernel import kernel
from swapregret.compiled.selection import largest
from swapregret.compiled.vectors import dot, exponentials, sum_of

_LOWEST = -708.0


@kernel
def _most(values: Floats) -> float:
    """Return the largest value, by four interleaved comparisons."""
    first, second, third, fourth = -np.inf, -np.inf, -np.inf, -np.inf
    i = 0
    while i + 4 <= values.size:
        first, second = max(first, values[i]), max(second, values[i + 1])
        third, fourth = max(third, values[i + 2]), max(fourth, values[i + 3])
        i += 4
    while i < values.size:
        first = max(first, values[i])
        i += 1
    return max(first, second, third, fourth)


@kernel
def _capped(heads: Floats, tail: float, size: int) -> float:
    """Return the factor c of the weights, the largest of which are capped at 1.

    The factor only grows while weights are capped, so all that exceed 1 with the present one go at once.
    """
    n_capped, rest = 0, tail
    for i in range(heads.size):
        rest += heads[i]
    while True:
        scale = (size - n_capped) / rest
        count, rest = 0, tail
        for i in range(heads.size):
            if scale * heads[i] > 1.0:
                count += 1
            else:
                rest += heads[i]
        if count <= n_capped:
            return scale
        n_capped = count


@kernel
def project_capped(log_weights: Floats, size: int) -> tuple[Floats, Floats, float]:
    """Project exp(log_weights) onto {0 ≤ x ≤ 1, Σ x = size} in KL divergence.

    The solution is x_i = min(1, c·w_i), with c the least factor for which the sum is right; at most size − 1 weights are
    capped, all of them above the size-th largest. All exponents are relative to that one, which cannot overflow what
    matters.

    Returns the point, its logarithm, and the duality gap. The slopes log w − log x are all equal but for rounding where
    x < 1, and not below that where x = 1, so the best set takes all of the latter; ``level`` is the largest of the
    former. A factor common to all weights changes nothing on sets of one size, so slopes are taken relative to the
    size-th largest weight, where they have all their digits.
    """
    d = log_weights.size
    log_point = np.empty(d)
    point = np.empty(d)
    if size == d:
        log_point[:] = 0.0
        point[:] = 1.0
        return point, log_point, 0.0
    excess = np.empty(d)
    threshold = largest(log_weights, size)
    for i in range(d):
        excess[i] = log_weights[i] - threshold
        log_point[i] = min(excess[i], 600.0)
    exponentials(log_point, point)
    heads = np.empty(size)
    n_heads = 0
    for i in range(d):
        if excess[i] > 0.0:
            heads[n_heads] = point[i]
            n_heads += 1
        log_point[i] = point[i] if excess[i] <= 0.0 else 0.0
    scale = _capped(heads[:n_heads], sum_of(log_point), size)
    shift = np.log(scale)
    slopes = np.empty(d)
    for i in range(d):
        value = excess[i] + shift
        scaled = min(scale * point[i], 1.0) if excess[i] >= _LOWEST else 0.0
        is_below = value < 0.0
        slopes[i] = excess[i] - value if is_below else -np.inf
        log_point[i] = value if is_below else 0.0
        point[i] = scaled if is_below else 1.0
    level = _most(slopes)
    n_ones, best = 0, 0.0
    for i in range(d):
        if log_point[i] == 0.0:
            n_ones += 1
            best += max(level - excess[i], 0.0)
            slopes[i] = 0.0
    return point, log_point, (best + (size - n_ones) * level) - dot(slopes, point)
