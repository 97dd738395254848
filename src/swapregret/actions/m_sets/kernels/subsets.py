"""Compiled inner loops of m-sets: projection onto the capped simplex, rounding to whole units, systematic sampling.

Systematic sampling gives element i of a point x an arc of length x_i. Laid end to end the arcs wind m times round a circle of
length 1, so every point of it is covered by exactly m different elements (x_i ≤ 1): a needle draws these.

Fixed point: probabilities are integers in units of 2⁻⁴⁴, so that sums of up to 2¹⁸ of them are exact both as ``int64``
and as ``float64`` after division.
"""

import numpy as np

from swapregret.arrays import Floats, Integers, Words
from swapregret.compiled.bits import UNIT
from swapregret.compiled.kernel import kernel
from swapregret.compiled.selection import largest, ranked
from swapregret.compiled.vectors import dot, exponentials, sum_of

_ONE = np.uint64(1)


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
def systematic_words(units: Integers, starts: Integers, orders: Integers) -> tuple[Words, Integers]:
    """List the packed sets the needle can draw in each order, with the lengths of the arcs that draw them.

    ``starts[v, i]`` is where the arc of element i begins in order v. There its element enters and the one laid before it leaves:
    two bits change, so an order is listed in O(d) word operations. Sets that several orders share are listed once an order.
    """
    n, d = starts.shape
    words = np.empty((n * d, (d + 63) // 64), dtype=np.uint64)
    lengths = np.empty(n * d, dtype=np.int64)
    current = np.empty(words.shape[1], dtype=np.uint64)
    before = np.empty(d, dtype=np.int64)
    ranks = np.empty(d, dtype=np.int64)
    count = 0
    for v in range(n):
        row, order = starts[v], orders[v]
        current[:] = np.uint64(0)
        for j in range(d):
            i = order[j]
            before[i] = order[j - 1]
            if (UNIT - 1 - row[i]) % UNIT < units[i]:  # covers the last unit of the circle
                current[i >> 6] |= _ONE << np.uint64(i & 63)
        ranked(row, ranks)
        for j in range(d):
            i = ranks[j]
            leaving = before[i]
            if leaving != i:
                current[i >> 6] ^= _ONE << np.uint64(i & 63)
                current[leaving >> 6] ^= _ONE << np.uint64(leaving & 63)
            end = row[ranks[j + 1]] if j + 1 < d else np.int64(UNIT)
            if end > row[i]:
                lengths[count] = end - row[i]
                for w in range(current.size):
                    words[count, w] = current[w]
                count += 1
    return words[:count], lengths[:count]


@kernel
def list_systematic(point: Floats, size: int, orders: Integers) -> tuple[Words, Floats]:
    """Return the sets of the systematic policy of a point, averaged over some orders, and their chances."""
    units = round_to_units(point, size)
    words, lengths = systematic_words(units, systematic_starts(units, orders), orders)
    chances = np.empty(lengths.size)
    scale = float(UNIT * len(orders))
    for a in range(lengths.size):
        chances[a] = lengths[a] / scale
    return words, chances


@kernel
def draw_uniform(rng: np.random.Generator, dimension: int, size: int) -> Integers:
    """Draw an m-set uniformly, by Floyd's rule."""
    action = np.zeros(dimension, dtype=np.int64)
    for top in range(dimension - size, dimension):
        element = int(rng.random() * (top + 1))
        if action[element]:
            action[top] = 1
        else:
            action[element] = 1
    return action


_LOWEST = -708.0


@kernel
def _most(values: Floats) -> float:
    """Return the largest value, by four interleaved comparisons."""
    first, second, third, fourth = -np.inf, -np.inf, -np.inf, -np.inf
    i = 0
    while i + 4 <= values.size:
        first, second = max(first, values[i]), max(second, values[i + 1])
        third, fourth = max(third, values[i + 2]), max(fourth, values[i + 3])
        i += 4
    while i < values.size:
        first = max(first, values[i])
        i += 1
    return max(first, second, third, fourth)


@kernel
def _capped(heads: Floats, tail: float, size: int) -> float:
    """Return the factor c of the weights, the largest of which are capped at 1.

    The factor only grows while weights are capped, so all that exceed 1 with the present one go at once.
    """
    n_capped, rest = 0, tail
    for i in range(heads.size):
        rest += heads[i]
    while True:
        scale = (size - n_capped) / rest
        count, rest = 0, tail
        for i in range(heads.size):
            if scale * heads[i] > 1.0:
                count += 1
            else:
                rest += heads[i]
        if count <= n_capped:
            return scale
        n_capped = count


@kernel
def project_capped(log_weights: Floats, size: int) -> tuple[Floats, Floats, float]:
    """Project exp(log_weights) onto {0 ≤ x ≤ 1, Σ x = size} in KL divergence.

    The solution is x_i = min(1, c·w_i), with c the least factor for which the sum is right; at most size − 1 weights are
    capped, all of them above the size-th largest. All exponents are relative to that one, which cannot overflow what
    matters.

    Returns the point, its logarithm, and the duality gap. The slopes log w − log x are all equal but for rounding where
    x < 1, and not below that where x = 1, so the best set takes all of the latter; ``level`` is the largest of the
    former. A factor common to all weights changes nothing on sets of one size, so slopes are taken relative to the
    size-th largest weight, where they have all their digits.
    """
    d = log_weights.size
    log_point = np.empty(d)
    point = np.empty(d)
    if size == d:
        log_point[:] = 0.0
        point[:] = 1.0
        return point, log_point, 0.0
    # w relative to the size-th largest weight
    excess = np.empty(d)
    threshold = largest(log_weights, size)
    for i in range(d):
        excess[i] = log_weights[i] - threshold
        log_point[i] = min(excess[i], 600.0)
    exponentials(log_point, point)
    # c: only weights above that one can be capped, the others enter by their sum
    heads = np.empty(size)
    n_heads = 0
    for i in range(d):
        if excess[i] > 0.0:
            heads[n_heads] = point[i]
            n_heads += 1
        log_point[i] = point[i] if excess[i] <= 0.0 else 0.0
    scale = _capped(heads[:n_heads], sum_of(log_point), size)
    # x = min(1, c·w), its logarithm, and the slopes log w − log x where x < 1
    shift = np.log(scale)
    slopes = np.empty(d)
    for i in range(d):
        value = excess[i] + shift
        scaled = min(scale * point[i], 1.0) if excess[i] >= _LOWEST else 0.0
        is_below = value < 0.0
        slopes[i] = excess[i] - value if is_below else -np.inf
        log_point[i] = value if is_below else 0.0
        point[i] = scaled if is_below else 1.0
    # the gap: the best set takes all with x = 1, and ``level`` for each of the others
    level = _most(slopes)
    n_ones, best = 0, 0.0
    for i in range(d):
        if log_point[i] == 0.0:
            n_ones += 1
            best += max(level - excess[i], 0.0)
            slopes[i] = 0.0
    return point, log_point, (best + (size - n_ones) * level) - dot(slopes, point)
