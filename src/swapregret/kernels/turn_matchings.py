"""Base windows of the adaptive master on (truncated) permutations, compiled: days, and the turns that are common ones.

May touch: the kernels they are made of.
"""

from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from swapregret.kernels.batch_oracles import best_matchings
from swapregret.kernels.compile import kernel
from swapregret.kernels.matchings import matching_span_part
from swapregret.kernels.packed_decompose import packed_matchings
from swapregret.kernels.sinkhorn import ACCEPTED_GAP, FEASIBLE, WIDEST, project_matchings
from swapregret.kernels.turn_arrays import MUST_MAKE_LAWS, MUST_MIX, MUST_TURN, NOT_PROJECTED, PLAYED, Pool, PoolRule
from swapregret.kernels.turn_laws import filter_law, known_vectors, list_law, mix_laws
from swapregret.kernels.turn_steps import account, end_calm, play_window, set_point, tilted_scores, weigh

__all__ = ["MatchingTurn", "run_matching_turns"]

Floats = npt.NDArray[np.float64]
Integers = npt.NDArray[np.int64]


class MatchingTurn(NamedTuple):
    """The set: its shape, the units and orders of its decompositions, how far outside a point may lie."""

    n_rows: int
    n_columns: int
    units: int
    row_orders: Integers
    column_orders: Integers
    inside: float
    must_project: bool


@kernel
def run_matching_turns(
    rng: np.random.Generator,
    rewards: Floats,
    received: Floats,
    row: int,
    handed: Integers,
    rule: PoolRule,
    pool: Pool,
    setting: MatchingTurn,
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
        if setting.must_project:
            aggregate = matching_span_part(pool.running, setting.n_rows, setting.n_columns)
        if not weigh(rule, pool, aggregate):
            return row, MUST_TURN
        if pool.clock[3]:
            best = best_matchings(pool.total.reshape(1, -1), setting.n_rows, setting.n_columns)
            end_calm(rule, pool, best[0])
        for g in range(pool.law.size):
            if pool.changed[g]:
                tilted = tilted_scores(rule, pool, g)
                table = tilted.reshape(setting.n_rows, setting.n_columns)
                point, log_point, gap, residual, _, spread = project_matchings(table)
                if not (spread <= WIDEST and residual <= FEASIBLE and gap <= ACCEPTED_GAP * max(1.0, spread / 1e3)):
                    pool.running[:] = tilted
                    return row, NOT_PROJECTED
                set_point(pool, g, point, log_point)
        account(rule, pool)
        for g in range(pool.law.size):
            if pool.changed[g]:
                words, weights, outside = packed_matchings(
                    pool.points[g],
                    setting.n_rows,
                    setting.n_columns,
                    setting.units,
                    setting.row_orders,
                    setting.column_orders,
                )
                if not outside <= setting.inside or not list_law(rule, pool, g, words, weights):
                    return row, MUST_MAKE_LAWS
                known, vectors = known_vectors(rule, pool, words)
                answers = best_matchings(vectors, setting.n_rows, setting.n_columns)
                filter_law(rule, pool, g, words, weights, known, answers)
        if not mix_laws(rule, pool):
            return row, MUST_MIX
    return row, PLAYED
