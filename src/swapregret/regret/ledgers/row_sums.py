"""Packed actions and reward vectors: actions told apart by hashing, sums over pieces, rows and pools, best answers.

An action is packed into 64-bit words, element i as bit i mod 64 of word i div 64. Actions are found by open addressing:
``slots`` holds row + 1, or 0 where it is empty; its length is a power of two, at least twice the number of rows.
"""

from typing import NamedTuple, TypeVar

import numpy as np
import numpy.typing as npt

from swapregret.actions.action_set import ActionSet
from swapregret.arrays import AnyArray, Flags, Floats, Integers, Matrix, Vector, Words
from swapregret.compiled.bits import hash_row, pack_rows, sum_chosen
from swapregret.compiled.kernel import kernel

_Array = TypeVar("_Array", bound=AnyArray)
RowNumbers = npt.NDArray[np.int32]
"""Numbers of pieces, rows and vectors; half as wide as others, since there are many of them."""
CHUNK = 2**10
"""Vectors answered at a time: what is made of them on the way stays in the cache."""


def read_only(array: _Array) -> _Array:
    """Return a read-only view: what kernels only read is always passed so, and each compiles once."""
    view = array.view()
    view.flags.writeable = False
    return view


def all_rows(n: int) -> RowNumbers:
    """Return 0, 1, …, n − 1: row i has vector i."""
    return read_only(np.arange(n, dtype=np.int32))


class PieceLog(NamedTuple):
    """Room for P pieces of actions of W words and for K vectors; entries are only ever added, so any beginning of it is a value.

    ``counts`` are the pieces and vectors in use; the other fields as of ``closed_ledger.Rows``.
    """

    counts: Integers
    words: Words
    at: RowNumbers
    shares: Floats
    vectors: Floats
    vector_days: Floats


@kernel
def append_policy(log: PieceLog, words: Words, weights: Floats, vector: Floats, n_days: float) -> None:
    """Add a policy that was played for ``n_days`` days to a log with room for it: a vector, and a piece per action it plays."""
    n, k = log.counts[0], log.counts[1]
    for index in range(weights.size):
        if weights[index] == 0.0:
            continue
        for w in range(words.shape[1]):
            log.words[n, w] = words[index, w]
        log.at[n] = k
        log.shares[n] = weights[index]
        n += 1
    log.vectors[k] = vector
    log.vector_days[k] = n_days
    log.counts[0] = n
    log.counts[1] = k + 1


@kernel
def distinct_rows(words: Words) -> tuple[RowNumbers, RowNumbers]:
    """Return where each action comes first, in that order, and the row of every piece: its action's place in this order."""
    n_slots = 16
    while n_slots < 2 * words.shape[0]:
        n_slots *= 2
    slots = np.zeros(n_slots, dtype=np.int32)
    firsts, rows = np.empty(words.shape[0], dtype=np.int32), np.empty(words.shape[0], dtype=np.int32)
    n_rows = 0
    for index in range(words.shape[0]):
        place, row = hash_row(words[index]) & (n_slots - 1), -1
        while row < 0:
            first = slots[place] - 1
            if first < 0:
                row = n_rows
                slots[place] = index + 1
                firsts[row] = index
                n_rows += 1
                break
            row = rows[first]
            for w in range(words.shape[1]):
                if words[first, w] != words[index, w]:
                    row = -1
            place = (place + 1) & (n_slots - 1)
        rows[index] = row
    return firsts[:n_rows], rows


@kernel
def group_pieces(rows: RowNumbers, n_rows: int) -> tuple[RowNumbers, RowNumbers]:
    """Return the pieces in order of their rows: those of row r are ``order[starts[r]:starts[r + 1]]``, first come first."""
    starts, order = np.zeros(n_rows + 1, dtype=np.int32), np.empty(rows.size, dtype=np.int32)
    for row in rows:
        starts[row + 1] += 1
    for row in range(n_rows):
        starts[row + 1] += starts[row]
    for index in range(rows.size):
        row = rows[index]
        order[starts[row]] = index
        starts[row] += 1
    for row in range(n_rows, 0, -1):
        starts[row] = starts[row - 1]
    starts[0] = 0
    return starts, order


@kernel
def sum_numbers(rows: RowNumbers, n_rows: int, at: RowNumbers, shares: Floats, numbers: Floats) -> Floats:
    """Return Σ shares[i] · numbers[at[i]] over the pieces of every row."""
    sums = np.zeros(n_rows)
    for index in range(rows.size):
        sums[rows[index]] += shares[index] * numbers[at[index]]
    return sums


@kernel
def choose_pieces(which: Integers, starts: RowNumbers, order: RowNumbers, few: int) -> tuple[RowNumbers, Flags]:
    """Return the pieces of some rows, row by row: of those with more than a few only the first, and which these are."""
    n = 0
    for row in which:
        count = starts[row + 1] - starts[row]
        n += 1 if count > few else count
    chosen, is_first = np.empty(n, dtype=np.int32), np.zeros(n, dtype=np.bool_)
    n = 0
    for row in which:
        last = starts[row + 1]
        if last - starts[row] > few:
            last, is_first[n] = starts[row] + 1, True
        for place in range(starts[row], last):
            chosen[n] = order[place]
            n += 1
    return chosen, is_first


@kernel
def row_values(
    which: Integers, starts: RowNumbers, order: RowNumbers, at: RowNumbers, shares: Floats, vectors: Floats
) -> Floats:
    """Return V[M] = Σ shares[i] · vectors[at[i]] over the pieces of some rows."""
    values = np.zeros((which.size, vectors.shape[1]))
    for index in range(which.size):
        line, row = values[index], which[index]
        for place in range(starts[row], starts[row + 1]):
            piece = order[place]
            vector, share = vectors[at[piece]], shares[piece]
            for i in range(line.size):
                line[i] += share * vector[i]
    return values


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
def dot_rows(vectors: Floats, at: RowNumbers, words: Words) -> Floats:
    """Return vectors[at[r]] · M[r] for packed actions M."""
    result, elements = np.empty(at.size), np.empty(vectors.shape[1], dtype=np.int64)
    for row in range(at.size):
        result[row] = sum_chosen(vectors[at[row]], words[row], elements)
    return result


@kernel
def pool_pieces(
    pools: Floats,
    gains: Floats,
    counts: Floats,
    words: Words,
    weights: Floats,
    vectors: Floats,
    at: RowNumbers,
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
        counts[place] += 1.0


def answer_vectors(actions: ActionSet, vectors: Matrix) -> tuple[Words, Vector]:
    """Return the best answer to every vector, packed, and what it earns."""
    words, best = np.empty((len(vectors), -(-actions.dimension // 64)), dtype=np.uint64), np.empty(len(vectors))
    for start in range(0, len(vectors), CHUNK):
        here = slice(start, start + CHUNK)
        some = np.ascontiguousarray(vectors[here])
        words[here] = pack_rows(read_only(actions.argmax_many(some)))
        best[here] = dot_each(some, words[here])
    return words, best


def dot_each(vectors: Matrix, words: Words) -> Vector:
    """Return X·M of vectors X and packed actions M, one by one."""
    return dot_rows(read_only(vectors), all_rows(len(vectors)), read_only(words))
