"""Whole runs of the multi-scale master of Lazy-ComBand on spanning trees, compiled.

The same kernels in the same order as stepping a ``Session`` day by day, so both give the same bits; see
``learners.engines.gibbs_trees`` for the glue.

May touch: the kernels it is made of.
"""

from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from swapregret.kernels.compile import kernel
from swapregret.kernels.kruskal import heaviest_forest
from swapregret.kernels.master_arrays import PLAYED, Explore, Log, Memory, Rule
from swapregret.kernels.master_steps import (
    collect,
    draw_component,
    draw_listed,
    end_day,
    end_meta_day,
    end_turn,
    mix_scales,
    slots_of,
    solve_action,
)
from swapregret.kernels.spanning_tree_gibbs import (
    affordable_walk,
    draw_by_chain,
    draw_by_walk,
    root_forest,
    scaled_cuts,
    walk_bound,
    walk_table,
)
from swapregret.kernels.tree_gibbs_law import (
    reduce_cuts,
    root_order,
    tree_marginals,
    tree_moment_on,
    tree_squared,
    tree_variance,
)
from swapregret.kernels.vectors import centred, span_part

__all__ = ["TreeSetting", "run_gibbs_trees"]

Floats = npt.NDArray[np.float64]
Integers = npt.NDArray[np.int64]

_UNKNOWN, _BY_WALK, _BY_CHAIN = 0, 1, 2


class TreeSetting(NamedTuple):
    """The set, and the exploration law on it.

    Attributes
    ----------
    tails, heads, starts, edges, ends : int64 arrays
        The graph, and the edges at each vertex.
    size : int
        Edges of a tree.
    coordinates : int64 array, shape (r,)
        Independent coordinates, on which Σ is inverted.
    orthonormal : float64 array, shape (d, r) or (0, 0)
        A basis of the span, if estimates must be projected onto it.
    explore : Explore
    """

    tails: Integers
    heads: Integers
    starts: Integers
    edges: Integers
    ends: Integers
    size: int
    coordinates: Integers
    orthonormal: Floats
    explore: Explore


class _Laws(NamedTuple):
    """The exploit law of every scale, then that of a fresh one, and last the uniform law."""

    kinds: Integers
    scores: Floats
    up: Integers
    order: Integers
    columns: Floats
    marginals: Floats
    squared: Floats
    moments: Floats
    walks: Floats


@kernel
def _make_law(setting: TreeSetting, is_bandit: bool, scores: Floats, laws: _Laws, slot: int) -> None:
    """Make the Gibbs law of some scores; how to draw from it is decided when it is first drawn from."""
    tails, heads, n = setting.tails, setting.heads, setting.starts.size - 1
    chosen = heaviest_forest(scores, tails, heads, n, setting.size)
    first = root_order(scores, tails, heads, n)
    up, depths, order = root_forest(chosen, first, setting.starts, setting.edges, setting.ends)
    columns, _ = reduce_cuts(scaled_cuts(scores, chosen, up, depths, tails, heads))
    x, squared = tree_marginals(columns), tree_squared(columns)
    laws.kinds[slot] = _UNKNOWN
    laws.scores[slot] = scores
    laws.up[slot] = up
    laws.order[slot] = order
    laws.columns[slot] = columns
    laws.marginals[slot] = x
    laws.squared[slot] = squared
    if is_bandit:
        tree_moment_on(x, squared, setting.coordinates, laws.moments[slot])


