"""Selecting the largest of some weights, and putting numbers in order."""

import numpy as np

from swapregret.arrays import Floats, Integers
from swapregret.compiled.kernel import kernel

_HALVINGS, _SHORT = 8, 64


@kernel
def _least_above(values: Floats, cut: float, otherwise: float) -> float:
    """Return the smallest value above a cut."""
    least = otherwise
    for i in range(values.size):
        least = min(least, values[i] if values[i] > cut else otherwise)
    return least


@kernel
def _most_below(values: Floats, cut: float, otherwise: float) -> float:
    """Return the largest value that is not above a cut."""
    most = otherwise
    for i in range(values.size):
        most = max(most, otherwise if values[i] > cut else values[i])
    return most


@kernel
def largest(values: Floats, count: int) -> float:
    """Return the ``count``-th largest value, from one on.

    Halves the range, counting side by side what lies above: without a branch for each value this is several times faster than
    moving them. After a few halvings the ends are moved to values, so that equal ones come to an end.
    """
    low, high = np.inf, -np.inf
    for i in range(values.size):
        low, high = min(low, values[i]), max(high, values[i])
    for attempt in range(2 * values.size + _HALVINGS):
        if not low < high:
            break
        middle = 0.5 * (low + high)
        if not middle < high:
            middle = low
        n_above = 0
        for i in range(values.size):
            n_above += values[i] > middle
        if n_above == count:
            return _least_above(values, middle, high)
        if n_above > count:
            low = middle if attempt < _HALVINGS else _least_above(values, middle, high)
        else:
            high = middle if attempt < _HALVINGS else _most_below(values, middle, low)
    return low


@kernel
def top_elements(weights: Floats, size: int) -> Integers:
    """Return the indicator of the ``size`` largest weights; among equals the lowest index wins."""
    chosen = np.zeros(weights.size, dtype=np.int64)
    if size == 0:
        return chosen
    threshold = largest(weights, size)
    count = 0
    for i in range(weights.size):
        chosen[i] = weights[i] > threshold
        count += chosen[i]
    for i in range(weights.size):
        if count == size:
            break
        if weights[i] == threshold:
            chosen[i] = 1
            count += 1
    return chosen


@kernel
def ranked(values: Floats | Integers, ranks: Integers) -> None:
    """Write the positions of the values in increasing order, those of equal ones as they come.

    In short runs, how many are smaller is counted for each, side by side and without a branch; then runs are merged.
    ``np.argsort`` takes seconds to compile.
    """
    n = values.size
    for i in range(n):
        ranks[i] = i  # places, whatever the values are
    for begin in range(0, n, _SHORT):
        run = values[begin : min(begin + _SHORT, n)]
        for i in range(run.size):
            value, place = run[i], begin
            before, behind = run[:i], run[i + 1 :]
            for j in range(before.size):
                place += before[j] <= value
            for j in range(behind.size):
                place += behind[j] < value
            ranks[place] = begin + i
    length = _SHORT
    while length < n:
        runs = ranks.copy()
        for begin in range(0, n, 2 * length):
            middle, end = min(begin + length, n), min(begin + 2 * length, n)
            i, j = begin, middle
            for place in range(begin, end):
                if j >= end or (i < middle and values[runs[i]] <= values[runs[j]]):
                    ranks[place] = runs[i]
                    i += 1
                else:
                    ranks[place] = runs[j]
                    j += 1
        length *= 2


@kernel
def in_order(values: Floats | Integers) -> Integers:
    """Return the positions of the values in increasing order, those of equal ones as they come."""
    ranks = np.empty(values.size, dtype=np.int64)
    ranked(values, ranks)
    return ranks
