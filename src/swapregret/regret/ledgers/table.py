"""A table of actions with a vector each, in bounded memory.

Up to ``capacity`` actions have a row of their own. Past that, what has no row is *pooled*: every action belongs to one
of ``n_pools`` pools (a fixed partition by hash), its vector is added to the pool's, and its best answer is taken at
once, on its own (*split*). Splitting can only raise Σ_M max V[M]·M', pooling can only lower it, so the two ends bracket
it. From time to time the half of the rows that were used least lately make room; oracle calls stay at most two an
entry.
"""

from dataclasses import dataclass
from typing import Any, TypeVar

import numpy as np
import numpy.typing as npt

from swapregret.arrays import NamedArrays, Vector, Words, under
from swapregret.geometry.oracle import LinearOracle
from swapregret.regret.ledgers.kernels.row_sums import (
    accumulate_days,
    accumulate_law,
    locate_rows,
    pool_days,
    pool_law,
    rebuild_slots,
)

__all__ = ["ActionTable", "Pools", "Words", "reading"]

Rows = npt.NDArray[np.int64]

_Array = TypeVar("_Array", bound=npt.NDArray[Any])

_FIRST = 64
_LAZY = 2**22
_DECAY = 0.5
_MOST_POOLS = 4096


def reading(array: _Array) -> _Array:
    """Return a read-only view: what kernels only read is always passed so, and each compiles once."""
    view = array.view()
    view.flags.writeable = False
    return view


@dataclass
class Pools:
    """What has no row: pooled vectors, the gains of its pieces, how many there were, and the split best answers."""

    values: npt.NDArray[np.float64]
    gains: Vector
    counts: npt.NDArray[np.int64]
    split: float = 0.0


