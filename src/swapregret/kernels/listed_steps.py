"""Compiled steps of a day of any algorithm that lists all actions: its law, the draw, what the actions would have paid.

Players call the same functions when they are stepped, so that blocks and steps give the same bits. Actions are given as
``columns``, shape (dimension, N): entry (i, a) is 1.0 if action a has element i.
"""

from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from swapregret.compiled.kernel import kernel
from swapregret.compiled.packed_law import grid_weights
from swapregret.kernels.exponential import lifted_weights

__all__ = [
    "ListedLog",
    "choose",
    "daily_uniform",
    "listed_shares",
    "listed_totals",
    "note_law",
    "play_listed",
]

Floats = npt.NDArray[np.float64]
Integers = npt.NDArray[np.int64]

_STEP = np.uint64(0x9E3779B97F4A7C15)
_FIRST = np.uint64(0xBF58476D1CE4E5B9)
_SECOND = np.uint64(0x94D049BB133111EB)
_SHIFTS = (np.uint64(30), np.uint64(27), np.uint64(31), np.uint64(11))


class ListedLog(NamedTuple):
    """What a run leaves behind.

    Attributes
    ----------
    received : float64 array, shape (n_days,)
    chosen : int64 array, shape (n_days,)
        The numbers of the actions played.
    starts : int64 array, shape (n_days,) or (0,)
        The first day of each law; without entries where nobody asks for laws.
    shares : float64 array, shape (n_days, N) or (0, N)
        The laws.
    filled : int64 array, shape (2,)
        How many laws there were, and 1 if the last of them is also that of the day after.
    """

    received: Floats
    chosen: Integers
    starts: Integers
    shares: Floats
    filled: Integers


@kernel
def listed_shares(weights: Floats, least: float) -> Floats:
    """Return a law on the grid of multiples of 2⁻⁵² in which every action has at least about ``least``."""
    return grid_weights(lifted_weights(weights, least))


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
def note_law(log: ListedLog, day: int, shares: Floats) -> None:
    """Count a law that is played from this day of the block on, and write it down if laws are wanted."""
    if log.starts.size:
        log.starts[log.filled[0]] = day
        log.shares[log.filled[0]] = shares
    log.filled[0] += 1


@kernel
def play_listed(
    rng: np.random.Generator, columns: Floats, vector: Floats, shares: Floats, log: ListedLog, day: int
) -> tuple[int, float]:
    """Draw an action by inversion, as ``FinitePolicy.sample`` does, and return its number and its reward."""
    uniform = rng.random()
    chosen, total = 0, shares[0]
    while total <= uniform:  # sums of shares are exact and end in 1
        chosen += 1
        total += shares[chosen]
    reward = 0.0
    for i in range(vector.size):
        reward += columns[i, chosen] * vector[i]
    reward = min(max(reward, 0.0), 1.0)
    log.received[day] = reward
    log.chosen[day] = chosen
    return chosen, reward


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
