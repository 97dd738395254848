r"""A policy with a list of actions, in one order, and weights on a grid.

Weights are multiples of :math:`2^{-52}` that add up to 1 in integers. Every partial sum of such weights is a float without
rounding, so ``weights.sum() == 1.0`` exactly and in any order.
"""

from functools import cached_property
from typing import Self

import numpy as np
import numpy.typing as npt

from swapregret.arrays import Action, Actions, Matrix, Vector, Words, frozen, real_numbers
from swapregret.compiled.bits import pack_rows
from swapregret.errors import InvalidInput
from swapregret.files.held import Held, held_array, held_chances
from swapregret.policy.policy import Policy, once

GRID = 2**52
_SUM_TOLERANCE = 1e-9


def on_grid(weights: npt.ArrayLike) -> Vector:
    """Round a probability vector to multiples of 2⁻⁵² whose sum is exactly 1.

    Each weight moves by less than 2⁻⁵²; what is left over goes to the largest weight, the first of them on a tie.
    """
    try:
        array = real_numbers(weights)
    except (TypeError, ValueError, OverflowError):
        array = np.empty(0)
    total = float(array.sum()) if array.size else 0.0
    if array.ndim != 1 or not np.isfinite(array).all() or (array < 0).any() or abs(total - 1.0) > _SUM_TOLERANCE:
        raise InvalidInput(
            "`weights` must be a vector of non-negative numbers that add up to 1",
            f"shape {array.shape}, sum {total!r}, least {array.min(initial=0.0)!r}",
            "Divide the weights by their sum.",
        )
    units = np.floor(array * GRID).astype(np.int64)
    if abs(GRID - int(units.sum())) > 4 * array.size:  # off by more than rounding: the sum is not quite 1
        units = np.floor(array * (GRID / total)).astype(np.int64)
    units[int(np.argmax(units))] += GRID - int(units.sum())
    return units / GRID


def canonical_order(rows: Actions) -> npt.NDArray[np.int64]:
    """Return what sorts 0/1 rows canonically: by their packed bits, the last coordinate most significant."""
    packed = np.packbits(rows.astype(np.uint8), axis=1, bitorder="little")
    keys = np.ascontiguousarray(packed[:, ::-1])
    return np.argsort(keys.view(f"V{keys.shape[1]}").ravel(), kind="stable")


