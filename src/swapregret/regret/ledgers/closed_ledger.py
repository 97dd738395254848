r"""A closed ledger, as a value: for every action played, the rewards of the world while it was.

.. math:: V[M] = \sum_t p_t(M)\,R_t \in \mathbb R^d

is all that any regret against rules "whenever you chose M, choose φ(M)" depends on.
"""

from dataclasses import dataclass
from functools import cached_property

import numpy as np
import numpy.typing as npt

from swapregret.arrays import Actions, Matrix, Vector, Words, frozen
from swapregret.compiled.bits import unpack_rows
from swapregret.policy import Policy
from swapregret.regret.ledgers.row_sums import (
    RowNumbers,
    all_rows,
    choose_pieces,
    distinct_rows,
    dot_rows,
    group_pieces,
    read_only,
    row_values,
    sum_numbers,
)


@dataclass(frozen=True, eq=False)
class Rows:
    """Actions with V[M] each, in the order they were first played, as sums of pieces: what one policy gave one action.

    A piece is ``shares[i] · vectors[at[i]]``: all actions of a policy share its vector. Which pieces belong to one action is found
    when it is first needed, since that takes longer than recording them.
    """

    words: Words  # (p, ⌈dimension/64⌉), the packed action of every piece
    at: RowNumbers  # (p,)
    shares: Vector  # (p,)
    intact: npt.NDArray[np.bool_]  # (p,), whether all that was recorded of its action is among the pieces
    vectors: Matrix  # (k, dimension)
    vector_days: Vector  # (k,), on how many days each vector was met, in expectation

    def __len__(self) -> int:
        return len(self.firsts)

    @cached_property
    def _distinct(self) -> tuple[RowNumbers, RowNumbers]:
        return distinct_rows(self.words)

    @property
    def firsts(self) -> RowNumbers:
        """Return the first piece of every row."""
        return self._distinct[0]

    @property
    def places(self) -> RowNumbers:
        """Return the row of every piece."""
        return self._distinct[1]

    @cached_property
    def keys(self) -> Words:
        """Return the packed actions, one per row."""
        return self.words if len(self) == len(self.words) else frozen(self.words[self.firsts])

    @cached_property
    def groups(self) -> tuple[RowNumbers, RowNumbers]:
        """Return where the pieces of each row start, and the pieces in that order."""
        return group_pieces(self.places, len(self))

    @property
    def counts(self) -> RowNumbers:
        """Return how many pieces each row has; those with one only may share its vector."""
        return np.diff(self.groups[0])

    @property
    def whole(self) -> npt.NDArray[np.bool_]:
        """Tell of every row whether all that was recorded of M is in it."""
        return self.intact[self.firsts]

    @cached_property
    def days(self) -> Vector:
        """Return Σ_t p_t(M): how many days each action was played, in expectation."""
        return sum_numbers(self.places, len(self), self.at, self.shares, self.vector_days)

    @cached_property
    def values(self) -> Matrix:
        """Return V[M], one row per action."""
        return frozen(self.some(np.arange(len(self))))

    @property
    def nbytes(self) -> int:
        """Return how much memory the pieces take."""
        return sum(part.nbytes for part in (self.words, self.at, self.shares, self.vectors))

    def some(self, which: npt.NDArray[np.int64] | RowNumbers) -> Matrix:
        """Return V[M] of some rows, given by their numbers."""
        return row_values(which.astype(np.int64, copy=False), *self.groups, self.at, self.shares, self.vectors)

    def dot(self, words: Words) -> Vector:
        """Return V[M]·M' for a packed action M' per row."""
        each = words if len(self) == len(self.words) else words[self.places]
        earned = dot_rows(self.vectors, self.at, read_only(each))
        return sum_numbers(self.places, len(self), all_rows(len(earned)), self.shares, read_only(earned))

    def total(self, which: npt.NDArray[np.bool_] | npt.NDArray[np.int64]) -> Vector:
        """Return the sum of V[M] over some rows."""
        chosen = np.zeros(len(self), dtype=np.bool_)
        chosen[which] = True
        weights = np.bincount(self.at, self.shares * chosen[self.places], minlength=len(self.vectors))
        return np.asarray(weights @ self.vectors)

    def folded(self, which: npt.NDArray[np.int64], few: int, whole: npt.NDArray[np.bool_]) -> "Rows":
        """Return some of the rows: those that have more than a few pieces get a vector of their own, and one piece."""
        pieces, is_own = choose_pieces(which, *self.groups, few)
        several = self.places[pieces[is_own]].astype(np.int64)
        used, places = numbered(self.at[pieces[~is_own]], len(self.vectors))
        at, shares = np.empty(len(pieces), dtype=np.int32), self.shares[pieces]
        at[~is_own], shares[is_own] = places, 1.0
        at[is_own] = len(used) + np.arange(len(several))
        vectors = np.concatenate([self.vectors[used], self.some(several)])
        days = np.concatenate([self.vector_days[used], self.days[several]])
        words, intact = frozen(self.words[pieces]), frozen(whole[self.places[pieces]])
        return Rows(words, frozen(at), frozen(shares), intact, frozen(vectors), frozen(days))


