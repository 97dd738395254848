"""The operations of paths: lists by stripping, Gibbs policies and flows as Markov chains, Σ⁺ of chains without a matrix."""

from typing import NamedTuple

import numpy as np

from swapregret.actions.hull import Hull, Tables, put_moment, whole_vector
from swapregret.actions.paths.kernels.chain_pack import chain_wandering, pack_chains
from swapregret.actions.paths.kernels.chain_solve import solve_chains
from swapregret.actions.paths.kernels.dag import (
    best_path,
    chain_cooccurrence,
    chain_draw,
    chain_flow,
    chain_moment,
    flow_transition,
    gibbs_transition,
    log_sums_to_sink,
)
from swapregret.actions.paths.kernels.elimination import Elimination
from swapregret.actions.paths.kernels.path_projection import (
    FAR,
    NEAR,
    bring_near,
    path_scores,
    path_span_part,
    project_flow,
)
from swapregret.actions.paths.kernels.path_stripping import packed_paths
from swapregret.arrays import Floats, Integers, Words
from swapregret.compiled.address import Handle, set_of
from swapregret.compiled.kernel import kernel
from swapregret.compiled.vectors import are_near, moment_variance
from swapregret.geometry.kl import ACCEPTED_GAP
from swapregret.geometry.solve import LIMIT, TOLERANCE


class PathData(NamedTuple):
    """A DAG as in ``kernels.dag``, its elimination, and how its paths are listed."""

    start: Integers  # the graph
    head: Integers
    edge: Integers
    plan: Elimination  # in which order vertices are eliminated
    dimension: int  # d, with edges that lie on no path
    is_uniform: bool  # whether all paths have as many edges
    longest: int  # the edges of the longest path
    joined: Floats  # like ``pivot``, the factors that project onto the span; empty where all vectors are in it
    pivot: Floats
    transition: Floats  # the chain that explores; empty where that is a list
    orders: Integers  # (variants, E) in which paths are stripped off a flow
    inside: float  # how far from a flow a point may be


@kernel
def best_of_paths(h: Handle[PathData], weights: Floats) -> Integers:
    """Return the heaviest path, by dynamic programming."""
    graph = set_of(h)
    return best_path(graph.start, graph.head, graph.edge, weights)


@kernel
def project_paths(h: Handle[PathData], tilted: Floats, near: Floats) -> tuple[Floats, Floats, float]:
    """Project onto the flows of one unit by Newton's method, starting from a flow if one is known from before."""
    graph, is_known = set_of(h), np.any(near)
    scores = path_scores(graph.edge, tilted, graph.is_uniform)
    if is_known:
        bring_near(graph.plan, graph.edge, scores, near)
    values, logs, gap, _ = project_flow(graph.plan, scores, NEAR if is_known else FAR)
    point, log_point = np.zeros(tilted.size), np.zeros(tilted.size)
    for k in range(values.size):
        point[graph.edge[k]] = values[k]
        log_point[graph.edge[k]] = logs[k]
    return point, log_point, gap if gap <= ACCEPTED_GAP else np.inf


@kernel
def list_paths(h: Handle[PathData], point: Floats) -> tuple[Words, Floats, bool]:
    """Strip paths off a flow, in each of the orders."""
    graph = set_of(h)
    words, chances, outside = packed_paths(point, graph.start, graph.head, graph.edge, graph.orders)
    return words, chances, outside <= graph.inside


@kernel
def part_of_paths(h: Handle[PathData], vector: Floats) -> Floats:
    """Take off what differs by potentials of the vertices."""
    graph = set_of(h)
    if graph.pivot.size == 0:
        return vector
    return path_span_part(graph.plan, graph.edge, graph.joined, graph.pivot, vector)


@kernel
def draw_exploring_path(h: Handle[PathData], rng: np.random.Generator) -> Integers:
    """Walk along the chain that explores."""
    return _walk(set_of(h), set_of(h).transition, rng)


@kernel
def _walk(graph: PathData, transition: Floats, rng: np.random.Generator) -> Integers:
    """Draw a path by walking along a chain."""
    return chain_draw(graph.start, graph.head, graph.edge, transition, rng.random(graph.longest), graph.dimension)


# ---- chains, of Gibbs policies and of flows: a table is a row as in ``kernels.chain_pack`` ---------------------------------------


@kernel
def _gibbs_chain(graph: PathData, exponents: Floats) -> Floats:
    """Return the transitions of the Gibbs policy of some exponents."""
    start, head = graph.plan.leave, graph.plan.enter
    values = exponents[graph.edge]
    return gibbs_transition(start, head, values, log_sums_to_sink(start, head, values))


