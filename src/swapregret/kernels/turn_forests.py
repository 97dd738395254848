"""Base windows of the adaptive master on spanning trees and forests, compiled: days, and the turns that are common ones.

May touch: the kernels they are made of.
"""

from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from swapregret.kernels.batch_oracles import heaviest_forests
from swapregret.kernels.compile import kernel
from swapregret.kernels.forest_decompose import ForestGraph
from swapregret.kernels.packed_decompose import packed_forests
from swapregret.kernels.tree_partition import project_forests
from swapregret.kernels.turn_arrays import MUST_MAKE_LAWS, MUST_MIX, MUST_TURN, PLAYED, Pool, PoolRule
from swapregret.kernels.turn_laws import filter_law, known_vectors, list_law, mix_laws
from swapregret.kernels.turn_steps import account, end_calm, play_window, set_point, tilted_scores, weigh
from swapregret.kernels.vectors import span_part

__all__ = ["ForestTurn", "run_forest_turns"]

Floats = npt.NDArray[np.float64]
Integers = npt.NDArray[np.int64]


class ForestTurn(NamedTuple):
    """The graph, the units and orders of its decompositions, how far outside a point may lie, a basis of the span or none."""

    graph: ForestGraph
    units: int
    ranks: Integers
    inside: float
    orthonormal: Floats


@kernel
def run_forest_turns(
    rng: np.random.Generator,
    rewards: Floats,
    received: Floats,
    row: int,
    handed: Integers,
    rule: PoolRule,
    pool: Pool,
    setting: ForestTurn,
) -> tuple[int, int]:
    """Play days from ``row`` on; return the first that is not played, and how it ended.

    ``handed`` are the actions of the first days if the exploration law drew them.
    """
    graph = setting.graph
    while row < rewards.shape[0]:
        row, end = play_window(rng, rewards, received, row, handed, rule, pool)
        handed = handed[:0]
        if end != MUST_TURN:
            return row, end
        aggregate = pool.running.copy()
        if setting.orthonormal.size:
            aggregate = span_part(setting.orthonormal, pool.running)
        if not weigh(rule, pool, aggregate):
            return row, MUST_TURN
        if pool.clock[3]:
            best = heaviest_forests(pool.total.reshape(1, -1), graph.tails, graph.heads, graph.n_vertices, graph.size)
            end_calm(rule, pool, best[0])
        for g in range(pool.law.size):
            if pool.changed[g]:
                tilted = tilted_scores(rule, pool, g)
                point, log_point, _, _ = project_forests(tilted, graph.tails, graph.heads, graph.n_vertices, graph.size)
                set_point(pool, g, point, log_point)
        account(rule, pool)
        for g in range(pool.law.size):
            if pool.changed[g]:
                words, weights, outside = packed_forests(setting.graph, pool.points[g], setting.units, setting.ranks)
                if not outside <= setting.inside or not list_law(rule, pool, g, words, weights):
                    return row, MUST_MAKE_LAWS
                known, vectors = known_vectors(rule, pool, words)
                answers = heaviest_forests(vectors, graph.tails, graph.heads, graph.n_vertices, graph.size)
                filter_law(rule, pool, g, words, weights, known, answers)
        if not mix_laws(rule, pool):
            return row, MUST_MIX
    return row, PLAYED