class FinitePolicy(Policy):
    """A policy given by its atoms, the actions it may draw, and their weights.

    Parameters
    ----------
    atoms : array_like, shape (n, dimension)
        Actions; duplicates are merged, the order does not matter.
    weights : array_like, shape (n,)
        Their probabilities. Atoms of weight below 2⁻⁵² are dropped.

    Notes
    -----
    Canonical order is lexicographic with the last coordinate most significant, i.e. the order of the packed bits
    read as a little-endian integer.

    Examples
    --------
    >>> policy = FinitePolicy([[1, 0], [0, 1], [1, 0]], [.25, .5, .25])
    >>> policy.atoms.tolist(), policy.weights.tolist()
    ([[1, 0], [0, 1]], [0.5, 0.5])
    >>> policy.second_moment([1., 0.]).tolist()
    [0.5, 0.0]
    """

    made_of = ("_atoms", "_weights")
    has_atoms = True

    def __init__(self, atoms: npt.ArrayLike, weights: npt.ArrayLike) -> None:
        try:
            rows, mass = np.asarray(atoms), real_numbers(weights)
        except (TypeError, ValueError, OverflowError):
            rows, mass = np.empty(0), np.empty(0)
        if rows.ndim != 2 or len(rows) == 0 or mass.shape != (len(rows),):
            raise InvalidInput(
                "`atoms` must be a non-empty list of actions with one weight each",
                f"atoms of shape {rows.shape}, weights of shape {mass.shape}",
                "Pass one row and one weight per action.",
            )
        if rows.dtype.kind not in "biuf" or not ((rows == 0) | (rows == 1)).all():
            raise InvalidInput(
                "`atoms` must contain only 0 and 1", "other values", "An atom is the indicator vector of an action."
            )
        if (mass < 0.0).any():
            raise InvalidInput("`weights` must not be negative", f"{float(mass.min())!r}", "A weight is a probability.")
        rows = rows.astype(np.int64)
        order = canonical_order(rows)
        rows, mass = rows[order], mass[order]
        is_new = np.ones(len(rows), dtype=bool)
        is_new[1:] = (rows[1:] != rows[:-1]).any(axis=1)
        if not is_new.all():
            mass = np.add.reduceat(mass, np.flatnonzero(is_new))
            rows = rows[is_new]
        mass = on_grid(mass)
        keep = mass > 0.0
        self._atoms: Actions = frozen(np.ascontiguousarray(rows[keep]))
        self._weights: Vector = frozen(mass[keep])
        self._cumulative: Vector = frozen(np.cumsum(self._weights))
        self.dimension = rows.shape[1]

    def reweighted(self, weights: npt.ArrayLike) -> "FinitePolicy":
        """Return the policy with other weights on the same atoms, without sorting or copying them.

        A learner that lists all actions makes one such policy per day, and all of them share one table; only where a weight
        is below 2⁻⁵² is the list shortened.
        """
        mass = on_grid(weights)
        if mass.shape != self._weights.shape:
            raise InvalidInput(
                f"`weights` must have shape {self._weights.shape}, one for each atom",
                f"shape {mass.shape}",
                "Pass a weight for every atom, 0 where it is not played.",
            )
        policy = object.__new__(FinitePolicy)
        policy.dimension = self.dimension
        if mass.min() > 0.0:
            policy._atoms, policy._weights = self._atoms, frozen(mass)
            policy.__dict__["_table"] = self._table
        else:
            policy._atoms, policy._weights = frozen(self._atoms[mass > 0.0]), frozen(mass[mass > 0.0])
        policy._cumulative = frozen(np.cumsum(policy._weights))
        return policy

    @property
    def atoms(self) -> Actions:
        """Return the support, one action per row, in canonical order."""
        return self._atoms

    @property
    def weights(self) -> Vector:
        """Return the probability of each atom; they add up to exactly 1."""
        return self._weights

    def finite(self) -> "FinitePolicy":
        """Return the policy itself."""
        return self

    def sample(self, rng: np.random.Generator) -> Action:
        """Draw one action by inversion: one uniform number per draw."""
        row: Action = self._atoms[int(self._cumulative.searchsorted(rng.random(), side="right"))]
        return row

    def sample_many(self, rng: np.random.Generator, count: int) -> Actions:
        """Draw actions, one per row, all at once."""
        rows: Actions = self._atoms[np.searchsorted(self._cumulative, rng.random(count), side="right")]
        return rows

    @cached_property
    def _table(self) -> "_Table":
        return _Table(self._atoms)

    def packed_support(self) -> tuple[Words, Vector]:
        """List the atoms as packed bits, with their weights."""
        return self._table.words, self._weights

    @once
    def marginals(self) -> Vector:
        """E[M], exact: each entry is a sum of grid weights."""
        return self._weights @ self._table.floats

    def second_moment(self, vector: Vector) -> Vector:
        """E[M (M·v)] in O(support · dimension)."""
        rows = self._table.floats
        return np.asarray((self._weights * (rows @ vector)) @ rows)

    @once
    def cooccurrence(self) -> Matrix:
        """Σ = E[M Mᵀ], computed once and exact: each entry is a sum of grid weights."""
        rows = self._table.floats
        return (rows.T * self._weights) @ rows

    def __eq__(self, other: object) -> bool:
        return (
            isinstance(other, FinitePolicy)
            and np.array_equal(self._atoms, other._atoms)
            and np.array_equal(self._weights, other._weights)
        )

    def __hash__(self) -> int:
        return hash((self._atoms.tobytes(), self._weights.tobytes()))

    def __repr__(self) -> str:
        return f"FinitePolicy({len(self._weights)} atoms in dimension {self.dimension})"

    @classmethod
    def of_held(cls, held: Held, most: int) -> Self:
        """Return the policy that a file holds, its numbers checked: in range, and fitting each other."""
        weights = held_chances(held, "_weights")
        return cls(held_array(held, "_atoms", "int64", (len(weights), None), 0, 1), weights)


class _Table:
    """A list of actions in other forms, made when they are first needed; policies with the same atoms share it."""

    def __init__(self, atoms: Actions) -> None:
        self._atoms = atoms

    @cached_property
    def floats(self) -> Matrix:
        return frozen(self._atoms.astype(np.float64))

    @cached_property
    def words(self) -> Words:
        return frozen(pack_rows(self._atoms))
