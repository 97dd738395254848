r"""Forests of a fixed number of edges: what spanning trees and k-forests have in common.

:math:`\mathcal A = \{M \in \{0,1\}^E : M \text{ has no cycle},\ \sum_e M_e = k\}` are the bases of a matroid, so
:math:`\mathrm{conv}(\mathcal A) = \{x \ge 0 : x(E) = k,\ x(E[U]) \le |U| - 1\ \forall U\}`.
"""

from collections.abc import Hashable, Iterable, Iterator, Sequence
from functools import cached_property
from typing import TYPE_CHECKING, Any

import numpy as np
import numpy.typing as npt

from swapregret.actions.action_set import ActionSet
from swapregret.actions.edge_lists import is_networkx, network_edges
from swapregret.actions.graphs.forest_hull import ForestData, Walk, forest_hull
from swapregret.actions.graphs.kernels.kruskal import exchanges, is_forest, next_forests
from swapregret.actions.graphs.kernels.tree_network import ForestGraph
from swapregret.actions.graphs.kernels.tree_partition import mass_unit
from swapregret.actions.graphs.tree_policies import GibbsTrees
from swapregret.actions.graphs.undirected import UndirectedGraph, read_graph, read_networkx
from swapregret.actions.hull import Hull, basis_of
from swapregret.actions.listed_policy import fixed_orders
from swapregret.arrays import Action, Actions, Integers, Label, Matrix, as_vector, for_kernel
from swapregret.geometry.kl import INSIDE
from swapregret.geometry.span import Span
from swapregret.policy import GRID, Policy

if TYPE_CHECKING:
    from swapregret.networks.network import Network

_ORDER_SEED = 0x7EE5
_CHUNK = 1024


