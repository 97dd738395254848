"""Gibbs policies of paths as compiled code sees them: Markov chains over the vertices."""

from typing import Any, NamedTuple

import numpy as np

from swapregret.actions.family import MADE, draw, gibbs_of, make_policy, project, room, show_policy, slot_policy, spread
from swapregret.actions.paths.kernels.chain_draws import chain_flow, chain_moment, gibbs_transition
from swapregret.actions.paths.kernels.dag import log_sums_to_sink
from swapregret.actions.paths.path_family import PathFamily, put_chain, walk_chain
from swapregret.actions.policy_slots import draw_mu, put_mu, show_mu
from swapregret.arrays import Floats, Integers
from swapregret.compiled.kernel import kernel
from swapregret.compiled.vectors import centred, moment_variance


class PathGibbsFamily(PathFamily):
    """Paths, played by p(M) ∝ exp(s·M); a point is known by its exponents s, and listed as by its base."""

    __slots__ = ()


class PathGibbsPolicies(NamedTuple):
    """S policies: their exponents, the chains as in ``kernels.chain_draws``, E[M], and Σ on the independent coordinates."""

    exponents: Floats
    transition: Floats
    flow: Floats
    mass: Floats
    marginals: Floats
    moments: Floats


@kernel
def _chain(graph: Any, exponents: Floats) -> tuple[Floats, Floats, Floats]:
    """Return the chain of some exponents, and the probabilities of visiting each edge and each vertex."""
    start, head, edge = graph.plan.leave, graph.plan.enter, graph.edge
    values = np.empty(edge.size)
    for k in range(edge.size):
        values[k] = exponents[edge[k]]
    transition = gibbs_transition(start, head, values, log_sums_to_sink(start, head, values))
    flow, mass = chain_flow(start, head, transition)
    return transition, flow, mass


@project.of(PathGibbsFamily)
def project_path_gibbs(family: Any, tilted: Floats, near: Floats) -> tuple[Floats, Floats, bool]:
    """Return the marginals of the policy of some exponents, and these."""
    _, flow, _ = _chain(family.graph, tilted)
    point = np.zeros(tilted.size)
    for k in range(flow.size):
        point[family.graph.edge[k]] = flow[k]
    return point, tilted, True


@room.of(PathGibbsFamily)
def path_gibbs_room(family: Any, n_slots: int, n_atoms: int) -> PathGibbsPolicies:
    """Return room for chains; of μ its marginals and Σ."""
    common, graph = family.common, family.graph
    d, r = common.dimension, common.coordinates.size
    policies = PathGibbsPolicies(
        np.zeros((n_slots, d)),
        np.zeros((n_slots, graph.edge.size)),
        np.zeros((n_slots, graph.edge.size)),
        np.zeros((n_slots, graph.start.size - 1)),
        np.zeros((n_slots, d)),
        np.zeros((n_slots, r, r)),
    )
    put_mu(common, policies.marginals, policies.moments)
    return policies


@make_policy.of(PathGibbsFamily)
def make_path_gibbs(family: Any, policies: Any, slot: int, point: Floats, log_point: Floats) -> int:
    """Make the chain of some exponents, and its Σ."""
    transition, flow, mass = _chain(family.graph, log_point)
    policies.exponents[slot] = log_point
    put_chain(family, policies, slot, transition, flow, mass)
    return MADE


@draw.of(PathGibbsFamily)
def draw_path_gibbs(family: Any, policies: Any, slot: int, rng: np.random.Generator) -> Integers:
    """Walk along the chain."""
    if slot == policies.marginals.shape[0] - 1:
        return draw_mu(family, rng)
    return walk_chain(family, policies.transition[slot], rng)


@spread.of(PathGibbsFamily)
def spread_of_path_gibbs(family: Any, policies: Any, slot: int, point: Floats, aggregate: Floats) -> float:
    """Return Var(X̃·M)."""
    graph, vector = family.graph, centred(aggregate, family.common.is_uniform)
    transition, flow, mass = policies.transition[slot], policies.flow[slot], policies.mass[slot]
    moment = chain_moment(graph.start, graph.head, graph.edge, transition, flow, mass, vector)
    return moment_variance(policies.marginals[slot], moment, vector)


show_policy.of(PathGibbsFamily)(show_mu)
slot_policy.register(PathGibbsFamily, gibbs_of)
