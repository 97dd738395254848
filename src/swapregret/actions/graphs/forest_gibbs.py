"""Gibbs policies of spanning trees as compiled code sees them: the factors of their transfer currents."""

from typing import Any, NamedTuple

import numpy as np

from swapregret.actions.family import MADE, draw, gibbs_of, make_policy, project, room, show_policy, slot_policy, spread
from swapregret.actions.graphs.forest_family import ForestFamily, Walk
from swapregret.actions.graphs.kernels.spanning_tree_gibbs import draw_by_chain, draw_by_walk, scaled_cuts
from swapregret.actions.graphs.kernels.tree_gibbs_policy import (
    hang_heaviest,
    reduce_cuts,
    short_walk,
    tree_marginals,
    tree_moment_on,
    tree_squared,
    tree_variance,
)
from swapregret.actions.graphs.kernels.tree_network import ForestGraph
from swapregret.actions.policy_slots import draw_mu, put_mu, show_mu
from swapregret.arrays import Floats, Integers
from swapregret.compiled.kernel import kernel
from swapregret.compiled.vectors import centred

LARGEST = 1000
"""Up to how many edges K∘K is kept of every policy."""
_UNKNOWN, _BY_WALK, _BY_CHAIN = 0, 1, 2


class ForestGibbsFamily(ForestFamily):
    """Spanning trees, played by p(M) ∝ exp(s·M); a point is known by its exponents s, and listed as by its base."""

    __slots__ = ()


class ForestGibbsPolicies(NamedTuple):
    """S policies of d edges.

    Attributes
    ----------
    kinds : int64 array, shape (S,)
        How they are drawn from, which is found out when they first are.
    exponents : float64 array, shape (S, d)
    up, order : int64 arrays, shape (S, n)
        The heaviest tree, hung from its root, and the vertices from there downwards.
    columns : float64 array, shape (S, d, size)
        C of ``kernels.tree_gibbs_policy``.
    walks : float64 array, shape (S, 2d)
        The steps of the random walk, where that draws.
    marginals : float64 array, shape (S, d)
    squared : float64 array, shape (S, d, d)
        K∘K; what is below the diagonal is not used.
    moments : float64 array, shape (S, r, r)
    """

    kinds: Integers
    exponents: Floats
    up: Integers
    order: Integers
    columns: Floats
    walks: Floats
    marginals: Floats
    squared: Floats
    moments: Floats


@kernel
def _columns(graph: ForestGraph, walk: Walk, exponents: Floats) -> tuple[Floats, Integers, Integers]:
    """Return C of some exponents, and their heaviest tree: the edges upwards and the vertices downwards."""
    tails, heads = graph.tails, graph.heads
    chosen, up, depths, order = hang_heaviest(exponents, graph.size, tails, heads, walk.starts, walk.edges, walk.ends)
    columns, _ = reduce_cuts(scaled_cuts(exponents, chosen, up, depths, tails, heads))
    return columns, up, order


@project.of(ForestGibbsFamily)
def project_forest_gibbs(family: Any, tilted: Floats, near: Floats) -> tuple[Floats, Floats, bool]:
    """Return the marginals of the policy of some exponents, and these."""
    columns, _, _ = _columns(family.graph, family.walk, tilted)
    return tree_marginals(columns), tilted, True


@room.of(ForestGibbsFamily)
def forest_gibbs_room(family: Any, n_slots: int, n_atoms: int) -> ForestGibbsPolicies:
    """Return room for policies; of μ its marginals and Σ."""
    common, graph = family.common, family.graph
    d, n, r = common.dimension, graph.n_vertices, common.coordinates.size
    policies = ForestGibbsPolicies(
        np.zeros(n_slots, dtype=np.int64),
        np.zeros((n_slots, d)),
        np.zeros((n_slots, n), dtype=np.int64),
        np.zeros((n_slots, n), dtype=np.int64),
        np.zeros((n_slots, d, graph.size)),
        np.zeros((n_slots, family.walk.edges.size)),
        np.zeros((n_slots, d)),
        np.zeros((n_slots, d, d)),
        np.zeros((n_slots, r, r)),
    )
    put_mu(common, policies.marginals, policies.moments)
    return policies


@make_policy.of(ForestGibbsFamily)
def make_forest_gibbs(family: Any, policies: Any, slot: int, point: Floats, log_point: Floats) -> int:
    """Make the matrices of some exponents."""
    columns, up, order = _columns(family.graph, family.walk, log_point)
    policies.kinds[slot] = _UNKNOWN
    policies.exponents[slot] = log_point
    policies.up[slot] = up
    policies.order[slot] = order
    policies.columns[slot] = columns
    policies.marginals[slot] = tree_marginals(columns)
    tree_squared(columns, policies.squared[slot])
    if family.common.coordinates.size:
        tree_moment_on(
            policies.marginals[slot], policies.squared[slot], family.common.coordinates, policies.moments[slot]
        )
    return MADE


@draw.of(ForestGibbsFamily)
def draw_forest_gibbs(family: Any, policies: Any, slot: int, rng: np.random.Generator) -> Integers:
    """Draw by Wilson's walk, or edge by edge where walks may be long."""
    if slot == policies.marginals.shape[0] - 1:
        return draw_mu(family, rng)
    graph, walk, up = family.graph, family.walk, policies.up[slot]
    if policies.kinds[slot] == _UNKNOWN:
        exponents, order = policies.exponents[slot], policies.order[slot]
        steps = short_walk(exponents, graph.size, up, order, graph.tails, graph.heads, walk.starts, walk.edges)
        policies.kinds[slot] = _BY_CHAIN
        if steps.size:
            policies.walks[slot] = steps
            policies.kinds[slot] = _BY_WALK
    if policies.kinds[slot] == _BY_WALK:
        return draw_by_walk(rng, policies.walks[slot], up, walk.starts, walk.edges, walk.ends)
    return draw_by_chain(rng, policies.columns[slot], graph.tails, graph.heads, graph.n_vertices)


@spread.of(ForestGibbsFamily)
def spread_of_forest_gibbs(family: Any, policies: Any, slot: int, point: Floats, aggregate: Floats) -> float:
    """Return Var(X̃·M)."""
    return tree_variance(policies.marginals[slot], policies.squared[slot], centred(aggregate, family.common.is_uniform))


show_policy.of(ForestGibbsFamily)(show_mu)
slot_policy.register(ForestGibbsFamily, gibbs_of)
