r"""The principal partition of a weighted graph: the exact KL projection onto spanning trees and k-forests.

The minimiser of :math:`\sum_e x_e \log(x_e / w_e)` over the bases of a matroid has :math:`x_e = \lambda_b w_e` on the blocks
b of a chain :math:`\emptyset = F_0 \subset F_1 \subset \dots \subset F_p = E`, with
:math:`\lambda_b = (r(F_b) - r(F_{b-1})) / w(F_b \setminus F_{b-1})` increasing in b.
"""

import numpy as np

from swapregret.actions.graphs.kernels.graphic_matroid import violated_classes
from swapregret.actions.graphs.kernels.kruskal import heaviest_forest
from swapregret.arrays import Floats, Integers
from swapregret.compiled.kernel import kernel

_SLACK = 2.0**-43
"""Violations below this, relative to the mass of the set, are not told from rounding."""


@kernel
def mass_unit(n_vertices: int, largest: int) -> int:
    """Return one in fixed point: the largest power of 2 up to ``largest`` of which n + 2 fit in 62 bits."""
    unit = largest
    while unit > (1 << 62) // (n_vertices + 2):
        unit >>= 1
    return unit


@kernel
def common_scale(log_weights: Floats, edges: Integers, rank: int) -> float:
    """Return log λ with λ·Σ w = rank, without overflow."""
    top = -np.inf
    for edge in edges:
        top = max(top, log_weights[edge])
    total = 0.0
    for edge in edges:
        total += np.exp(log_weights[edge] - top)
    return float(np.log(rank / total) - top)


@kernel
def number_ends(
    edges: Integers, ends_a: Integers, ends_b: Integers, numbers: Integers, names: Integers, a: Integers, b: Integers
) -> int:
    """Give the vertices of a minor numbers from 0, in order of appearance; return how many there are."""
    n = 0
    for index in range(edges.size):
        u, v = ends_a[edges[index]], ends_b[edges[index]]
        if numbers[u] < 0:
            numbers[u], names[n] = n, u
            n += 1
        if numbers[v] < 0:
            numbers[v], names[n] = n, v
            n += 1
        a[index], b[index] = numbers[u], numbers[v]
    for index in range(n):
        numbers[names[index]] = -1
    return n


@kernel
def _level(values: Floats, edges: Integers, rank: int, result: Floats, masses: Floats) -> None:
    """Share ``rank`` out among the edges of a minor as if no other set bound them; write x, and log λ as the result."""
    if edges.size == rank:
        for edge in edges:
            result[edge] = -values[edge]
        return
    log_scale = common_scale(values, edges, rank)
    for index in range(edges.size):
        masses[index] = np.exp(log_scale + values[edges[index]])
        result[edges[index]] = log_scale


@kernel
def principal_partition(
    tails: Integers, heads: Integers, values: Floats, n_vertices: int, rank: int
) -> tuple[Floats, int]:
    """Find log λ (d,) of every edge's block, and how many separations that took.

    Divide and conquer: give all edges of a minor the same λ. If no set is violated the minor is a
    block; otherwise the most violated set S is a member of the chain, and the restriction to S (class by class) and the
    contraction of S are solved apart (Fujishige's decomposition algorithm). At most 2p − 1 separations for p blocks.
    ``values`` (d,) are logarithms of the weights, finite; ``rank``, the sum of x, is that of the graph, or less for k-forests:
    truncation concerns only the minor at the end of the chain, x = min(λ_b, λ*)·w.
    """
    d = tails.size
    unit = mass_unit(n_vertices, 1 << 50)
    grain = unit * (1.0 - _SLACK)
    result = np.empty(d)
    ends_a, ends_b = tails.copy(), heads.copy()
    order, moved = np.arange(d), np.empty(d, dtype=np.int64)
    lows, highs, ranks = np.empty(d + 1, np.int64), np.empty(d + 1, np.int64), np.empty(d + 1, np.int64)  # minors to do
    lows[0], highs[0], ranks[0] = 0, d, rank
    numbers, names = np.full(n_vertices, -1, dtype=np.int64), np.empty(n_vertices, dtype=np.int64)
    n_pending, n_separations = 1, 0
    while n_pending > 0:
        n_pending -= 1
        low, high, target = lows[n_pending], highs[n_pending], ranks[n_pending]
        edges, count = order[low:high], high - low
        shares = np.empty(count)
        _level(values, edges, target, result, shares)
        if count == target or target == 1:  # all of them are always chosen, or nothing binds
            continue
        a, b = np.empty(count, dtype=np.int64), np.empty(count, dtype=np.int64)
        n = number_ends(edges, ends_a, ends_b, numbers, names, a, b)
        masses = np.empty(count, dtype=np.int64)
        for index in range(count):
            masses[index] = np.int64(min(shares[index], 2.0) * grain)
        n_separations += 1
        labels = violated_classes(a, b, masses, n, unit)
        members = np.zeros(n, dtype=np.int64)
        for vertex in range(n):
            members[labels[vertex]] += 1
        groups = masses  # the class that contains an edge; n for an edge between classes
        starts = np.zeros(n + 2, dtype=np.int64)
        for index in range(count):
            u, v = labels[a[index]], labels[b[index]]
            groups[index] = u if u == v else n
            starts[groups[index] + 1] += 1
        if starts[n + 1] == count:
            continue
        for group in range(n + 1):
            if starts[group + 1] > 0:
                share = members[group] - 1 if group < n else target
                target -= share
                lows[n_pending] = low + starts[group]
                highs[n_pending] = lows[n_pending] + starts[group + 1]
                ranks[n_pending] = share
                n_pending += 1
            starts[group + 1] += starts[group]
        for index in range(count):
            edge, group = edges[index], groups[index]
            moved[starts[group]] = edge
            starts[group] += 1
            if group == n:
                ends_a[edge], ends_b[edge] = names[labels[a[index]]], names[labels[b[index]]]
        for index in range(count):
            edges[index] = moved[index]
    return result, n_separations


@kernel
def project_forests(
    log_weights: Floats, tails: Integers, heads: Integers, n_vertices: int, size: int
) -> tuple[Floats, Floats, float, int]:
    """Project weights onto the forests of ``size`` edges in KL divergence.

    Returns the point, its logarithm, the gap by one call of Kruskal's rule, and the number of separations.
    """
    d = log_weights.size
    top = -np.inf
    for edge in range(d):
        top = max(top, log_weights[edge])
    w, negated = np.empty(d), np.empty(d)
    for edge in range(d):
        w[edge] = log_weights[edge] - top
    log_scales, n_separations = principal_partition(tails, heads, w, n_vertices, size)
    point, log_point = np.empty(d), np.empty(d)
    for edge in range(d):
        log_point[edge] = min(log_scales[edge] + w[edge], 0.0)
        point[edge] = np.exp(log_point[edge])
        negated[edge] = -log_scales[edge]
    least = heaviest_forest(negated, tails, heads, n_vertices, size)
    gap = 0.0
    for edge in range(d):
        gap += log_scales[edge] * (point[edge] - least[edge])
    return point, log_point, max(gap, 0.0), n_separations
