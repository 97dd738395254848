"""Policies over paths, read in fewer coordinates: edges that mean the same are one."""

from typing import Self

import numpy as np

from swapregret.actions.paths.kernels.dag import best_paths
from swapregret.actions.paths.path_policies import MarkovPaths
from swapregret.arrays import Action, Actions, Integers, Matrix, Vector
from swapregret.files.held import Held, held_array, held_of, held_whole
from swapregret.policy import FinitePolicy, Policy, once


class ImagePolicy(Policy):
    """The policy of the image of an action: coordinate i of the inner policy becomes coordinate ``image[i]``.

    The paths of the inner policy never have two edges with the same image, and no two paths have the same image. Σ = AΣ'Aᵀ with A
    the 0/1 matrix of the image; each product costs one product of the inner policy.

    Examples
    --------
    >>> from swapregret.actions.paths.directed import read_digraph
    >>> inner = MarkovPaths(read_digraph([("s", "a"), ("s", "b"), ("a", "t"), ("b", "t")], "s", "t"), np.array([.5, .5, 1., 1.]))
    >>> ImagePolicy(inner, np.array([0, 1, 2, 2]), 3).marginals()
    array([0.5, 0.5, 1. ])
    """

    made_of = ("inner", "image", "dimension")

    def __init__(self, inner: MarkovPaths, image: Integers, dimension: int) -> None:
        self.inner = inner
        self.image = image
        self.dimension = dimension
        self.has_atoms = inner.has_atoms

    def sample(self, rng: np.random.Generator) -> Action:
        """Draw from the inner policy, and read the action in the new coordinates."""
        action: Action = self._images(self.inner.sample(rng)[None])[0]
        return action

    def _images(self, paths: Actions) -> Actions:
        rows = np.zeros((len(paths), self.dimension), dtype=np.int64)
        at, coordinate = np.nonzero(paths)
        rows[at, self.image[coordinate]] = 1
        return rows

    def _collect(self, values: Vector) -> Vector:
        return np.asarray(np.bincount(self.image, weights=values, minlength=self.dimension), dtype=np.float64)

    @once
    def marginals(self) -> Vector:
        """E[M], computed once."""
        return self._collect(self.inner.marginals())

    def second_moment(self, vector: Vector) -> Vector:
        """E[M (M·v)], through the inner policy."""
        return self._collect(self.inner.second_moment(np.asarray(vector, dtype=np.float64)[self.image]))

    def probabilities(self, actions: Actions) -> Vector:
        """Return the probability of the path whose image each row is: the one that has most edges with an image in it."""
        graph, given = self.inner.graph, np.asarray(actions)
        paths = best_paths(graph.start, graph.head, graph.edge, np.ascontiguousarray(2.0 * given[:, self.image] - 1.0))
        return np.where((self._images(paths) == given).all(axis=1), self.inner.probabilities(paths), 0.0)

    @once
    def cooccurrence(self) -> Matrix:
        """Σ from one product per coordinate, computed once."""
        return super().cooccurrence()

    @once
    def finite(self) -> FinitePolicy:
        """List the images of the inner policy's support."""
        inner = self.inner.finite()
        return FinitePolicy(self._images(inner.atoms), inner.weights)

    def __repr__(self) -> str:
        return f"ImagePolicy({self.inner!r}, dimension={self.dimension})"

    @classmethod
    def of_held(cls, held: Held, most: int) -> Self:
        """Return the policy that a file holds, its numbers checked: in range, and fitting each other."""
        inner, d = held_of(held, "inner", MarkovPaths), held_whole(held, "dimension", most)
        return cls(inner, held_array(held, "image", "int64", (inner.dimension,), 0, d - 1), d)
