"""Whole runs of the multi-scale master on spanning trees and forests, compiled.

The same kernels in the same order as stepping a ``Session`` day by day, so both give the same bits; see
``learners.engines.forests`` for the glue.

May touch: the kernels it is made of.
"""

from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from swapregret.compiled.kernel import kernel
from swapregret.kernels.forest_decompose import ForestGraph, decompose_forest_point
from swapregret.kernels.master_arrays import NOT_PROJECTED, PLAYED, Explore, Log, Memory, Rule
from swapregret.kernels.master_steps import (
    begin_turn,
    draw_component,
    draw_listed,
    end_day,
    end_turn,
    mix_scales,
    places_of,
    solve_action,
)
from swapregret.kernels.path_laws import list_marginals, list_moment_on
from swapregret.kernels.spanning_tree_gibbs import draw_by_walk
from swapregret.kernels.tree_partition import project_forests
from swapregret.kernels.vectors import span_part

__all__ = ["ForestSetting", "run_forests"]

Floats = npt.NDArray[np.float64]
Integers = npt.NDArray[np.int64]
Coordinates = npt.NDArray[np.int32]


class ForestSetting(NamedTuple):
    """The set, and the exploration law on it.

    Attributes
    ----------
    graph : ForestGraph
    unit : int
        How many units of mass make 1.
    ranks : int64 array, shape (variants, n_vertices + 1)
        In which order vertices are taken out.
    inside : float
        How far from the polytope a point may be.
    coordinates : int64 array, shape (r,)
        Independent coordinates, on which Σ is inverted.
    orthonormal : float64 array, shape (d, r) or (0, 0)
        A basis of the span, if estimates must be projected onto it.
    walk : float64 array
        Steps of the random walk that draws from the exploration law, if that is the uniform law of trees.
    up, starts, edges, ends : int64 arrays
        Of that walk: the roots, and the edges at each vertex.
    explore : Explore
    """

    graph: ForestGraph
    unit: int
    ranks: Integers
    inside: float
    coordinates: Integers
    orthonormal: Floats
    walk: Floats
    up: Integers
    starts: Integers
    edges: Integers
    ends: Integers
    explore: Explore


class _Laws(NamedTuple):
    """The exploit law of every scale, and last that of a fresh one."""

    sizes: Integers
    chosen: Coordinates
    cumulative: Floats
    moments: Floats
    marginals: Floats


@kernel
def _make_law(setting: ForestSetting, place: Integers, point: Floats, laws: _Laws, slot: int) -> tuple[_Laws, float]:
    """Decompose a point, and make what a day under its law needs; return the laws, in more room if need be."""
    chosen, weights, outside = decompose_forest_point(setting.graph, point, setting.unit, setting.ranks)
    n, size = chosen.shape
    if n > laws.cumulative.shape[1]:
        n_slots, room = laws.sizes.size, 2 * n
        wider, longer = np.empty((n_slots, room, size), dtype=np.int32), np.empty((n_slots, room))
        for each in range(n_slots):
            kept = laws.sizes[each]
            wider[each, :kept] = laws.chosen[each, :kept]
            longer[each, :kept] = laws.cumulative[each, :kept]
        laws = _Laws(laws.sizes, wider, longer, laws.moments, laws.marginals)
    laws.sizes[slot] = n
    laws.chosen[slot, :n] = chosen
    laws.cumulative[slot, :n] = np.cumsum(weights)
    first, path = size * np.arange(n + 1), chosen.reshape(-1)
    if place.size:
        list_moment_on(first, path, weights, place, laws.moments[slot])
    else:
        laws.marginals[slot] = list_marginals(first, path, weights, point.size)
    return laws, outside


@kernel
def _draw(rng: np.random.Generator, setting: ForestSetting, laws: _Laws, slot: int, dimension: int) -> Integers:
    """Draw from the law in a slot, or from the exploration law (slot −1)."""
    if slot < 0 and setting.explore.cumulative.size:
        return draw_listed(rng, setting.explore)
    if slot < 0:
        return draw_by_walk(rng, setting.walk, setting.up, setting.starts, setting.edges, setting.ends)
    cumulative = laws.cumulative[slot, : laws.sizes[slot]]
    chosen = laws.chosen[slot, np.searchsorted(cumulative, rng.random() * cumulative[-1], side="right")]
    action = np.zeros(dimension, dtype=np.int64)
    for i in range(chosen.size):
        action[chosen[i]] = 1
    return action


@kernel
def run_forests(
    rng: np.random.Generator, rewards: Floats, rule: Rule, setting: ForestSetting, memory: Memory, log: Log
) -> tuple[int, int, int]:
    """Play one day a row of ``rewards``.

    Returns the number of days played and of turns, and how it ended. Fewer days than rows mean that Σ was singular: the
    caller must go on by stepping. If a point could not be decomposed, ``log.tilted`` is what was projected.
    """
    n_days, d = rewards.shape
    n_scales = rule.groups.size
    graph = setting.graph
    is_bandit = rule.feedback == 0
    rank = setting.coordinates.size if is_bandit else 0
    place = places_of(setting.coordinates[:rank], d if rank else 0)
    room = 2 * d * len(setting.ranks)
    laws = _Laws(
        np.zeros(n_scales + 1, dtype=np.int64),
        np.empty((n_scales + 1, room, graph.size), dtype=np.int32),
        np.empty((n_scales + 1, room)),
        np.zeros((n_scales + 1, rank, rank)),
        np.zeros((n_scales + 1, d)),
    )
    laws, _ = _make_law(setting, place, memory.first_point, laws, n_scales)
    for k in range(n_scales):
        if memory.counts[k, 0] > 0:
            laws, _ = _make_law(setting, place, memory.points[k], laws, k)
    factor, aid = np.empty((rank, rank)), np.empty(d)
    members, cumulative = np.empty(0, dtype=np.int64), np.empty(0)
    n_events = 0
    must_factor = True
    for row in range(n_days):
        if must_factor:
            members, weights, factor, is_definite = mix_scales(
                rule, memory, setting.explore, laws.moments, laws.marginals, is_bandit, factor, aid
            )
            if not is_definite:
                return row, n_events, PLAYED
            cumulative = np.cumsum(weights)
            must_factor = False
        slot = draw_component(rng, members, cumulative)
        if slot >= 0 and memory.counts[slot, 0] == 0:
            slot = n_scales
        action = _draw(rng, setting, laws, slot, d)
        if is_bandit:
            solve_action(rule, factor, setting.coordinates, action, aid)
        n_ending = end_day(rule, memory, log, row, rewards[row], action, aid)
        if n_ending == 0:
            continue
        must_factor = True
        on_span = memory.running
        if setting.orthonormal.size:
            on_span = span_part(setting.orthonormal, memory.running)
        k = n_ending - 1
        tilted = begin_turn(rule, memory, on_span, k)
        point, log_point = tilted, tilted
        if k < n_scales:
            point, log_point, _, _ = project_forests(tilted, graph.tails, graph.heads, graph.n_vertices, graph.size)
            laws, outside = _make_law(setting, place, point, laws, k)
            if not outside <= setting.inside:
                log.tilted[:] = tilted
                return row + 1, n_events, NOT_PROJECTED
        end_turn(memory, log, n_events, n_ending, point, log_point)
        n_events += 1
    return n_days, n_events, PLAYED
