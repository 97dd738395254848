"""The sets that ``oracles.py`` times, at several sizes, with the plain route of each operation."""

from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

import conic_hulls
import numpy as np
import plain_routes as plain
from plain_routes import Vector

from swapregret.actions.action_set import ActionSet
from swapregret.actions.graphs.forests import Forests
from swapregret.actions.graphs.spanning_trees import SpanningTrees
from swapregret.actions.m_sets.m_sets import MSets
from swapregret.actions.matchings.permutations import Permutations
from swapregret.actions.matchings.truncated_permutations import TruncatedPermutations
from swapregret.actions.paths.partitions import Partitions
from swapregret.experiments.paper_table1 import layered_dag

Route = Callable[[Any, Vector], Any]


def random_graph(n: int, n_edges: int) -> list[tuple[int, int]]:
    """Return a random tree on n vertices with other random edges added, none parallel."""
    rng = np.random.default_rng([n, n_edges])
    edges = {(int(rng.integers(v)), v) for v in range(1, n)}
    while len(edges) < n_edges:
        u, v = sorted(rng.choice(n, 2, replace=False).tolist())
        edges.add((u, v))
    return sorted(edges)


@dataclass(frozen=True)
class Family:
    """One set at several sizes, the smallest first, with the plain route of each operation.

    ``middle`` is the size at which the plain routes are measured, unless an operation is in ``slow``: then at the smallest.
    """

    make: Callable[..., ActionSet]
    sizes: list[tuple[int, ...]]
    hull: Callable[[ActionSet], conic_hulls.Hull]
    argmax: Route
    project: Route
    decompose: Route
    gibbs: Route | None = None
    middle: int = 1
    slow: tuple[str, ...] = ()
    gibbs_sizes: list[tuple[int, ...]] = field(default_factory=list)


_SLOW = ("project ±1", "project ±30", "decompose")


def _graphs(*, is_tree: bool, sizes: list[tuple[int, ...]]) -> Family:
    """Return spanning trees, or forests of half as many edges as there are vertices, of random graphs."""
    return Family(
        lambda n, d: SpanningTrees(random_graph(n, d)) if is_tree else Forests(random_graph(n, d), n // 2),
        sizes,
        conic_hulls.forests,
        plain.scipy_tree if is_tree else plain.kruskal,
        plain.frank_wolfe(plain.kruskal),
        plain.columns(plain.kruskal),
        plain.gibbs_trees if is_tree else None,
        slow=_SLOW,
    )


def _flows(make: Callable[..., ActionSet], sizes: list[tuple[int, ...]]) -> Family:
    """Return paths, or partitions, which are paths."""
    return Family(make, sizes, conic_hulls.flows, plain.longest_path, plain.potentials, plain.strip, plain.gibbs_paths)


FAMILIES = {
    "m-sets": Family(
        MSets,
        [(100, 10), (1_000, 100), (10_000, 1_000)],
        conic_hulls.capped_simplex,
        plain.best_subset,
        plain.cap,
        plain.systematic,
        plain.gibbs_subsets,
        gibbs_sizes=[(100, 10), (300, 30), (1_000, 100)],
    ),
    "permutations": Family(
        Permutations,
        [(10,), (20,), (50,)],
        conic_hulls.matchings,
        plain.assignment,
        plain.sinkhorn,
        plain.birkhoff,
        plain.gibbs_permutations,
        gibbs_sizes=[(6,), (10,), (13,)],
    ),
    "truncated permutations": Family(
        TruncatedPermutations,
        [(5, 10), (10, 20), (20, 50)],
        conic_hulls.matchings,
        plain.assignment,
        plain.sinkhorn,
        plain.birkhoff,
    ),
    "spanning trees": _graphs(is_tree=True, sizes=[(10, 40), (30, 300), (60, 1_000)]),
    "sparse spanning trees": _graphs(is_tree=True, sizes=[(10, 30), (100, 300), (300, 900)]),
    "forests": _graphs(is_tree=False, sizes=[(10, 40), (30, 300), (60, 1_000)]),
    "paths": _flows(lambda layers, width: layered_dag(width, layers), [(5, 5), (10, 10), (20, 10), (50, 10)]),
    "partitions": _flows(Partitions, [(5, 4), (10, 5), (20, 10)]),
    "compact partitions": Family(
        lambda n, k: Partitions(n, k, coordinates="compact"),
        [(5, 4), (10, 5), (15, 7)],
        conic_hulls.flows,
        plain.best_amounts,
        plain.frank_wolfe(plain.best_amounts),
        plain.columns(plain.best_amounts),
        slow=_SLOW,
    ),
}
