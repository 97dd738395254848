"""Whole runs of the multi-scale master on paths of a graph, compiled.

The same kernels in the same order as stepping a ``Session`` day by day, so both give the same bits; see
``learners.engines.paths`` for the glue. Exploit laws are lists of paths with a dense Σ, or Markov chains with none.

May touch: the kernels it is made of.
"""

from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from swapregret.kernels.chain_pack import Chains, chain_wandering, pack_chains
from swapregret.kernels.chain_solve import solve_chains
from swapregret.compiled.kernel import kernel
from swapregret.kernels.master_arrays import NOT_PROJECTED, NOT_SOLVED, PLAYED, Explore, Log, Memory, Rule
from swapregret.kernels.master_steps import (
    begin_turn,
    draw_component,
    draw_listed,
    end_day,
    end_turn,
    grid_weights,
    mix_scales,
    places_of,
    slots_of,
    solve_action,
)
from swapregret.kernels.path_elimination import Elimination
from swapregret.kernels.path_laws import chain_draw, chain_flow, flow_transition, list_moment_on
from swapregret.kernels.path_projection import ACCEPTED_GAP, NEAR, near_scores, path_scores, project_flow
from swapregret.kernels.path_span import path_span_part
from swapregret.kernels.path_stripping import UNIT, round_flow, strip_paths

__all__ = ["PathSetting", "run_paths"]

Floats = npt.NDArray[np.float64]
Integers = npt.NDArray[np.int64]
Coordinates = npt.NDArray[np.int32]


class PathSetting(NamedTuple):
    """The graph, as in ``kernels.dag``, how laws are made, and the exploration law.

    Attributes
    ----------
    start, head, edge : int64 arrays
    plan : Elimination
    longest : int
        Edges of the longest path.
    is_chain : bool
        Whether exploit laws are chains, and Σ⁺M is iterated for; otherwise they are lists, and Σ is factored.
    orders : int64 array, shape (variants, n_usable)
        In which edges are tried when paths are taken off.
    coordinates : int64 array, shape (r,)
        Independent coordinates, on which Σ is inverted.
    joined, pivot : float64 arrays
        The factors of ``kernels.path_span``, if estimates must be projected onto the span; else empty.
    tolerance, limit, hopeless : float, int, float
        Of the iteration.
    explore_transition, explore_flow, explore_mass : float64 arrays
        The exploration law, if it is a chain.
    explore : Explore
    """

    start: Integers
    head: Integers
    edge: Integers
    plan: Elimination
    longest: int
    is_chain: bool
    orders: Integers
    coordinates: Integers
    joined: Floats
    pivot: Floats
    tolerance: float
    limit: int
    hopeless: float
    explore_transition: Floats
    explore_flow: Floats
    explore_mass: Floats
    explore: Explore


class _Laws(NamedTuple):
    """The exploit law of every scale, then that of a fresh one, and last, of chains, the exploration law."""

    sizes: Integers
    first: Integers
    path: Coordinates
    cumulative: Floats
    moments: Floats
    marginals: Floats
    transition: Floats
    flow: Floats
    mass: Floats
    wandering: Floats


@kernel
def _make_list(setting: PathSetting, place: Integers, flow: Floats, laws: _Laws, slot: int) -> None:
    """Take paths off a flow, and make what a day under their law needs."""
    start, head, edge = setting.start, setting.head, setting.edge
    units = round_flow(start, head, flow)
    count = len(setting.orders)
    first, path = laws.first[slot], laws.path[slot]
    weights = np.empty(first.size)
    n, length = 0, 0
    for variant in range(count):
        begin, found, amount = strip_paths(start, head, edge, setting.orders[variant], units)
        for i in range(found.size):
            path[length + i] = found[i]
        for a in range(amount.size):
            first[n + a] = length + begin[a]
            weights[n + a] = amount[a] / (UNIT * count)
        n += amount.size
        length += found.size
    first[n] = length
    kept = grid_weights(weights[:n]) if count > 1 else weights[:n].copy()
    laws.sizes[slot] = n
    laws.cumulative[slot, :n] = np.cumsum(kept)
    if place.size:
        list_moment_on(first, path, kept, place, laws.moments[slot])
    else:
        marginals = laws.marginals[slot]
        marginals[:] = 0.0
        for a in range(n):
            for i in range(first[a], first[a + 1]):
                marginals[path[i]] += kept[a]


