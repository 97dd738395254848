"""Paths made equally long: György's transform of a graph, and the way back."""

from dataclasses import dataclass, field
from typing import TYPE_CHECKING

import numpy as np
import numpy.typing as npt

from swapregret.actions.paths.directed import Digraph
from swapregret.arrays import Action, Edge, Vector, as_vector

if TYPE_CHECKING:
    from swapregret.actions.paths.dag_paths import DagPaths


@dataclass(frozen=True)
class Dummy:
    """A vertex put in ``below`` levels before ``vertex``, where edges that skip levels wait."""

    vertex: object
    below: int


@dataclass(frozen=True, eq=False)
class Levelled:
    """A graph whose paths all have the same length, and how its paths map to those of the original."""

    # the first ``n_original`` coordinates are the original edges in their order; on the others, dummies, rewards are 0
    paths: "DagPaths"
    original: "DagPaths" = field(repr=False)  # the set that was levelled

    @property
    def n_original(self) -> int:
        """How many coordinates are original edges."""
        return self.original.dimension

    @property
    def n_dummies(self) -> int:
        """How many edges (and as many vertices) were put in."""
        return self.paths.dimension - self.n_original

    def to_original(self, action: npt.ArrayLike) -> Action:
        """Read a path of the levelled graph as a path of the original."""
        return self.paths._read_action(action)[: self.n_original].copy()

    def to_levelled(self, action: npt.ArrayLike) -> Action:
        """Write a path of the original as the path of the levelled graph that follows the same edges."""
        return self.paths.argmax(self.lift(2.0 * self.original._read_action(action) - 1.0))

    def lift(self, weights: npt.ArrayLike) -> Vector:
        """Write weights of the original edges as weights of the levelled graph: dummy edges weigh 0."""
        lifted = np.zeros(self.paths.dimension)
        lifted[: self.n_original] = as_vector(weights, self.n_original, "weights")
        return lifted


def level_edges(graph: Digraph) -> list[Edge]:
    """Return the edges of the levelled graph: the original ones redirected, then the dummies.

    The level of a vertex is the length of the longest path to it. An edge that rises by g > 1 levels enters a chain of dummy
    vertices that leads to its head, g − 1 levels below it; all edges into a vertex share one chain. Edges that lie on no path
    stay as they are.

    Notes
    -----
    A vertex at level ℓ has at most ℓ − 1 dummies, in total at most (K − 2)(|V| − 2) + 1 for paths of at most K edges
    (György et al. 2007).
    """
    edges = list(graph.edges)
    longest: dict[int, int] = {}
    for u, v, index in zip(graph.tail.tolist(), graph.head.tolist(), graph.edge.tolist(), strict=True):
        skipped = int(graph.level[v] - graph.level[u]) - 1
        if skipped > 0:
            edges[index] = (graph.vertices[u], Dummy(graph.vertices[v], skipped))
            longest[v] = max(longest.get(v, 0), skipped)
    for v in sorted(longest):
        name = graph.vertices[v]
        for below in range(longest[v], 0, -1):
            edges.append((Dummy(name, below), Dummy(name, below - 1) if below > 1 else name))
    return edges
