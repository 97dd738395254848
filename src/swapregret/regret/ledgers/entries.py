r"""A closed ledger, as a value: for every action played, the rewards of the world while it was.

.. math:: V[M] = \sum_t p_t(M)\,R_t \in \mathbb R^d

is all that any regret against rules "whenever you chose M, choose φ(M)" depends on.
"""

from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from swapregret.arrays import Actions, Matrix, Vector, Words, frozen
from swapregret.compiled.bits import unpack_rows
from swapregret.policy import Policy

__all__ = ["Dropped", "Law", "Ledger", "Pooled", "Rows", "no_pools"]


@dataclass(frozen=True, eq=False)
class Rows:
    """Actions with a vector each: of a run in the order they were first played, of a merged ledger in canonical order.

    Attributes
    ----------
    keys : uint64 array, shape (n, ⌈dimension/64⌉)
        Packed actions.
    values : Matrix, shape (n, dimension)
    days : Vector, shape (n,)
        Σ_t p_t(M): how many days M was played, in expectation.
    whole : bool array, shape (n,)
        Whether all that was recorded of M is in this row.
    """

    keys: Words
    values: Matrix
    days: Vector
    whole: npt.NDArray[np.bool_]

    def __len__(self) -> int:
        return len(self.days)


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
        """Return V[M], one row per action."""
        return self.rows.values


def no_pools(dimension: int) -> Pooled:
    """Return what a table that never reached its capacity has pooled: nothing."""
    return Pooled(
        0, frozen(np.zeros(0, dtype=np.int64)), frozen(np.zeros((0, dimension))), frozen(np.zeros(0)), 0.0, 0.0
    )