@kernel
def _make_law(setting: PathSetting, place: Integers, point: Floats, laws: _Laws, slot: int) -> None:
    """Make the law of a point, a chain or a list."""
    values = np.empty(setting.edge.size)
    for k in range(values.size):
        values[k] = point[setting.edge[k]]
    if not setting.is_chain:
        _make_list(setting, place, values, laws, slot)
        return
    transition = flow_transition(setting.start, values)
    flow, mass = chain_flow(setting.start, setting.head, transition)
    laws.transition[slot] = transition
    laws.flow[slot] = flow
    laws.mass[slot] = mass
    laws.wandering[slot] = chain_wandering(transition, flow)
    for k in range(flow.size):
        laws.marginals[slot, setting.edge[k]] = flow[k]


@kernel
def _draw(rng: np.random.Generator, setting: PathSetting, laws: _Laws, slot: int, dimension: int) -> Integers:
    """Draw from the law in a slot, or from the exploration law (slot −1)."""
    if slot < 0 and setting.explore.cumulative.size:
        return draw_listed(rng, setting.explore)
    if slot < 0 or setting.is_chain:
        transition = setting.explore_transition if slot < 0 else laws.transition[slot]
        numbers = rng.random(setting.longest)
        return chain_draw(setting.start, setting.head, setting.edge, transition, numbers, dimension)
    cumulative = laws.cumulative[slot, : laws.sizes[slot]]
    a = np.searchsorted(cumulative, rng.random() * cumulative[-1], side="right")
    action = np.zeros(dimension, dtype=np.int64)
    for i in range(laws.first[slot, a], laws.first[slot, a + 1]):
        action[laws.path[slot, i]] = 1
    return action


@kernel
def _solve(setting: PathSetting, chains: Chains, action: Integers, aid: Floats) -> float:
    """Write Σ⁺M of a mixture of chains; return the relative residual."""
    right = np.empty(setting.edge.size)
    for k in range(right.size):
        right[k] = action[setting.edge[k]]
    found, ratio, _ = solve_chains(chains, right, setting.tolerance, setting.limit)
    aid[:] = 0.0
    for k in range(right.size):
        aid[setting.edge[k]] = found[k]
    return ratio


@kernel
def _room(setting: PathSetting, n_scales: int, dimension: int, rank: int) -> _Laws:
    """Return room for the laws."""
    n, n_edges, n_slots = setting.start.size - 1, setting.edge.size, n_scales + 2
    most = 0 if setting.is_chain else len(setting.orders) * (n_edges - n + 2)
    n_chains = n_slots if setting.is_chain else 0
    return _Laws(
        np.zeros(n_slots, dtype=np.int64),
        np.zeros((n_slots, most + 1), dtype=np.int64),
        np.empty((n_slots, most * setting.longest), dtype=np.int32),
        np.empty((n_slots, most)),
        np.zeros((n_slots, rank, rank)),
        np.zeros((n_slots, dimension)),
        np.empty((n_chains, n_edges)),
        np.empty((n_chains, n_edges)),
        np.empty((n_chains, n)),
        np.empty(n_chains),
    )


