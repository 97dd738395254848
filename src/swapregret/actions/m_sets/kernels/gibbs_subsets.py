"""The Gibbs policy over m-sets, p(M) ∝ exp(s·M) with |M| = m, as a Markov chain over the elements.

Going through the elements in order with j chosen so far, element i is included with probability
``include[i, j]`` = e^{s_i} B[i+1, j+1] / B[i, j], where B[i, j] sums the weights of all ways to complete the set. Only B
is kept as logarithms; everything after it is a chain of probabilities, where nothing cancels.
"""

import numpy as np

from swapregret.arrays import Floats, Integers
from swapregret.compiled.kernel import kernel


@kernel
def gibbs_chain(scores: Floats, size: int) -> tuple[Floats, Floats, float]:
    """Return (include, reach, log Z): inclusion probabilities, probabilities of each state, the log-partition."""
    d = scores.size
    log_rest = np.full((d + 1, size + 2), -np.inf)
    log_rest[d, size] = 0.0
    include = np.zeros((d, size + 1))
    for i in range(d - 1, -1, -1):
        for j in range(max(0, size - (d - i)), min(i, size) + 1):
            skip = log_rest[i + 1, j]
            take = scores[i] + log_rest[i + 1, j + 1] if j < size else -np.inf
            top = max(skip, take)
            if top == -np.inf:
                continue
            log_rest[i, j] = top + np.log1p(np.exp(min(skip, take) - top))
            if take == -np.inf:
                include[i, j] = 0.0
            elif skip == -np.inf:
                include[i, j] = 1.0
            else:
                include[i, j] = 1.0 / (1.0 + np.exp(skip - take))
    reach = np.zeros((d + 1, size + 1))
    reach[0, 0] = 1.0
    for i in range(d):
        for j in range(min(i, size) + 1):
            mass = reach[i, j]
            if mass > 0.0:
                reach[i + 1, j] += mass * (1.0 - include[i, j])
                if j < size:
                    reach[i + 1, j + 1] += mass * include[i, j]
    return include, reach, float(log_rest[0, 0])


@kernel
def gibbs_draw(include: Floats, uniforms: Floats) -> Integers:
    """Draw one set with one uniform number per element."""
    d = include.shape[0]
    action = np.zeros(d, dtype=np.int64)
    j = 0
    for i in range(d):
        if uniforms[i] < include[i, j]:
            action[i] = 1
            j += 1
    return action


@kernel
def gibbs_marginals(include: Floats, reach: Floats) -> Floats:
    """Return the probability that each element is chosen."""
    d, width = include.shape
    x = np.zeros(d)
    for i in range(d):
        for j in range(width):
            x[i] += reach[i, j] * include[i, j]
    return x


@kernel
def gibbs_moment(include: Floats, reach: Floats, vector: Floats) -> Floats:
    """Return E[M (M·v)] in O(d·m): the expected v-sum before, at and after each inclusion."""
    d, width = include.shape
    ahead = np.zeros((d + 1, width + 1))
    for i in range(d - 1, -1, -1):
        for j in range(min(i, width - 1) + 1):
            p = include[i, j]
            ahead[i, j] = (1.0 - p) * ahead[i + 1, j] + p * (vector[i] + ahead[i + 1, j + 1])
    behind = np.zeros(width + 1)
    result = np.zeros(d)
    for i in range(d):
        for j in range(min(i, width - 1), -1, -1):
            mass = reach[i, j]
            p = include[i, j]
            taken = p * behind[j] + mass * p * vector[i]
            result[i] += taken + mass * p * ahead[i + 1, j + 1]
            behind[j + 1] += taken
            behind[j] -= p * behind[j]
    return result


@kernel
def gibbs_pairs(include: Floats, reach: Floats) -> Floats:
    """Return P(i and k chosen) for all pairs in O(d²·m)."""
    d, width = include.shape
    result = np.zeros((d, d))
    current = np.empty(width)
    for i in range(d):
        current[:] = 0.0
        for j in range(width - 1):
            mass = reach[i, j] * include[i, j]
            current[j + 1] = mass
            result[i, i] += mass
        for k in range(i + 1, d):
            chosen = 0.0
            for j in range(width - 1, -1, -1):
                moved = current[j] * include[k, j]
                chosen += moved
                current[j] -= moved
                if j + 1 < width:
                    current[j + 1] += moved
            result[i, k] = chosen
            result[k, i] = chosen
    return result
