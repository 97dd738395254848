"""Large m-sets as compiled code sees them: pivotal sampling, and Σ⁺M without a matrix where the exploration is uniform."""

from typing import Any, NamedTuple

import numpy as np

from swapregret.actions.family import MADE, OUTSIDE, draw, law_of, make_law, prepare, room, show_law, solve
from swapregret.actions.listed_laws import draw_mu, prepare_dense, put_mean, put_mu, show_mu, solve_dense
from swapregret.actions.m_sets.kernels.pivotal import pivotal_cooccurrence, pivotal_draw, pivotal_law
from swapregret.actions.m_sets.kernels.pivotal_solve import Pivots, Sieve, empty_sieve, mix_pivots, solve_pivots
from swapregret.actions.m_sets.kernels.subsets import INSIDE, distance_outside, round_to_units
from swapregret.actions.m_sets.m_set_family import SubsetFamily
from swapregret.actions.m_sets.pivotal_subsets import PivotalSubsets
from swapregret.arrays import Floats, Integers
from swapregret.geometry.solve import TOLERANCE
from swapregret.policy import Policy


class SubsetChainFamily(SubsetFamily):
    """All m-sets, drawn along a line; Σ⁺M is found without a matrix where Σ is none, for which μ must be uniform."""

    __slots__ = ()


class SubsetChainLaws(NamedTuple):
    """S policies, and the factor of their mixture.

    Attributes
    ----------
    units : int64 array, shape (S, d)
        The lengths of the elements.
    share, noise, marginals : float64 arrays, shape (S, d)
        As in ``kernels.pivotal``.
    moments : float64 array, shape (S, r, r)
        Σ where that is a matrix.
    sieve : Sieve
        What is in the mixture besides μ, and its factor.
    """

    units: Integers
    share: Floats
    noise: Floats
    marginals: Floats
    moments: Floats
    sieve: Sieve


show_law.of(SubsetChainFamily)(show_mu)


@room.of(SubsetChainFamily)
def subset_chain_room(family: Any, n_slots: int, n_atoms: int) -> SubsetChainLaws:
    """Return room for chains; of μ its marginals and Σ."""
    common = family.common
    d, r = common.dimension, common.coordinates.size
    laws = SubsetChainLaws(
        np.zeros((n_slots, d), dtype=np.int64),
        np.zeros((n_slots, d)),
        np.zeros((n_slots, d)),
        np.zeros((n_slots, d)),
        np.zeros((n_slots, r, r)),
        empty_sieve(n_slots - 1, d),
    )
    put_mu(common, laws.marginals, laws.moments)
    return laws


@make_law.of(SubsetChainFamily)
def make_subset_chain(family: Any, laws: Any, slot: int, point: Floats, log_point: Floats) -> int:
    """Lay a point out on a line."""
    size = family.common.size
    if not distance_outside(point, size) <= INSIDE:
        return OUTSIDE
    units = round_to_units(point, size)
    laws.units[slot] = units
    share, noise, marginals = laws.share[slot], laws.noise[slot], laws.marginals[slot]
    pivotal_law(units, share, noise, marginals)
    if laws.moments.shape[1]:  # all coordinates are independent
        laws.moments[slot] = pivotal_cooccurrence(share, noise, marginals)
    return MADE


@draw.of(SubsetChainFamily)
def draw_subset_chain(family: Any, laws: Any, slot: int, rng: np.random.Generator) -> Integers:
    """Draw one element from every unit of length."""
    if slot == laws.marginals.shape[0] - 1:
        return draw_mu(family, rng)
    return pivotal_draw(laws.units[slot], rng.random(family.common.size))


@prepare.of(SubsetChainFamily)
def prepare_subset_chain(family: Any, laws: Any, mix: Any, has_inverse: bool) -> int:
    """Note what is mixed, and add up E[M]."""
    if laws.moments.shape[1]:
        return prepare_dense(family, laws, mix, has_inverse)
    put_mean(mix.weights, laws.marginals, mix.mean)
    mix_pivots(laws.sieve, mix.weights[: mix.weights.size - 1])
    return 0


@solve.of(SubsetChainFamily)
def solve_subset_chain(family: Any, laws: Any, mix: Any, action: Integers) -> float:
    """Solve along the line."""
    if laws.moments.shape[1]:
        return solve_dense(family, laws, mix, action)
    d, size, explore = family.common.dimension, family.common.size, mix.weights[mix.weights.size - 1]
    # the variance of an element under the uniform policy that is independent of the others
    white = size / d - size * (size - 1) / (d * (d - 1))
    pivots = Pivots(laws.share, laws.noise, laws.marginals)
    found = solve_pivots(pivots, laws.sieve, explore * white, explore, action, size)
    for i in range(found.size):
        mix.aid[i] = found[i]
    ratio = laws.sieve.ratio[0]
    return 0.0 if ratio <= TOLERANCE else ratio


@law_of.register
def subset_chain_of(family: SubsetChainFamily, laws: Any, slot: int, actions: Any) -> Policy:
    """Return the pivotal policy in a slot."""
    return PivotalSubsets(laws.units[slot].copy(), family.common.size)
