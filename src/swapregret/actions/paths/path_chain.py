"""Paths of large graphs as compiled code sees them: Markov chains, and Σ⁺M without a matrix where μ is one too."""

from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from swapregret.actions.family import (
    MADE,
    OUTSIDE,
    Common,
    best,
    draw,
    draw_explore,
    law_of,
    list_law,
    make_law,
    prepare,
    project,
    room,
    show_law,
    solve,
    span_part,
)
from swapregret.actions.listed_laws import draw_mu, prepare_dense, put_mean, put_moment, put_mu, show_mu, solve_dense
from swapregret.actions.paths.kernels.chain_draws import chain_cooccurrence, chain_draw, chain_flow, flow_transition
from swapregret.actions.paths.kernels.chain_pack import WIDTH, Chains, chain_wandering, pack_chains
from swapregret.actions.paths.kernels.chain_solve import solve_chains
from swapregret.actions.paths.kernels.path_stripping import imbalance
from swapregret.actions.paths.path_family import (
    PathGraph,
    best_path_of,
    draw_chain,
    list_paths,
    path_part,
    project_path,
)
from swapregret.actions.paths.path_laws import MarkovPaths
from swapregret.arrays import Floats, Integers
from swapregret.compiled.kernel import kernel
from swapregret.geometry.solve import LIMIT, TOLERANCE
from swapregret.policy import Policy

Places = npt.NDArray[np.uint64]


class PathChainFamily(NamedTuple):
    """Paths.

    ``orders`` are those of its lists, ``inside`` says how far from a flow a point may be; ``begin`` and ``enter`` are the graph
    as ``kernels.chain_pack`` takes it; ``is_free`` tells whether Σ⁺M is wanted without a matrix, for which μ must be a chain.
    """

    common: Common
    graph: PathGraph
    orders: Integers
    inside: float
    begin: Places
    enter: Places
    is_free: bool


class PathChainLaws(NamedTuple):
    """S policies, and their mixture.

    Attributes
    ----------
    transition, flow, mass : float64 arrays, shapes (S, E), (S, E), (S, n)
        The chains, as in ``kernels.chain_draws``.
    wandering : float64 array, shape (S,)
    marginals : float64 array, shape (S, d)
    moments : float64 array, shape (S, r, r)
        Σ where that is a matrix.
    counts : int64 array, shape (2,)
        Groups of chains in the mixture, and columns of its preconditioner.
    packed, per_mass, per_flow, per_vertex, per_share, solved, factor : float64 arrays
        Room for what is in a ``Chains``.
    """

    transition: Floats
    flow: Floats
    mass: Floats
    wandering: Floats
    marginals: Floats
    moments: Floats
    counts: Integers
    packed: Floats
    per_mass: Floats
    per_flow: Floats
    per_vertex: Floats
    per_share: Floats
    solved: Floats
    factor: Floats


project.of(PathChainFamily)(project_path)
list_law.of(PathChainFamily)(list_paths)
best.of(PathChainFamily)(best_path_of)
span_part.of(PathChainFamily)(path_part)
draw_explore.of(PathChainFamily)(draw_chain)
show_law.of(PathChainFamily)(show_mu)


@kernel
def _put_chain(graph: PathGraph, transition: Floats, laws: PathChainLaws, slot: int) -> None:
    """Write a chain into a slot."""
    flow, mass = chain_flow(graph.start, graph.head, transition)
    laws.transition[slot] = transition
    laws.flow[slot] = flow
    laws.mass[slot] = mass
    laws.wandering[slot] = chain_wandering(transition, flow)
    for k in range(flow.size):
        laws.marginals[slot, graph.edge[k]] = flow[k]


@room.of(PathChainFamily)
def path_chain_room(family: Any, n_slots: int, n_atoms: int) -> PathChainLaws:
    """Return room for chains, and put μ into the last slot."""
    common, graph = family.common, family.graph
    d, r, n_edges, n = common.dimension, common.coordinates.size, graph.edge.size, graph.start.size - 1
    n_packed = n_slots if family.is_free else 0
    n_groups = (n_packed + WIDTH - 1) // WIDTH
    laws = PathChainLaws(
        np.zeros((n_slots, n_edges)),
        np.zeros((n_slots, n_edges)),
        np.zeros((n_slots, n)),
        np.zeros(n_slots),
        np.zeros((n_slots, d)),
        np.zeros((n_slots, r, r)),
        np.zeros(2, dtype=np.int64),
        np.zeros((n_groups, n_edges, WIDTH)),
        np.zeros((n_groups, n, WIDTH)),
        np.zeros(n_edges),
        np.zeros(n),
        np.zeros(1),
        np.zeros((n_packed, n_edges)),
        np.zeros(n_packed * n_packed),
    )
    if graph.transition.size:
        _put_chain(graph, graph.transition, laws, n_slots - 1)
    put_mu(common, laws.marginals, laws.moments)
    return laws


