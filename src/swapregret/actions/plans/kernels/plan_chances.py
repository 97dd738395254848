"""Compiled policies over plans that choose at every information set on its own; the tree is as in ``kernels.plan_best``.

``chances[k]`` is the probability of sequence k where its information set is reached, ``flow[k]`` the probability of sequence k.
"""

import numpy as np

from swapregret.arrays import Floats, Integers
from swapregret.compiled.kernel import kernel


@kernel
def gibbs_chances(start: Integers, parent: Integers, scores: Floats) -> Floats:
    """Return the chances of the policy p(M) ∝ exp(scores·M): Z_j = Σ_k e^{s_k} Π Z_j' over what follows k, in logarithms."""
    sums, chances = scores.copy(), np.empty(scores.size)
    for j in range(parent.size - 1, -1, -1):
        logarithm = to_chances(sums[start[j] : start[j + 1]], chances[start[j] : start[j + 1]])
        if parent[j] >= 0:
            sums[parent[j]] += logarithm
    return chances


@kernel
def to_chances(logs: Floats, chances: Floats) -> float:
    """Write exp(logs), scaled to add up to 1; return log Σ exp(logs)."""
    high, total = logs.max(), 0.0
    for k in range(logs.size):
        chances[k] = np.exp(logs[k] - high)
        total += chances[k]
    for k in range(logs.size):
        chances[k] /= total
    return float(high + np.log(total))


@kernel
def chances_of(start: Integers, parent: Integers, point: Floats) -> Floats:
    """Return the chances of the policy with these marginals; what is never reached is chosen evenly."""
    chances = np.empty(point.size)
    for j in range(parent.size):
        total = 0.0
        for k in range(start[j], start[j + 1]):
            total += max(point[k], 0.0)
        for k in range(start[j], start[j + 1]):
            chances[k] = max(point[k], 0.0) / total if total > 0.0 else 1.0 / (start[j + 1] - start[j])
    return chances


@kernel
def plan_flow(start: Integers, parent: Integers, chances: Floats) -> Floats:
    """Return E[M]."""
    flow = np.empty(chances.size)
    for j in range(parent.size):
        above = 1.0 if parent[j] < 0 else flow[parent[j]]
        for k in range(start[j], start[j + 1]):
            flow[k] = above * chances[k]
    return flow


@kernel
def draw_plan(start: Integers, parent: Integers, chances: Floats, rng: np.random.Generator) -> Integers:
    """Draw a sequence at every information set that is reached; one of probability 0 is never drawn."""
    action = np.zeros(chances.size, dtype=np.int64)
    for j in range(parent.size):
        if parent[j] >= 0 and action[parent[j]] == 0:
            continue
        left, chosen = rng.random(), -1
        for k in range(start[j], start[j + 1]):
            if chances[k] > 0.0:
                chosen = k
                left -= chances[k]
                if left < 0.0:
                    break
        action[chosen] = 1
    return action


@kernel
def plan_moment(start: Integers, parent: Integers, chances: Floats, flow: Floats, vector: Floats) -> Floats:
    """Return E[M (M·v)] in two passes.

    Given sequence k, the mean of M·v is what k and what follows it are worth, and what is worth what was certain or independent:
    all that follows the sequences before it, less the information sets on the way, plus these sequences.
    """
    n = parent.size
    here, ahead, root = (
        vector.copy(),
        np.empty(n),
        0.0,
    )  # what a sequence, an information set, the root expects from there on
    for j in range(n - 1, -1, -1):
        ahead[j] = 0.0
        for k in range(start[j], start[j + 1]):
            ahead[j] += chances[k] * here[k]
        if parent[j] >= 0:
            here[parent[j]] += ahead[j]
        else:
            root += ahead[j]
    mean, result = np.empty(flow.size), np.empty(flow.size)
    for j in range(n):
        beside = (root if parent[j] < 0 else mean[parent[j]]) - ahead[j]
        for k in range(start[j], start[j + 1]):
            mean[k] = beside + here[k]
            result[k] = flow[k] * mean[k]
    return result


@kernel
def plan_cooccurrence(start: Integers, parent: Integers, chances: Floats, flow: Floats) -> Floats:
    """Return Σ: row k is the flow of the policy that is certain to choose sequence k and what comes before it, times flow[k]."""
    d, n = chances.size, parent.size
    result, owner = np.empty((d, d)), np.empty(d, dtype=np.int64)
    for j in range(n):
        for k in range(start[j], start[j + 1]):
            owner[k] = j
    forced = np.full(n, -1, dtype=np.int64)
    for k in range(d):
        at = k
        while at >= 0:
            forced[owner[at]] = at
            at = parent[owner[at]]
        row = result[k]
        for j in range(n):
            above = flow[k] if parent[j] < 0 else row[parent[j]]
            for other in range(start[j], start[j + 1]):
                if forced[j] < 0:
                    row[other] = above * chances[other]
                else:
                    row[other] = above if forced[j] == other else 0.0
        at = k
        while at >= 0:
            forced[owner[at]] = -1
            at = parent[owner[at]]
    return result