class GraphicBases(ActionSet):
    """The forests of ``size`` edges of a graph, from 1 to the rank of the graph."""

    between = " – "

    def __init__(self, graph: UndirectedGraph, size: int) -> None:
        super().__init__(len(graph.labels), size, graph.labels)
        self._graph = graph

    def _read(
        self, edges: Any, size: tuple[int, ...], vertices: Iterable[Hashable] | None, labels: Sequence[Label] | None
    ) -> UndirectedGraph:
        """Read the arguments of a set; of a networkx graph its edges, vertices and labels are remembered."""
        given, edges = edges, network_edges(edges, directed=False)
        if is_networkx(edges):
            edges, vertices, names = read_networkx(edges)
            labels = names if labels is None else labels
        if edges is not given:
            self.arguments = ((edges, *size), {"vertices": vertices, "labels": labels})
        return read_graph(edges, vertices, labels)

    def choice(self, action: npt.ArrayLike) -> tuple[Label, ...]:
        """Read an action as its edges, pairs of vertices; a number follows where edges are parallel.

        Examples
        --------
        >>> from swapregret import SpanningTrees
        >>> SpanningTrees([("a", "b"), ("b", "c"), ("a", "c")], labels=["bus", "train", "ferry"]).choice([1, 0, 1])
        (('a', 'b'), ('a', 'c'))
        """
        names = self._graph.edge_names
        return tuple(names[index] for index in np.flatnonzero(self._read_action(action)))

    @property
    def graph(self) -> UndirectedGraph:
        """Return the graph as the kernels see it."""
        return self._graph

    def network(self) -> "Network":
        """Return the graph, undirected; without vertices that have no edges."""
        from swapregret.networks.network import Network

        tails, heads, names = self._graph.tails.tolist(), self._graph.heads.tolist(), self._graph.vertices
        edges = tuple((names[tail], names[head]) for tail, head in zip(tails, heads, strict=True))
        return Network(edges, directed=False, vertices=names)

    def edges_of(self, kept: Integers) -> tuple[list[tuple[Hashable, Hashable]], list[Label]]:
        """Return some of the edges, and their labels."""
        tails, heads, names = self._graph.tails, self._graph.heads, self._graph.vertices
        return [(names[tails[e]], names[heads[e]]) for e in kept], [self.labels[e] for e in kept]

    @property
    def is_maximal(self) -> bool:
        """Tell whether the forests span every component, i.e. have as many edges as the rank of the graph."""
        return self.size == self._graph.rank

    @property
    def n_actions(self) -> int | None:
        """Return the number of forests that span every component, exact, by the matrix-tree theorem."""
        return self._graph.n_forests

    def uniform_policy(self) -> Policy:
        """Return the uniform policy over all forests."""
        return self._uniform

    @cached_property
    def _uniform(self) -> Policy:
        return GibbsTrees(self._graph, np.zeros(self.dimension))

    def gibbs(self, scores: npt.ArrayLike) -> GibbsTrees:
        """Return the policy p(T) ∝ exp(scores · T), exact for any spread of the scores."""
        return GibbsTrees(self._graph, as_vector(scores, self.dimension, "scores"))

    @property
    def vertices(self) -> tuple[Hashable, ...]:
        """Return the names of the vertices: those with edges, then those without."""
        return self._graph.vertices + self._graph.isolated

    def _is_action(self, vector: Action) -> bool:
        """Tell whether a vector has the right number of edges and no cycle."""
        if int(vector.sum()) != self.size:
            return False
        return bool(is_forest(for_kernel(vector), self._graph.tails, self._graph.heads, self._graph.n_vertices))

    def _actions(self) -> Iterator[Action]:
        graph = self._graph
        state = np.full(self.size, -1, dtype=np.int64)
        count = _CHUNK
        while count == _CHUNK:
            rows = np.empty((_CHUNK, self.dimension), dtype=np.int64)
            count = next_forests(state, graph.tails, graph.heads, graph.n_vertices, self.size, rows)
            yield from rows[:count]

    @cached_property
    def span(self) -> Span:
        """The span in closed form, from the connected components of the matroid.

        In every component the number of chosen edges is the same for all actions, and there are no other relations. So all
        coordinates are independent but one in each component after the first: rank d − n_components + 1.
        """
        graph = self._graph
        base = self.argmax(np.zeros(self.dimension))
        blocks, swaps = exchanges(base, graph.tails, graph.heads, graph.n_vertices)
        names = np.unique(blocks)
        ranks = np.array([base[blocks == name].sum() for name in names])
        first = int(np.argmin(ranks))
        dropped = [np.flatnonzero(blocks == name)[-1] for name in np.delete(names, first)]
        kept = np.setdiff1d(np.arange(self.dimension), dropped)

        def make_lift() -> Matrix:
            lift: Matrix = np.eye(self.dimension)
            for name, rank, edge in zip(np.delete(names, first), np.delete(ranks, first), dropped, strict=True):
                lift[edge, blocks == name] = -1.0
                lift[edge, blocks == names[first]] = rank / ranks[first]
            return np.ascontiguousarray(lift[:, kept])

        def make_basis() -> Actions:
            basis = np.tile(base, (len(swaps) + 1, 1))
            rows = np.arange(1, len(swaps) + 1)
            basis[rows, swaps[:, 0]] = 1
            basis[rows, swaps[:, 1]] = 0
            return basis

        return Span(kept, make_lift, make_basis)

    @property
    def most_atoms(self) -> None:
        """Promise no bound on the atoms of a decomposition: about one or two per coordinate, but not rank + 1."""
        return None

    def hull(self, mu: Policy | None = None, *, variants: int = 1) -> Hull:
        """Return the operations: Kruskal's rule, the principal partition, vertices split off; Gibbs policies by transfer currents.

        Points are listed in multiples of 2⁻⁵² (less on graphs of more than a thousand vertices) that lie in conv(A) exactly: no
        coordinate moves by more than about d·2⁻⁵² plus its own distance from conv(A).
        """
        steps, up = mu.walk if isinstance(mu, GibbsTrees) and mu.walk is not None else (None, None)
        none = np.zeros(0, dtype=np.int64)
        walk = Walk(np.zeros(0) if steps is None else steps, none if up is None else up, *self._graph.arcs)
        basis = np.zeros((0, 0)) if mu is None else basis_of(self)
        data = ForestData(self.kernel_graph, self.mass_unit, self.orders(variants), INSIDE, walk, basis)
        return forest_hull(data, has_walk=steps is not None, has_gibbs=self.has_gibbs)

    @property
    def mass_unit(self) -> int:
        """Return how many units of mass make 1 in a decomposition."""
        return int(mass_unit(self._graph.n_vertices + 1, GRID))

    @cached_property
    def kernel_graph(self) -> ForestGraph:
        """The graph as the kernels of decompositions take it."""
        graph = self._graph
        return ForestGraph(graph.tails, graph.heads, graph.n_vertices, self.size, *graph.pairs)

    def orders(self, count: int) -> Integers:
        """Return in which fixed order each variant of a decomposition takes out vertices."""
        return fixed_orders(_ORDER_SEED, count, self._graph.n_vertices + 1)[0]
