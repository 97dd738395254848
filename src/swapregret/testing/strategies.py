"""Hypothesis strategies: action sets of every kind, points of their hulls, weights and rewards."""

from itertools import pairwise

import numpy as np

from swapregret.actions.action_set import ActionSet
from swapregret.actions.graphs.forests import Forests
from swapregret.actions.graphs.spanning_trees import SpanningTrees
from swapregret.actions.m_sets.m_sets import MSets
from swapregret.actions.matchings.permutations import Permutations
from swapregret.actions.matchings.truncated_permutations import TruncatedPermutations
from swapregret.actions.own_sets.explicit import Explicit
from swapregret.actions.own_sets.oracle_set import OracleSet
from swapregret.actions.paths.dag_paths import DagPaths
from swapregret.actions.paths.partitions import Partitions
from swapregret.actions.products.product import Product
from swapregret.arrays import Action, Actions, Matrix, Vector
from swapregret.policy import FinitePolicy

try:
    from hypothesis import strategies as st
except ModuleNotFoundError as missing:
    raise ModuleNotFoundError(
        "Hypothesis must be installed to use swapregret.testing.strategies: got an environment without it. "
        "Run `pip install hypothesis`; the checks of swapregret.testing work without it.",
        name=missing.name,
    ) from missing

_GRID = 2**20


def m_sets(max_dimension: int = 8) -> st.SearchStrategy[MSets]:
    """Draw m-sets, from one of one to all of all."""
    return st.integers(1, max_dimension).flatmap(
        lambda d: st.integers(1, d).map(lambda m: MSets(d, m))  # both shrink towards one
    )


@st.composite
def _tables(draw: st.DrawFn, max_dimension: int, max_actions: int) -> Actions:
    """Draw different 0/1 rows, at least one of them not zero."""
    d = draw(st.integers(1, max_dimension))
    codes = draw(st.sets(st.integers(0, 2**d - 1), min_size=1, max_size=max_actions).filter(lambda drawn: drawn != {0}))
    return np.array([[code >> i & 1 for i in range(d)] for code in sorted(codes)], dtype=np.int64)


def explicit_sets(max_dimension: int = 7, max_actions: int = 20) -> st.SearchStrategy[Explicit]:
    """Draw sets given by a list: of any rank, of equal or unequal sizes, with or without the zero vector."""
    return _tables(max_dimension, max_actions).map(Explicit)


def oracle_sets(max_dimension: int = 6, max_actions: int = 12) -> st.SearchStrategy[OracleSet]:
    """Draw sets known through a function only."""
    return _tables(max_dimension, max_actions).map(_hidden)


def _hidden(table: Actions) -> OracleSet:
    def argmax(values: Vector) -> Action:
        best: Action = table[int(np.argmax(table @ values))]
        return best

    return OracleSet(table.shape[1], argmax)


def permutations(max_items: int = 4) -> st.SearchStrategy[Permutations]:
    """Draw permutations of 1 to ``max_items`` items."""
    return st.integers(1, max_items).map(Permutations)


def truncated_permutations(max_columns: int = 4) -> st.SearchStrategy[TruncatedPermutations]:
    """Draw k × m truncated permutations, k ≤ m ≤ ``max_columns``."""
    return st.integers(1, max_columns).flatmap(
        lambda columns: st.integers(1, columns).map(lambda rows: TruncatedPermutations(rows, columns))
    )


@st.composite
def dag_paths(draw: st.DrawFn, max_vertices: int = 5) -> DagPaths:
    """Draw the paths of a random acyclic graph, with edges on no path, and paths of different lengths."""
    n = draw(st.integers(2, max_vertices))
    pairs = [(tail, head) for head in range(n) for tail in range(head)]
    chosen = draw(st.lists(st.sampled_from(pairs), unique=True, max_size=len(pairs)))
    road = [0, *sorted(draw(st.sets(st.integers(1, n - 1)))), n - 1]  # one path there is
    stretches = [(tail, head) for tail, head in pairwise(road) if tail != head]
    return DagPaths(list(dict.fromkeys([*chosen, *stretches])), source=0, sink=n - 1)