@kernel
def run_paths(
    rng: np.random.Generator, rewards: Floats, rule: Rule, setting: PathSetting, memory: Memory, log: Log
) -> tuple[int, int, int]:
    """Play one day a row of ``rewards``.

    Returns the number of days played and of turns, and how it ended. Fewer days than rows mean that Σ was singular: the
    caller must go on by stepping. ``log.tilted`` is what could not be projected, or begins with the residual of a failed
    iteration.
    """
    n_days, d = rewards.shape
    n_scales = rule.groups.size
    is_bandit = rule.feedback == 0
    is_dense = is_bandit and not setting.is_chain
    rank = setting.coordinates.size if is_dense else 0
    place = places_of(setting.coordinates[:rank], d if rank else 0)
    laws = _room(setting, n_scales, d, rank)
    _make_law(setting, place, memory.first_point, laws, n_scales)
    for k in range(n_scales):
        if memory.counts[k, 0] > 0:
            _make_law(setting, place, memory.points[k], laws, k)
    if setting.is_chain:
        laws.transition[n_scales + 1] = setting.explore_transition
        laws.flow[n_scales + 1] = setting.explore_flow
        laws.mass[n_scales + 1] = setting.explore_mass
        laws.wandering[n_scales + 1] = chain_wandering(setting.explore_transition, setting.explore_flow)
    factor, aid = np.empty((rank, rank)), np.empty(d)
    members, cumulative = np.empty(0, dtype=np.int64), np.empty(0)
    none = np.empty(0, dtype=np.int64)
    begin, enter = setting.start.astype(np.uint64), setting.head.astype(np.uint64)
    chains = pack_chains(begin, enter, laws.flow, laws.mass, laws.wandering, none, np.empty(0))
    n_events = 0
    must_factor = True
    for row in range(n_days):
        if must_factor:
            members, weights, factor, is_definite = mix_scales(
                rule, memory, setting.explore, laws.moments, laws.marginals, is_dense, factor, aid
            )
            if not is_definite:
                return row, n_events, PLAYED
            cumulative = np.cumsum(weights)
            if is_bandit and not is_dense:
                slots = slots_of(members, memory.counts)
                chains = pack_chains(begin, enter, laws.flow, laws.mass, laws.wandering, slots, weights)
            must_factor = False
        slot = draw_component(rng, members, cumulative)
        if slot >= 0 and memory.counts[slot, 0] == 0:
            slot = n_scales
        action = _draw(rng, setting, laws, slot, d)
        if is_dense:
            solve_action(rule, factor, setting.coordinates, action, aid)
        elif is_bandit:
            ratio = _solve(setting, chains, action, aid)
            if not ratio <= setting.hopeless:
                log.tilted[0] = ratio
                return row + 1, n_events, NOT_SOLVED
            memory.recoveries[0] += ratio > setting.tolerance
        n_ending = end_day(rule, memory, log, row, rewards[row], action, aid)
        if n_ending == 0:
            continue
        must_factor = True
        on_span = memory.running
        if setting.pivot.size:
            on_span = path_span_part(
                setting.start,
                setting.head,
                setting.edge,
                setting.plan,
                setting.joined,
                setting.pivot,
                memory.running,
            )
        k = n_ending - 1
        tilted = begin_turn(rule, memory, on_span, k)
        point, log_point = tilted, tilted
        if k < n_scales:
            scores = path_scores(setting.edge, tilted, rule.is_uniform)
            scores = near_scores(setting.start, setting.head, setting.edge, scores, memory.log_weights[k])
            values, logs, gap, _ = project_flow(setting.start, setting.head, setting.plan, scores, NEAR)
            if not gap <= ACCEPTED_GAP:
                log.tilted[:] = tilted
                return row + 1, n_events, NOT_PROJECTED
            point, log_point = np.zeros(d), np.zeros(d)
            for e in range(values.size):
                point[setting.edge[e]] = values[e]
                log_point[setting.edge[e]] = logs[e]
            _make_law(setting, place, point, laws, k)
        end_turn(memory, log, n_events, n_ending, point, log_point)
        n_events += 1
    return n_days, n_events, PLAYED
