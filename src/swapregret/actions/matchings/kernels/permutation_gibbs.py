r"""Permanents over subsets: the exact policy p(σ) ∝ Π w_{iσ(i)} of permutations, for small n.

With :math:`F(S)` the sum over all ways to give the columns S to the first |S| rows, and :math:`B(S)` the sum over all
ways to give the columns outside S to the other rows,

.. math:: F(S) = \sum_{j \in S} F(S \setminus j)\, w_{|S|-1,\,j}, \qquad B(S) = \sum_{j \notin S} w_{|S|,\,j}\, B(S \cup j),

everything a policy is asked for is a sum of products of the two. Weights are expected to be at most 1 with at least one
permutation of product 1 (scores less the prices of a best assignment): then 1 ≤ F(all) ≤ n!, nothing overflows, and a
subset whose sum underflows has a probability that does. All terms are positive, so no accuracy is lost by cancellation.
"""

import numpy as np

from swapregret.actions.matchings.kernels.assignment import assign
from swapregret.arrays import Floats, Integers
from swapregret.compiled.kernel import kernel


@kernel
def gibbs_factors(scores: Floats) -> tuple[Floats, float]:
    """Return exp(scores) less the prices of a best assignment and the largest of each row, and the sum of what was taken off."""
    n = len(scores)
    chosen, prices, factors = np.empty(n, dtype=np.int64), np.empty(n), np.empty((n, n))
    assign(scores, chosen, prices)
    taken = 0.0
    for i in range(n):
        top = -np.inf
        for j in range(n):
            factors[i, j] = scores[i, j] - prices[j]
            top = max(top, factors[i, j])
        for j in range(n):
            factors[i, j] = np.exp(factors[i, j] - top)
        taken += top
    for j in range(n):
        taken += prices[j]
    return factors, taken


@kernel
def gibbs_tables(weights: Floats) -> tuple[Integers, Floats, Floats]:
    """Return |S|, F(S) and B(S) for all subsets S of columns, as bits; O(n 2ⁿ) time, 2ⁿ memory."""
    n = len(weights)
    n_subsets = 1 << n
    size = np.zeros(n_subsets, dtype=np.int64)
    forward, backward = np.zeros(n_subsets), np.zeros(n_subsets)
    forward[0] = 1.0
    for subset in range(1, n_subsets):
        size[subset] = size[subset >> 1] + (subset & 1)
        row = weights[size[subset] - 1]
        total = 0.0
        for j in range(n):
            if (subset >> j) & 1:
                total += forward[subset ^ (1 << j)] * row[j]
        forward[subset] = total
    backward[n_subsets - 1] = 1.0
    for subset in range(n_subsets - 2, -1, -1):
        row = weights[size[subset]]
        total = 0.0
        for j in range(n):
            if not (subset >> j) & 1:
                total += backward[subset | (1 << j)] * row[j]
        backward[subset] = total
    return size, forward, backward


@kernel
def gibbs_marginals(weights: Floats, size: Integers, forward: Floats, backward: Floats) -> Floats:
    """Return P(σ(i) = j) for all pairs, row by row; O(n 2ⁿ)."""
    n = len(weights)
    total = np.zeros((n, n))
    for subset in range(len(size) - 1):
        i = size[subset]
        for j in range(n):
            if not (subset >> j) & 1:
                total[i, j] += forward[subset] * backward[subset | (1 << j)]
    probabilities: Floats = (total * weights / forward[-1]).reshape(-1)
    return probabilities


@kernel
def gibbs_second_moment(weights: Floats, size: Integers, forward: Floats, backward: Floats, vector: Floats) -> Floats:
    """Return E[M (M·v)]: the marginals with every permutation counted M·v times; O(n 2ⁿ).

    F′ and B′ are F and B with each way counted as often as the v it has collected.
    """
    n = len(weights)
    n_subsets = len(size)
    v = vector.reshape((n, n))
    ahead, behind = np.zeros(n_subsets), np.zeros(n_subsets)
    for subset in range(1, n_subsets):
        i = size[subset] - 1
        value = 0.0
        for j in range(n):
            if (subset >> j) & 1:
                rest = subset ^ (1 << j)
                value += (ahead[rest] + forward[rest] * v[i, j]) * weights[i, j]
        ahead[subset] = value
    for subset in range(n_subsets - 2, -1, -1):
        i = size[subset]
        value = 0.0
        for j in range(n):
            if not (subset >> j) & 1:
                more = subset | (1 << j)
                value += (behind[more] + backward[more] * v[i, j]) * weights[i, j]
        behind[subset] = value
    total = np.zeros((n, n))
    for subset in range(n_subsets - 1):
        i = size[subset]
        for j in range(n):
            if not (subset >> j) & 1:
                more = subset | (1 << j)
                both = forward[subset] * backward[more]
                total[i, j] += ahead[subset] * backward[more] + forward[subset] * behind[more] + both * v[i, j]
    probabilities: Floats = (total * weights / forward[-1]).reshape(-1)
    return probabilities


@kernel
def gibbs_pairs(weights: Floats, size: Integers, forward: Floats, backward: Floats) -> Floats:
    """Return P(σ(i) = j, σ(k) = l) for all pairs of pairs, dense; O(n³ 2ⁿ) multiplications, a quarter of them needed.

    For each (i, j) the recursion is run on from row i with column j given away.
    """
    n = len(weights)
    n_subsets = len(size)
    total = np.zeros((n * n, n * n))
    marginals = gibbs_marginals(weights, size, forward, backward)
    ahead = np.empty(n_subsets)
    scale = 1.0 / forward[-1]
    for i in range(n):
        for j in range(n):
            bit = 1 << j
            one = i * n + j
            total[one, one] = marginals[one]
            for subset in range(n_subsets):
                if subset & bit:
                    if size[subset] == i + 1:
                        ahead[subset] = forward[subset ^ bit] * weights[i, j]
                    else:
                        ahead[subset] = 0.0
            for subset in range(n_subsets - 1):
                k = size[subset]
                if k <= i or not subset & bit or ahead[subset] == 0.0:
                    continue
                here = ahead[subset]
                for c in range(n):
                    if not (subset >> c) & 1:
                        more = subset | (1 << c)
                        moved = here * weights[k, c]
                        ahead[more] += moved
                        total[one, k * n + c] += moved * backward[more] * scale
            for other in range((i + 1) * n, n * n):
                total[other, one] = total[one, other]
    return total


@kernel
def gibbs_sample(weights: Floats, forward: Floats, uniforms: Floats) -> Integers:
    """Draw the column of each row by inversion, last row first; O(n²), one uniform number per row."""
    n = len(weights)
    chosen = np.empty(n, dtype=np.int64)
    subset = len(forward) - 1
    for i in range(n - 1, -1, -1):
        goal = uniforms[i] * forward[subset]
        taken = -1
        for j in range(n):
            if (subset >> j) & 1:
                share = forward[subset ^ (1 << j)] * weights[i, j]
                if share > 0.0:
                    taken = j
                    goal -= share
                    if goal < 0.0:
                        break
        chosen[i] = taken
        subset ^= 1 << taken
    return chosen
