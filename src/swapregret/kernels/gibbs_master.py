"""Whole runs of the multi-scale master of Lazy-ComBand on sets with a Gibbs law, compiled.

The same kernels in the same order as stepping a ``Session`` day by day, so both give the same bits; see
``learners.engines.gibbs`` for the glue.

May touch: the kernels it is made of.
"""

import numpy as np
import numpy.typing as npt

from swapregret.compiled.kernel import kernel
from swapregret.kernels.gibbs_chain_laws import ChainSetting
from swapregret.kernels.gibbs_laws import draw_gibbs, empty_gibbs, gibbs_span_part, gibbs_variance, make_gibbs
from swapregret.kernels.gibbs_permutation_laws import PermutationSetting
from swapregret.kernels.gibbs_tree_laws import TreeSetting
from swapregret.kernels.master_arrays import PLAYED, Explore, Log, Memory, Rule
from swapregret.kernels.master_steps import (
    collect,
    draw_component,
    end_day,
    end_meta_day,
    end_turn,
    mix_scales,
    slots_of,
    solve_action,
)
from swapregret.kernels.vectors import centred

__all__ = ["run_gibbs"]

Floats = npt.NDArray[np.float64]
Integers = npt.NDArray[np.int64]


@kernel
def run_gibbs(
    rng: np.random.Generator,
    rewards: Floats,
    rule: Rule,
    chains: ChainSetting | None,
    trees: TreeSetting | None,
    permutations: PermutationSetting | None,
    coordinates: Integers,
    explore: Explore,
    memory: Memory,
    log: Log,
) -> tuple[int, int, int]:
    """Play one day a row of ``rewards``; ``coordinates`` are independent ones, on which Σ is inverted.

    Returns the number of days played and of turns, and how it ended. Fewer days than rows mean that Σ was singular: the
    caller must go on by stepping. What is logged of a turn are the log-weights of the scale that updated.
    """
    n_days, d = rewards.shape
    n_scales, is_bandit = rule.groups.size, rule.feedback == 0
    J = coordinates if is_bandit else coordinates[:0]
    laws = empty_gibbs(chains, trees, permutations, n_scales + 1, d, J.size)
    make_gibbs(chains, trees, permutations, J, memory.first_log, laws, n_scales)
    for k in range(n_scales):
        if memory.counts[k, 0] > 0:
            make_gibbs(chains, trees, permutations, J, memory.log_weights[k], laws, k)
    factor, aid = np.empty((J.size, J.size)), np.empty(d)
    cumulative, slots = np.empty(0), np.empty(0, dtype=np.int64)
    n_events = 0
    must_factor = True
    for row in range(n_days):
        if must_factor:
            members, weights, factor, is_definite = mix_scales(
                rule, memory, explore, laws.moments, laws.marginals, is_bandit, factor, aid
            )
            if not is_definite:
                return row, n_events, PLAYED
            slots, cumulative = slots_of(members, memory.counts), np.cumsum(weights)
            must_factor = False
        slot = draw_component(rng, slots, cumulative)
        action = draw_gibbs(rng, chains, trees, permutations, explore, laws, -1 if slot > n_scales else slot)
        if is_bandit:
            solve_action(rule, factor, coordinates, action, aid)
        n_ending = end_day(rule, memory, log, row, rewards[row], action, aid)
        if n_ending == 0:
            continue
        must_factor = True
        collect(memory, gibbs_span_part(chains, trees, permutations, memory.running))
        k = n_ending - 1
        point, tilted = aid, aid
        if k < n_scales:
            law = n_scales if memory.counts[k, 0] == 0 else k
            aggregate = centred(memory.aggregates[k], rule.is_uniform)
            spread = gibbs_variance(chains, trees, permutations, laws, law, aggregate)
            tilted = end_meta_day(rule, memory, k, spread)
            make_gibbs(chains, trees, permutations, J, tilted, laws, k)
            point = laws.marginals[k].copy()
        end_turn(memory, log, n_events, n_ending, point, tilted)
        if k < n_scales and len(log.points):
            log.points[n_events] = tilted
        n_events += 1
    return n_days, n_events, PLAYED
