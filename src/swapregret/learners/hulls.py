"""The hull of a set as the kernels that serve all families take it."""

from typing import Any

import numpy as np

from swapregret.actions.base import ActionSet
from swapregret.actions.graphs.graphic_bases import INSIDE, GraphicBases
from swapregret.actions.matchings.matching_set import MatchingSet
from swapregret.actions.paths.dag_paths import DagPaths
from swapregret.actions.paths.partitions import Partitions
from swapregret.kernels.hulls import ForestHull, MatchingHull, PathHull

__all__ = ["Hulls", "hulls_of", "paths_of"]

Hulls = tuple[MatchingHull | None, PathHull | None, ForestHull | None]
"""One hull, in its place among the families."""


def paths_of(actions: Any) -> DagPaths | None:
    """Return the paths behind a set with their coordinates, or None."""
    if type(actions) is Partitions and not actions.is_compact:
        return actions.paths
    return actions if type(actions) is DagPaths else None


def hulls_of(actions: ActionSet, variants: int, *, is_projected: bool = False) -> Hulls | None:
    """Return the hull of a set, decomposed in so many ways, or None if the set is of another family.

    ``is_projected`` tells whether its span is wanted too, to project onto.

    Examples
    --------
    >>> from swapregret.actions.matchings.permutations import Permutations
    >>> hulls_of(Permutations(3), 8)[0].n_columns
    3
    """
    if isinstance(actions, MatchingSet):
        rows, columns = actions.shape
        orders, inside = actions.orders(variants), actions.tolerance
        return MatchingHull(rows, columns, actions.units, *orders, inside, is_projected), None, None
    if isinstance(actions, GraphicBases):
        ranks, basis = actions.orders(variants), actions.span.orthonormal if is_projected else np.zeros((0, 0))
        return None, None, ForestHull(actions.kernel_graph, actions.mass_unit, ranks, INSIDE, basis)
    paths = paths_of(actions)
    if paths is None:
        return None
    graph, tried = paths.graph, np.stack([paths.order(variant) for variant in range(variants)])
    factors = paths.span.balance if is_projected else (np.zeros(0), np.zeros(0))
    edges = graph.start, graph.head, graph.edge
    return None, PathHull(*edges, paths.plan, tried, paths.tolerance, paths.is_uniform, *factors), None
