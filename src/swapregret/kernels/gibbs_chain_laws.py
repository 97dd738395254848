"""Gibbs laws of m-sets and of paths, kept in slots: both are Markov chains, over the elements or over the vertices."""

from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from swapregret.actions.m_sets.kernels.gibbs_subsets import (
    gibbs_chain,
    gibbs_draw,
    gibbs_marginals,
    gibbs_moment,
    gibbs_pairs,
)
from swapregret.actions.m_sets.kernels.subsets import draw_uniform
from swapregret.actions.paths.kernels.chain_draws import (
    chain_cooccurrence,
    chain_draw,
    chain_flow,
    chain_moment,
    gibbs_transition,
)
from swapregret.actions.paths.kernels.dag import log_sums_to_sink
from swapregret.actions.paths.kernels.elimination import Elimination
from swapregret.compiled.kernel import kernel
from swapregret.compiled.vectors import moment_variance

__all__ = [
    "ChainLaws",
    "ChainSetting",
    "chain_variance",
    "draw_chain_law",
    "empty_chain_laws",
    "make_chain_law",
]

Floats = npt.NDArray[np.float64]
Integers = npt.NDArray[np.int64]


class ChainSetting(NamedTuple):
    """The set.

    Attributes
    ----------
    start, head, edge : int64 arrays
        The graph, as ``Digraph`` has it; all empty on m-sets.
    size : int
        m, or the number of edges of the longest path.
    plan : Elimination
        In which order the vertices of the graph are eliminated.
    joined, pivot : float64 arrays
        The factors of ``kernels.flow_span``, if estimates must be projected onto the span; else empty.
    explore_transition : float64 array
        The exploration law if it is a chain on the graph; on m-sets one that is not listed is uniform.
    """

    start: Integers
    head: Integers
    edge: Integers
    size: int
    plan: Elimination
    joined: Floats
    pivot: Floats
    explore_transition: Floats


class ChainLaws(NamedTuple):
    """Chains over the elements of an m-set, or over the vertices of a graph."""

    include: Floats
    reach: Floats
    transition: Floats
    flow: Floats
    mass: Floats
    marginals: Floats
    moments: Floats


@kernel
def empty_chain_laws(setting: ChainSetting, n_slots: int, dimension: int, rank: int) -> ChainLaws:
    """Return room for some laws; ``rank`` is 0 where nobody asks for their second moments."""
    is_path, n_edges = setting.start.size > 0, setting.edge.size
    length, width = 0 if is_path else dimension, 0 if is_path else setting.size + 1
    return ChainLaws(
        np.empty((n_slots, length, width)),
        np.empty((n_slots, length + 1, width)),
        np.empty((n_slots, n_edges)),
        np.empty((n_slots, n_edges)),
        np.empty((n_slots, max(0, setting.start.size - 1))),
        np.zeros((n_slots, dimension)),
        np.zeros((n_slots, rank, rank)),
    )


@kernel
def make_chain_law(setting: ChainSetting, coordinates: Integers, scores: Floats, laws: ChainLaws, slot: int) -> None:
    """Make the law of some scores, and its Σ on the coordinates."""
    d, J = scores.size, coordinates
    moment = np.empty((0, 0))
    if setting.start.size == 0:
        include, reach, _ = gibbs_chain(scores, setting.size)
        laws.include[slot] = include
        laws.reach[slot] = reach
        laws.marginals[slot] = gibbs_marginals(include, reach)
        if J.size:
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
        if J.size:
            moment = chain_cooccurrence(start, head, edge, transition, flow, d)
    for i in range(J.size):
        for j in range(J.size):
            laws.moments[slot, i, j] = moment[J[i], J[j]]


@kernel
def draw_chain_law(
    rng: np.random.Generator, setting: ChainSetting, laws: ChainLaws, slot: int, dimension: int
) -> Integers:
    """Draw from the law in a slot; −1 is an exploration law that is not listed."""
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
def chain_variance(setting: ChainSetting, laws: ChainLaws, slot: int, vector: Floats) -> float:
    """Return Var(M·v) under the law in a slot."""
    if setting.start.size == 0:
        moment = gibbs_moment(laws.include[slot], laws.reach[slot], vector)
    else:
        chain = laws.transition[slot], laws.flow[slot], laws.mass[slot]
        moment = chain_moment(setting.start, setting.head, setting.edge, chain[0], chain[1], chain[2], vector)
    return moment_variance(laws.marginals[slot], moment, vector)
