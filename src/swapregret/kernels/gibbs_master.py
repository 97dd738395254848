"""Whole runs of the multi-scale master of Lazy-ComBand on m-sets and on paths, compiled.

Both laws are Markov chains, over the elements or over the vertices. The same kernels in the same order as stepping a
``Session`` day by day, so both give the same bits; see ``learners.engines.gibbs_chains`` for the glue.

May touch: the kernels it is made of.
"""

from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from swapregret.kernels.compile import kernel
from swapregret.kernels.dag import log_sums_to_sink
from swapregret.kernels.gibbs_subsets import gibbs_chain, gibbs_draw, gibbs_marginals, gibbs_moment, gibbs_pairs
from swapregret.kernels.m_set_master import draw_uniform
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
from swapregret.kernels.path_elimination import Elimination
from swapregret.kernels.path_laws import chain_cooccurrence, chain_draw, chain_flow, chain_moment, gibbs_transition
from swapregret.kernels.path_span import path_span_part
from swapregret.kernels.vectors import centred

__all__ = ["GibbsLaws", "GibbsSetting", "draw_gibbs", "empty_laws", "make_gibbs", "run_gibbs_chains"]

Floats = npt.NDArray[np.float64]
Integers = npt.NDArray[np.int64]


class GibbsSetting(NamedTuple):
    """The set, and the exploration law on it.

    Attributes
    ----------
    start, head, edge : int64 arrays
        The graph, as ``Digraph`` has it; all empty on m-sets.
    size : int
        m, or the number of edges of the longest path.
    coordinates : int64 array, shape (r,)
        Independent coordinates, on which Σ is inverted.
    plan : Elimination
        In which order the vertices of the graph are eliminated.
    joined, pivot : float64 arrays
        The factors of ``kernels.path_span``, if estimates must be projected onto the span; else empty.
    explore_transition : float64 array
        The exploration law if it is a chain on the graph.
    explore : Explore
    """

    start: Integers
    head: Integers
    edge: Integers
    size: int
    coordinates: Integers
    plan: Elimination
    joined: Floats
    pivot: Floats
    explore_transition: Floats
    explore: Explore


class GibbsLaws(NamedTuple):
    """Gibbs laws in slots: chains over the elements of an m-set, or over the vertices of a graph."""

    include: Floats
    reach: Floats
    transition: Floats
    flow: Floats
    mass: Floats
    marginals: Floats
    moments: Floats


@kernel
def empty_laws(setting: GibbsSetting, n_slots: int, dimension: int, rank: int) -> GibbsLaws:
    """Return room for some laws; ``rank`` is 0 where nobody asks for their second moments."""
    is_path, n_edges = setting.start.size > 0, setting.edge.size
    length, width = 0 if is_path else dimension, 0 if is_path else setting.size + 1
    return GibbsLaws(
        np.empty((n_slots, length, width)),
        np.empty((n_slots, length + 1, width)),
        np.empty((n_slots, n_edges)),
        np.empty((n_slots, n_edges)),
        np.empty((n_slots, max(0, setting.start.size - 1))),
        np.zeros((n_slots, dimension)),
        np.zeros((n_slots, rank, rank)),
    )


@kernel
def make_gibbs(setting: GibbsSetting, is_bandit: bool, scores: Floats, laws: GibbsLaws, slot: int) -> None:
    """Make the Gibbs law of some scores."""
    d, J = scores.size, setting.coordinates
    moment = np.empty((0, 0))
    if setting.start.size == 0:
        include, reach, _ = gibbs_chain(scores, setting.size)
        laws.include[slot] = include
        laws.reach[slot] = reach
        laws.marginals[slot] = gibbs_marginals(include, reach)
        if is_bandit:
            moment = gibbs_pairs(include, reach)
    else:
        start, head, edge = setting.start, setting.head, setting.edge
        values = np.empty(edge.size)
        for k in range(edge.size):
            values[k] = scores[edge[k]]
        transition = gibbs_transition(start, head, values, log_sums_to_sink(start, head, values))
        flow, mass = chain_flow(start, head, transition)
        laws.transition[slot] = transition
        laws.flow[slot] = flow
        laws.mass[slot] = mass
        for k in range(edge.size):
            laws.marginals[slot, edge[k]] = flow[k]
        if is_bandit:
            moment = chain_cooccurrence(start, head, edge, transition, flow, d)
    if is_bandit:
        for i in range(J.size):
            for j in range(J.size):
                laws.moments[slot, i, j] = moment[J[i], J[j]]


