"""k-forests: choose k edges of a graph without closing a cycle."""

import math
from collections.abc import Hashable, Iterable, Sequence
from functools import cached_property
from pathlib import Path

import numpy as np
import numpy.typing as npt

from swapregret.actions.graphs.graphic_bases import GraphicBases
from swapregret.actions.graphs.tree_policies import GibbsTrees
from swapregret.actions.labelled import ENUMERATION_LIMIT, SpecValues
from swapregret.arrays import Edge, Integers, Label, as_integer, as_vector
from swapregret.errors import InvalidInput, Unsupported
from swapregret.policy import FinitePolicy, Policy


class Forests(GraphicBases):
    """The forests of exactly ``size`` edges of a graph, one coordinate per edge.

    Parameters
    ----------
    edges : iterable of pairs, Network, or networkx graph
        Two vertices each, any hashable values. Parallel edges are fine, self-loops are refused; the graph need not be connected.
    size : int
        k, from 1 to the rank of the graph, i.e. its vertices minus its components.
    vertices : iterable of hashable, optional
        All vertices, if some have no edges or their order matters.
    labels : sequence of hashable, optional
        Names of the edges; by default the pairs given, with a running number where edges are parallel.

    Notes
    -----
    Costs are those of ``SpanningTrees``; the projection truncates the principal partition,
    the decomposition goes through the trees of a graph with one more vertex. For k below the rank, counting is hard in general:
    ``n_actions`` is None where there are more than 100,000 forests, and there is then no uniform policy. There is no exact
    polynomial Gibbs policy; with k equal to the rank it is that of spanning trees.

    Examples
    --------
    >>> forests = Forests([("a", "b"), ("b", "c"), ("c", "a"), ("x", "y")], size=2)
    >>> forests.n_actions, forests.rank
    (6, 4)
    >>> forests.elements(forests.argmax([1., 2., -3., -1.]))
    (('a', 'b'), ('b', 'c'))
    """

    spec_options = ("edges",)

    @classmethod
    def from_spec(cls, values: SpecValues, folder: Path) -> "Forests":
        """Make the forests of a table's network."""
        from swapregret.networks.graph_files import network_of

        return cls(network_of(values, folder, directed=False).undirected().edges, size=values["size"])

    def __init__(
        self,
        edges: Iterable[Edge],
        size: int,
        *,
        vertices: Iterable[Hashable] | None = None,
        labels: Sequence[Label] | None = None,
    ) -> None:
        graph = self._read(edges, (size,), vertices, labels)
        k = as_integer(size, "size", 1)
        if k > graph.rank:
            raise InvalidInput(
                f"`size` of Forests must be at most {graph.rank}, the number of vertices minus that of components",
                str(k),
                "Choose a smaller size, or join the components by further edges.",
            )
        super().__init__(graph, k)

    def part_on(self, kept: Integers) -> "Forests":
        """Return the forests of the graph with these edges alone."""
        edges, labels = self.edges_of(kept)
        return Forests(edges, self.size, labels=labels)

    @property
    def n_actions(self) -> int | None:
        """Return the exact number of forests, or None if k is below the rank and there are more than 100,000."""
        return super().n_actions if self.is_maximal else self._n_listed

    @cached_property
    def _n_listed(self) -> int | None:
        if math.comb(self._graph.rank, self.size) > ENUMERATION_LIMIT:
            return None
        count = 0
        for _ in self._actions():
            count += 1
            if count > ENUMERATION_LIMIT:
                return None
        return count

    @cached_property
    def has_uniform(self) -> bool:  # type: ignore[override]
        """Whether the forests can be listed, or k is the rank."""
        return self.is_maximal or self._n_listed is not None

    @cached_property
    def has_gibbs(self) -> bool:  # type: ignore[override]
        """Whether k is the rank."""
        return self.is_maximal

    @cached_property
    def _uniform(self) -> Policy:
        """By the list, or that of spanning trees if k is the rank."""
        if self.is_maximal:
            return super()._uniform
        if not self.has_uniform:
            raise Unsupported(
                f"the forests must be at most {ENUMERATION_LIMIT:,} to have an exact uniform policy",
                f"{self!r}, which has more",
                "Use exploration_policy('spanner').",
            )
        rows = self.enumerate()
        return FinitePolicy(rows, np.full(len(rows), 1.0 / len(rows)))

    def gibbs(self, scores: npt.ArrayLike) -> GibbsTrees:
        """Return the policy p(F) ∝ exp(scores · F) if k is the rank; otherwise say why there is none."""
        s = as_vector(scores, self.dimension, "scores")
        if not self.is_maximal:
            raise Unsupported(
                "the set must have an exact Gibbs policy that can be computed in polynomial time",
                f"{self!r}, and to sum over forests of fewer edges than the {self._graph.rank} of a spanning tree is as hard as "
                "counting them, which is #P-hard",
                "Use swap_combcp, which needs only a projection; of size equal to the rank, forests have that of trees.",
            )
        return super().gibbs(s)

    def __repr__(self) -> str:
        return f"Forests({self._graph.n_vertices} vertices, {self.dimension} edges, size={self.size})"