@kernel
def _draw(rng: np.random.Generator, setting: TreeSetting, laws: _Laws, slot: int) -> Integers:
    """Draw from the law in a slot; −1 is a listed exploration law."""
    if slot < 0:
        return draw_listed(rng, setting.explore)
    tails, heads, starts, edges = setting.tails, setting.heads, setting.starts, setting.edges
    up, n, d = laws.up[slot], starts.size - 1, tails.size
    if laws.kinds[slot] == _UNKNOWN:
        scores = centred(laws.scores[slot], True)
        bound = walk_bound(scores, up, laws.order[slot], tails, heads, starts, edges)
        laws.kinds[slot] = _BY_CHAIN
        if bound <= affordable_walk(n, setting.size, d):
            laws.walks[slot] = walk_table(scores, starts, edges)
            laws.kinds[slot] = _BY_WALK
    if laws.kinds[slot] == _BY_WALK:
        return draw_by_walk(rng, laws.walks[slot], up, starts, edges, setting.ends)
    return draw_by_chain(rng, laws.columns[slot], tails, heads, n)


@kernel
def run_gibbs_trees(
    rng: np.random.Generator, rewards: Floats, rule: Rule, setting: TreeSetting, memory: Memory, log: Log
) -> tuple[int, int, int]:
    """Play one day a row of ``rewards``.

    Returns the number of days played and of turns, and how it ended. Fewer days than rows mean that Σ was singular: the
    caller must go on by stepping. What is logged of a turn are the log-weights of the scale that updated.
    """
    n_days, d = rewards.shape
    n_scales, n = rule.groups.size, setting.starts.size - 1
    is_bandit = rule.feedback == 0
    rank = setting.coordinates.size if is_bandit else 0
    n_slots = n_scales + 2
    laws = _Laws(
        np.zeros(n_slots, dtype=np.int64),
        np.zeros((n_slots, d)),
        np.empty((n_slots, n), dtype=np.int64),
        np.empty((n_slots, n), dtype=np.int64),
        np.empty((n_slots, d, setting.size)),
        np.zeros((n_slots, d)),
        np.empty((n_slots, d, d)),
        np.zeros((n_slots, rank, rank)),
        np.empty((n_slots, setting.edges.size)),
    )
    _make_law(setting, is_bandit, memory.first_log, laws, n_scales)
    _make_law(setting, is_bandit, np.zeros(d), laws, n_scales + 1)
    for k in range(n_scales):
        if memory.counts[k, 0] > 0:
            _make_law(setting, is_bandit, memory.log_weights[k], laws, k)
    factor, aid = np.empty((rank, rank)), np.empty(d)
    members, cumulative, slots = np.empty(0, dtype=np.int64), np.empty(0), np.empty(0, dtype=np.int64)
    n_events = 0
    must_factor = True
    for row in range(n_days):
        if must_factor:
            members, weights, factor, is_definite = mix_scales(
                rule, memory, setting.explore, laws.moments, laws.marginals, is_bandit, factor, aid
            )
            if not is_definite:
                return row, n_events, PLAYED
            slots, cumulative = slots_of(members, memory.counts), np.cumsum(weights)
            must_factor = False
        slot = draw_component(rng, slots, cumulative)
        if slot == n_scales + 1 and setting.explore.cumulative.size:
            slot = -1
        action = _draw(rng, setting, laws, slot)
        if is_bandit:
            solve_action(rule, factor, setting.coordinates, action, aid)
        n_ending = end_day(rule, memory, log, row, rewards[row], action, aid)
        if n_ending == 0:
            continue
        must_factor = True
        on_span = memory.running
        if setting.orthonormal.size:
            on_span = span_part(setting.orthonormal, memory.running)
        collect(memory, on_span)
        k = n_ending - 1
        point, tilted = aid, aid
        if k < n_scales:
            law = n_scales if memory.counts[k, 0] == 0 else k
            aggregate = centred(memory.aggregates[k], rule.is_uniform)
            spread = tree_variance(laws.marginals[law], laws.squared[law], aggregate)
            tilted = end_meta_day(rule, memory, k, spread)
            _make_law(setting, is_bandit, tilted, laws, k)
            point = laws.marginals[k].copy()
        end_turn(memory, log, n_events, n_ending, point, tilted)
        if k < n_scales and len(log.points):
            log.points[n_events] = tilted
        n_events += 1
    return n_days, n_events, PLAYED
