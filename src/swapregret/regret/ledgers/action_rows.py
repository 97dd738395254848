"""The rows of a ledger while it is written: a log of pieces, in bounded memory.

Recording only adds to a log; actions are told apart when the log is read. From time to time the log is *folded*: an action with
several pieces gets one vector of its own. That happens where it saves at least three quarters of the memory, and at the latest
when the log has twice as many pieces or vectors as may stay.

Past ``capacity`` vectors, the actions that were played least are *pooled*: every action belongs to one of ``n_pools`` pools (a
fixed partition by hash), its vector is added to the pool's, and its best answer is taken at once, on its own (*split*): one
oracle call for each vector that leaves. Splitting can only raise Σ_M max V[M]·M', pooling can only lower it, so the two ends
bracket it.
"""

from copy import copy

import numpy as np
import numpy.typing as npt

from swapregret.actions.action_set import ActionSet
from swapregret.arrays import Matrix, Vector, Words, frozen
from swapregret.errors import InvalidInput
from swapregret.regret.ledgers.closed_ledger import Pooled, Rows, empty_pools, numbered
from swapregret.regret.ledgers.row_sums import (
    CHUNK,
    PieceLog,
    RowNumbers,
    all_rows,
    answer_vectors,
    append_policy,
    distinct_rows,
    pool_of,
    pool_pieces,
    read_only,
)

_FIRST_PIECES, _FIRST_BYTES = 2**14, 2**18
_GROWTH = 16
_DAYS = 2**12
_PARTS, _SAVING = 16, 4
_MOST_POOLS = 4096


