"""The rows of a ledger: actions with a vector each, in bounded memory.

Actions that one policy alone has played share its vector; others have one of their own. Past ``capacity`` vectors, what finds
no room is *pooled*: every action belongs to one of ``n_pools`` pools (a fixed partition by hash), its vector is added to the
pool's, and its best answer is taken at once, on its own (*split*). Splitting can only raise Σ_M max V[M]·M', pooling can only
lower it, so the two ends bracket it. From time to time the half of the rows that were used least lately make room; oracle calls
stay at most two an entry.
"""

from typing import Any

import numpy as np
import numpy.typing as npt

from swapregret.arrays import NamedArrays, Vector, Words, frozen
from swapregret.geometry.oracle import LinearOracle
from swapregret.policy.held import held_array
from swapregret.regret.ledgers.closed_ledger import Pooled, Rows, no_pools
from swapregret.regret.ledgers.kernels.row_sums import (
    Places,
    RowArrays,
    add_pieces,
    in_order,
    locate_rows,
    pool_pieces,
    reading,
    rebuild_slots,
)

__all__ = ["ActionRows"]

_FIRST = 2**10
_LAZY = 2**20
_GROWTH = 4
_FADING = 0.5
_MOST_POOLS = 4096
_OF_ROWS, _OF_VECTORS = ("keys", "at", "shares", "whole"), ("vectors", "vector_days")