@kernel
def _put_chain(
    graph: PathData,
    transition: Floats,
    flow: Floats,
    mass: Floats,
    coordinates: Integers,
    table: Floats,
    marginals: Floats,
    moment: Floats,
) -> None:
    """Write the table of a chain, its E[M], and its Σ on some coordinates."""
    n_edges, n = flow.size, mass.size
    for k in range(n_edges):
        table[k] = transition[k]
        table[n_edges + k] = flow[k]
        marginals[graph.edge[k]] = flow[k]
    for u in range(n):
        table[2 * n_edges + u] = mass[u]
    table[2 * n_edges + n] = chain_wandering(transition, flow)
    if coordinates.size:
        full = chain_cooccurrence(graph.start, graph.head, graph.edge, transition, flow, graph.dimension)
        put_moment(full, coordinates, moment)


@kernel
def project_gibbs_paths(h: Handle[PathData], tilted: Floats, near: Floats) -> tuple[Floats, Floats, float]:
    """Return the marginals of the policy of some exponents, and these."""
    graph = set_of(h)
    transition = _gibbs_chain(graph, tilted)
    flow, _ = chain_flow(graph.plan.leave, graph.plan.enter, transition)
    point = np.zeros(tilted.size)
    point[graph.edge] = flow
    return point, tilted, 0.0


@kernel
def fill_gibbs_paths(
    h: Handle[PathData],
    point: Floats,
    log_point: Floats,
    coordinates: Integers,
    table: Floats,
    marginals: Floats,
    moment: Floats,
) -> bool:
    """Make the chain of some exponents, and its Σ."""
    graph = set_of(h)
    transition = _gibbs_chain(graph, log_point)
    flow, mass = chain_flow(graph.plan.leave, graph.plan.enter, transition)
    _put_chain(graph, transition, flow, mass, coordinates, table, marginals, moment)
    return True


@kernel
def fill_flow(
    h: Handle[PathData],
    point: Floats,
    log_point: Floats,
    coordinates: Integers,
    table: Floats,
    marginals: Floats,
    moment: Floats,
) -> bool:
    """Make the chain of a flow; a point is one if it is what the chain does."""
    graph = set_of(h)
    values = point[graph.edge]
    transition = flow_transition(graph.start, values)
    flow, mass = chain_flow(graph.plan.leave, graph.plan.enter, transition)
    if not are_near(values, flow, graph.inside):
        return False
    _put_chain(graph, transition, flow, mass, coordinates, table, marginals, moment)
    return True


@kernel
def draw_path(h: Handle[PathData], table: Floats, rng: np.random.Generator) -> Integers:
    """Walk along the chain."""
    return _walk(set_of(h), table[: set_of(h).edge.size], rng)


@kernel
def path_variance(h: Handle[PathData], table: Floats, marginals: Floats, vector: Floats) -> float:
    """Return Var(v·M)."""
    graph, n_edges = set_of(h), set_of(h).edge.size
    transition, flow, mass = table[:n_edges], table[n_edges : 2 * n_edges], table[2 * n_edges : table.size - 1]
    moment = chain_moment(graph.start, graph.head, graph.edge, transition, flow, mass, vector)
    return moment_variance(marginals, moment, vector)


@kernel
def solve_path_mixture(
    h: Handle[PathData], tables: Floats, marginals: Floats, weights: Floats, right: Floats
) -> tuple[Floats, float]:
    """Solve by conjugate gradients; the exploration policy is a chain too."""
    edge, plan = set_of(h).edge, set_of(h).plan
    packed = pack_chains(plan.leave, tables, edge.size, weights)
    found, ratio, _ = solve_chains(plan.leave, plan.enter, packed, right[edge], TOLERANCE, LIMIT)
    result = np.zeros(right.size)
    result[edge] = found
    return result, 0.0 if ratio <= TOLERANCE else ratio


def path_hull(data: PathData) -> Hull:
    """Return the operations of paths."""
    moves, width = data.transition.size > 0, 2 * data.edge.size + data.start.size
    return Hull(
        data,
        best=best_of_paths,
        project=project_paths,
        list_policy=list_paths,
        span_part=part_of_paths,
        draw_explore=draw_exploring_path if moves else None,
        gibbs=Tables(width, fill_gibbs_paths, draw_path, project=project_gibbs_paths, variance=path_variance),
        chain=Tables(
            width,
            fill_flow,
            draw_path,
            solve=solve_path_mixture if moves else None,
            # given where the walk is, what an estimate says of its next step has mean near 0, and projections ignore the rest
            span_part=whole_vector,
        ),
    )