@st.composite
def _connected_graphs(draw: st.DrawFn, max_vertices: int) -> tuple[int, list[tuple[int, int]]]:
    """Draw a connected graph: a tree, and some edges more, which may double others."""
    n = draw(st.integers(2, max_vertices))
    tree = [(draw(st.integers(0, vertex - 1)), vertex) for vertex in range(1, n)]
    pairs = st.tuples(st.integers(0, n - 2), st.integers(1, n - 1)).filter(lambda pair: pair[0] != pair[1])
    return n, tree + draw(st.lists(pairs, max_size=n))


def spanning_trees(max_vertices: int = 5) -> st.SearchStrategy[SpanningTrees]:
    """Draw the spanning trees of a random graph, with bridges and double edges."""
    return _connected_graphs(max_vertices).map(lambda graph: SpanningTrees(graph[1], labels=range(len(graph[1]))))


@st.composite
def forests(draw: st.DrawFn, max_vertices: int = 5) -> Forests:
    """Draw the forests of some number of edges of a random graph."""
    n, edges = draw(_connected_graphs(max_vertices))
    return Forests(edges, size=draw(st.integers(1, n - 1)), labels=range(len(edges)))


def partitions(max_total: int = 4, max_parts: int = 3) -> st.SearchStrategy[Partitions]:
    """Draw the ways to divide a total among a few parts."""
    return st.builds(Partitions, st.integers(1, max_total), st.integers(1, max_parts))


def products(max_dimension: int = 4) -> st.SearchStrategy[Product]:
    """Draw products of two or three small sets, on levels and not."""
    part = st.one_of(m_sets(max_dimension), explicit_sets(max_dimension), permutations(2), dag_paths(3))
    return st.lists(part, min_size=2, max_size=3).map(lambda parts: Product(*parts))


def action_sets(max_dimension: int = 6) -> st.SearchStrategy[ActionSet]:
    """Draw an action set of any kind, small enough to be listed; ``max_dimension`` bounds the sets that have a free one."""
    return st.one_of(
        m_sets(max_dimension),
        explicit_sets(max_dimension),
        oracle_sets(max_dimension),
        permutations(3),
        truncated_permutations(3),
        dag_paths(4),
        partitions(3, 3),
        spanning_trees(4),
        forests(4),
        products(3),
    )


def weights(dimension: int, bound: float = 100.0) -> st.SearchStrategy[Vector]:
    """Draw weights for the oracle: whole numbers with ties as often as real ones."""
    whole = st.integers(-3, 3).map(float)
    real = st.floats(-bound, bound, allow_nan=False, allow_infinity=False)
    return st.one_of(_vectors(whole, dimension), _vectors(real, dimension))


def log_weights(dimension: int, spread: float = 30.0) -> st.SearchStrategy[Vector]:
    """Draw log-weights for projections: close together, or spread up to ± ``spread``."""
    return st.sampled_from([0.1, 1.0, spread]).flatmap(
        lambda width: _vectors(st.floats(-min(width, spread), min(width, spread), allow_nan=False), dimension)
    )


def _vectors(entries: st.SearchStrategy[float], dimension: int) -> st.SearchStrategy[Vector]:
    return st.lists(entries, min_size=dimension, max_size=dimension).map(
        lambda drawn: np.array(drawn, dtype=np.float64)
    )


@st.composite
def policies(draw: st.DrawFn, actions: ActionSet, max_atoms: int = 8) -> FinitePolicy:
    """Draw a policy over a few actions of a set, each the best for some weights."""
    count = draw(st.integers(1, max_atoms))
    atoms = [actions.argmax(draw(weights(actions.dimension))) for _ in range(count)]
    units = np.array(draw(st.lists(st.integers(1, _GRID), min_size=count, max_size=count)), dtype=np.float64)
    return FinitePolicy(np.array(atoms), units / units.sum())


def points(actions: ActionSet, max_atoms: int = 8) -> st.SearchStrategy[Vector]:
    """Draw a point of conv(A): vertices, faces and interior."""
    return policies(actions, max_atoms).map(lambda policy: np.array(policy.marginals()))


@st.composite
def reward_sequences(draw: st.DrawFn, actions: ActionSet, max_days: int = 30) -> Matrix:
    """Draw reward vectors, one row per day, under which every action earns a total in [0, 1]."""
    days = draw(st.integers(1, max_days))
    entries = st.sampled_from([0.0, 1.0]) | st.floats(0.0, 1.0, allow_nan=False)
    rows = [draw(_vectors(entries, actions.dimension)) for _ in range(days)]
    return np.array(rows) / max(1, actions.size)
