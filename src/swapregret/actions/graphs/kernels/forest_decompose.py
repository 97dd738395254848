"""From a point of the polytope of forests to a list of forests, in one call.

k-forests with k below n − 1 go the way of spanning trees: an extra vertex, the *apex*, is joined to every vertex by the room its
load leaves, and trees of the larger graph lose the apex at the end.
"""

import numpy as np

from swapregret.actions.graphs.kernels.graphic_matroid import Network
from swapregret.actions.graphs.kernels.tree_atoms import level_sizes, put_back, write_rows
from swapregret.actions.graphs.kernels.tree_network import ForestGraph, with_apex
from swapregret.actions.graphs.kernels.tree_rounding import round_to_base
from swapregret.actions.graphs.kernels.tree_splitting import split_off
from swapregret.arrays import Floats, Integers, Words
from swapregret.compiled.bits import merge_policy, pack_rows
from swapregret.compiled.kernel import kernel


@kernel
def rounded_masses(graph: ForestGraph, masses: Integers, unit: int) -> tuple[Network, Integers, int]:
    """Move masses to a point of the polytope scaled by ``unit`` and hand them to the vertices, with the apex where there is one.

    Returns the network, the masses, and what could not be placed: 0 if a point was found.
    """
    net, masses, missing = round_to_base(graph, masses, unit)
    if graph.size < graph.n_vertices - 1 and missing == 0:
        net = with_apex(graph, net, unit)
    return net, masses, missing


@kernel
def decompose_forest_masses(
    graph: ForestGraph, net: Network, masses: Integers, unit: int, ranks: Integers
) -> tuple[Integers, Integers, bool]:
    """Write rounded masses as a sum of forests, ``weights @ rows`` exactly; the weights, positive, add up to ``unit``.

    Vertices are taken out in the order of ``ranks`` (``tree_splitting.split_off``). The last value is False, and the rest nothing,
    if the masses are no sum of forests.
    """
    n_pairs, has_apex = graph.pair_tails.size, net.labels.size > graph.n_vertices
    apex, n_arcs = (graph.n_vertices, 2 * (n_pairs + graph.n_vertices)) if has_apex else (-1, 2 * n_pairs)
    splits, is_inside = split_off(net, n_arcs, unit, ranks)
    if not is_inside:
        return np.empty((0, masses.size), dtype=np.int64), np.empty(0, dtype=np.int64), False
    parents, weights, n_trees, is_even = put_back(splits, unit, apex, masses.size - n_pairs)
    if not is_even:
        return np.empty((0, masses.size), dtype=np.int64), np.empty(0, dtype=np.int64), False
    rows, weights, is_even = write_rows(graph, parents, weights, n_trees, masses, apex)
    if has_apex:
        rows, weights = level_sizes(graph, rows, weights)
    return rows, weights, is_even


@kernel
def packed_forests(graph: ForestGraph, point: Floats, total: int, ranks: Integers) -> tuple[Words, Floats, float]:
    """Write a point as a policy over forests, the mean of one decomposition for each row of ``ranks``.

    Returns different forests, packed, their weights, and how far the worst coordinate is from what was decomposed: infinite if
    nothing could be.
    """
    d, count = point.size, len(ranks)
    unit, masses = total // count, np.empty(d, dtype=np.int64)
    for edge in range(d):
        masses[edge] = np.int64(np.floor(min(max(point[edge], 0.0), 1.0) * unit))
    words, weights = np.empty((0, (d + 63) // 64), dtype=np.uint64), np.empty(0)
    net, masses, missing = rounded_masses(graph, masses, unit)
    if missing > 0:
        return words, weights, np.inf
    outside = 0.0
    for edge in range(d):
        outside = max(outside, abs(masses[edge] / unit - point[edge]))
    for variant in range(count):
        rows, mass, is_found = decompose_forest_masses(graph, net, masses, unit, ranks[variant])
        if not is_found:
            return words[:0], weights[:0], np.inf
        words = np.concatenate((words, pack_rows(rows)))
        weights = np.concatenate((weights, mass / (unit * count)))
    different, merged = merge_policy(words, weights)
    return different, merged, outside
