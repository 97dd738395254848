"""Compiled inner loops of the ledger: rows of packed actions found by hashing, sums into rows and pools.

An action is packed into 64-bit words, element i as bit i mod 64 of word i div 64. Rows are found by open addressing:
``slots`` holds row + 1, or 0 where it is empty; its length is a power of two, at least twice the number of rows.
"""

from typing import Any, NamedTuple, TypeVar

import numpy as np
import numpy.typing as npt

from swapregret.arrays import Flags, Floats, Integers, Words
from swapregret.compiled.bits import elements_of, hash_row
from swapregret.compiled.kernel import kernel
from swapregret.compiled.vector_table import place_of

__all__ = [
    "Places",
    "RowArrays",
    "add_pieces",
    "dot_rows",
    "find_rows",
    "in_order",
    "locate_rows",
    "pool_of",
    "pool_pieces",
    "reading",
    "rebuild_slots",
    "spread_rows",
]

_Array = TypeVar("_Array", bound=npt.NDArray[Any])
Places = npt.NDArray[np.int32]
"""Numbers of rows and vectors; half as wide as others, since there are many of them."""


def reading(array: _Array) -> _Array:
    """Return a read-only view: what kernels only read is always passed so, and each compiles once."""
    view = array.view()
    view.flags.writeable = False
    return view


def in_order(n: int) -> Places:
    """Return where vectors are that rows have one by one."""
    return reading(np.arange(n, dtype=np.int32))


class RowArrays(NamedTuple):
    """Room for R actions of W words and for k vectors: V[M] of row r is ``shares[r] · vectors[at[r]]``.

    Actions that one policy alone has played share its vector. One that is played by a second policy gets a vector of its own; the
    last that is left with a shared one takes it over. So every vector has a row, and there are no more vectors than rows.

    Attributes
    ----------
    counts : int64 array, shape (2,)
        Rows and vectors in use.
    slots : int32 array
    keys : uint64 array, shape (R, W)
    at : int32 array, shape (R,)
    shares : float64 array, shape (R,)
        0 as long as nothing was added.
    whole : bool array, shape (R,)
        Whether all that was recorded of M is in its row.
    vectors : float64 array, shape (k, d)
    vector_days : float64 array, shape (k,)
        On how many days each vector was met: Σ_t p_t(M) of row r is ``shares[r] · vector_days[at[r]]``.
    holders : int64 array, shape (k,)
        How many rows each vector has.
    pooled : int64 array
        How many pieces are in each pool; empty while nothing was pooled.
    """

    counts: Integers
    slots: npt.NDArray[Any]
    keys: Words
    at: Places
    shares: Floats
    whole: Flags
    vectors: Floats
    vector_days: Floats
    holders: Integers
    pooled: Integers


@kernel
def pool_at(row: Words, n_pools: int) -> int:
    """Return the pool of a packed action."""
    return int((hash_row(row) >> 32) % n_pools)


@kernel
def pool_of(words: Words, n_pools: int) -> Integers:
    """Return the pool each packed action belongs to: a fixed partition of all actions."""
    pools = np.empty(words.shape[0], dtype=np.int64)
    for row in range(words.shape[0]):
        pools[row] = pool_at(words[row], n_pools)
    return pools


@kernel
def rebuild_slots(slots: npt.NDArray[Any], keys: Words, n_rows: int) -> None:
    """Enter rows 0..n_rows−1, all different, into empty slots."""
    mask = slots.size - 1
    for row in range(n_rows):
        place = hash_row(keys[row]) & mask
        while slots[place] != 0:
            place = (place + 1) & mask
        slots[place] = row + 1


@kernel
def find_rows(slots: npt.NDArray[Any], keys: Words, words: Words) -> Integers:
    """Return the row of each packed action, −1 where it has none."""
    rows = np.empty(words.shape[0], dtype=np.int64)
    for index in range(words.shape[0]):
        rows[index] = np.int64(slots[place_of(slots, keys, words[index])]) - 1
    return rows


