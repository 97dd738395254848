"""Decompositions as packed laws: a point of the hull in, different actions and weights on the grid out.

What ``decompose`` of the family lists, in the same order, without an object in between.

May touch: the kernels they are made of.
"""

import numpy as np
import numpy.typing as npt

from swapregret.compiled.kernel import kernel
from swapregret.kernels.forest_decompose import ForestGraph, decompose_forest_point
from swapregret.kernels.ledger_systematic import systematic_words
from swapregret.kernels.packed_laws import merge_law
from swapregret.kernels.path_stripping import UNIT, imbalance, round_flow, strip_paths
from swapregret.kernels.permutation_decompose import decompose_matching_point, distance_outside
from swapregret.kernels.subsets import UNIT as CIRCLE
from swapregret.kernels.subsets import round_to_units, systematic_starts

__all__ = ["packed_forests", "packed_matchings", "packed_paths", "packed_subsets"]

Floats = npt.NDArray[np.float64]
Integers = npt.NDArray[np.int64]
Words = npt.NDArray[np.uint64]

_ONE = np.uint64(1)


@kernel
def set_bit(line: Words, element: int) -> None:
    """Choose an element of a packed action."""
    line[element >> 6] |= _ONE << np.uint64(element & 63)


@kernel
def packed_subsets(point: Floats, size: int, orders: Integers) -> tuple[Words, Floats, float]:
    """Return the sets of the systematic law of a point, their weights, and how far the point lies outside the hull."""
    total, low, high = 0.0, np.inf, -np.inf
    for i in range(point.size):
        total += point[i]
        low, high = min(low, point[i]), max(high, point[i])
    outside = max(abs(total - size), -low, high - 1.0)
    units = round_to_units(point, size)
    words, lengths = systematic_words(units, systematic_starts(units, orders), orders, CIRCLE)
    weights = np.empty(lengths.size)
    scale = float(CIRCLE * len(orders))
    for a in range(lengths.size):
        weights[a] = lengths[a] / scale
    different, merged = merge_law(words, weights)
    return different, merged, outside


@kernel
def packed_matchings(
    point: Floats, n_rows: int, n_columns: int, total: int, row_orders: Integers, column_orders: Integers
) -> tuple[Words, Floats, float]:
    """Return the matchings of a point, their weights, and how far the point lies outside the hull."""
    table = point.reshape(n_rows, n_columns)
    outside = distance_outside(table)
    chosen, mass = decompose_matching_point(table, total, row_orders, column_orders)
    n = mass.size
    words = np.zeros((n, (point.size + 63) // 64), dtype=np.uint64)
    weights = np.empty(n)
    scale = float(len(row_orders) * total)
    for a in range(n):
        weights[a] = mass[a] / scale
        for i in range(n_rows):
            set_bit(words[a], i * n_columns + chosen[a, i])
    different, merged = merge_law(words, weights)
    return different, merged, outside


@kernel
def packed_paths(
    point: Floats, start: Integers, head: Integers, edge: Integers, orders: Integers
) -> tuple[Words, Floats, float]:
    """Return the paths of a flow, one variant for each row of ``orders``, their weights, and by how much it is no flow."""
    flow = np.empty(edge.size)
    used = np.zeros(point.size, dtype=np.bool_)
    for k in range(edge.size):
        flow[k] = point[edge[k]]
        used[edge[k]] = True
    outside = imbalance(start, head, flow)
    for i in range(point.size):
        if not used[i]:
            outside = max(outside, abs(point[i]))
    units = round_flow(start, head, flow)
    count = len(orders)
    most = count * (edge.size - start.size + 3)
    words = np.zeros((most, (point.size + 63) // 64), dtype=np.uint64)
    weights = np.empty(most)
    n = 0
    for variant in range(count):
        first, path, amount = strip_paths(start, head, edge, orders[variant], units)
        for a in range(amount.size):
            weights[n] = amount[a] / (UNIT * count)
            for place in range(first[a], first[a + 1]):
                set_bit(words[n], path[place])
            n += 1
    different, merged = merge_law(words[:n], weights[:n])
    return different, merged, outside


@kernel
def packed_forests(graph: ForestGraph, point: Floats, total: int, ranks: Integers) -> tuple[Words, Floats, float]:
    """Return the forests of a point, their weights, and how far it is from what was decomposed."""
    chosen, weights, outside = decompose_forest_point(graph, point, total, ranks)
    words = np.zeros((len(chosen), (point.size + 63) // 64), dtype=np.uint64)
    for a in range(len(chosen)):
        for i in range(chosen.shape[1]):
            set_bit(words[a], chosen[a, i])
    if len(chosen) == 0:
        return words, weights, outside
    different, merged = merge_law(words, weights)
    return different, merged, outside
