"""The systematic law of a point as packed actions with weights."""

import numpy as np

from swapregret.actions.m_sets.kernels.subsets import UNIT, round_to_units, systematic_starts
from swapregret.actions.m_sets.kernels.systematic_words import systematic_words
from swapregret.arrays import Floats, Integers, Words
from swapregret.compiled.kernel import kernel
from swapregret.compiled.packed_law import merge_law

__all__ = ["packed_subsets"]


@kernel
def packed_subsets(point: Floats, size: int, orders: Integers) -> tuple[Words, Floats, float]:
    """Return the sets of the systematic law of a point, their weights, and how far the point lies outside the hull."""
    total, low, high = 0.0, np.inf, -np.inf
    for i in range(point.size):
        total += point[i]
        low, high = min(low, point[i]), max(high, point[i])
    outside = max(abs(total - size), -low, high - 1.0)
    units = round_to_units(point, size)
    words, lengths = systematic_words(units, systematic_starts(units, orders), orders, UNIT)
    weights = np.empty(lengths.size)
    scale = float(UNIT * len(orders))
    for a in range(lengths.size):
        weights[a] = lengths[a] / scale
    different, merged = merge_law(words, weights)
    return different, merged, outside
