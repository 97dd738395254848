r"""Paths from a source to a sink in a directed acyclic graph.

Coordinates are the edges; :math:`\mathcal A` is the set of indicator vectors of the s–t paths, whose convex hull is the set of
flows of one unit from s to t. Paths need not be equally long (deviation D12).
"""

from collections.abc import Hashable, Iterable, Iterator, Sequence
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np
import numpy.typing as npt

from swapregret.actions.action_set import ActionSet
from swapregret.actions.edge_lists import edge_names, is_networkx, network_edges, networkx_edges
from swapregret.actions.hull import Hull
from swapregret.actions.labelled import SpecValues
from swapregret.actions.paths.directed import Digraph, path_span, read_digraph
from swapregret.actions.paths.kernels.dag import flow_transition, gibbs_transition, is_path, log_sums_to_sink
from swapregret.actions.paths.kernels.elimination import Elimination, plan_elimination
from swapregret.actions.paths.kernels.path_projection import factor_balance, path_span_part
from swapregret.actions.paths.kernels.path_stripping import imbalance
from swapregret.actions.paths.levelled import Levelled, level_edges
from swapregret.actions.paths.path_hull import PathData, path_hull
from swapregret.actions.paths.path_policies import MarkovPaths, cover_flow
from swapregret.arrays import Action, Edge, Integers, Label, Vector, as_vector, for_kernel
from swapregret.errors import InvalidInput
from swapregret.geometry.hull_equations import HullEquations
from swapregret.geometry.kl import Projection
from swapregret.geometry.span import Span
from swapregret.policy import Policy

if TYPE_CHECKING:
    from swapregret.networks.network import Network

_ORDER_SEED = 0xDA6
_TOLERANCE = 1e-8


