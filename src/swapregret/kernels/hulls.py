"""The convex hulls of the families of sets, for kernels that serve them all: projection, and lists of actions.

A kernel that serves all families takes one hull of each, all but one of them None; Numba leaves out the branches of those that
are None before it looks at them, so that every family has code of its own.
"""

from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from swapregret.actions.graphs.kernels.forest_decompose import ForestGraph, decompose_forest_point
from swapregret.actions.graphs.kernels.tree_partition import project_forests
from swapregret.actions.matchings.kernels.permutation_decompose import decompose_matching_point, distance_outside
from swapregret.actions.matchings.kernels.sinkhorn import ACCEPTED_GAP, FEASIBLE, WIDEST, project_matchings
from swapregret.actions.paths.kernels.elimination import Elimination
from swapregret.actions.paths.kernels.path_projection import ACCEPTED_GAP as FLOW_GAP
from swapregret.actions.paths.kernels.path_projection import FAR, path_scores, project_flow
from swapregret.actions.paths.kernels.path_stripping import UNIT, imbalance, round_flow, strip_paths
from swapregret.compiled.kernel import choice, kernel
from swapregret.compiled.packed_law import grid_weights

__all__ = ["ForestHull", "Listing", "MatchingHull", "PathHull", "SubsetHull", "list_actions", "project_hull"]

Floats = npt.NDArray[np.float64]
Integers = npt.NDArray[np.int64]
Coordinates = npt.NDArray[np.int32]


class MatchingHull(NamedTuple):
    """Matchings: their shape, units and orders of decompositions, how far outside a point that is decomposed may lie.

    ``must_project`` tells whether vectors have parts no action can see that must be taken off.
    """

    n_rows: int
    n_columns: int
    units: int
    row_orders: Integers
    column_orders: Integers
    inside: float
    must_project: bool


class PathHull(NamedTuple):
    """Paths: the graph as in ``kernels.dag``, its elimination, orders of decompositions, how far from a flow a point may be.

    ``is_uniform`` tells whether all paths are equally long; ``joined`` and ``pivot`` are the factors of ``kernels.flow_span``,
    empty where vectors need not be projected onto the span.
    """

    start: Integers
    head: Integers
    edge: Integers
    plan: Elimination
    orders: Integers
    inside: float
    is_uniform: bool
    joined: Floats
    pivot: Floats


class ForestHull(NamedTuple):
    """Forests: the graph, units and orders of decompositions, how far outside a point that is decomposed may lie.

    ``orthonormal`` is a basis of the span, empty where vectors need not be projected onto it.
    """

    graph: ForestGraph
    units: int
    ranks: Integers
    inside: float
    orthonormal: Floats


class SubsetHull(NamedTuple):
    """m-sets: how many elements are chosen, the orders of decompositions, how far outside a point may lie."""

    size: int
    orders: Integers
    inside: float


class Listing(NamedTuple):
    """A law: action a has the elements ``chosen[first[a]:first[a+1]]`` and the weight ``weights[a]``; cumulative weights."""

    first: Integers
    chosen: Coordinates
    weights: Floats
    cumulative: Floats


@kernel
def _project_flow(paths: PathHull, log_weights: Floats) -> tuple[Floats, Floats, bool]:
    """Project onto flows; edges of no path get 0."""
    scores = path_scores(paths.edge, log_weights, paths.is_uniform)
    values, logs, gap, _ = project_flow(paths.start, paths.head, paths.plan, scores, FAR)
    point, log_point = np.zeros(log_weights.size), np.full(log_weights.size, -np.inf)
    for k in range(values.size):
        point[paths.edge[k]] = values[k]
        log_point[paths.edge[k]] = logs[k]
    return point, log_point, gap <= FLOW_GAP


