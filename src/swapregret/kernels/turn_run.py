"""Base windows of the adaptive master on the families of sets, compiled: days, and the turns that are common ones.

Hulls as in ``kernels.hulls``, all but one of them None.

May touch: the kernels they are made of.
"""

import numpy as np
import numpy.typing as npt

from swapregret.kernels.batch_oracles import best_matchings, best_paths, best_subsets, heaviest_forests
from swapregret.kernels.capped_simplex import project_capped
from swapregret.compiled.kernel import choice, kernel
from swapregret.kernels.hulls import ForestHull, MatchingHull, PathHull, SubsetHull, project_hull
from swapregret.kernels.ledger import unpack_rows
from swapregret.kernels.matchings import matching_span_part
from swapregret.kernels.packed_decompose import packed_forests, packed_matchings, packed_paths, packed_subsets
from swapregret.kernels.path_projection import ACCEPTED_GAP, NEAR, near_scores, path_scores, project_flow
from swapregret.kernels.path_span import path_span_part
from swapregret.kernels.swap_filter import best_exchanges
from swapregret.kernels.turn_arrays import MUST_MAKE_LAWS, MUST_MIX, MUST_TURN, NOT_PROJECTED, PLAYED, Pool, PoolRule
from swapregret.kernels.turn_laws import filter_law, known_thresholds, known_vectors, list_law, mix_laws
from swapregret.kernels.turn_steps import account, end_calm, play_window, set_point, tilted_scores, weigh
from swapregret.kernels.vectors import span_part

__all__ = ["run_turns"]

Floats = npt.NDArray[np.float64]
Integers = npt.NDArray[np.int64]
Words = npt.NDArray[np.uint64]


@choice
def _span_part(
    matchings: MatchingHull | None, paths: PathHull | None, forests: ForestHull | None, vector: Floats
) -> Floats:
    """Return the part of a vector in the span of the actions, where it must be taken."""
    if matchings is not None and matchings.must_project:
        return matching_span_part(vector, matchings.n_rows, matchings.n_columns)
    if paths is not None and paths.pivot.size:
        return path_span_part(paths.start, paths.head, paths.edge, paths.plan, paths.joined, paths.pivot, vector)
    if forests is not None and forests.orthonormal.size:
        return span_part(forests.orthonormal, vector)
    return vector.copy()


@choice
def _best(
    subsets: SubsetHull | None,
    matchings: MatchingHull | None,
    paths: PathHull | None,
    forests: ForestHull | None,
    weights: Floats,
) -> Integers:
    """Return the best action under each row of weights."""
    if subsets is not None:
        return best_subsets(weights, subsets.size)
    if matchings is not None:
        return best_matchings(weights, matchings.n_rows, matchings.n_columns)
    if paths is not None:
        return best_paths(paths.start, paths.head, paths.edge, weights)
    if forests is not None:
        graph = forests.graph
        return heaviest_forests(weights, graph.tails, graph.heads, graph.n_vertices, graph.size)
    raise ValueError("one hull must be given")


@choice
def _project(
    subsets: SubsetHull | None,
    matchings: MatchingHull | None,
    paths: PathHull | None,
    forests: ForestHull | None,
    log_weights: Floats,
    log_point: Floats,
) -> tuple[Floats, Floats, bool]:
    """Project weights onto a hull, flows beginning near a known one; tell whether the projection is good enough."""
    if subsets is not None:
        point, new_log, _ = project_capped(log_weights, subsets.size)
        return point, new_log, True
    if paths is not None:
        scores = path_scores(paths.edge, log_weights, paths.is_uniform)
        scores = near_scores(paths.start, paths.head, paths.edge, scores, log_point)
        values, logs, gap, _ = project_flow(paths.start, paths.head, paths.plan, scores, NEAR)
        point, new_log = np.zeros(log_weights.size), np.zeros(log_weights.size)
        for e in range(values.size):
            point[paths.edge[e]] = values[e]
            new_log[paths.edge[e]] = logs[e]
        return point, new_log, gap <= ACCEPTED_GAP
    if matchings is not None:
        return project_hull(matchings, None, None, log_weights)
    if forests is not None:
        return project_hull(None, None, forests, log_weights)
    raise ValueError("one hull must be given")


@choice
def _packed(
    subsets: SubsetHull | None,
    matchings: MatchingHull | None,
    paths: PathHull | None,
    forests: ForestHull | None,
    point: Floats,
) -> tuple[Words, Floats, bool]:
    """Return the law of a point, packed, and whether the point is near enough to the hull."""
    if subsets is not None:
        words, weights, outside = packed_subsets(point, subsets.size, subsets.orders)
        return words, weights, outside <= subsets.inside
    if matchings is not None:
        across, down = matchings.row_orders, matchings.column_orders
        words, weights, outside = packed_matchings(
            point, matchings.n_rows, matchings.n_columns, matchings.units, across, down
        )
        return words, weights, outside <= matchings.inside
    if paths is not None:
        words, weights, outside = packed_paths(point, paths.start, paths.head, paths.edge, paths.orders)
        return words, weights, outside <= paths.inside
    if forests is not None:
        words, weights, outside = packed_forests(forests.graph, point, forests.units, forests.ranks)
        return words, weights, outside <= forests.inside
    raise ValueError("one hull must be given")


@kernel
def run_turns(
    rng: np.random.Generator,
    rewards: Floats,
    received: Floats,
    row: int,
    handed: Integers,
    rule: PoolRule,
    pool: Pool,
    subsets: SubsetHull | None,
    matchings: MatchingHull | None,
    paths: PathHull | None,
    forests: ForestHull | None,
) -> tuple[int, int]:
    """Play days from ``row`` on; return the first that is not played, and how it ended.

    ``handed`` are the actions of the first days if the exploration law drew them. If a projection failed, ``pool.running`` is what
    was projected.
    """
    while row < rewards.shape[0]:
        row, end = play_window(rng, rewards, received, row, handed, rule, pool)
        handed = handed[:0]
        if end != MUST_TURN:
            return row, end
        if not weigh(rule, pool, _span_part(matchings, paths, forests, pool.running)):
            return row, MUST_TURN
        if pool.clock[3]:
            end_calm(rule, pool, _best(subsets, matchings, paths, forests, pool.total.reshape(1, -1))[0])
        for g in range(pool.law.size):
            if pool.changed[g]:
                tilted = tilted_scores(rule, pool, g)
                point, log_point, is_good = _project(subsets, matchings, paths, forests, tilted, pool.log_weights[g])
                if not is_good:
                    pool.running[:] = tilted
                    return row, NOT_PROJECTED
                set_point(pool, g, point, log_point)
        account(rule, pool)
        for g in range(pool.law.size):
            if pool.changed[g]:
                words, weights, is_inside = _packed(subsets, matchings, paths, forests, pool.points[g])
                if not is_inside or not list_law(rule, pool, g, words, weights):
                    return row, MUST_MAKE_LAWS
                if subsets is not None:
                    known, vectors, thresholds = known_thresholds(rule, pool, words)
                    answers = best_exchanges(unpack_rows(words[known], pool.total.size), vectors, thresholds)
                else:
                    known, vectors = known_vectors(rule, pool, words)
                    answers = _best(subsets, matchings, paths, forests, vectors)
                filter_law(rule, pool, g, words, weights, known, answers)
        if not mix_laws(rule, pool):
            return row, MUST_MIX
    return row, PLAYED