class ActionRows:
    """A log of what policies gave to actions; folds what it can, pools what exceeds its capacity.

    Parameters
    ----------
    actions : ActionSet
        Its oracle is asked for the best answer to what is pooled.
    capacity : int
        Most vectors. There may be more rows: as many as fit into the memory of the vectors. Between two folds the log may have
        twice as many of both.
    """

    def __init__(self, actions: ActionSet, capacity: int) -> None:
        d = actions.dimension
        self._actions, self._capacity = actions, capacity
        self._most_rows = capacity * max(1, d // 8)  # a row takes at most as much as eight numbers of a vector
        self._n_pools = min(max(1, capacity // 4), _MOST_POOLS)
        self._pooled = empty_pools(0, d)
        # of the rows the log begins with; new rows are whole as long as nothing was pooled
        self._whole = np.zeros(0, dtype=np.bool_)
        self.log = _log(0, 0, d)
        self._fill(self.pieces())

    def add_policy(self, words: Words, weights: Vector, vector: Vector, n_days: float) -> None:
        """Add weight · vector to every atom of a policy held for ``n_days`` days."""
        self.make_room(len(words), 1)
        append_policy(self.log, read_only(words), read_only(weights), read_only(vector), n_days)

    def add_days(self, words: Words, vectors: Matrix) -> None:
        """Add one vector to each of a list of actions, one day each."""
        for start in range(0, len(words), _DAYS):
            some, days = words[start : start + _DAYS], vectors[start : start + _DAYS]
            m = len(some)
            self.make_room(m, m)
            log, (n, k) = self.log, self.log.counts.tolist()
            log.words[n : n + m], log.at[n : n + m], log.shares[n : n + m] = some, np.arange(k, k + m), 1.0
            log.vectors[k : k + m], log.vector_days[k : k + m] = days, 1.0
            log.counts[:] = n + m, k + m

    def make_room(self, n_pieces: int, n_vectors: int) -> None:
        """Make room in the log for ``n_pieces`` and ``n_vectors`` more: fold it, or move it to larger arrays."""
        n, k = self.log.counts.tolist()
        if n + n_pieces <= len(self.log.at) and k + n_vectors <= len(self.log.vectors):
            return
        is_full = n + n_pieces > 2 * self._most_rows or k + n_vectors > 2 * self._capacity
        rows = self._settled() if is_full or self._is_worth_folding() else self.pieces()
        self._fill(rows, n_pieces, n_vectors)

    def is_above(self, n_bytes: float) -> bool:
        """Tell whether what ``lend`` would return takes more than ``n_bytes``, without making it."""
        return self.pieces().nbytes > n_bytes and not self._is_worth_folding()

    def lend(self) -> tuple[Rows, Pooled]:
        """Return all rows, in the order they came, and what was pooled; both are values, and recording may go on."""
        n, k = self.log.counts.tolist()
        table, is_over = copy(self), n > self._most_rows or k > self._capacity
        is_settled = is_over or self._pooled.n_pools > 0 or self._is_worth_folding()
        rows = table._settled() if is_settled else self.pieces()
        return rows, table._pooled

    def begin(self, rows: Rows, pooled: Pooled) -> None:
        """Begin with what a table of the same capacity has lent."""
        if pooled.n_pools not in (0, self._n_pools):
            raise InvalidInput(
                f"a ledger of capacity {self._capacity:,} must have {self._n_pools} pools, or none",
                str(pooled.n_pools),
                "Restore the file from a copy.",
            )
        self._pooled = pooled
        if pooled.n_pools:
            self._whole = rows.whole
        self._fill(rows)

    def _fill(self, rows: Rows, n_pieces: int = 0, n_vectors: int = 0) -> None:
        """Begin a log with some rows and room for so many more, at least; room that is not yet used costs no memory."""
        n, k, d = len(rows.words), len(rows.vectors), self._actions.dimension
        pieces = min(2 * self._most_rows, max(_FIRST_PIECES, _GROWTH * n))
        vectors = min(2 * self._capacity, max(_FIRST_BYTES // (8 * d), _GROWTH * k, 1))
        self.log = _log(max(pieces, n + n_pieces), max(vectors, k + n_vectors), d)
        for name in ("words", "at", "shares", "vectors", "vector_days"):
            given = getattr(rows, name)
            getattr(self.log, name)[: len(given)] = given
        self.log.counts[:] = n, k

    def pieces(self) -> Rows:
        """Return what is in the log; it stays as it is, since a log is only added to."""
        log, (n, k) = self.log, self.log.counts.tolist()
        words, at, shares = read_only(log.words[:n]), read_only(log.at[:n]), read_only(log.shares[:n])
        vectors, days = read_only(log.vectors[:k]), read_only(log.vector_days[:k])
        return Rows(words, at, shares, np.broadcast_to(np.True_, n), vectors, days)

    def _is_worth_folding(self) -> bool:
        """Tell whether one vector per action would take a fourth of the log's memory or less; one action in 16 is looked at."""
        rows, d = self.pieces(), self._actions.dimension
        n_rows = _PARTS * len(distinct_rows(read_only(rows.words[pool_of(rows.words, _PARTS) == 0]))[0])
        return _SAVING * n_rows * (8 * d + rows.nbytes // max(1, len(rows.words))) <= rows.nbytes

    def _settled(self) -> Rows:
        """Fold the rows, and pool those that have no room; return the folded ones."""
        rows, n_old = self.pieces(), len(self._whole)
        fresh = np.ones(len(rows) - n_old, dtype=np.bool_)
        if self._pooled.n_pools:  # a new row is whole if nothing was pooled yet where its action would have gone
            fresh = self._pooled.counts[pool_of(read_only(rows.words[rows.firsts[n_old:]]), self._n_pools)] == 0.0
        whole = np.concatenate([self._whole, fresh])
        # a few pieces take less memory than a vector, as long as the vectors of policies have room
        few = 1 + 8 * self._actions.dimension // (8 * rows.words.shape[1] + 12)
        ways = (few, 1) if 2 * len(rows.vectors) <= self._capacity else (1,)
        for few in ways:
            kept, gone = self.most_played(rows, few, self._most_rows)
            if len(gone) == 0:
                break
        else:  # keep fewer pieces than there is room for, so that it is rare, and what was played most
            fewer = max(self._capacity, self._most_rows // 2)
            found = [(*self.most_played(rows, few, fewer), few) for few in ways]
            kept, gone, few = max(found, key=lambda each: float(rows.days[each[0]].sum()))
            self._pool(rows, gone)
        self._whole = whole[kept]
        return rows.folded(kept, few, whole)

    def most_played(self, rows: Rows, few: int, most: int) -> tuple[npt.NDArray[np.int64], npt.NDArray[np.int64]]:
        """Return the rows that have room, those played most, and the others: those of more than a few pieces are folded."""
        order = np.argsort(rows.days, kind="stable")[::-1]
        counts = rows.counts[order]
        is_new, n_shared = counts > few, len(rows.vectors)
        n_pieces = np.cumsum(np.where(is_new, np.int32(1), counts))
        if few == 1:  # what rows of one piece share counts where it comes first
            lone, n_shared = np.flatnonzero(~is_new), 0
            is_new[lone[np.unique(rows.at[rows.firsts[order[lone]]], return_index=True)[1]]] = True
        n_kept = int(((n_pieces <= most) & (n_shared + np.cumsum(is_new) <= self._capacity)).sum())
        return np.sort(order[:n_kept]), order[n_kept:]

    def _pool(self, rows: Rows, gone: npt.NDArray[np.int64]) -> None:
        old = self._pooled if self._pooled.n_pools else empty_pools(self._n_pools, self._actions.dimension)
        pools, split = (np.array(old.values), np.array(old.gains), np.array(old.counts)), old.split
        is_lone = rows.counts[gone] == 1
        lone, several = gone[is_lone], gone[~is_lone]
        used = numbered(rows.at[rows.firsts[lone]], len(rows.vectors))[0]
        bests = np.zeros(len(rows.vectors))
        bests[used] = answer_vectors(self._actions, rows.vectors[used])[1]
        for start in range(0, len(lone), _DAYS):
            pieces = rows.firsts[lone[start : start + _DAYS]]
            some = rows.words[pieces], rows.shares[pieces], rows.vectors, rows.at[pieces]
            split += _split_off(pools, *some, bests)
        for start in range(0, len(several), CHUNK):
            here = several[start : start + CHUNK]
            vectors = rows.some(here)
            some = rows.words[rows.firsts[here]], np.ones(len(here)), vectors, all_rows(len(here))
            split += _split_off(pools, *some, answer_vectors(self._actions, vectors)[1])
        values, gains, counts = map(frozen, pools)
        self._pooled = Pooled(values, gains, counts, split)


def _split_off(
    pools: tuple[Matrix, Vector, Vector], words: Words, weights: Vector, vectors: Matrix, at: RowNumbers, bests: Vector
) -> float:
    """Pool actions with weights[i] · vectors[at[i]] each, ``bests`` being max vectors·M'; return their best answers added up."""
    pool_pieces(*pools, read_only(words), read_only(weights), read_only(vectors), read_only(at), bests)
    return float(weights @ bests[at])


def _log(n_pieces: int, n_vectors: int, dimension: int) -> PieceLog:
    return PieceLog(
        counts=np.zeros(2, dtype=np.int64),
        words=np.zeros((n_pieces, (dimension + 63) // 64), dtype=np.uint64),
        at=np.zeros(n_pieces, dtype=np.int32),
        shares=np.zeros(n_pieces),
        vectors=np.zeros((n_vectors, dimension)),
        vector_days=np.zeros(n_vectors),
    )
