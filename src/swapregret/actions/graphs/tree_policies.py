r"""Gibbs policies over spanning trees.

A Gibbs policy :math:`p(T) \propto \exp(\sum_{e \in T} s_e)` is determinantal (Burton and Pemantle 1993): with the transfer current
matrix K, a projection of rank n − 1, :math:`P(e \in T) = K_{ee}` and :math:`P(e, f \in T) = K_{ee} K_{ff} - K_{ef}^2`.
"""

from functools import cached_property
from typing import Self

import numpy as np

from swapregret.actions.graphs.kernels.kruskal import is_forest, next_forests
from swapregret.actions.graphs.kernels.spanning_tree_gibbs import (
    draw_by_chain,
    draw_by_walk,
    hang_heaviest,
    reduce_cuts,
    scaled_cuts,
    short_walk,
    tree_marginals,
    tree_moment_on,
    tree_squared,
)
from swapregret.actions.graphs.undirected import UndirectedGraph
from swapregret.arrays import Action, Actions, Integers, Matrix, Vector
from swapregret.files.held import Held, held_of, held_scores
from swapregret.policy import FinitePolicy, Policy, once

_LISTED_EDGES, _LISTED = 64, 10_000
_DENSE = 4096


class GibbsTrees(Policy):
    """The policy p(T) ∝ exp(Σ_{e ∈ T} s_e) over spanning trees, or over forests that span every component.

    Parameters
    ----------
    graph : UndirectedGraph
    scores : array, shape (dimension,)
        s, finite. Zero everywhere is the uniform policy.

    Notes
    -----
    The matrices are built on first use, in O(n²d); K∘K is kept up to 4,096 edges. Sampling needs none of them while random walks
    are short (Wilson 1996); where the scores are so far apart that they might not be, edges are drawn one after the other from
    K = CCᵀ. Both draw from the exact policy. Of at most 10,000 trees, on at most 64 edges, it can list all.
    """

    made_of = ("_graph", "_scores")

    def __init__(self, graph: UndirectedGraph, scores: Vector) -> None:
        self.dimension = len(graph.labels)
        self._graph = graph
        self._scores = np.array(scores, dtype=np.float64)
        self.has_atoms = self.dimension <= _LISTED_EDGES and graph.n_forests <= _LISTED

    @cached_property
    def _rooted(self) -> tuple[Integers, Integers, Integers, Integers]:
        """The heaviest forest, hung from the vertices of largest weight: chosen edges, edges upwards, depths, order."""
        graph = self._graph
        return hang_heaviest(self._scores, graph.rank, graph.tails, graph.heads, *graph.arcs)

    @cached_property
    def _reduced(self) -> tuple[Matrix, float]:
        """R in an orthonormal basis of its row space, one row per edge, and log Z."""
        chosen, up, depths, _ = self._rooted
        columns, logarithm = reduce_cuts(
            scaled_cuts(self._scores, chosen, up, depths, self._graph.tails, self._graph.heads)
        )
        return columns, float(self._scores @ chosen) + 2.0 * logarithm

    @property
    def log_partition(self) -> float:
        """Return log Z = log Σ_T exp(s(T))."""
        return self._reduced[1]

    @once
    def marginals(self) -> Vector:
        """E[M]: weight times effective resistance of each edge."""
        return tree_marginals(self._reduced[0])

    @cached_property
    def _squared(self) -> Matrix:
        """K∘K."""
        matrix = np.empty((self.dimension, self.dimension))
        tree_squared(self._reduced[0], matrix)
        return _whole(matrix)

    def second_moment(self, vector: Vector) -> Vector:
        """E[M (M·v)] = x (x·v) + x∘v − (K∘K) v in O(d²); on large graphs (K∘K) v is the diagonal of C (Cᵀ diag(v) C) Cᵀ."""
        x, v = self.marginals(), np.asarray(vector, dtype=np.float64)
        if self.dimension <= _DENSE:
            product = self._squared @ v
        else:
            C = self._reduced[0]
            product = ((C @ ((C.T * v) @ C)) * C).sum(axis=1)
        return np.asarray(x * (float(x @ v) + v) - product)

    @once
    def cooccurrence(self) -> Matrix:
        """Σ = xxᵀ − K∘K with diagonal x, computed once."""
        matrix = np.empty((self.dimension, self.dimension))
        tree_moment_on(self.marginals().copy(), self._squared, np.arange(self.dimension), matrix)
        return _whole(matrix)

    def probabilities(self, actions: Actions) -> Vector:
        """Return exp(s(T) − log Z) for every row T that is a tree, 0 for anything else."""
        graph, chances = self._graph, np.zeros(len(actions))
        for row, tree in enumerate(np.array(actions, dtype=np.int64)):
            if tree.sum() == graph.rank and is_forest(tree, graph.tails, graph.heads, graph.n_vertices):
                chances[row] = np.exp(self._scores @ tree - self.log_partition)
        return chances

    @cached_property
    def walk(self) -> tuple[Vector, Integers] | None:
        """The steps of the random walk that draws, and the edges upwards that mark its roots; None if it may be long."""
        graph, (_, up, _, order) = self._graph, self._rooted
        steps = short_walk(self._scores, graph.rank, up, order, graph.tails, graph.heads, *graph.arcs[:2])
        return (steps, up) if steps.size else None

    def sample(self, rng: np.random.Generator) -> Action:
        """Draw a tree by Wilson's algorithm, or edge by edge where walks may be long."""
        graph = self._graph
        if self.walk is not None:
            return draw_by_walk(rng, *self.walk, *graph.arcs)
        return draw_by_chain(rng, self._reduced[0], graph.tails, graph.heads, graph.n_vertices)

    def _listed(self) -> FinitePolicy:
        graph = self._graph
        rows = np.empty((graph.n_forests, self.dimension), dtype=np.int64)
        next_forests(
            np.full(graph.rank, -1, dtype=np.int64), graph.tails, graph.heads, graph.n_vertices, graph.rank, rows
        )
        totals = rows @ self._scores
        mass = np.exp(totals - totals.max())
        return FinitePolicy(rows, mass / mass.sum())

    def __repr__(self) -> str:
        return f"GibbsTrees({self._graph.n_vertices} vertices, {self.dimension} edges)"

    @classmethod
    def of_held(cls, held: Held, most: int) -> Self:
        """Return the policy that a file holds, its numbers checked: in range, and fitting each other."""
        graph = held_of(held, "_graph", UndirectedGraph)
        return cls(graph, held_scores(held, (len(graph.labels),)))


def _whole(matrix: Matrix) -> Matrix:
    """Return a symmetric matrix of which only the upper triangle was written."""
    return np.triu(matrix) + np.triu(matrix, 1).T