class ActionTable:
    """Rows keyed by packed action; grows to its capacity, then pools.

    Parameters
    ----------
    oracle : LinearOracle
        Asked for the best answer to what is pooled.
    capacity : int
        Most actions with a row. Memory in use is that of the rows in use, at most 1.75 · capacity vectors while half of them
        make room.

    Examples
    --------
    >>> from swapregret.actions.m_sets.m_sets import MSets
    >>> table = ActionTable(MSets(2, 1), capacity=1)
    >>> words = np.array([[1], [2]], dtype=np.uint64)
    >>> table.add_law(words, np.array([.5, .5]), np.array([1., 0.]), 1.0)
    >>> table.n_rows, table.pools.split
    (1, 0.5)
    """

    def __init__(self, oracle: LinearOracle, capacity: int) -> None:
        self.oracle = oracle
        self.dimension = oracle.dimension
        self.capacity = capacity
        self.n_rows = 0
        self._credit = 0
        self._is_lent = False
        self._width = (self.dimension + 63) // 64
        self._allocate(min(capacity, max(_FIRST, _LAZY // (8 * self.dimension))))
        self._index(min(_FIRST, capacity))
        self.pools = Pools(np.zeros((0, self.dimension)), np.zeros(0), np.zeros(0, dtype=np.int64))

    @property
    def n_pooled(self) -> int:
        """Return how many pieces have been pooled."""
        return int(self.pools.counts.sum())

    def add_law(self, words: Words, weights: Vector, vector: Vector, n_days: float) -> None:
        """Add weight · vector to every atom of a law held for ``n_days`` days."""
        words, weights, vector = reading(words), reading(weights), reading(vector)
        rows = self.locate(words)
        missing = accumulate_law(self.values, self.days, self.scores, rows, weights, vector, n_days)
        if missing:
            pools = self._ready_pools()
            best = self.best(vector)
            weight = pool_law(pools.values, pools.gains, pools.counts, words, rows, weights, vector, best)
            pools.split += weight * best
            self._make_room(1)

    def add_days(self, words: Words, vectors: npt.NDArray[np.float64]) -> None:
        """Add one vector to each of a list of actions, a day each."""
        words, vectors = reading(words), reading(vectors)
        rows = self.locate(words)
        if accumulate_days(self.values, self.days, self.scores, rows, vectors):
            lost = np.flatnonzero(rows < 0)
            self._pool(words[lost], vectors[lost])
            self._make_room(len(lost))

    def arrays(
        self,
    ) -> tuple[Rows, Words, npt.NDArray[np.bool_], Rows, npt.NDArray[np.float64], Vector, Vector]:
        """Return what kernels that fill rows themselves work on; they must set ``n_rows`` afterwards."""
        self._own()
        return self._slots, self.keys, self.whole, self.pools.counts, self.values, self.days, self.scores

    def lend(self) -> tuple[Words, npt.NDArray[np.float64], Vector, npt.NDArray[np.bool_]]:
        """Return keys, values, days and wholes of all rows, in the order they came, for good.

        Nothing is copied unless something is added afterwards.
        """
        self._is_lent = True
        n = self.n_rows
        return reading(self.keys[:n]), reading(self.values[:n]), reading(self.days[:n]), reading(self.whole[:n])

    def _own(self) -> None:
        """Part from what was lent, before rows change."""
        if self._is_lent:
            old = [column[: self.n_rows] for column in self._columns()]
            self._allocate(len(self.keys))
            for column, part in zip(self._columns(), old, strict=True):
                column[: self.n_rows] = part
            self._is_lent = False

    @property
    def limit(self) -> int:
        """Return how many rows there may be before the table must grow."""
        return min(len(self.keys), len(self._slots) // 2)

    def grow(self) -> bool:
        """Double the room for rows, as far as the capacity goes; tell whether there is more room now."""
        if self.limit == self.capacity:
            return False
        self._extend(2 * self.limit)
        return True

    def dump(self) -> NamedArrays:
        """Write the table as named arrays."""
        arrays: NamedArrays = {"keys": self.keys, "values": self.values, "days": self.days, "whole": self.whole}
        arrays = {name: column[: self.n_rows] for name, column in (arrays | {"scores": self.scores}).items()}
        pools = {name: getattr(self.pools, name) for name in ("values", "gains", "counts")}
        return arrays | under("pools", pools) | {"split": np.array(self.pools.split), "credit": np.array(self._credit)}

    def restore(self, arrays: NamedArrays) -> None:
        """Fill an empty table with what ``dump`` wrote of one of the same capacity."""
        n = len(arrays["keys"])
        self._extend(max(n, _FIRST))
        names = ("keys", "values", "days", "whole", "scores")
        for column, name in zip(self._columns(), names, strict=True):
            column[:n] = arrays[name]
        self.n_rows, self._credit = n, int(arrays["credit"])
        rebuild_slots(self._slots, self.keys, n)
        parts = [np.array(arrays[f"pools.{name}"]) for name in ("values", "gains", "counts")]
        self.pools = Pools(parts[0], parts[1], parts[2], float(arrays["split"]))

    def best(self, vector: Vector) -> float:
        """Return max vector·M'."""
        return float(vector @ self.oracle.argmax(vector))

    def locate(self, words: Words) -> Rows:
        """Return the row of each packed action, making rows up to the capacity; −1 where there is no room."""
        self._own()
        wanted = min(self.capacity, self.n_rows + len(words))
        if wanted > self.limit:
            self._extend(max(wanted, 2 * self.limit))
        rows, self.n_rows = locate_rows(
            self._slots, self.keys, self.whole, self.pools.counts, self.n_rows, self.limit, words
        )
        return rows

    def _allocate(self, size: int) -> None:
        """Make empty rows. The pages of an array of zeros cost nothing until they are written to."""
        self.keys: Words = np.zeros((size, self._width), dtype=np.uint64)
        self.values = np.zeros((size, self.dimension))
        self.days = np.zeros(size)
        self.whole = np.zeros(size, dtype=np.bool_)
        self.scores = np.zeros(size)

    def _columns(self) -> tuple[npt.NDArray[Any], ...]:
        return self.keys, self.values, self.days, self.whole, self.scores

    def _extend(self, wanted: int) -> None:
        """Make room for at least this many rows, within the capacity."""
        n, size = self.n_rows, min(wanted, self.capacity)
        if size > len(self.keys):
            old = [column[:n] for column in self._columns()]
            self._allocate(min(self.capacity, max(size, 2 * len(self.keys))))
            for column, part in zip(self._columns(), old, strict=True):
                column[:n] = part
        self._index(size)

    def _index(self, size: int) -> None:
        self._slots = np.zeros(1 << (2 * size - 1).bit_length(), dtype=np.int64)
        rebuild_slots(self._slots, self.keys, self.n_rows)

    def _ready_pools(self) -> Pools:
        if self.pools.counts.size == 0:
            n = n_pools_of(self.capacity)
            self.pools = Pools(np.zeros((n, self.dimension)), np.zeros(n), np.zeros(n, dtype=np.int64))
        return self.pools

    def _pool(self, words: Words, vectors: npt.NDArray[np.float64]) -> None:
        pools = self._ready_pools()
        bests = np.array([self.best(vector) for vector in vectors])
        pool_days(pools.values, pools.gains, pools.counts, reading(words), reading(vectors), bests)
        pools.split += float(bests.sum())

    def _make_room(self, n_entries: int) -> None:
        """Let the half of the rows used least lately go, once as many entries have found the table full."""
        self._credit += n_entries
        n, leaving = self.n_rows, self.n_rows // 2
        if leaving == 0 or self._credit < leaving:
            return
        order = np.argsort(self.scores[:n], kind="stable")
        gone, kept = order[:leaving], np.sort(order[leaving:])
        self._pool(self.keys[gone], self.values[gone])
        for column in self._columns():
            column[: len(kept)] = column[kept]
            column[len(kept) : n] = 0
        self.scores *= _DECAY
        self.n_rows = len(kept)
        self._index(len(self._slots) // 2)
        self._credit = 0


def n_pools_of(capacity: int) -> int:
    """Return how many pools a table of this capacity has: a fourth of its rows, at most 4,096."""
    return min(max(1, capacity // 4), _MOST_POOLS)