@kernel
def locate_rows(table: RowArrays, words: Words) -> Integers:
    """Find the row of each packed action, making new rows; −1 where there is no room for a row or its vector.

    A new row is ``whole`` if nothing was pooled yet where the action would have gone.
    """
    slots, keys, pooled = table.slots, table.keys, table.pooled
    rows = np.empty(words.shape[0], dtype=np.int64)
    for index in range(rows.size):
        action = words[index]
        place = place_of(slots, keys, action)
        row = np.int64(slots[place]) - 1
        if row < 0 and table.counts[0] < table.at.size and table.counts[1] < table.holders.size:
            row = table.counts[0]
            table.counts[0] = row + 1
            slots[place] = row + 1
            key = keys[row]
            for w in range(key.size):
                key[w] = action[w]
            table.whole[row] = pooled.size == 0 or pooled[pool_at(action, pooled.size)] == 0
        rows[index] = row
    return rows


@kernel
def add_pieces(
    table: RowArrays, rows: Integers, weights: Floats, vectors: Floats, first: int, step: int, n_days: float
) -> int:
    """Add weights[i] · vectors[first + step·i] to rows[i]; return how many pieces found no room, their rows now −1.

    A policy has one vector for all its atoms, ``step`` 0; days have a vector each, ``step`` 1.
    """
    counts, at, shares, holders = table.counts, table.at, table.shares, table.holders
    kept, kept_days, d = table.vectors, table.vector_days, vectors.shape[1]
    shared, n_missing = -1, 0
    for index in range(rows.size):
        row, weight = rows[index], weights[index]
        if weight == 0.0:
            continue
        if row < 0:
            n_missing += 1
            continue
        if step:
            shared = -1
        target, share = np.int64(at[row]), shares[row]
        is_new = share == 0.0
        if is_new and shared >= 0:
            holders[shared] += 1
            at[row] = shared
            shares[row] = weight
            continue
        if not is_new and target == shared:  # an action that a policy lists twice
            shares[row] += weight
            continue
        before = target
        if is_new or holders[target] > 1:
            target = counts[1]
            if target == holders.size:
                table.whole[row] = False
                rows[index] = -1
                n_missing += 1
                continue
            counts[1] = target + 1
            holders[target] = 1
            at[row] = target
        line, vector = kept[target], vectors[first + step * index]
        if is_new:
            for i in range(d):
                line[i] = vector[i]
            kept_days[target] = n_days
            shares[row] = weight
            shared = int(target)
            continue
        if before != target:
            holders[before] -= 1
        old = kept[before]
        for i in range(d):
            line[i] = share * old[i] + weight * vector[i]
        kept_days[target] = share * kept_days[before] + weight * n_days
        shares[row] = 1.0
    return n_missing


@kernel
def spread_rows(vectors: Floats, at: Places, shares: Floats) -> Floats:
    """Return shares[r] · vectors[at[r]], one row each."""
    values = np.empty((at.size, vectors.shape[1]))
    for row in range(at.size):
        line, vector, share = values[row], vectors[at[row]], shares[row]
        for i in range(line.size):
            line[i] = share * vector[i]
    return values


@kernel
def sum_chosen(vector: Floats, row: Words, elements: Integers) -> float:
    """Return vector · M for one packed action; ``elements`` is room for its elements."""
    total = 0.0
    for j in range(elements_of(row, elements)):
        total += vector[elements[j]]
    return total


@kernel
def dot_rows(vectors: Floats, at: Places, words: Words) -> Floats:
    """Return vectors[at[r]] · M[r] for packed actions M."""
    result, elements = np.empty(at.size), np.empty(vectors.shape[1], dtype=np.int64)
    for row in range(at.size):
        result[row] = sum_chosen(vectors[at[row]], words[row], elements)
    return result


@kernel
def pool_pieces(
    pools: Floats,
    gains: Floats,
    counts: Integers,
    words: Words,
    weights: Floats,
    vectors: Floats,
    at: Places,
    bests: Floats,
) -> None:
    """Pool actions with weights[i] · vectors[at[i]] each; ``bests`` are max vectors·M'."""
    elements = np.empty(vectors.shape[1], dtype=np.int64)
    for index in range(at.size):
        vector, weight = vectors[at[index]], weights[index]
        place = pool_at(words[index], counts.size)
        pool = pools[place]
        for i in range(vector.size):
            pool[i] += weight * vector[i]
        gains[place] += weight * (bests[at[index]] - sum_chosen(vector, words[index], elements))
        counts[place] += 1
