"""Paths of large graphs as compiled code sees them: Markov chains, and Σ⁺ without a matrix where μ is one too."""

from typing import Any, NamedTuple

import numpy as np

from swapregret.actions.family import MADE, OUTSIDE, draw, make_policy, room, show_policy, slot_policy, solve
from swapregret.actions.paths.kernels.chain_draws import chain_flow, flow_transition
from swapregret.actions.paths.kernels.chain_pack import chain_wandering, pack_chains
from swapregret.actions.paths.kernels.chain_solve import solve_chains
from swapregret.actions.paths.path_family import PathFamily, put_chain, walk_chain
from swapregret.actions.paths.path_policies import MarkovPaths
from swapregret.actions.policy_slots import draw_mu, put_mu, show_mu, solve_dense
from swapregret.arrays import Floats, Integers
from swapregret.compiled.vectors import are_near
from swapregret.geometry.solve import LIMIT, TOLERANCE
from swapregret.policy import Policy


class PathChainFamily(PathFamily):
    """Paths, drawn by Markov chains; Σ⁺ is found without a matrix where Σ is none, for which μ must be a chain.

    Then estimates are not projected onto the span: given where the walk is, what they say of its next step has mean near 0, which
    is as good a measure of the noise, and projections ignore the difference.
    """

    __slots__ = ()


class PathChainPolicies(NamedTuple):
    """S policies.

    Attributes
    ----------
    transition, flow, mass : float64 arrays, shapes (S, E), (S, E), (S, n)
        The chains, as in ``kernels.chain_draws``.
    wandering : float64 array, shape (S,)
    marginals : float64 array, shape (S, d)
    moments : float64 array, shape (S, r, r)
        Σ where that is a matrix.
    """

    transition: Floats
    flow: Floats
    mass: Floats
    wandering: Floats
    marginals: Floats
    moments: Floats


show_policy.of(PathChainFamily)(show_mu)


@room.of(PathChainFamily)
def path_chain_room(family: Any, n_slots: int, n_atoms: int) -> PathChainPolicies:
    """Return room for chains, and put μ into the last slot."""
    common, graph = family.common, family.graph
    d, r, n_edges, n = common.dimension, common.coordinates.size, graph.edge.size, graph.start.size - 1
    policies = PathChainPolicies(
        np.zeros((n_slots, n_edges)),
        np.zeros((n_slots, n_edges)),
        np.zeros((n_slots, n)),
        np.zeros(n_slots),
        np.zeros((n_slots, d)),
        np.zeros((n_slots, r, r)),
    )
    if graph.transition.size:
        flow, mass = chain_flow(graph.plan.leave, graph.plan.enter, graph.transition)
        put_chain(family, policies, n_slots - 1, graph.transition, flow, mass)
        policies.wandering[n_slots - 1] = chain_wandering(graph.transition, flow)
    put_mu(common, policies.marginals, policies.moments)
    return policies


@make_policy.of(PathChainFamily)
def make_path_chain(family: Any, policies: Any, slot: int, point: Floats, log_point: Floats) -> int:
    """Make the chain of a flow; a point is one if it is what the chain does."""
    graph, edge = family.graph, family.graph.edge
    values = np.empty(edge.size)
    for k in range(values.size):
        values[k] = point[edge[k]]
    transition = flow_transition(graph.start, values)
    flow, mass = chain_flow(graph.plan.leave, graph.plan.enter, transition)
    if not are_near(values, flow, family.inside):
        return OUTSIDE
    put_chain(family, policies, slot, transition, flow, mass)
    policies.wandering[slot] = chain_wandering(transition, flow)
    return MADE


@draw.of(PathChainFamily)
def draw_path_chain(family: Any, policies: Any, slot: int, rng: np.random.Generator) -> Integers:
    """Walk along the chain."""
    if slot == policies.marginals.shape[0] - 1:
        return draw_mu(family, rng)
    return walk_chain(family, policies.transition[slot], rng)


@solve.of(PathChainFamily)
def solve_path_chain(family: Any, policies: Any, weights: Floats, right: Floats) -> tuple[Floats, float]:
    """Solve by conjugate gradients, where Σ is no matrix."""
    if policies.moments.shape[1]:
        return solve_dense(family, policies, weights, right)
    edge, plan = family.graph.edge, family.graph.plan
    ordered, result = np.empty(edge.size), np.zeros(right.size)
    for k in range(edge.size):
        ordered[k] = right[edge[k]]
    packed = pack_chains(plan.leave, policies, weights)
    found, ratio, _ = solve_chains(plan.leave, plan.enter, packed, ordered, TOLERANCE, LIMIT)
    for k in range(edge.size):
        result[edge[k]] = found[k]
    return result, 0.0 if ratio <= TOLERANCE else ratio


@slot_policy.register
def path_chain_of(family: PathChainFamily, policies: Any, slot: int, actions: Any) -> Policy:
    """Return the chain in a slot; ``actions`` are the paths, or partitions that stand on them."""
    return MarkovPaths(getattr(actions, "paths", actions).graph, policies.transition[slot].copy())
