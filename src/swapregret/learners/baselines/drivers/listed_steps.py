"""Compiled steps of a day of any algorithm that lists all actions: its law, which action was played, what all would have paid.

Actions are given as ``columns``, shape (dimension, N): entry (i, a) is 1.0 if action a has element i.
"""

import numpy as np

from swapregret.arrays import Floats, Integers, Words
from swapregret.compiled.bits import grid_weights, pack_action
from swapregret.compiled.kernel import kernel

LEAST = 2.0**-51
"""Weights of laws are lifted to this, so that the laws of all days have the same actions."""
_STEP = np.uint64(0x9E3779B97F4A7C15)
_FIRST = np.uint64(0xBF58476D1CE4E5B9)
_SECOND = np.uint64(0x94D049BB133111EB)
_SHIFTS = (np.uint64(30), np.uint64(27), np.uint64(31), np.uint64(11))


@kernel
def listed_shares(weights: Floats) -> Floats:
    """Return a law on the grid of multiples of 2⁻⁵² in which every action has at least about 2⁻⁵¹."""
    lowest = np.inf
    for i in range(weights.size):
        lowest = min(lowest, weights[i])
    lifted = weights
    if lowest < LEAST:
        lifted = np.maximum(weights, LEAST)
        lifted /= lifted.sum()
    return grid_weights(lifted)


@kernel
def listed_totals(columns: Floats, vector: Floats) -> Floats:
    """Return what each action is paid by a vector: elements in order, as ``action_total`` adds them."""
    totals = np.zeros(columns.shape[1])
    for i in range(columns.shape[0]):
        line, value = columns[i], vector[i]
        for a in range(totals.size):
            totals[a] += line[a] * value
    return totals


@kernel
def place_of(words: Words, action: Integers) -> int:
    """Return the number of an action in a list in canonical order, by bisection."""
    row = np.empty(words.shape[1], dtype=np.uint64)
    pack_action(action, row)
    low, high = 0, words.shape[0] - 1
    while low < high:
        middle = (low + high) // 2
        w = row.size - 1
        while w > 0 and words[middle, w] == row[w]:
            w -= 1
        if words[middle, w] < row[w]:
            low = middle + 1
        else:
            high = middle
    return low


@kernel
def daily_uniform(seed: int, day: int) -> float:
    """Return a number in [0, 1) that is uniform over the days of a seed, always the same for the same two."""
    x = np.uint64(seed) + np.uint64(day + 1) * _STEP
    x = (x ^ (x >> _SHIFTS[0])) * _FIRST
    x = (x ^ (x >> _SHIFTS[1])) * _SECOND
    return float((x ^ (x >> _SHIFTS[2])) >> _SHIFTS[3]) / 2.0**53


@kernel
def choose(weights: Floats, uniform: float) -> int:
    """Return the index that a uniform number falls on when weights are laid end to end and scaled to 1."""
    total = 0.0
    for i in range(weights.size):
        total += weights[i]
    place, reached = uniform * total, 0.0
    for i in range(weights.size):
        reached += weights[i]
        if reached > place:
            return i
    return weights.size - 1
