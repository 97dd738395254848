"""Entering systematic laws, one after the other, into the rows of a ledger, compiled."""

import numpy as np

from swapregret.actions.m_sets.kernels.subsets import systematic_starts
from swapregret.actions.m_sets.kernels.systematic_words import systematic_words
from swapregret.arrays import Flags, Floats, Integers, Words
from swapregret.compiled.kernel import kernel
from swapregret.regret.ledgers.kernels.row_sums import accumulate_law, locate_rows

__all__ = ["record_points"]


@kernel
def record_points(
    slots: Integers,
    keys: Words,
    whole: Flags,
    pool_counts: Integers,
    values: Floats,
    days: Floats,
    scores: Floats,
    n_rows: int,
    limit: int,
    units: Integers,
    orders: Integers,
    circle: int,
    edges: Integers,
    first: int,
    rewards: Floats,
    total: Floats,
    earned: float,
) -> tuple[int, int, float]:
    """Enter laws ``first``.. until the table has no room for another: law e was played on days edges[e]..edges[e+1]−1.

    Adds in the order in which the laws would be entered one by one. Returns the number of rows, the first law that is not
    entered, and what was earned.
    """
    d = rewards.shape[1]
    n_orders = orders.shape[0]
    for e in range(first, units.shape[0]):
        if n_rows + n_orders * d > limit:
            return n_rows, e, earned
        vector = rewards[edges[e]].copy()
        for day in range(edges[e] + 1, edges[e + 1]):
            for i in range(d):
                vector[i] += rewards[day, i]
        gained = 0.0
        for i in range(d):
            total[i] += vector[i]
            gained += (units[e, i] / float(circle)) * vector[i]
        earned += gained
        words, lengths = systematic_words(units[e], systematic_starts(units[e], orders), orders, circle)
        chances = np.empty(lengths.size)
        for index in range(lengths.size):
            chances[index] = lengths[index] / (float(circle) * n_orders)
        rows, n_rows = locate_rows(slots, keys, whole, pool_counts, n_rows, limit, words)
        accumulate_law(values, days, scores, rows, chances, vector, float(edges[e + 1] - edges[e]))
    return n_rows, units.shape[0], earned
