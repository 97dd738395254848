"""A law given by its actions, packed: what members of the pool recommend, and what is played instead.

May touch: ``arrays``, ``policy``, ``kernels``.
"""

from functools import cached_property

import numpy as np
import numpy.typing as npt

from swapregret.arrays import Action, Actions, Matrix, Vector, frozen
from swapregret.kernels.ledger import pack_rows, unpack_rows
from swapregret.kernels.packed_laws import merge_law, packed_marginals, packed_moment, packed_pairs, unpack_action
from swapregret.policy import FinitePolicy, Policy

__all__ = ["ListedLaw"]

Words = npt.NDArray[np.uint64]


class ListedLaw(Policy):
    """What :class:`~swapregret.policy.FinitePolicy` is, with actions as bits and moments summed atom by atom.

    Parameters
    ----------
    words : uint64 array, shape (n, words)
        Packed actions, all different.
    weights : Vector, shape (n,)
        Positive multiples of 2⁻⁵² that add up to 1.
    dimension : int

    Examples
    --------
    >>> law = ListedLaw.of(FinitePolicy([[1, 0, 1], [0, 1, 1]], [.25, .75]))
    >>> law.marginals().tolist(), law.cooccurrence()[0].tolist()
    ([0.25, 0.75, 1.0], [0.25, 0.0, 0.25])
    """

    has_atoms = True

    def __init__(self, words: Words, weights: Vector, dimension: int) -> None:
        self.dimension = dimension
        self.words = words
        self.cumulative: Vector = weights.cumsum()
        self._mass: Vector = frozen(weights)

    @classmethod
    def of(cls, law: Policy) -> "ListedLaw":
        """Return a listed policy as such a law."""
        own = getattr(law, "packed_support", None)
        if own is not None:
            words, weights = own()
        else:
            finite = law.finite()
            words, weights = pack_rows(finite.atoms), finite.weights
        return cls.merged(words, weights, law.dimension)

    @classmethod
    def merged(cls, words: Words, weights: Vector, dimension: int) -> "ListedLaw":
        """Return the law of actions that may come twice, with weights that add up to 1 within rounding."""
        return cls(*merge_law(words, frozen(weights)), dimension)

    def remember(self, marginals: Vector, coordinates: npt.NDArray[np.int64], moment: Matrix | None) -> None:
        """Take over what is known of the law: its marginals, and Σ on some coordinates unless that is None."""
        self.__dict__["_marginals"] = frozen(marginals)
        if moment is not None and len(coordinates) == self.dimension:
            self.__dict__["_pairs"] = frozen(moment)
        elif moment is not None:
            self.__dict__["_on_coordinates"] = coordinates, frozen(moment)

    def sample(self, rng: np.random.Generator) -> Action:
        """Draw one action by inversion: one uniform number a draw."""
        action = np.zeros(self.dimension, dtype=np.int64)
        unpack_action(self.words, int(self.cumulative.searchsorted(rng.random(), side="right")), action)
        return action

    @cached_property
    def _marginals(self) -> Vector:
        return frozen(packed_marginals(self.words, self._mass, self.dimension))

    def marginals(self) -> Vector:
        """E[M], exact: each entry is a sum of grid weights."""
        return self._marginals

    def second_moment(self, vector: Vector) -> Vector:
        """E[M (M·v)] in O(support · dimension)."""
        return packed_moment(self.words, self._mass, np.array(vector, dtype=np.float64))

    @cached_property
    def _pairs(self) -> Matrix:
        return frozen(packed_pairs(self.words, self._mass, np.arange(self.dimension), self.dimension))

    def cooccurrence(self) -> Matrix:
        """Σ = E[M Mᵀ], computed once."""
        return self._pairs

    def _make_cooccurrence_on(self, coordinates: npt.NDArray[np.int64]) -> Matrix:
        places = np.full(self.dimension, -1)
        places[coordinates] = np.arange(len(coordinates))
        return packed_pairs(self.words, self._mass, places, len(coordinates))

    @cached_property
    def _atoms(self) -> Actions:
        return frozen(unpack_rows(self.words, self.dimension))

    @property
    def atoms(self) -> Actions:
        """Return the actions as 0/1 vectors, in the order of the list."""
        return self._atoms

    @property
    def weights(self) -> Vector:
        """Return the probability of each atom; they add up to exactly 1."""
        return self._mass

    def finite(self) -> FinitePolicy:
        """Return the same law with its atoms in canonical order."""
        return self._finite

    @cached_property
    def _finite(self) -> FinitePolicy:
        return FinitePolicy(self._atoms, self._mass)

    def packed_support(self) -> tuple[Words, Vector]:
        """Return the actions, packed, and their weights."""
        return self.words, self._mass

    def __repr__(self) -> str:
        return f"ListedLaw({len(self._mass)} actions in dimension {self.dimension})"
