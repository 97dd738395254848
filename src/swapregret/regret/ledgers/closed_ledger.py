r"""A closed ledger, as a value: for every action played, the rewards of the world while it was.

.. math:: V[M] = \sum_t p_t(M)\,R_t \in \mathbb R^d

is all that any regret against rules "whenever you chose M, choose φ(M)" depends on.
"""

from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np
import numpy.typing as npt

from swapregret.arrays import Actions, Matrix, Vector, Words, frozen
from swapregret.compiled.bits import unpack_rows
from swapregret.policy import Policy
from swapregret.regret.ledgers.kernels.row_sums import Places, dot_rows, in_order, reading, spread_rows

__all__ = ["Dropped", "Law", "Ledger", "Pooled", "Rows", "no_pools", "own_rows"]


@dataclass(frozen=True, eq=False)
class Rows:
    """Actions with a vector each: of a run in the order they were first played, of a merged ledger in canonical order.

    Actions that one policy alone has played have parallel vectors and share one: V[M] of row r is ``shares[r] · vectors[at[r]]``.

    Attributes
    ----------
    keys : uint64 array, shape (n, ⌈dimension/64⌉)
        Packed actions.
    vectors : Matrix, shape (k, dimension)
    vector_days : Vector, shape (k,)
        On how many days each vector was met, in expectation.
    at : int32 array, shape (n,)
    shares : Vector, shape (n,)
    whole : bool array, shape (n,)
        Whether all that was recorded of M is in this row.
    """

    keys: Words
    vectors: Matrix
    vector_days: Vector
    at: Places
    shares: Vector
    whole: npt.NDArray[np.bool_]

    def __len__(self) -> int:
        return len(self.at)

    @property
    def days(self) -> Vector:
        """Return Σ_t p_t(M): how many days each action was played, in expectation."""
        return np.asarray(self.shares * self.vector_days[self.at])

    @cached_property
    def values(self) -> Matrix:
        """Return V[M], one row per action."""
        return frozen(self.some(slice(None)))

    @property
    def nbytes(self) -> int:
        """Return how much memory the rows take."""
        return sum(part.nbytes for part in (self.keys, self.vectors, self.at, self.shares))

    def some(self, which: Any) -> Matrix:
        """Return V[M] of some rows."""
        return spread_rows(self.vectors, reading(self.at[which]), reading(self.shares[which]))

    def dot(self, words: Words) -> Vector:
        """Return V[M]·M' for a packed action M' per row."""
        return self.shares * dot_rows(self.vectors, self.at, reading(words))

    def total(self, which: Any) -> Vector:
        """Return the sum of V[M] over some rows."""
        weights = np.bincount(self.at[which], self.shares[which], minlength=len(self.vectors))
        return np.asarray(weights @ self.vectors)


@dataclass(frozen=True, eq=False)
class Pooled:
    """What found no row in a table of bounded memory.

    Attributes
    ----------
    n_pools : int
        Pools there are; an action's pool is a hash of its bits. 0 if nothing was pooled.
    pools : int64 array, shape (k,)
        The pools that are not empty.
    values : Matrix, shape (k, dimension)
        Sum of what was pooled.
    gains : Vector, shape (k,)
        Σ over pieces of (best answer − what the action itself earned).
    split : float
        Σ over pieces of the best answer to the piece alone.
    n_pieces : float
    """

    n_pools: int
    pools: npt.NDArray[np.int64]
    values: Matrix
    gains: Vector
    split: float
    n_pieces: float


@dataclass(frozen=True, eq=False)
class Law:
    """A policy whose support is not listed, with its own Σ_t w_t R_t and Σ_t w_t."""

    policy: Policy
    value: Vector
    days: float


@dataclass(frozen=True, eq=False)
class Dropped:
    """Unlisted policies of which only sums and samples were kept.

    Attributes
    ----------
    highest, lowest : float
        Σ max X·M' and Σ min X·M', a term each policy.
    n_laws : float
    sample_split : float
        Best answers to samples that found no row.
    samples : Rows
        Actions drawn from them, each with its share of X.
    """

    highest: float
    lowest: float
    n_laws: float
    sample_split: float
    samples: Rows


@dataclass(frozen=True, eq=False)
class Ledger:
    """What a recorder has gathered over a run, or the mean of several.

    Attributes
    ----------
    rows : Rows
        V[M] of actions played by policies that list their support.
    pooled : Pooled
        Empty as long as the capacity was not reached.
    laws : tuple of Law
        Policies whose support is not listed.
    dropped : Dropped or None
        Those that were too many to keep.
    total : Vector
        Σ_t R_t.
    earned : float
        Σ_t E_{p_t}[M]·R_t, the expected reward of the play.
    n_days : float
        Days recorded (the mean over replications of a merged ledger).
    capacity : int
    source : str
        "policies", or "realised play".
    """

    rows: Rows
    pooled: Pooled
    laws: tuple[Law, ...]
    dropped: Dropped | None
    total: Vector
    earned: float
    n_days: float
    capacity: int
    source: str = "policies"

    @property
    def actions(self) -> Actions:
        """Return the actions that have a row, one per row."""
        return unpack_rows(self.rows.keys, len(self.total))

    @property
    def values(self) -> Matrix:
        """Return V[M], one row per action; made when first asked for, of what actions share."""
        return self.rows.values


def own_rows(keys: Words, values: Matrix, days: Vector, whole: npt.NDArray[np.bool_]) -> Rows:
    """Return rows with a vector of their own each."""
    return Rows(keys, frozen(values), frozen(days), in_order(len(keys)), frozen(np.ones(len(keys))), whole)


def no_pools(dimension: int) -> Pooled:
    """Return what a table that never reached its capacity has pooled: nothing."""
    return Pooled(
        0, frozen(np.zeros(0, dtype=np.int64)), frozen(np.zeros((0, dimension))), frozen(np.zeros(0)), 0.0, 0.0
    )