@make_law.of(PathChainFamily)
def make_path_chain(family: Any, laws: Any, slot: int, point: Floats, log_point: Floats) -> int:
    """Make the chain of a flow."""
    graph, coordinates = family.graph, family.common.coordinates
    values = np.empty(graph.edge.size)
    for k in range(values.size):
        values[k] = point[graph.edge[k]]
    if not imbalance(graph.start, graph.head, values) <= family.inside:
        return OUTSIDE
    _put_chain(graph, flow_transition(graph.start, values), laws, slot)
    if coordinates.size:
        transition, flow = laws.transition[slot], laws.flow[slot]
        full = chain_cooccurrence(graph.start, graph.head, graph.edge, transition, flow, point.size)
        put_moment(full, coordinates, laws.moments[slot])
    return MADE


@draw.of(PathChainFamily)
def draw_path_chain(family: Any, laws: Any, slot: int, rng: np.random.Generator) -> Integers:
    """Walk along the chain."""
    if slot == laws.marginals.shape[0] - 1:
        return draw_mu(family, rng)
    graph = family.graph
    numbers = rng.random(graph.longest)
    return chain_draw(graph.start, graph.head, graph.edge, laws.transition[slot], numbers, family.common.dimension)


@prepare.of(PathChainFamily)
def prepare_path_chain(family: Any, laws: Any, mix: Any, has_inverse: bool) -> int:
    """Pack the mixture, and add up E[M]."""
    if laws.moments.shape[1]:
        return prepare_dense(family, laws, mix, has_inverse)
    put_mean(mix.weights, laws.marginals, mix.mean)
    n = 0
    slots, weights = np.empty(mix.weights.size, dtype=np.int64), np.empty(mix.weights.size)
    for slot in range(mix.weights.size):
        if mix.weights[slot] != 0.0:
            slots[n], weights[n] = slot, mix.weights[slot]
            n += 1
    if not family.is_free:
        return 0
    made = pack_chains(family.begin, family.enter, laws.flow, laws.mass, laws.wandering, slots[:n], weights[:n])
    n_groups, q = len(made.flow), len(made.solved)
    laws.counts[0], laws.counts[1] = n_groups, q
    laws.packed[:n_groups] = made.flow
    laws.per_mass[:n_groups] = made.per_mass
    laws.per_flow[:] = made.per_flow
    laws.per_vertex[:] = made.per_vertex
    laws.per_share[0] = made.per_share
    laws.solved[:q] = made.solved
    laws.factor[: q * q] = made.factor.reshape(-1)
    return 0


@solve.of(PathChainFamily)
def solve_path_chain(family: Any, laws: Any, mix: Any, action: Integers) -> float:
    """Solve by conjugate gradients."""
    if laws.moments.shape[1]:
        return solve_dense(family, laws, mix, action)
    edge, n_groups, q = family.graph.edge, laws.counts[0], laws.counts[1]
    chains = Chains(
        family.begin,
        family.enter,
        laws.packed[:n_groups],
        laws.per_mass[:n_groups],
        laws.per_flow,
        laws.per_vertex,
        laws.per_share[0],
        laws.solved[:q],
        laws.factor[: q * q].reshape((q, q)),
    )
    right, aid = np.empty(edge.size), mix.aid
    for k in range(edge.size):
        right[k] = action[edge[k]]
    found, ratio, _ = solve_chains(chains, right, TOLERANCE, LIMIT)
    for i in range(aid.size):
        aid[i] = 0.0
    for k in range(edge.size):
        aid[edge[k]] = found[k]
    return 0.0 if ratio <= TOLERANCE else ratio


@law_of.register
def path_chain_of(family: PathChainFamily, laws: Any, slot: int, actions: Any) -> Policy:
    """Return the chain in a slot; ``actions`` are the paths, or partitions that stand on them."""
    return MarkovPaths(getattr(actions, "paths", actions).graph, laws.transition[slot].copy())