class ActionRows:
    """Rows keyed by packed action; grows to its capacity, then pools.

    Parameters
    ----------
    oracle : LinearOracle
        Asked for the best answer to what is pooled.
    capacity : int
        Most vectors. There may be more rows than that, as many as have room in the memory of these vectors.

    Attributes
    ----------
    split : float
        Sum of the best answers to what was pooled, each piece on its own.

    Examples
    --------
    >>> from swapregret.actions.m_sets.m_sets import MSets
    >>> table = ActionRows(MSets(2, 1), capacity=1)
    >>> words = np.array([[1], [2]], dtype=np.uint64)
    >>> table.add_law(words, np.array([.5, .5]), np.array([1., 0.]), 1.0)
    >>> len(table.lend()), table.split
    (1, 0.5)
    """

    def __init__(self, oracle: LinearOracle, capacity: int) -> None:
        d = oracle.dimension
        self._oracle, self._capacity = oracle, capacity
        self._most_rows = capacity * max(1, d // 8)  # a row takes about as much as eight numbers of a vector
        self._credit = 0
        self._is_lent = False
        self._pools, self._gains, self.split = np.zeros((0, d)), np.zeros(0), 0.0
        self._faded = np.zeros(0)
        self._table = self._empty(np.zeros(0, dtype=np.int64))
        self._resize(min(_FIRST, self._most_rows), min(capacity, max(_FIRST, _LAZY // (8 * d))))

    def add_law(self, words: Words, weights: Vector, vector: Vector, n_days: float) -> None:
        """Add weight · vector to every atom of a law held for ``n_days`` days."""
        self._add(words, weights, vector[None, :], np.zeros(len(words), dtype=np.int32), n_days)

    def add_days(self, words: Words, vectors: npt.NDArray[np.float64]) -> None:
        """Add one vector to each of a list of actions, a day each."""
        self._add(words, np.ones(len(words)), vectors, in_order(len(words)), 1.0)

    def _add(self, words: Words, weights: Vector, vectors: npt.NDArray[np.float64], at: Places, n_days: float) -> None:
        """Add weights[i] · vectors[at[i]] to every action; of what finds no room all that share a vector are one entry."""
        self.make_room(len(words))
        rows = locate_rows(self._table, reading(words))
        step = int(len(vectors) > 1)
        if add_pieces(self._table, rows, reading(weights), reading(vectors), 0, step, n_days):
            lost = np.flatnonzero((rows < 0) & (weights > 0.0))
            used, places = np.unique(at[lost], return_inverse=True)
            self._pool(words[lost], weights[lost], vectors[used], places.astype(np.int32))
            self._thin(len(used))

    @property
    def arrays(self) -> RowArrays:
        """Return what kernels that fill rows themselves work on, once ``make_room`` was called."""
        return self._table

    def make_room(self, n_actions: int) -> bool:
        """Make room for so many more actions as far as the capacity goes; tell whether there is."""
        n_rows, n_vectors = (int(count) + n_actions for count in self._table.counts)
        old_rows, old_vectors = self._table.at.size, self._table.holders.size
        rows = old_rows if n_rows <= old_rows else min(self._most_rows, max(n_rows, _GROWTH * old_rows))
        vectors = (
            old_vectors if n_vectors <= old_vectors else min(self._capacity, max(n_vectors, _GROWTH * old_vectors))
        )
        if self._is_lent or rows > old_rows or vectors > old_vectors:
            self._resize(rows, vectors)
        return n_rows <= rows and n_vectors <= vectors

    def lend(self) -> Rows:
        """Return all rows in the order they came, for good; nothing is copied unless something is added afterwards."""
        self._is_lent = True
        table, (n, k) = self._table, self._table.counts.tolist()
        return Rows(
            keys=reading(table.keys[:n]),
            vectors=reading(table.vectors[:k]),
            vector_days=reading(table.vector_days[:k]),
            at=reading(table.at[:n]),
            shares=reading(table.shares[:n]),
            whole=reading(table.whole[:n]),
        )

    def pooled(self) -> Pooled:
        """Return what was pooled, as a value."""
        counts = self._table.pooled
        if counts.size == 0:
            return no_pools(self._oracle.dimension)
        used = np.flatnonzero(counts)
        return Pooled(
            n_pools=counts.size,
            pools=frozen(used),
            values=frozen(self._pools[used]),
            gains=frozen(self._gains[used]),
            split=self.split,
            n_pieces=float(counts.sum()),
        )

    def best(self, vector: Vector) -> float:
        """Return max vector·M'."""
        return float(vector @ self._oracle.argmax(vector))

    def dump(self) -> NamedArrays:
        """Write the rows as named arrays."""
        table, (n, k) = self._table, self._table.counts.tolist()
        arrays: NamedArrays = {name: getattr(table, name)[:n] for name in _OF_ROWS}
        arrays |= {name: getattr(table, name)[:k] for name in _OF_VECTORS}
        arrays |= {"pools": self._pools, "gains": self._gains, "pooled": table.pooled, "faded": self._faded}
        return arrays | {"split_credit": np.array([self.split, self._credit])}

    def restore(self, arrays: NamedArrays) -> None:
        """Fill an empty table with what ``dump`` wrote of one of the same capacity."""
        held_array(arrays, "at", "int32", (len(arrays["keys"]),), 0, max(0, len(arrays["vectors"]) - 1))
        self.split, credit = arrays["split_credit"].tolist()
        self._credit, self._faded = int(credit), np.array(arrays["faded"])
        self._pools, self._gains = np.array(arrays["pools"]), np.array(arrays["gains"])
        self._table = self._table._replace(pooled=np.array(arrays["pooled"]))
        self._fill(arrays)

    def _fill(self, given: NamedArrays) -> None:
        """Let rows and vectors be those given; the table has none."""
        n, k = len(given["keys"]), len(given["vectors"])
        self.make_room(max(n, k))
        table = self._table
        for name in (*_OF_ROWS, *_OF_VECTORS):
            getattr(table, name)[: len(given[name])] = given[name]
        table.holders[:k] = np.bincount(table.at[:n][table.shares[:n] > 0.0], minlength=k)
        table.counts[:] = n, k
        rebuild_slots(table.slots, table.keys, n)

    def _empty(self, pooled: npt.NDArray[np.int64]) -> RowArrays:
        """Return arrays without room for anything."""
        d = self._oracle.dimension
        return RowArrays(
            counts=np.zeros(2, dtype=np.int64),
            slots=np.zeros(0, dtype=np.int32),
            keys=np.zeros((0, (d + 63) // 64), dtype=np.uint64),
            at=np.zeros(0, dtype=np.int32),
            shares=np.zeros(0),
            whole=np.zeros(0, dtype=np.bool_),
            vectors=np.zeros((0, d)),
            vector_days=np.zeros(0),
            holders=np.zeros(0, dtype=np.int64),
            pooled=pooled,
        )

    def _resize(self, n_rows: int, n_vectors: int) -> None:
        """Make more room, and part from what was lent; actions stay what they are, and need no copy for that."""
        old, (n, k) = self._table, self._table.counts.tolist()
        new: dict[str, Any] = {}
        if self._is_lent or n_vectors > len(old.vectors):
            new |= {name: _moved(getattr(old, name), n_vectors, k) for name in (*_OF_VECTORS, "holders")}
        if self._is_lent or n_rows > len(old.keys):
            new |= {name: _moved(getattr(old, name), n_rows, n) for name in ("at", "shares", "whole")}
        if n_rows > len(old.keys):
            new["keys"] = _moved(old.keys, n_rows, n)
            new["slots"] = np.zeros(1 << (2 * n_rows - 1).bit_length(), dtype=np.int32)
            rebuild_slots(new["slots"], new["keys"], n)
        self._table = old._replace(**new)
        self._is_lent = False

    def _pool(self, words: Words, weights: Vector, vectors: npt.NDArray[np.float64], at: Places) -> None:
        """Pool actions with weights[i] · vectors[at[i]] each."""
        if self._table.pooled.size == 0:
            n = min(max(1, self._capacity // 4), _MOST_POOLS)
            self._pools, self._gains = np.zeros((n, vectors.shape[1])), np.zeros(n)
            self._table = self._table._replace(pooled=np.zeros(n, dtype=np.int64))
        bests = np.array([self.best(vector) for vector in vectors])
        pieces = (reading(words), reading(weights), reading(vectors), reading(at), bests)
        pool_pieces(self._pools, self._gains, self._table.pooled, *pieces)
        self.split += float(weights @ bests[at])

    def _thin(self, n_entries: int) -> None:
        """Let the half of the rows used least lately go, once as many entries have found no room."""
        table, n = self._table, int(self._table.counts[0])
        self._credit += n_entries
        leaving = n // 2
        if leaving == 0 or self._credit < leaving:
            return
        columns = {name: getattr(table, name)[:n] for name in _OF_ROWS}
        at, shares = columns["at"], columns["shares"]
        days, faded = shares * table.vector_days[at], np.zeros(n)
        faded[: len(self._faded)] = self._faded
        order = np.argsort(days - faded, kind="stable")
        gone, kept = order[:leaving], np.sort(order[leaving:])
        used, places = np.unique(at[gone], return_inverse=True)
        self._pool(table.keys[gone], shares[gone], table.vectors[used], places.astype(np.int32))
        kept = kept[shares[kept] > 0.0]
        used, places = np.unique(at[kept], return_inverse=True)
        vectors = {name: getattr(table, name)[used] for name in _OF_VECTORS}
        self._faded = (faded + _FADING * (days - faded))[kept]
        self._table = self._empty(self._table.pooled)
        self._fill({name: column[kept] for name, column in columns.items()} | {"at": places} | vectors)
        self._credit = 0


def _moved(array: npt.NDArray[Any], size: int, n_used: int) -> npt.NDArray[Any]:
    """Return a longer array; its pages cost nothing until they are written to."""
    moved = np.zeros((size, *array.shape[1:]), dtype=array.dtype)
    moved[:n_used] = array[:n_used]
    return moved
