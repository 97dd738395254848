r"""The principal partition of a weighted graph: the exact KL projection onto spanning trees and k-forests.

The minimiser of :math:`\sum_e x_e \log(x_e / w_e)` over the bases of a matroid has :math:`x_e = \lambda_b w_e` on the blocks
b of a chain :math:`\emptyset = F_0 \subset F_1 \subset \dots \subset F_p = E`, with
:math:`\lambda_b = (r(F_b) - r(F_{b-1})) / w(F_b \setminus F_{b-1})` increasing in b.

May touch: ``kernels.compile``, ``kernels.graphic_matroid``, ``kernels.kruskal``.
"""

import numpy as np
import numpy.typing as npt

from swapregret.kernels.compile import kernel
from swapregret.kernels.graphic_matroid import violated_classes
from swapregret.kernels.kruskal import heaviest_forest

__all__ = ["mass_unit", "principal_partition", "project_forests"]

Floats = npt.NDArray[np.float64]
Integers = npt.NDArray[np.int64]

SLACK = 2.0**-43
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
    edges: Integers, ends: npt.NDArray[np.int64], numbers: Integers, names: Integers, local: npt.NDArray[np.int64]
) -> int:
    """Give the vertices of a minor numbers from 0, in order of appearance; return how many there are."""
    n = 0
    for index in range(edges.size):
        for side in range(2):
            end = ends[side, edges[index]]
            if numbers[end] < 0:
                numbers[end] = n
                names[n] = end
                n += 1
            local[side, index] = numbers[end]
    for index in range(n):
        numbers[names[index]] = -1
    return n


@kernel
def principal_partition(
    tails: Integers, heads: Integers, log_weights: Floats, n_vertices: int, rank: int
) -> tuple[Floats, int]:
    """Find log λ of every edge's block.

    Divide and conquer: give all edges of a minor the same λ. If no set is violated the minor is a block; otherwise the
    most violated set S is a member of the chain, and the restriction to S (class by class) and the contraction of S are
    solved apart (Fujishige's decomposition algorithm). At most 2p − 1 separations for p blocks.

    Parameters
    ----------
    tails, heads : int64 arrays, shape (d,)
    log_weights : array, shape (d,)
        Finite.
    n_vertices : int
    rank : int
        The sum of x: the rank of the graph, or less for k-forests. Truncation concerns only the minor at the end of the
        chain: x = min(λ_b, λ*)·w.

    Returns
    -------
    log_scales : array, shape (d,)
        log λ of the block of each edge.
    n_separations : int

    Examples
    --------
    Two parallel edges share the unit that a bridge has for itself:

    >>> edges = np.array([[0, 1], [0, 1], [1, 2]])
    >>> scales, _ = principal_partition(edges[:, 0].copy(), edges[:, 1].copy(), np.log([1., 3., 5.]), 3, 2)
    >>> (np.exp(scales) * [1., 3., 5.]).round(12)
    array([0.25, 0.75, 1.  ])
    """
    d = tails.size
    unit = mass_unit(n_vertices, 1 << 50)
    grain = unit * (1.0 - SLACK)
    log_scales = np.empty(d)
    ends = np.empty((2, d), dtype=np.int64)
    ends[0], ends[1] = tails, heads
    order, moved = np.arange(d), np.empty(d, dtype=np.int64)
    pending = np.empty((d + 1, 3), dtype=np.int64)  # minors: first and last edge in `order`, rank
    pending[0] = (0, d, rank)
    numbers, names = np.full(n_vertices, -1, dtype=np.int64), np.empty(n_vertices, dtype=np.int64)
    n_pending, n_separations = 1, 0
    while n_pending > 0:
        n_pending -= 1
        low, high, target = pending[n_pending]
        edges, count = order[low:high], high - low
        if count == target:  # all of them are always chosen
            for edge in edges:
                log_scales[edge] = -log_weights[edge]
            continue
        log_scale = common_scale(log_weights, edges, target)
        for edge in edges:
            log_scales[edge] = log_scale
        if target == 1:
            continue
        local = np.empty((2, count), dtype=np.int64)
        n = number_ends(edges, ends, numbers, names, local)
        masses = np.empty(count, dtype=np.int64)
        for index in range(count):
            masses[index] = np.int64(min(np.exp(log_scale + log_weights[edges[index]]), 2.0) * grain)
        n_separations += 1
        labels = violated_classes(local[0], local[1], masses, n, unit)
        members = np.zeros(n, dtype=np.int64)
        for vertex in range(n):
            members[labels[vertex]] += 1
        groups = masses  # the class that contains an edge; n for an edge between classes
        starts = np.zeros(n + 2, dtype=np.int64)
        for index in range(count):
            u, v = labels[local[0, index]], labels[local[1, index]]
            groups[index] = u if u == v else n
            starts[groups[index] + 1] += 1
        if starts[n + 1] == count:
            continue
        for group in range(n + 1):
            if starts[group + 1] > 0:
                share = members[group] - 1 if group < n else target
                target -= share
                pending[n_pending] = (low + starts[group], low + starts[group] + starts[group + 1], share)
                n_pending += 1
            starts[group + 1] += starts[group]
        for index in range(count):
            edge, group = edges[index], groups[index]
            moved[starts[group]] = edge
            starts[group] += 1
            if group == n:
                ends[0, edge] = names[labels[local[0, index]]]
                ends[1, edge] = names[labels[local[1, index]]]
        edges[:] = moved[:count]
    return log_scales, n_separations


@kernel
def project_forests(
    log_weights: Floats, tails: Integers, heads: Integers, n_vertices: int, size: int
) -> tuple[Floats, Floats, float, int]:
    """Project weights onto the forests of ``size`` edges in KL divergence.

    Returns
    -------
    point, log_point : arrays, shape (d,)
    gap : float
        From one call of Kruskal's rule.
    n_separations : int
    """
    w = log_weights - log_weights.max()
    log_scales, n_separations = principal_partition(tails, heads, w, n_vertices, size)
    log_point = np.minimum(log_scales + w, 0.0)
    point = np.exp(log_point)
    least = heaviest_forest(-log_scales, tails, heads, n_vertices, size)
    gap = max(float((log_scales * (point - least)).sum()), 0.0)
    return point, log_point, gap, n_separations
