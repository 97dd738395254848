"""Selecting the largest of some weights."""

import numpy as np

from swapregret.arrays import Floats, Integers
from swapregret.compiled.kernel import kernel

__all__ = ["largest", "top_elements"]


_FEW = 16


@kernel
def largest(values: Floats, count: int) -> float:
    """Return the ``count``-th largest value by quickselect; permutes ``values``."""
    low, high, target = 0, values.size - 1, count - 1
    while low < high:
        middle = (low + high) // 2
        a, b, c = values[low], values[middle], values[high]
        pivot = max(min(a, b), min(max(a, b), c))
        left, right = low, high
        while left <= right:
            while values[left] > pivot:
                left += 1
            while values[right] < pivot:
                right -= 1
            if left <= right:
                values[left], values[right] = values[right], values[left]
                left += 1
                right -= 1
        if target <= right:
            high = right
        elif target >= left:
            low = left
        else:
            break
    return float(values[target])


@kernel
def top_elements(weights: Floats, size: int) -> Integers:
    """Return the indicator of the ``size`` largest weights; among equals the lowest index wins."""
    chosen = np.zeros(weights.size, dtype=np.int64)
    if size == 0:
        return chosen
    if size <= _FEW:  # insertion into a short list beats selection
        best = np.empty(size, dtype=np.int64)
        count = 0
        for i in range(weights.size):
            if count == size and not weights[i] > weights[best[size - 1]]:
                continue
            place = min(count, size - 1)
            while place > 0 and weights[i] > weights[best[place - 1]]:
                best[place] = best[place - 1]
                place -= 1
            best[place] = i
            count = min(count + 1, size)
        for j in range(size):
            chosen[best[j]] = 1
        return chosen
    threshold = largest(weights.copy(), size)
    n_above = 0
    for i in range(weights.size):
        if weights[i] > threshold:
            chosen[i] = 1
            n_above += 1
    for i in range(weights.size):
        if n_above == size:
            break
        if weights[i] == threshold:
            chosen[i] = 1
            n_above += 1
    return chosen
