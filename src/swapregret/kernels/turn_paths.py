"""Base windows of the adaptive master on paths and partitions, compiled: days, and the turns that are common ones.

May touch: the kernels they are made of.
"""

from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from swapregret.kernels.batch_oracles import best_paths
from swapregret.kernels.compile import kernel
from swapregret.kernels.packed_decompose import packed_paths
from swapregret.kernels.path_elimination import Elimination
from swapregret.kernels.path_projection import ACCEPTED_GAP, NEAR, near_scores, path_scores, project_flow
from swapregret.kernels.path_span import path_span_part
from swapregret.kernels.turn_arrays import MUST_MAKE_LAWS, MUST_MIX, MUST_TURN, NOT_PROJECTED, PLAYED, Pool, PoolRule
from swapregret.kernels.turn_laws import filter_law, known_vectors, list_law, mix_laws
from swapregret.kernels.turn_steps import account, end_calm, play_window, set_point, tilted_scores, weigh

__all__ = ["PathTurn", "run_path_turns"]

Floats = npt.NDArray[np.float64]
Integers = npt.NDArray[np.int64]


class PathTurn(NamedTuple):
    """The graph as in ``kernels.dag``, how vertices are eliminated, the orders of decompositions, factors of the span or none."""

    start: Integers
    head: Integers
    edge: Integers
    plan: Elimination
    orders: Integers
    inside: float
    joined: Floats
    pivot: Floats


@kernel
def run_path_turns(
    rng: np.random.Generator,
    rewards: Floats,
    received: Floats,
    row: int,
    handed: Integers,
    rule: PoolRule,
    pool: Pool,
    setting: PathTurn,
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
        aggregate = pool.running.copy()
        if setting.pivot.size:
            aggregate = path_span_part(
                setting.start, setting.head, setting.edge, setting.plan, setting.joined, setting.pivot, pool.running
            )
        if not weigh(rule, pool, aggregate):
            return row, MUST_TURN
        if pool.clock[3]:
            best = best_paths(setting.start, setting.head, setting.edge, pool.total.reshape(1, -1))
            end_calm(rule, pool, best[0])
        for g in range(pool.law.size):
            if pool.changed[g]:
                tilted = tilted_scores(rule, pool, g)
                scores = path_scores(setting.edge, tilted, rule.is_uniform)
                scores = near_scores(setting.start, setting.head, setting.edge, scores, pool.log_weights[g])
                values, logs, gap, _ = project_flow(setting.start, setting.head, setting.plan, scores, NEAR)
                if not gap <= ACCEPTED_GAP:
                    pool.running[:] = tilted
                    return row, NOT_PROJECTED
                point, log_point = np.zeros(tilted.size), np.zeros(tilted.size)
                for e in range(values.size):
                    point[setting.edge[e]] = values[e]
                    log_point[setting.edge[e]] = logs[e]
                set_point(pool, g, point, log_point)
        account(rule, pool)
        for g in range(pool.law.size):
            if pool.changed[g]:
                words, weights, outside = packed_paths(
                    pool.points[g], setting.start, setting.head, setting.edge, setting.orders
                )
                if not outside <= setting.inside or not list_law(rule, pool, g, words, weights):
                    return row, MUST_MAKE_LAWS
                known, vectors = known_vectors(rule, pool, words)
                answers = best_paths(setting.start, setting.head, setting.edge, vectors)
                filter_law(rule, pool, g, words, weights, known, answers)
        if not mix_laws(rule, pool):
            return row, MUST_MIX
    return row, PLAYED
