"""The factor of a mixture of any number of pivotal laws: ``kernels.pivotal_solve`` in loops."""

import numpy as np

from swapregret.arrays import Floats, Integers
from swapregret.compiled.kernel import kernel


@kernel
def _gather(table: Floats, slots: Integers) -> Floats:
    """Return the rows of some slots side by side, one column per slot."""
    result = np.empty((table.shape[1], slots.size))
    for c in range(slots.size):
        row = table[slots[c]]
        for i in range(row.size):
            result[i, c] = row[i]
    return result


@kernel
def _advance(share: Floats, gain: Floats, right: Floats, state: Floats) -> None:
    """Turn right sides at one element into innovations, in place; ``state`` has one row per law, one column per right side."""
    for c in range(share.size):
        row, h = state[c], share[c]
        for e in range(right.size):
            right[e] -= h * row[e]
    for c in range(share.size):
        row, f, k = state[c], 1.0 - share[c], gain[c]
        for e in range(right.size):
            row[e] = f * row[e] + k * right[e]


@kernel
def factor_many(
    share: Floats,
    noise: Floats,
    point: Floats,
    slots: Integers,
    weights: Floats,
    alpha: float,
    mean: float,
    gain: Floats,
    columns: Floats,
    per: Floats,
    gram: Floats,
) -> float:
    """Write gains and innovations of the columns (one row per element), 1/s and products of the columns; return the least 1/s."""
    n, d = slots.size, share.shape[1]
    shares, noises, points = _gather(share, slots), _gather(noise, slots), _gather(point, slots)
    spread, state = np.zeros((n, n)), np.zeros((n, n))
    gram[:] = 0.0
    along, turned, rest, own, roots = np.empty(n), np.empty(n), np.empty(n), np.empty(n), np.sqrt(weights)
    least = np.inf
    for i in range(d):
        h, x, k, o = shares[i], points[i], gain[i], columns[i]
        s = alpha
        for c in range(n):
            row, value = spread[c], 0.0
            for e in range(n):
                value += row[e] * h[e]
            along[c] = value
            own[c] = weights[c] * noises[i, c]
            rest[c] = 1.0 - h[c]
            s += own[c] + h[c] * value
        over = 1.0 / s
        least = min(least, over)
        for c in range(n):
            turned[c] = rest[c] * along[c] - own[c]
            k[c] = turned[c] * over
        for c in range(n):
            row, f, t = spread[c], rest[c], k[c]
            for e in range(n):
                row[e] = f * rest[e] * row[e] - t * turned[e]
            row[c] += own[c]
        per[i] = over
        for c in range(n):
            o[c] = roots[c] * (x[c] - mean)
        _advance(h, k, o, state)
        for c in range(n):
            row, value = gram[c], o[c] * over
            for e in range(c, n):
                row[e] += value * o[e]
    return least


@kernel
def sift_many(share: Floats, slots: Integers, gain: Floats, per: Floats, action: Integers, mean: float) -> Floats:
    """Return the innovations of M − m/d, over s."""
    shares, state, right = _gather(share, slots), np.zeros((slots.size, 1)), np.empty(1)
    result = np.empty(action.size)
    for i in range(action.size):
        right[0] = action[i] - mean
        _advance(shares[i], gain[i], right, state)
        result[i] = right[0] * per[i]
    return result


@kernel
def weigh_many(columns: Floats, sifted: Floats) -> Floats:
    """Return the products of what was sifted with the innovations of the columns."""
    inner = np.zeros(columns.shape[1])
    for i in range(sifted.size):
        row, o = columns[i], sifted[i]
        for e in range(inner.size):
            inner[e] += row[e] * o
    return inner


@kernel
def finish_many(
    share: Floats,
    slots: Integers,
    gain: Floats,
    columns: Floats,
    per: Floats,
    sifted: Floats,
    taken: Floats,
    shift: float,
) -> Floats:
    """Go from the last element to the first: y = o/s + kᵀl, with o less what is taken off of the columns; then shift all."""
    d, n = gain.shape
    shares, state, result = _gather(share, slots), np.zeros(n), np.empty(d)
    for i in range(d - 1, -1, -1):
        h, k, row, low = shares[i], gain[i], columns[i], 0.0
        for e in range(n):
            low += row[e] * taken[e]
        y = sifted[i] - per[i] * low
        for c in range(n):
            y += k[c] * state[c]
        for c in range(n):
            state[c] = (1.0 - h[c]) * state[c] - h[c] * y
        result[i] = y + shift
    return result
