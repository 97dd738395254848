"""Large m-sets as compiled code sees them: pivotal sampling, and Σ⁺ without a matrix where the exploration is uniform."""

from typing import Any, NamedTuple

import numpy as np

from swapregret.actions.family import MADE, OUTSIDE, draw, make_policy, room, show_policy, slot_policy, solve
from swapregret.actions.m_sets.kernels.pivotal import pivotal_cooccurrence, pivotal_draw, pivotal_policy
from swapregret.actions.m_sets.kernels.pivotal_solve import Pivots, solve_pivots
from swapregret.actions.m_sets.kernels.subsets import INSIDE, distance_outside, round_to_units
from swapregret.actions.m_sets.m_set_family import SubsetFamily
from swapregret.actions.m_sets.pivotal_subsets import PivotalSubsets
from swapregret.actions.policy_slots import draw_mu, put_mu, show_mu, solve_dense
from swapregret.arrays import Floats, Integers
from swapregret.geometry.solve import TOLERANCE
from swapregret.policy import Policy


class SubsetChainFamily(SubsetFamily):
    """All m-sets, drawn along a line; Σ⁺ is found without a matrix where Σ is none, for which μ must be uniform."""

    __slots__ = ()


class SubsetChainPolicies(NamedTuple):
    """S policies.

    Attributes
    ----------
    units : int64 array, shape (S, d)
        The lengths of the elements.
    share, noise, marginals : float64 arrays, shape (S, d)
        As in ``kernels.pivotal``.
    moments : float64 array, shape (S, r, r)
        Σ where that is a matrix.
    """

    units: Integers
    share: Floats
    noise: Floats
    marginals: Floats
    moments: Floats


show_policy.of(SubsetChainFamily)(show_mu)


@room.of(SubsetChainFamily)
def subset_chain_room(family: Any, n_slots: int, n_atoms: int) -> SubsetChainPolicies:
    """Return room for chains; of μ its marginals and Σ."""
    common = family.common
    d, r = common.dimension, common.coordinates.size
    policies = SubsetChainPolicies(
        np.zeros((n_slots, d), dtype=np.int64),
        np.zeros((n_slots, d)),
        np.zeros((n_slots, d)),
        np.zeros((n_slots, d)),
        np.zeros((n_slots, r, r)),
    )
    put_mu(common, policies.marginals, policies.moments)
    return policies


@make_policy.of(SubsetChainFamily)
def make_subset_chain(family: Any, policies: Any, slot: int, point: Floats, log_point: Floats) -> int:
    """Lay a point out on a line."""
    size = family.common.size
    if not distance_outside(point, size) <= INSIDE:
        return OUTSIDE
    units = round_to_units(point, size)
    policies.units[slot] = units
    share, noise, marginals = policies.share[slot], policies.noise[slot], policies.marginals[slot]
    pivotal_policy(units, share, noise, marginals)
    if policies.moments.shape[1]:  # all coordinates are independent
        policies.moments[slot] = pivotal_cooccurrence(share, noise, marginals)
    return MADE


@draw.of(SubsetChainFamily)
def draw_subset_chain(family: Any, policies: Any, slot: int, rng: np.random.Generator) -> Integers:
    """Draw one element from every unit of length."""
    if slot == policies.marginals.shape[0] - 1:
        return draw_mu(family, rng)
    return pivotal_draw(policies.units[slot], rng.random(family.common.size))


@solve.of(SubsetChainFamily)
def solve_subset_chain(family: Any, policies: Any, weights: Floats, right: Floats) -> tuple[Floats, float]:
    """Solve along the line, where Σ is no matrix."""
    if policies.moments.shape[1]:
        return solve_dense(family, policies, weights, right)
    last = weights.size - 1
    d, size, explore = family.common.dimension, family.common.size, weights[last]
    # the variance of an element under the uniform policy that is independent of the others
    white = size / d - size * (size - 1) / (d * (d - 1))
    pivots = Pivots(policies.share, policies.noise, policies.marginals)
    found, ratio = solve_pivots(pivots, weights[:last], explore * white, explore, right, size)
    return found, 0.0 if ratio <= TOLERANCE else ratio


@slot_policy.register
def subset_chain_of(family: SubsetChainFamily, policies: Any, slot: int, actions: Any) -> Policy:
    """Return the pivotal policy in a slot."""
    return PivotalSubsets(policies.units[slot].copy(), family.common.size)