@choice
def project_hull(
    matchings: MatchingHull | None, paths: PathHull | None, forests: ForestHull | None, log_weights: Floats
) -> tuple[Floats, Floats, bool]:
    """Project weights onto a hull in KL divergence, as ``ActionSet.kl_project``: point, logarithm, whether it would be accepted."""
    if matchings is not None:
        table = log_weights.reshape(matchings.n_rows, matchings.n_columns)
        point, log_point, gap, residual, _, spread = project_matchings(table)
        is_good = spread <= WIDEST and residual <= FEASIBLE and gap <= ACCEPTED_GAP * max(1.0, spread / 1e3)
        return point, log_point, is_good
    if paths is not None:
        return _project_flow(paths, log_weights)
    if forests is not None:
        graph = forests.graph
        point, log_point, _, _ = project_forests(log_weights, graph.tails, graph.heads, graph.n_vertices, graph.size)
        return point, log_point, True
    return log_weights, log_weights, False


@kernel
def _listing(first: Integers, chosen: Coordinates, weights: Floats, is_good: bool) -> tuple[Listing, bool]:
    return Listing(first, chosen, weights, np.cumsum(weights)), is_good


@kernel
def _list_matchings(matchings: MatchingHull, point: Floats) -> tuple[Listing, bool]:
    n_rows, n_columns = matchings.n_rows, matchings.n_columns
    table, count = point.reshape(n_rows, n_columns), len(matchings.row_orders)
    is_good = distance_outside(table) <= matchings.inside
    columns, mass = decompose_matching_point(table, matchings.units, matchings.row_orders, matchings.column_orders)
    weights = mass / (count * matchings.units)
    chosen = np.empty(columns.size, dtype=np.int32)
    for a in range(mass.size):
        for i in range(n_rows):
            chosen[a * n_rows + i] = columns[a, i] + i * n_columns
    kept = grid_weights(weights) if count > 1 else weights
    return _listing(n_rows * np.arange(mass.size + 1), chosen, kept, is_good)


@kernel
def _list_paths(paths: PathHull, point: Floats) -> tuple[Listing, bool]:
    start, head, edge, count = paths.start, paths.head, paths.edge, len(paths.orders)
    flow = np.empty(edge.size)
    stray = 0.0
    if edge.size < point.size:
        rest = np.abs(point)
        for k in range(edge.size):
            rest[edge[k]] = 0.0
        stray = rest.max()
    for k in range(edge.size):
        flow[k] = point[edge[k]]
    is_good = max(imbalance(start, head, flow), stray) <= paths.inside
    units = round_flow(start, head, flow)
    most = count * (edge.size - start.size + 3)
    first, weights = np.zeros(most + 1, dtype=np.int64), np.empty(most)
    chosen = np.empty(max(edge.size, most), dtype=np.int32)
    n, length = 0, 0
    for variant in range(count):
        begin, found, amount = strip_paths(start, head, edge, paths.orders[variant], units)
        if length + found.size > chosen.size:
            longer = np.empty(2 * (length + found.size), dtype=np.int32)
            longer[:length] = chosen[:length]
            chosen = longer
        chosen[length : length + found.size] = found
        for a in range(amount.size):
            weights[n] = amount[a] / (UNIT * count)
            n += 1
            first[n] = length + begin[a + 1]
        length += found.size
    kept = grid_weights(weights[:n]) if count > 1 else weights[:n]
    return _listing(first[: n + 1], chosen[:length], kept, is_good)


@kernel
def _list_forests(forests: ForestHull, point: Floats) -> tuple[Listing, bool]:
    outside = 0.0
    for i in range(point.size):
        outside = max(outside, -point[i], point[i] - 1.0)
    rows, weights, distance = decompose_forest_point(forests.graph, point, forests.units, forests.ranks)
    is_good = max(outside, distance) <= forests.inside
    n, size = rows.shape
    return _listing(size * np.arange(n + 1), rows.reshape(-1), weights, is_good)


@choice
def list_actions(
    matchings: MatchingHull | None, paths: PathHull | None, forests: ForestHull | None, point: Floats
) -> tuple[Listing, bool]:
    """Write a point as a law, as ``ActionSet.decompose`` with several variants; tell whether it would be accepted."""
    if matchings is not None:
        return _list_matchings(matchings, point)
    if paths is not None:
        return _list_paths(paths, point)
    if forests is not None:
        return _list_forests(forests, point)
    return _listing(np.zeros(1, dtype=np.int64), np.empty(0, dtype=np.int32), np.empty(0), False)
