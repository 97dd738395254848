"""Paths of a DAG as compiled code sees them: lists by stripping."""

from typing import Any, NamedTuple

import numpy as np

from swapregret.actions.family import Common, best, draw_explore, list_policy, project, span_part
from swapregret.actions.paths.kernels.chain_draws import chain_cooccurrence, chain_draw
from swapregret.actions.paths.kernels.dag import best_path
from swapregret.actions.paths.kernels.elimination import Elimination
from swapregret.actions.paths.kernels.path_projection import (
    ACCEPTED_GAP,
    NEAR,
    bring_near,
    path_scores,
    path_span_part,
    project_flow,
)
from swapregret.actions.paths.kernels.path_stripping import packed_paths
from swapregret.actions.policy_slots import put_moment
from swapregret.arrays import Floats, Integers, Words
from swapregret.compiled.kernel import kernel


class PathGraph(NamedTuple):
    """A DAG as in ``kernels.dag``, its elimination, the factors that project onto the span, and the chain that explores.

    ``longest`` is the number of edges of the longest path; ``joined`` and ``pivot`` are empty where vectors need not be
    projected, ``transition`` where the exploration policy is a list.
    """

    start: Integers
    head: Integers
    edge: Integers
    plan: Elimination
    longest: int
    joined: Floats
    pivot: Floats
    transition: Floats


class PathFamily(NamedTuple):
    """Paths, stripped off a flow in some ``orders`` of the edges; how far from a flow a point may be."""

    common: Common
    graph: PathGraph
    orders: Integers
    inside: float


@project.of(PathFamily)
def project_path(family: Any, tilted: Floats, near: Floats) -> tuple[Floats, Floats, bool]:
    """Project onto the flows of one unit by Newton's method, starting from a flow known from before."""
    graph = family.graph
    scores = path_scores(graph.edge, tilted, family.common.is_uniform)
    bring_near(graph.plan, graph.edge, scores, near)
    values, logs, gap, _ = project_flow(graph.plan, scores, NEAR)
    point, log_point = np.zeros(tilted.size), np.zeros(tilted.size)
    for k in range(values.size):
        point[graph.edge[k]] = values[k]
        log_point[graph.edge[k]] = logs[k]
    return point, log_point, gap <= ACCEPTED_GAP


@list_policy.of(PathFamily)
def list_paths(family: Any, point: Floats) -> tuple[Words, Floats, bool]:
    """Strip paths off a flow, in each of the orders."""
    graph = family.graph
    words, chances, outside = packed_paths(point, graph.start, graph.head, graph.edge, family.orders)
    return words, chances, outside <= family.inside


@best.of(PathFamily)
def best_path_of(family: Any, weights: Floats) -> Integers:
    """Return the heaviest path, by dynamic programming."""
    graph = family.graph
    return best_path(graph.start, graph.head, graph.edge, weights)


@span_part.of(PathFamily)
def path_part(family: Any, vector: Floats) -> Floats:
    """Take off what differs by potentials of the vertices."""
    graph = family.graph
    if graph.pivot.size == 0:
        return vector
    return path_span_part(graph.plan, graph.edge, graph.joined, graph.pivot, vector)


@kernel
def walk_chain(family: Any, transition: Floats, rng: np.random.Generator) -> Integers:
    """Draw a path by walking along a chain."""
    graph = family.graph
    numbers = rng.random(graph.longest)
    return chain_draw(graph.start, graph.head, graph.edge, transition, numbers, family.common.dimension)


@draw_explore.of(PathFamily)
def draw_chain(family: Any, rng: np.random.Generator) -> Integers:
    """Walk along the chain that explores."""
    return walk_chain(family, family.graph.transition, rng)


@kernel
def put_chain(family: Any, policies: Any, slot: int, transition: Floats, flow: Floats, mass: Floats) -> None:
    """Write a chain into a slot of policies that are chains, with its marginals, and Σ where that is a matrix."""
    graph, coordinates = family.graph, family.common.coordinates
    policies.transition[slot] = transition
    policies.flow[slot] = flow
    policies.mass[slot] = mass
    for k in range(flow.size):
        policies.marginals[slot, graph.edge[k]] = flow[k]
    if coordinates.size:
        d = family.common.dimension
        full = chain_cooccurrence(graph.start, graph.head, graph.edge, transition, flow, d)
        put_moment(full, coordinates, policies.moments[slot])
