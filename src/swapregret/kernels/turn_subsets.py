"""Base windows of the adaptive master on m-sets, compiled: days, and the turns that are common ones.

May touch: the kernels they are made of.
"""

from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from swapregret.kernels.batch_oracles import best_subsets
from swapregret.kernels.compile import kernel
from swapregret.kernels.ledger import unpack_rows
from swapregret.kernels.packed_decompose import packed_subsets
from swapregret.kernels.subsets import project_capped
from swapregret.kernels.swap_filter import best_exchanges
from swapregret.kernels.turn_arrays import MUST_MAKE_LAWS, MUST_MIX, MUST_TURN, PLAYED, Pool, PoolRule
from swapregret.kernels.turn_laws import filter_law, known_thresholds, list_law, mix_laws
from swapregret.kernels.turn_steps import account, end_calm, play_window, set_point, tilted_scores, weigh

__all__ = ["SubsetTurn", "run_subset_turns"]

Floats = npt.NDArray[np.float64]
Integers = npt.NDArray[np.int64]


class SubsetTurn(NamedTuple):
    """The set: how many elements are chosen, the orders of its decompositions, how far outside a point may lie."""

    size: int
    orders: Integers
    inside: float


@kernel
def run_subset_turns(
    rng: np.random.Generator,
    rewards: Floats,
    received: Floats,
    row: int,
    handed: Integers,
    rule: PoolRule,
    pool: Pool,
    setting: SubsetTurn,
) -> tuple[int, int]:
    """Play days from ``row`` on; return the first that is not played, and how it ended.

    ``handed`` are the actions of the first days if the exploration law drew them.
    """
    while row < rewards.shape[0]:
        row, end = play_window(rng, rewards, received, row, handed, rule, pool)
        handed = handed[:0]
        if end != MUST_TURN:
            return row, end
        aggregate = pool.running.copy()
        if not weigh(rule, pool, aggregate):
            return row, MUST_TURN
        if pool.clock[3]:
            best = best_subsets(pool.total.reshape(1, -1), setting.size)
            end_calm(rule, pool, best[0])
        for g in range(pool.law.size):
            if pool.changed[g]:
                tilted = tilted_scores(rule, pool, g)
                point, log_point, _ = project_capped(tilted, setting.size)
                set_point(pool, g, point, log_point)
        account(rule, pool)
        for g in range(pool.law.size):
            if pool.changed[g]:
                words, weights, outside = packed_subsets(pool.points[g], setting.size, setting.orders)
                if not outside <= setting.inside or not list_law(rule, pool, g, words, weights):
                    return row, MUST_MAKE_LAWS
                known, vectors, thresholds = known_thresholds(rule, pool, words)
                answers = best_exchanges(unpack_rows(words[known], pool.total.size), vectors, thresholds)
                filter_law(rule, pool, g, words, weights, known, answers)
        if not mix_laws(rule, pool):
            return row, MUST_MIX
    return row, PLAYED