@dataclass(frozen=True, eq=False)
class Pooled:
    """What found no row in a table of bounded memory."""

    values: Matrix  # (n_pools, dimension), what was pooled; an action's pool is a hash of its bits
    gains: Vector  # (n_pools,), Σ over pieces of (best answer − what the action itself earned)
    counts: Vector  # (n_pools,), pieces; the mean over replications of a merged ledger
    split: float  # Σ over pieces of the best answer to the piece alone

    @property
    def n_pools(self) -> int:
        """Return how many pools there are."""
        return len(self.counts)


@dataclass(frozen=True, eq=False)
class Unlisted:
    """A policy whose support is not listed, with its own Σ_t w_t R_t and Σ_t w_t."""

    policy: Policy
    value: Vector
    days: float


@dataclass(frozen=True, eq=False)
class Dropped:
    """Unlisted policies of which only sums and samples were kept."""

    highest: float  # Σ max X·M', one term per policy
    lowest: float  # Σ min X·M'
    n_policies: float
    samples: Rows  # actions drawn from them, each with its share of X
    pooled: Pooled  # samples that found no row


@dataclass(frozen=True, eq=False)
class Ledger:
    """What a recorder has gathered over a run, or the mean of several."""

    rows: Rows  # V[M] of actions played by policies that list their support
    pooled: Pooled  # empty as long as the capacity was not reached
    policies: tuple[Unlisted, ...]  # those whose support is not listed
    dropped: Dropped | None  # those that were too many to keep
    total: Vector  # Σ_t R_t
    earned: float  # Σ_t E_{p_t}[M]·R_t, the expected reward of the play
    n_days: float  # the mean over replications of a merged ledger
    capacity: int
    source: str = "policies"  # "policies", or "realised play"
    products: Matrix | None = None  # Σ_t R_t E_{p_t}[M]ᵀ, for linear swap regret; None for more than 512 elements

    @property
    def actions(self) -> Actions:
        """Return the actions that have a row, one per row."""
        return unpack_rows(self.rows.keys, len(self.total))

    @property
    def values(self) -> Matrix:
        """Return V[M], one row per action; made when first asked for, of what actions share."""
        return self.rows.values


def numbered(at: RowNumbers, n: int) -> tuple[npt.NDArray[np.int64], RowNumbers]:
    """Return which of n vectors the pieces use, and for each piece the place of its vector among these."""
    used = np.flatnonzero(np.bincount(at, minlength=n))
    place = np.empty(n, dtype=np.int32)
    place[used] = np.arange(len(used), dtype=np.int32)
    return used, place[at]


def empty_pools(n_pools: int, dimension: int) -> Pooled:
    """Return pools with nothing in them; none, for a table that never reached its capacity."""
    return Pooled(frozen(np.zeros((n_pools, dimension))), frozen(np.zeros(n_pools)), frozen(np.zeros(n_pools)), 0.0)