@kernel
def draw_gibbs(rng: np.random.Generator, setting: GibbsSetting, laws: GibbsLaws, slot: int, dimension: int) -> Integers:
    """Draw from the law in a slot; −1 is the exploration law."""
    if slot < 0 and setting.explore.cumulative.size:
        return draw_listed(rng, setting.explore)
    if setting.start.size == 0:
        if slot < 0:
            return draw_uniform(rng, dimension, setting.size)
        uniforms = np.empty(dimension)
        for i in range(dimension):
            uniforms[i] = rng.random()
        return gibbs_draw(laws.include[slot], uniforms)
    uniforms = np.empty(setting.size)
    for i in range(setting.size):
        uniforms[i] = rng.random()
    transition = setting.explore_transition if slot < 0 else laws.transition[slot]
    return chain_draw(setting.start, setting.head, setting.edge, transition, uniforms, dimension)


@kernel
def _variance(setting: GibbsSetting, laws: GibbsLaws, slot: int, vector: Floats) -> float:
    """Return Var(M·v), as ``Policy.variance`` does."""
    if setting.start.size == 0:
        moment = gibbs_moment(laws.include[slot], laws.reach[slot], vector)
    else:
        chain = laws.transition[slot], laws.flow[slot], laws.mass[slot]
        moment = chain_moment(setting.start, setting.head, setting.edge, chain[0], chain[1], chain[2], vector)
    mean, square = 0.0, 0.0
    for i in range(vector.size):
        mean += laws.marginals[slot, i] * vector[i]
        square += vector[i] * moment[i]
    return max(0.0, square - mean * mean)


@kernel
def run_gibbs_chains(
    rng: np.random.Generator, rewards: Floats, rule: Rule, setting: GibbsSetting, memory: Memory, log: Log
) -> tuple[int, int, int]:
    """Play one day a row of ``rewards``.

    Returns the number of days played and of turns, and how it ended. Fewer days than rows mean that Σ was singular: the
    caller must go on by stepping. What is logged of a turn are the log-weights of the scale that updated.
    """
    n_days, d = rewards.shape
    n_scales, is_bandit = rule.groups.size, rule.feedback == 0
    rank = setting.coordinates.size if is_bandit else 0
    laws = empty_laws(setting, n_scales + 1, d, rank)
    make_gibbs(setting, is_bandit, memory.first_log, laws, n_scales)
    for k in range(n_scales):
        if memory.counts[k, 0] > 0:
            make_gibbs(setting, is_bandit, memory.log_weights[k], laws, k)
    factor, aid = np.empty((rank, rank)), np.empty(d)
    cumulative, slots = np.empty(0), np.empty(0, dtype=np.int64)
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
        action = draw_gibbs(rng, setting, laws, -1 if slot > n_scales else slot, d)
        if is_bandit:
            solve_action(rule, factor, setting.coordinates, action, aid)
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
        collect(memory, on_span)
        k = n_ending - 1
        point, tilted = aid, aid
        if k < n_scales:
            law = n_scales if memory.counts[k, 0] == 0 else k
            aggregate = centred(memory.aggregates[k], rule.is_uniform)
            tilted = end_meta_day(rule, memory, k, _variance(setting, laws, law, aggregate))
            make_gibbs(setting, is_bandit, tilted, laws, k)
            point = laws.marginals[k].copy()
        end_turn(memory, log, n_events, n_ending, point, tilted)
        if k < n_scales and len(log.points):
            log.points[n_events] = tilted
        n_events += 1
    return n_days, n_events, PLAYED
