"""Laws over paths, read in fewer coordinates: edges that mean the same are one."""

from collections.abc import Callable
from typing import Self

import numpy as np
import numpy.typing as npt

from swapregret.arrays import Action, Actions, Matrix, Vector
from swapregret.policy import FinitePolicy, Policy, once
from swapregret.policy.held import Held, held_array, held_of, held_whole, wrong_law


class ImageLaw(Policy):
    """The law of the image of an action: coordinate i of the inner law becomes coordinate ``image[i]``.

    Parameters
    ----------
    inner : Policy
        A law whose actions never have two coordinates with the same image.
    image : int64 array, shape (inner.dimension,)
        Where each coordinate goes.
    dimension : int
        Number of coordinates of the image.
    inverse : callable, optional
        Gives the only action with a given image, or None; without it, probabilities need the list of the support.

    Notes
    -----
    Σ = AΣ'Aᵀ with A the 0/1 matrix of the image; each product costs one product of the inner law.

    Examples
    --------
    >>> inner = FinitePolicy([[1, 0, 1, 0], [0, 1, 0, 1]], [.5, .5])
    >>> ImageLaw(inner, np.array([0, 1, 2, 2]), 3).marginals()
    array([0.5, 0.5, 1. ])
    """

    def __init__(
        self,
        inner: Policy,
        image: npt.NDArray[np.int64],
        dimension: int,
        inverse: Callable[[Action], Action | None] | None = None,
    ) -> None:
        self.inner = inner
        self.image = image
        self.dimension = dimension
        self.has_atoms = inner.has_atoms
        self._inverse = inverse

    def sample(self, rng: np.random.Generator) -> Action:
        """Draw from the inner law, and read the action in the new coordinates."""
        action = np.zeros(self.dimension, dtype=np.int64)
        action[self.image[self.inner.sample(rng) == 1]] = 1
        return action

    def _collect(self, values: Vector) -> Vector:
        return np.asarray(np.bincount(self.image, weights=values, minlength=self.dimension), dtype=np.float64)

    @once
    def marginals(self) -> Vector:
        """E[M], computed once."""
        return self._collect(self.inner.marginals())

    def second_moment(self, vector: Vector) -> Vector:
        """E[M (M·v)], through the inner law."""
        return self._collect(self.inner.second_moment(np.asarray(vector, dtype=np.float64)[self.image]))

    def probabilities(self, actions: Actions) -> Vector:
        """Return the probability of the action whose image each row is."""
        if self._inverse is None:
            return super().probabilities(actions)
        originals = [self._inverse(action) for action in actions]
        return np.array([0.0 if each is None else self.inner.probability(each) for each in originals])

    @once
    def cooccurrence(self) -> Matrix:
        """Σ from one product per coordinate, computed once."""
        return super().cooccurrence()

    @once
    def finite(self) -> FinitePolicy:
        """List the images of the inner law's support."""
        inner = self.inner.finite()
        rows = np.zeros((len(inner.atoms), self.dimension), dtype=np.int64)
        at, coordinate = np.nonzero(inner.atoms)
        rows[at, self.image[coordinate]] = 1
        return FinitePolicy(rows, inner.weights)

    def __repr__(self) -> str:
        return f"ImageLaw({self.inner!r}, dimension={self.dimension})"

    @classmethod
    def of_held(cls, held: Held, most: int) -> Self:
        """Return the law that a file holds, its numbers checked: in range, and fitting each other."""
        inner, inverse = held_of(held, "inner", Policy), held["_inverse"]
        d = held_whole(held, "dimension", most)
        if not (inverse is None or callable(inverse)):
            raise wrong_law("a method or nothing as `_inverse`", f"{inverse!r:.80}")
        return cls(inner, held_array(held, "image", "int64", (inner.dimension,), 0, d - 1), d, inverse)
