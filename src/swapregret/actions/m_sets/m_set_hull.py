"""The operations of m-sets: lists, Gibbs policies, and chains along a line whose Σ⁺ is found without a matrix."""

from typing import NamedTuple

import numpy as np

from swapregret.actions.hull import Hull, Tables, part_of_basis, put_moment
from swapregret.actions.m_sets.kernels.gibbs_subsets import (
    gibbs_chain,
    gibbs_draw,
    gibbs_marginals,
    gibbs_moment,
    gibbs_pairs,
)
from swapregret.actions.m_sets.kernels.pivotal import pivotal_cooccurrence, pivotal_draw, pivotal_policy
from swapregret.actions.m_sets.kernels.pivotal_solve import Pivots, solve_pivots
from swapregret.actions.m_sets.kernels.subsets import (
    distance_outside,
    draw_uniform,
    list_systematic,
    project_capped,
    round_to_units,
)
from swapregret.arrays import Floats, Integers, Words
from swapregret.compiled.address import Handle, set_of
from swapregret.compiled.kernel import kernel
from swapregret.compiled.selection import top_elements
from swapregret.compiled.vectors import moment_variance
from swapregret.geometry.kl import INSIDE
from swapregret.geometry.solve import TOLERANCE


class Subsets(NamedTuple):
    """All sets of ``size`` elements, listed systematically in some ``orders`` (variants, d)."""

    size: int
    orders: Integers
    orthonormal: Floats


@kernel
def best_subset(h: Handle[Subsets], weights: Floats) -> Integers:
    """Return the m heaviest elements."""
    return top_elements(weights, set_of(h).size)


@kernel
def project_subsets(h: Handle[Subsets], tilted: Floats, near: Floats) -> tuple[Floats, Floats, float]:
    """Project onto the capped simplex, exactly."""
    return project_capped(tilted, set_of(h).size)


@kernel
def list_subsets(h: Handle[Subsets], point: Floats) -> tuple[Words, Floats, bool]:
    """List the systematic policy of a point, averaged over the orders."""
    size = set_of(h).size
    words, chances = list_systematic(point, size, set_of(h).orders)
    return words, chances, distance_outside(point, size) <= INSIDE


@kernel
def draw_uniform_subset(h: Handle[Subsets], rng: np.random.Generator) -> Integers:
    """Draw an m-set uniformly, by Floyd's rule."""
    return draw_uniform(rng, set_of(h).orders.shape[1], set_of(h).size)


# ---- Gibbs policies: Markov chains over the elements; a table has the two of ``kernels.gibbs_subsets`` -------------------------


@kernel
def _include(table: Floats, size: int) -> Floats:
    d = table.size // (2 * (size + 1))
    return table[: d * (size + 1)].reshape(d, size + 1)


@kernel
def _reach(table: Floats, size: int) -> Floats:
    d = table.size // (2 * (size + 1))
    return table[d * (size + 1) :].reshape(d + 1, size + 1)


@kernel
def project_gibbs_subsets(h: Handle[Subsets], tilted: Floats, near: Floats) -> tuple[Floats, Floats, float]:
    """Return the marginals of the policy of some exponents, and these."""
    include, reach, _ = gibbs_chain(tilted, set_of(h).size)
    return gibbs_marginals(include, reach), tilted, 0.0


@kernel
def fill_gibbs_subsets(
    h: Handle[Subsets],
    point: Floats,
    log_point: Floats,
    coordinates: Integers,
    table: Floats,
    marginals: Floats,
    moment: Floats,
) -> bool:
    """Make the chain of some exponents, and its Σ."""
    include, reach, _ = gibbs_chain(log_point, set_of(h).size)
    table[: include.size] = include.reshape(-1)
    table[include.size :] = reach.reshape(-1)
    marginals[:] = gibbs_marginals(include, reach)
    if coordinates.size:
        put_moment(gibbs_pairs(include, reach), coordinates, moment)
    return True


@kernel
def draw_gibbs_subset(h: Handle[Subsets], table: Floats, rng: np.random.Generator) -> Integers:
    """Go along the chain."""
    include = _include(table, set_of(h).size)
    return gibbs_draw(include, rng.random(len(include)))


@kernel
def gibbs_subset_variance(h: Handle[Subsets], table: Floats, marginals: Floats, vector: Floats) -> float:
    """Return Var(v·M)."""
    size = set_of(h).size
    return moment_variance(marginals, gibbs_moment(_include(table, size), _reach(table, size), vector), vector)


# ---- chains: pivotal sampling; a table has the lengths in units, and share and noise of ``kernels.pivotal`` ---------------------


@kernel
def fill_pivots(
    h: Handle[Subsets],
    point: Floats,
    log_point: Floats,
    coordinates: Integers,
    table: Floats,
    marginals: Floats,
    moment: Floats,
) -> bool:
    """Lay a point out on a line."""
    d, size = point.size, set_of(h).size
    if not distance_outside(point, size) <= INSIDE:
        return False
    units = round_to_units(point, size)
    table[:d].view(np.int64)[:] = units
    pivotal_policy(units, table[d : 2 * d], table[2 * d :], marginals)
    if coordinates.size:
        put_moment(pivotal_cooccurrence(table[d : 2 * d], table[2 * d :], marginals), coordinates, moment)
    return True


@kernel
def draw_pivots(h: Handle[Subsets], table: Floats, rng: np.random.Generator) -> Integers:
    """Draw one element from every unit of length."""
    return pivotal_draw(table[: table.size // 3].view(np.int64), rng.random(set_of(h).size))


@kernel
def solve_pivot_mixture(
    h: Handle[Subsets], tables: Floats, marginals: Floats, weights: Floats, right: Floats
) -> tuple[Floats, float]:
    """Solve along the line; the exploration policy is uniform."""
    d, size, last = right.size, set_of(h).size, weights.size - 1
    explore = weights[last]
    # the variance of an element under the uniform policy that is independent of the others
    white = size / d - size * (size - 1) / (d * (d - 1))
    found, ratio = solve_pivots(Pivots(tables, marginals), weights[:last], explore * white, explore, right, size)
    return found, 0.0 if ratio <= TOLERANCE else ratio


def subset_hull(size: int, orders: Integers, orthonormal: Floats, *, is_uniform: bool) -> Hull:
    """Return the operations of m-sets; ``is_uniform`` says whether exploration is, which is then drawn from, and solved with."""
    d = orders.shape[1]
    gibbs = Tables(
        2 * d * (size + 1) + size + 1,
        fill_gibbs_subsets,
        draw_gibbs_subset,
        project=project_gibbs_subsets,
        variance=gibbs_subset_variance,
    )
    chain = Tables(3 * d, fill_pivots, draw_pivots, solve=solve_pivot_mixture if is_uniform else None)
    return Hull(
        Subsets(size, orders, orthonormal),
        best=best_subset,
        project=project_subsets,
        list_policy=list_subsets,
        span_part=part_of_basis,
        draw_explore=draw_uniform_subset if is_uniform else None,
        gibbs=gibbs,
        chain=chain if size < d else None,
    )
