"""Laws over paths: Markov chains, which need no list but have one on small graphs, and lists of paths with weights."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import cached_property, lru_cache
from typing import Self

import numpy as np
import numpy.typing as npt

from swapregret.actions.paths.directed import Digraph, for_kernel
from swapregret.actions.paths.kernels.chain_draws import (
    chain_cooccurrence,
    chain_draw,
    chain_flow,
    chain_moment,
    draw_chains,
    list_cooccurrence,
    list_marginals,
    list_moment,
)
from swapregret.actions.paths.kernels.chain_pack import chain_wandering
from swapregret.actions.paths.kernels.dag import is_path
from swapregret.arrays import Action, Actions, Integers, Matrix, Vector, frozen
from swapregret.compiled.bits import pack_lists, pack_rows
from swapregret.policy import FinitePolicy, Policy, canonical_order, on_grid, once
from swapregret.policy.held import SLACK, Held, held_array, held_chances, held_of, held_whole, wrong_law

_LISTED = 10_000


@dataclass(frozen=True, eq=False)
class _AllPaths:
    """The paths of a graph.

    Attributes
    ----------
    law : FinitePolicy
        All of them alike.
    words : uint64 array
        Its atoms, packed.
    steps : int64 array, shape (n, longest)
        Their edges, in the order of the graph; where a path is shorter, the number of edges.
    """

    law: FinitePolicy
    words: npt.NDArray[np.uint64]
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
    law = FinitePolicy(rows, np.full(len(rows), 1.0 / len(rows)))
    return _AllPaths(law, pack_rows(np.array(law.atoms)), steps[order])


class MarkovPaths(Policy):
    r"""The law of a walk that leaves each vertex by an edge drawn afresh.

    With :math:`x_e` the probability of edge e, it leaves u by e with probability :math:`x_e / \sum_{e'} x_{e'}` over the edges
    e' that leave u: among the laws with marginals x, the one of greatest entropy.

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

    Examples
    --------
    >>> from swapregret.actions.paths.directed import read_digraph
    >>> graph = read_digraph([("s", "a"), ("a", "t"), ("s", "t")], "s", "t")
    >>> law = MarkovPaths(graph, np.array([.25, .75, 1.]))
    >>> law.marginals(), law.second_moment(np.array([1., 0., 0.]))
    (array([0.25, 0.25, 0.75]), array([0.25, 0.25, 0.  ]))
    """

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

    @cached_property
    def wandering(self) -> float:
        """The expected number of steps the walk would not have foretold: Σ x_e (1 − p_e)."""
        return float(chain_wandering(self.transition, self.flow))

    def sample_many(self, rng: np.random.Generator, count: int) -> Actions:
        """Draw paths, one per row, all at once."""
        graph = self.graph
        longest = int(graph.level[-1])
        return draw_chains(rng, graph.start, graph.head, graph.edge, self.transition, longest, self.dimension, count)

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
        return _all_paths(self.graph).law.reweighted(self._chances) if self.has_atoms else super().finite()

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
        """Return the law that a file holds, its numbers checked: in range, and fitting each other."""
        graph = held_of(held, "graph", Digraph)
        transition = held_array(held, "transition", "float64", graph.head.shape, 0.0, 1.0 + SLACK)
        leaving = np.add.reduceat(transition, graph.start[:-2])
        if (np.abs(leaving - 1.0) > SLACK).any():
            raise wrong_law("`transition` that add up to 1 at each vertex", f"{leaving.min()} to {leaving.max()}")
        return cls(graph, transition)


class PathList(Policy):
    """A law given by paths and their weights, kept as lists of edges.

    Parameters
    ----------
    dimension : int
    first : int64 array, shape (n + 1,)
    path : int32 array
        The coordinates of path a are ``path[first[a]:first[a+1]]``.
    weights : array, shape (n,)
        Their probabilities, which add up to 1.

    Notes
    -----
    Storage and each product with the second moment cost the total length of the paths; the 0/1 table of
    :meth:`finite` is made when it is asked for.

    Examples
    --------
    >>> law = PathList(3, np.array([0, 2, 3]), np.array([0, 1, 2], dtype=np.int32), np.array([.25, .75]))
    >>> law.marginals(), law.atoms.tolist()
    (array([0.25, 0.25, 0.75]), [[1, 1, 0], [0, 0, 1]])
    """

    has_atoms = True

    def __init__(
        self, dimension: int, first: npt.NDArray[np.int64], path: npt.NDArray[np.int32], weights: Vector
    ) -> None:
        self.dimension = dimension
        self.first = frozen(first)
        self.path = frozen(path)
        self.path_weights: Vector = frozen(weights)
        self._cumulative: Vector = frozen(np.cumsum(weights))

    @classmethod
    def averaged(
        cls, dimension: int, parts: Sequence[tuple[Integers, npt.NDArray[np.int32], Integers]], unit: int
    ) -> Self:
        """Return the mean of some lists: where each path begins, its coordinates, and its weight in units."""
        lengths = np.concatenate([np.diff(first) for first, _, _ in parts])
        first = np.concatenate([np.zeros(1, dtype=np.int64), np.cumsum(lengths)])
        path = np.concatenate([path for _, path, _ in parts])
        amount = np.concatenate([amount for _, _, amount in parts])
        return cls(dimension, first, path, on_grid(amount / (unit * len(parts))))

    def sample(self, rng: np.random.Generator) -> Action:
        """Draw one path by inversion: one uniform number per draw."""
        drawn = int(np.searchsorted(self._cumulative, rng.random() * self._cumulative[-1], side="right"))
        action = np.zeros(self.dimension, dtype=np.int64)
        action[self.path[self.first[drawn] : self.first[drawn + 1]]] = 1
        return action

    @once
    def marginals(self) -> Vector:
        """E[M], exact."""
        return list_marginals(self.first, self.path, self.path_weights, self.dimension)

    def second_moment(self, vector: Vector) -> Vector:
        """E[M (M·v)] in the total length of the paths."""
        v = for_kernel(np.asarray(vector, dtype=np.float64))
        return list_moment(self.first, self.path, self.path_weights, v)

    @once
    def cooccurrence(self) -> Matrix:
        """Σ, computed once."""
        return list_cooccurrence(self.first, self.path, self.path_weights, self.dimension)

    @once
    def finite(self) -> FinitePolicy:
        """List the paths as a table of zeros and ones; paths that come twice are merged."""
        rows = np.zeros((len(self.path_weights), self.dimension), dtype=np.int64)
        rows[np.repeat(np.arange(len(rows)), np.diff(self.first)), self.path] = 1
        return FinitePolicy(rows, self.path_weights)

    def packed_support(self) -> tuple[npt.NDArray[np.uint64], Vector]:
        """List the support as packed bits and weights in the total length of the paths; a path may come twice."""
        return pack_lists(self.first, self.path, self.dimension), self.path_weights

    def __repr__(self) -> str:
        return f"PathList({len(self.path_weights)} paths, dimension={self.dimension})"

    @classmethod
    def of_held(cls, held: Held, most: int) -> Self:
        """Return the law that a file holds, its numbers checked: in range, and fitting each other."""
        return cls(*held_paths(held, most))


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


def held_paths(held: Held, most: int) -> tuple[int, Integers, npt.NDArray[np.int32], Vector]:
    """Return what a list of sets of edges in a file is made of: d, where each begins, the edges, the weights."""
    d, weights = held_whole(held, "dimension", most), held_chances(held, "path_weights")
    path = held_array(held, "path", "int32", (None,), 0, d - 1)
    first = held_array(held, "first", "int64", (len(weights) + 1,), 0, len(path))
    if first[0] != 0 or first[-1] != len(path) or (np.diff(first) < 1).any():
        raise wrong_law("where each list begins, in order, as `first`", f"{first!r:.80}")
    return d, first, path, weights
