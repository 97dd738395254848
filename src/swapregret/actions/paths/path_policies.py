"""Markov chains over paths, which need no list but have one on small graphs; and read in fewer coordinates."""

from collections.abc import Callable
from dataclasses import dataclass
from functools import cached_property, lru_cache
from typing import Self

import numpy as np
import numpy.typing as npt

from swapregret.actions.paths.directed import Digraph
from swapregret.actions.paths.kernels.dag import (
    best_paths,
    chain_cooccurrence,
    chain_draw,
    chain_flow,
    chain_moment,
    is_path,
)
from swapregret.arrays import Action, Actions, Integers, Matrix, Vector, for_kernel, frozen
from swapregret.compiled.bits import pack_rows
from swapregret.files.held import SLACK, Held, held_array, held_of, held_whole, wrong_policy
from swapregret.policy import FinitePolicy, Policy, canonical_order, once

_LISTED = 10_000


@dataclass(frozen=True, eq=False)
class _AllPaths:
    """The paths of a graph."""

    policy: FinitePolicy  # all of them alike
    words: npt.NDArray[np.uint64]  # its atoms, packed
    # (n, longest) their edges, in the order of the graph; where a path is shorter, the number of edges
    steps: npt.NDArray[np.int64]


@lru_cache(maxsize=8)
def _all_paths(graph: Digraph) -> _AllPaths:
    found = list(graph.walks())
    steps = np.full((len(found), int(graph.level[-1])), graph.head.size)
    rows = np.zeros((len(found), graph.n_edges), dtype=np.int64)
    for row, walk in enumerate(found):
        steps[row, : len(walk)] = walk
        rows[row, graph.edge[walk]] = 1
    order = canonical_order(rows)
    policy = FinitePolicy(rows, np.full(len(rows), 1.0 / len(rows)))
    return _AllPaths(policy, pack_rows(np.array(policy.atoms)), steps[order])


class MarkovPaths(Policy):
    r"""The policy of a walk that leaves each vertex by an edge drawn afresh.

    With :math:`x_e` the probability of edge e, it leaves u by e with probability :math:`x_e / \sum_{e'} x_{e'}` over the edges
    e' that leave u: among the policies with marginals x, the one of greatest entropy.

    Parameters
    ----------
    graph : Digraph
        Numbered as ``read_digraph`` does.
    transition : array, shape (n_usable,)
        The probability of each usable edge, in the graph's order, given that its tail is visited.

    Notes
    -----
    O(E) for the marginals and each product with the second moment; a draw costs the degrees along the path, and takes as many
    random numbers as the longest path has edges. Of graphs with at most 10,000 paths it can list them all, so that regrets
    under it are exact.
    """

    made_of = ("graph", "transition")

    def __init__(self, graph: Digraph, transition: Vector) -> None:
        self.dimension = graph.n_edges
        self.has_atoms = graph.n_paths <= _LISTED
        self.graph = graph
        self.transition: Vector = frozen(np.ascontiguousarray(transition, dtype=np.float64))
        flow, mass = chain_flow(graph.start, graph.head, self.transition)
        self.flow: Vector = frozen(flow)
        self.mass: Vector = frozen(mass)

    def sample(self, rng: np.random.Generator) -> Action:
        """Walk from the source to the sink."""
        graph = self.graph
        uniform = rng.random(int(graph.level[-1]))
        return chain_draw(graph.start, graph.head, graph.edge, self.transition, uniform, self.dimension)

    @once
    def marginals(self) -> Vector:
        """E[M]: the flow."""
        x = np.zeros(self.dimension)
        x[self.graph.edge] = self.flow
        return x

    def second_moment(self, vector: Vector) -> Vector:
        """E[M (M·v)] in O(E), by one pass backwards and one forwards."""
        graph = self.graph
        v = for_kernel(np.asarray(vector, dtype=np.float64))
        return chain_moment(graph.start, graph.head, graph.edge, self.transition, self.flow, self.mass, v)

    @once
    def cooccurrence(self) -> Matrix:
        """Σ in O(E²), computed once."""
        graph = self.graph
        return chain_cooccurrence(graph.start, graph.head, graph.edge, self.transition, self.flow, self.dimension)

    def probabilities(self, actions: Actions) -> Vector:
        """Return the probability of every row that is a path, the product of its transitions; 0 for what is no path."""
        graph, chances = self.graph, np.zeros(len(actions))
        for row, vector in enumerate(np.array(actions, dtype=np.int64)):
            if is_path(graph.start, graph.head, graph.edge, for_kernel(vector)):
                chances[row] = np.prod(self.transition[vector[graph.edge] == 1])
        return chances

    @cached_property
    def _chances(self) -> Vector:
        """The probability of every path, in the order of the table."""
        chance = np.append(self.transition, 1.0)[_all_paths(self.graph).steps].prod(axis=1)
        return frozen(chance / chance.sum())

    def finite(self) -> FinitePolicy:
        """List all paths, where there are at most 10,000."""
        return _all_paths(self.graph).policy.reweighted(self._chances) if self.has_atoms else super().finite()

    def packed_support(self) -> tuple[npt.NDArray[np.uint64], Vector]:
        """List all paths as packed bits with their probabilities, where there are at most 10,000."""
        if not self.has_atoms:
            super().finite()
        words, played = _all_paths(self.graph).words, self._chances > 0.0
        return (words, self._chances) if played.all() else (words[played], self._chances[played])

    def __repr__(self) -> str:
        return f"MarkovPaths(dimension={self.dimension}, vertices={len(self.mass)})"

    @classmethod
    def of_held(cls, held: Held, most: int) -> Self:
        """Return the policy that a file holds, its numbers checked: in range, and fitting each other."""
        graph = held_of(held, "graph", Digraph)
        transition = held_array(held, "transition", "float64", graph.head.shape, 0.0, 1.0 + SLACK)
        leaving = np.add.reduceat(transition, graph.start[:-2])
        if (np.abs(leaving - 1.0) > SLACK).any():
            raise wrong_policy("`transition` that add up to 1 at each vertex", f"{leaving.min()} to {leaving.max()}")
        return cls(graph, transition)


def cover_flow(graph: Digraph, argmax: Callable[[Vector], Action]) -> Vector:
    """Return the mean of paths that together cover all edges, each the one that covers most new ones."""
    visits = np.zeros(graph.n_edges)
    visits[graph.idle] = np.inf
    n_paths = 0
    while not visits.all():
        again = np.minimum(visits, n_paths) * (0.5 / ((int(graph.level[-1]) + 1) * max(n_paths, 1)))
        visits += argmax(np.where(visits == 0.0, 1.0, -again))
        n_paths += 1
    visits[graph.idle] = 0.0
    return visits / n_paths


class ImagePolicy(Policy):
    """The policy of the image of an action: coordinate i of the inner policy becomes coordinate ``image[i]``.

    The paths of the inner policy never have two edges with the same image, and no two paths have the same image. Σ = AΣ'Aᵀ with A
    the 0/1 matrix of the image; each product costs one product of the inner policy.
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
