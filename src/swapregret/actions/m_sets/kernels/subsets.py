"""Compiled inner loops of m-sets: rounding to whole units, systematic laws.

Fixed point: probabilities are integers in units of 2⁻⁴⁴, so that sums of up to 2¹⁸ of them are exact both as ``int64``
and as ``float64`` after division.
"""

import numpy as np

from swapregret.arrays import Floats, Integers
from swapregret.compiled.kernel import kernel
from swapregret.compiled.selection import in_order, top_elements

UNIT = 2**44
"""One, in fixed point."""


INSIDE = 1e-8
"""How far outside the capped simplex a point that is decomposed may lie."""


@kernel
def distance_outside(point: Floats, size: int) -> float:
    """Return how far a point is from the capped simplex."""
    total, low, high = 0.0, np.inf, -np.inf
    for i in range(point.size):
        total += point[i]
        low, high = min(low, point[i]), max(high, point[i])
    return max(abs(total - size), -low, high - 1.0)


@kernel
def round_to_units(point: Floats, size: int) -> Integers:
    """Round a point of the capped simplex to multiples of 2⁻⁴⁴ that add up to exactly ``size``.

    Each entry is rounded to the nearest unit. What is missing or left over is spread evenly over the entries that
    have room, sparing exact zeros and ones as long as others can take it.
    """
    d = point.size
    units = np.empty(d, dtype=np.int64)
    missing = np.int64(size) * UNIT
    for i in range(d):
        units[i] = min(max(np.int64(np.rint(point[i] * UNIT)), np.int64(0)), np.int64(UNIT))
        missing -= units[i]
    sparing = True
    while missing != 0:
        adding = missing > 0
        n_open = 0
        for i in range(d):
            room = UNIT - units[i] if adding else units[i]
            if room > 0 and not (sparing and (point[i] == 0.0 or point[i] == 1.0)):
                n_open += 1
        if n_open == 0:
            sparing = False
            continue
        share = max(abs(missing) // n_open, np.int64(1))
        for i in range(d):
            room = UNIT - units[i] if adding else units[i]
            if missing != 0 and room > 0 and not (sparing and (point[i] == 0.0 or point[i] == 1.0)):
                change = min(room, share, abs(missing))
                if not adding:
                    change = -change
                units[i] += change
                missing -= change
    return units


@kernel
def systematic_starts(units: Integers, orders: Integers) -> Integers:
    """Lay the elements end to end on a circle of length 2⁴⁴ in each order; return where each begins."""
    n, d = orders.shape
    starts = np.empty((n, d), dtype=np.int64)
    for v in range(n):
        order = orders[v]
        row = starts[v]
        position = np.int64(0)
        for j in range(d):
            row[order[j]] = position
            position = (position + units[order[j]]) % UNIT
    return starts


@kernel
def systematic_draw(units: Integers, starts: Integers, needle: int) -> Integers:
    """Return the set of elements whose arc covers the needle."""
    d = units.size
    action = np.zeros(d, dtype=np.int64)
    for i in range(d):
        if (needle - starts[i]) % UNIT < units[i]:
            action[i] = 1
    return action


@kernel
def systematic_atoms(units: Integers, starts: Integers) -> tuple[Integers, Integers]:
    """List the sets that the needle can draw in each order, with the length of the arc that draws them."""
    n, d = starts.shape
    atoms = np.empty((n * d, d), dtype=np.int64)
    lengths = np.empty(n * d, dtype=np.int64)
    count = 0
    for v in range(n):
        row = starts[v]
        ranks = in_order(row)
        for j in range(d):
            point, end = row[ranks[j]], row[ranks[j + 1]] if j + 1 < d else np.int64(UNIT)
            if end > point:
                lengths[count] = end - point
                atoms[count] = systematic_draw(units, row, point)
                count += 1
    return atoms[:count], lengths[:count]


@kernel
def systematic_cooccurrence(units: Integers, starts: Integers) -> Floats:
    """Return P(i and j chosen) = length of the overlap of two arcs, averaged over the orders; O(d²) each."""
    n, d = starts.shape
    total = np.zeros((d, d), dtype=np.int64)
    for v in range(n):
        row = starts[v]
        for i in range(d):
            p = units[i]
            if p == 0:
                continue
            line = total[i]
            line[i] += p
            for j in range(i):
                q = units[j]
                if q == 0:
                    continue
                ahead = (row[j] - row[i]) % UNIT
                before_wrap = min(p, ahead + q) - ahead
                after_wrap = min(p, ahead + q - UNIT)
                if before_wrap > 0:
                    line[j] += before_wrap
                if after_wrap > 0:
                    line[j] += after_wrap
    result = np.empty((d, d))
    scale = 1.0 / (float(UNIT) * n)
    for i in range(d):
        for j in range(i + 1):
            result[i, j] = total[i, j] * scale
            result[j, i] = result[i, j]
    return result


@kernel
def systematic_moment(units: Integers, starts: Integers, orders: Integers, ranks: Integers, vector: Floats) -> Floats:
    """Return E[M (M·v)] in O(d) an order; ``ranks`` sorts the beginnings of the arcs round the circle.

    f(t) = M(t)·v changes only where an arc begins: there its element enters and the one laid before it leaves. The
    integral of f over an arc is the difference of the running integral at its two ends.
    """
    n, d = starts.shape
    total = np.zeros(d)
    running = np.empty(d)
    change = np.empty(d)
    for v in range(n):
        row, order, rank = starts[v], orders[v], ranks[v]
        value = 0.0
        for j in range(d):
            i = order[j]
            change[i] = vector[i] - vector[order[j - 1]]
            if (UNIT - 1 - row[i]) % UNIT < units[i]:
                value += vector[i]
        integral = 0.0
        position = np.int64(0)
        for j in range(d):
            i = rank[j]
            integral += value * float(row[i] - position)
            position = row[i]
            running[i] = integral
            value += change[i]
        whole = integral + value * float(UNIT - position)
        for j in range(d):
            i = order[j]
            following = order[j + 1] if j + 1 < d else order[0]
            if units[i] == UNIT:
                total[i] += whole
            elif units[i] > 0:
                total[i] += running[following] - running[i]
                if row[following] <= row[i]:
                    total[i] += whole
    scale = float(UNIT) * n
    for i in range(d):
        total[i] /= scale
    return total


@kernel
def draw_uniform(rng: np.random.Generator, dimension: int, size: int) -> Integers:
    """Draw an m-set by Floyd's rule (``UniformSubsets.sample``)."""
    action = np.zeros(dimension, dtype=np.int64)
    for top in range(dimension - size, dimension):
        element = int(rng.random() * (top + 1))
        if action[element]:
            action[top] = 1
        else:
            action[element] = 1
    return action


@kernel
def best_subsets(weights: Floats, size: int) -> Integers:
    """Return the ``size`` largest entries of each row."""
    found = np.empty(weights.shape, dtype=np.int64)
    for index in range(weights.shape[0]):
        found[index] = top_elements(weights[index], size)
    return found
