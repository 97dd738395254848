"""What a compiled run leaves behind whose laws are known by a vector each: the scores or the point they are made from."""

from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from swapregret.compiled.kernel import kernel
from swapregret.compiled.vectors import action_total

__all__ = ["VectorLog", "note_vector", "pay"]

Floats = npt.NDArray[np.float64]
Integers = npt.NDArray[np.int64]


class VectorLog(NamedTuple):
    """What a run leaves behind.

    Attributes
    ----------
    received : float64 array, shape (n_days,)
    plays : int64 array, shape (n_days, d)
    starts : int64 array, shape (n_days,)
        The first day of each law.
    vectors : float64 array, shape (n_days, d) or (0, d)
        What the laws are made from; without rows where nobody asks.
    filled : int64 array, shape (2,)
        How many laws there were, and 1 if the last of them is also that of the day after.
    """

    received: Floats
    plays: Integers
    starts: Integers
    vectors: Floats
    filled: Integers


@kernel
def note_vector(log: VectorLog, day: int, vector: Floats) -> None:
    """Write down that a law begins."""
    log.starts[log.filled[0]] = day
    if len(log.vectors):
        log.vectors[log.filled[0]] = vector
    log.filled[0] += 1


@kernel
def pay(log: VectorLog, day: int, rewards: Floats, action: Integers) -> float:
    """Write down the action of a day and its reward, and return that."""
    reward = min(max(action_total(rewards, action), 0.0), 1.0)
    log.plays[day] = action
    log.received[day] = reward
    return reward
