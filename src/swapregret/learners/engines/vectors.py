"""Blocks of days whose laws are known by a vector each, and are made again when they are asked for."""

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt

from swapregret.arrays import Actions, Matrix, Vector
from swapregret.kernels.vector_log import VectorLog
from swapregret.policy import Policy

__all__ = ["VectorBlock", "close_block", "empty_log"]


@dataclass(frozen=True, eq=False)
class VectorBlock:
    """A block of days, played.

    Attributes
    ----------
    state : object
        After the last day.
    received : Vector
        The reward of each day.
    plays : Actions
        The action of each day.
    starts : int64 array, shape (n,)
        The first day of each law.
    vectors : Matrix, shape (n, dimension) or (0, dimension)
        What the laws are made from; none unless laws were wanted.
    first, last : Policy
        As of ``ListedBlock``.
    make : callable
        Makes the law of a vector.
    """

    state: Any
    received: Vector
    plays: Actions
    starts: npt.NDArray[np.int64]
    vectors: Matrix
    first: Policy
    last: Policy | None
    make: Callable[[Vector], Policy]

    @property
    def laws(self) -> Iterator[tuple[int, Policy]]:
        """Make the laws that were played, one after the other, each with where in the block it began."""
        count = len(self.vectors)
        for index in range(count):
            start = int(self.starts[index])
            if index == 0:
                yield start, self.first
            elif index == count - 1 and self.last is not None:
                yield start, self.last
            else:
                yield start, self.make(self.vectors[index])


def empty_log(rewards: Matrix, keeps_laws: bool) -> VectorLog:
    """Return room for what a run on these rewards leaves behind."""
    n_days, d = rewards.shape
    return VectorLog(
        np.empty(n_days),
        np.empty((n_days, d), dtype=np.int64),
        np.empty(n_days, dtype=np.int64),
        np.empty((n_days if keeps_laws else 0, d)),
        np.zeros(2, dtype=np.int64),
    )


def close_block(log: VectorLog, before: Any, after: Any, make: Callable[[Vector], Policy]) -> VectorBlock:
    """Return what a run wrote down as a block between two states, which hold the first law and that of the day after."""
    count, last = int(log.filled[0]), after.law if log.filled[1] else None
    return VectorBlock(after, log.received, log.plays, log.starts[:count], log.vectors[:count], before.law, last, make)
