r"""Pooling: what was seen while two elements were recommended together.

Where actions are rarely repeated V[a] alone knows little. The mean over the pairs {i, j} ⊂ a of the reward vector
conditional on "i and j recommended" is what V[a] is shrunk towards. Memory is d³, so above 48 elements it is switched off.

May touch: ``arrays``, ``kernels.swap_filter``.
"""

from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from swapregret.arrays import Matrix, Vector
from swapregret.kernels.swap_filter import add_to_pairs

__all__ = ["LARGEST_DIMENSION", "PairMeans"]

LARGEST_DIMENSION = 48


@dataclass(frozen=True, eq=False)
class PairMeans:
    """Sums over pairs i > j, as a value.

    Attributes
    ----------
    values : array, shape (d, d, d)
        V2, the sum of c·E over recommendations, c the probability of the pair.
    counts, squares : Matrix, shape (d, d)
        N2 and q2: Σ c·n and Σ c²·n². Size 0 where pooling is off.
    """

    values: npt.NDArray[np.float64]
    counts: Matrix
    squares: Matrix

    @classmethod
    def start(cls, dimension: int) -> "PairMeans":
        """Return empty sums, or none at all above 48 elements."""
        d = dimension
        if d > LARGEST_DIMENSION:
            return cls.none()
        return cls(np.zeros((d, d, d)), np.zeros((d, d)), np.zeros((d, d)))

    @classmethod
    def none(cls) -> "PairMeans":
        """Return sums that stay empty: no pooling."""
        return cls(np.zeros((0, 0, 0)), np.zeros((0, 0)), np.zeros((0, 0)))

    def add(self, pairs: Matrix, vector: Vector, count: float, square: float) -> "PairMeans":
        """Return sums with one recommendation period added: pair probabilities, Σ w X, Σ w, Σ w²."""
        made = self.copy()
        made.enter(pairs, vector, count, square)
        return made

    def copy(self) -> "PairMeans":
        """Return sums with arrays of their own."""
        if self.counts.size == 0:
            return self
        return PairMeans(self.values.copy(), self.counts.copy(), self.squares.copy())

    def enter(self, pairs: Matrix, vector: Vector, count: float, square: float) -> None:
        """Do the same in place: for whoever holds the sums alone."""
        if self.counts.size > 0:
            add_to_pairs(self.values, self.counts, self.squares, pairs, vector, count, square)