class DagPaths(ActionSet):
    r"""All paths from ``source`` to ``sink`` in a directed acyclic graph.

    Parameters
    ----------
    edges : iterable of (tail, head), directed Network, or directed networkx graph
        Any hashable vertices; parallel edges are different coordinates. Edges on no path keep their coordinate, always 0.
    source, sink : hashable
        Where all paths start and end.
    labels : sequence of hashable, optional
        Names of the edges; by default (tail, head), and (tail, head, 0), (tail, head, 1), ... for parallel edges.

    Raises
    ------
    InvalidInput
        For a self-loop, a sink that cannot be reached, or a cycle: one is named, with the call that leaves it out.

    Notes
    -----
    ================ ======================================================= ==================
    operation        how                                                     cost
    ================ ======================================================= ==================
    argmax           dynamic programming, lowest edge on ties                O(E)
    n_actions        the same with exact integers                            O(E)
    rank             \|E\| − \|V\| + 2 on what lies on paths                 O(1)
    kl_project       Newton on the potentials of the vertices                O(E) + elimination
    decompose        path stripping in units of 2⁻⁴⁴                         O(atoms · length)
    markov_policy    the Markov chain of the flow; no list                   O(E)
    gibbs, uniform   weight pushing in the log domain                        O(E)
    ================ ======================================================= ==================

    Examples
    --------
    >>> actions = DagPaths([("s", "a"), ("a", "t"), ("s", "t")], source="s", sink="t")
    >>> actions.argmax([.4, .4, .7]), actions.n_actions, actions.rank
    (array([1, 1, 0]), 2, 2)
    >>> actions.elements([1, 1, 0])
    (('s', 'a'), ('a', 't'))
    """

    between = " → "
    exploration_kinds = ("cover", "uniform", "spanner")
    spec_texts = ("source", "sink")
    spec_options = ("edges", "length")
    has_uniform = True
    has_gibbs = True
    has_markov = True

    def __init__(
        self,
        edges: "Iterable[Edge] | Network",
        *,
        source: Hashable,
        sink: Hashable,
        labels: Sequence[Label] | None = None,
    ) -> None:
        network = "Network(edges, directed=True)"
        given, edges = edges, network_edges(edges, directed=True)
        if hasattr(edges, "is_directed"):
            network = "Network.from_networkx(graph)"
            if not (is_networkx(edges) and edges.is_directed()):
                raise InvalidInput(
                    "`graph` must be a directed networkx graph",
                    type(edges).__name__,
                    "Choose the directions first: sr.networks.Network.from_networkx(graph).acyclic_from(source).",
                )
            edges, names_given = networkx_edges(edges)
            labels = names_given if labels is None else labels
        if edges is not given:
            self.arguments = ((edges,), {"source": source, "sink": sink, "labels": labels})
        graph = read_digraph(edges, source, sink, network)
        names = edge_names(graph.edges) if labels is None else labels
        super().__init__(graph.n_edges, int(graph.level[-1]), names)
        self._graph = graph
        self.is_uniform = bool((graph.level[graph.head] - graph.level[graph.tail] == 1).all())

    @classmethod
    def from_spec(cls, values: SpecValues, folder: Path) -> "DagPaths":
        """Make the paths of a table's network; an undirected one, or one with a ``length``, is made acyclic from the source."""
        from swapregret.networks.graph_files import network_of

        network = network_of(values, folder, directed=True)
        by_name = {str(vertex): vertex for edge in network.edges for vertex in edge}
        source, sink = (by_name.get(str(values[name]), values[name]) for name in cls.spec_texts)
        if "length" in values or not network.directed:
            network = network.acyclic_from(source, length=values.get("length"))
        return cls(network.edges, source=source, sink=sink)

    @property
    def graph(self) -> Digraph:
        """Return the graph as the kernels see it: what lies on paths, in topological order."""
        return self._graph

    @property
    def edges(self) -> tuple[Edge, ...]:
        """Return the edges as given, one per coordinate."""
        return self._graph.edges

    def network(self) -> "Network":
        """Return the graph, directed."""
        from swapregret.networks.network import Network

        return Network(self.edges, directed=True)

    def part_on(self, kept: Integers) -> "DagPaths":
        """Return the paths of the graph with these edges alone."""
        edges, labels, ends = self._graph.edges, self.labels, self._graph.vertices
        return DagPaths([edges[e] for e in kept], source=ends[0], sink=ends[-1], labels=[labels[e] for e in kept])

    @property
    def n_actions(self) -> int:
        """Return the number of paths, exact."""
        return self._graph.n_paths

    def _is_action(self, vector: Action) -> bool:
        """Tell whether a vector has the edges of one path and nothing else."""
        graph = self._graph
        return bool(is_path(graph.start, graph.head, graph.edge, for_kernel(vector)))

    def choice(self, action: npt.ArrayLike) -> tuple[Hashable, ...]:
        """Read an action as the vertices of the route, from the source to the sink.

        Examples
        --------
        >>> DagPaths([("a", "t"), ("s", "a"), ("s", "t")], source="s", sink="t").choice([1, 1, 0])
        ('s', 'a', 't')
        """
        after = dict(self.edges[index] for index in np.flatnonzero(self._read_action(action)))
        route = [self._graph.source]
        while route[-1] != self._graph.sink:
            route.append(after[route[-1]])
        return tuple(route)

    def _actions(self) -> Iterator[Action]:
        for walk in self._graph.walks():
            row = np.zeros(self.dimension, dtype=np.int64)
            row[self._graph.edge[walk]] = 1
            yield row

    # ---- geometry of conv(A) -----------------------------------------------------------------------------------

    @property
    def rank(self) -> int:
        """Return |E| − |V| + 2 on the edges and vertices that lie on paths."""
        return int(self._graph.head.size) - len(self._graph.vertices) + 2

    @cached_property
    def span(self) -> Span:
        """The span in closed form: all edges but one per vertex are independent; dense matrices are made on demand."""
        graph = self._graph
        return path_span(graph, lambda vector: path_span_part(self._plan, graph.edge, *self._balance, vector))

    @cached_property
    def _plan(self) -> Elimination:
        """In which order vertices are eliminated."""
        return plan_elimination(self._graph.tail, self._graph.head, len(self._graph.vertices) - 1)

    @cached_property
    def _balance(self) -> tuple[Vector, Vector]:
        """The factors of the Laplacian that balances the vertices: a projection onto the span is one solution with it."""
        return factor_balance(self._plan)

    def hull_equations(self) -> HullEquations:
        """Return the flows of one unit."""
        return self._graph.flow_equations()

    def _ones(self) -> Vector:
        """Return 1 on the edges that leave the source: every path has one of them."""
        return np.array([1.0 if tail == self._graph.source else 0.0 for tail, _ in self.edges])

    def kl_project(self, log_weights: npt.ArrayLike) -> Projection:
        r"""Project onto the flows of one unit: :math:`x_e = w_e\,e^{\pi_u - \pi_v}`, by Newton's method on π.

        Edges that lie on no path may have log-weight −∞, so that a projected point can be projected again.
        """
        idle = self._graph.idle
        if idle.size and isinstance(log_weights, np.ndarray) and log_weights.shape == (self.dimension,):
            log_weights = log_weights.copy()
            log_weights[idle[log_weights[idle] == -np.inf]] = 0.0
        return super().kl_project(log_weights)

    def _flow(self, marginals: npt.ArrayLike) -> Vector:
        """Read a point of conv(A), in the order of the graph."""
        x = as_vector(marginals, self.dimension, "marginals")
        flow = x[self._graph.edge]
        stray = float(np.abs(x[self._graph.idle]).max(initial=0.0)) if flow.size < x.size else 0.0
        excess = max(imbalance(self._graph.start, self._graph.head, flow), stray)
        if excess > _TOLERANCE:
            raise InvalidInput(
                f"`marginals` must be a flow of one unit from the source to the sink, within {_TOLERANCE}",
                f"a vector that misses it by {excess:.3g} at some vertex or edge",
                "Project them first: kl_project(log_weights).point.",
            )
        return flow

    def _orders(self, variants: int) -> npt.NDArray[np.int64]:
        """Return the orders in which variants try the edges that leave a vertex: as given, then pseudo-random."""
        tail = self._graph.tail
        noise = [np.random.default_rng([_ORDER_SEED, variant]).random(tail.size) for variant in range(1, variants)]
        return np.stack([np.lexsort((each, tail)) for each in (np.arange(tail.size), *noise)]).astype(np.int64)

    def hull(self, mu: Policy | None = None, *, variants: int = 1) -> Hull:
        """Return the operations: dynamic programming, Newton on potentials, stripping in whole numbers; Markov chains."""
        graph = self._graph
        is_projected = mu is not None and self.rank < self.dimension
        joined, pivot = self._balance if is_projected else (np.zeros(0), np.zeros(0))
        data = PathData(
            graph.start.copy(),  # not read-only, which pickle forgets: the copy of a player needs no code of its own
            graph.head.copy(),
            graph.edge.copy(),
            self._plan,
            self.dimension,
            self.is_uniform,
            int(graph.level[-1]),
            joined,
            pivot,
            mu.transition.copy() if isinstance(mu, MarkovPaths) else np.zeros(0),
            self._orders(variants),
            _TOLERANCE,
        )
        return path_hull(data)

    def levelled(self) -> Levelled:
        """Make all paths equally long by dummy edges (György et al. 2007), with the map back to the edges given."""
        paths = DagPaths(level_edges(self._graph), source=self._graph.source, sink=self._graph.sink)
        return Levelled(paths=paths, original=self)

    def markov_policy(self, marginals: npt.ArrayLike) -> MarkovPaths:
        """Return the Markov chain with these marginals: it leaves each vertex in proportion to the flow."""
        return MarkovPaths(self._graph, flow_transition(self._graph.start, self._flow(marginals)))

    def gibbs(self, scores: npt.ArrayLike) -> MarkovPaths:
        """Return the policy p(M) ∝ exp(scores · M), by weight pushing (Takimoto and Warmuth 2003)."""
        graph = self._graph
        values = as_vector(scores, self.dimension, "scores")[graph.edge]
        to_sink = log_sums_to_sink(graph.start, graph.head, values)
        return MarkovPaths(graph, gibbs_transition(graph.start, graph.head, values, to_sink))

    def uniform_policy(self) -> MarkovPaths:
        """Return the uniform policy: a chain that leaves each vertex in proportion to the paths that follow."""
        return self._uniform

    @cached_property
    def _uniform(self) -> MarkovPaths:
        return self.gibbs(np.zeros(self.dimension))

    def exploration_policy(self, kind: str | None = None) -> Policy:
        """Return the policy μ that learners mix in to keep every direction of the span observable.

        Parameters
        ----------
        kind : {"cover", "uniform", "spanner", None}
            ``"cover"``, the default, is the Markov chain of the mean of N paths that together cover all edges, each
            chosen to cover as many new ones as possible: every edge has probability at least 1/N. ``"uniform"`` may
            visit an edge exponentially rarely. ``"spanner"`` is the paper's.
        """
        is_cover = kind is None or (isinstance(kind, str) and kind == "cover")
        return self._cover if is_cover else super().exploration_policy(kind)

    @cached_property
    def _cover(self) -> MarkovPaths:
        return self.markov_policy(cover_flow(self._graph, self.argmax))

    def __repr__(self) -> str:
        return f"DagPaths({self.dimension} edges, {len(self._graph.vertices)} vertices on paths, size={self.size})"
