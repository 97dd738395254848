"""Gibbs policies of m-sets as compiled code sees them: Markov chains over the elements."""

from typing import Any, NamedTuple

import numpy as np

from swapregret.actions.family import MADE, draw, gibbs_of, make_policy, project, room, show_policy, slot_policy, spread
from swapregret.actions.m_sets.kernels.gibbs_subsets import (
    gibbs_chain,
    gibbs_draw,
    gibbs_marginals,
    gibbs_moment,
    gibbs_pairs,
)
from swapregret.actions.m_sets.m_set_family import SubsetFamily
from swapregret.actions.policy_slots import draw_mu, put_mu, show_mu
from swapregret.arrays import Floats, Integers
from swapregret.compiled.vectors import centred, moment_variance


class SubsetGibbsFamily(SubsetFamily):
    """All m-sets, played by p(M) ∝ exp(s·M); a point is known by its exponents s, and listed as by its base."""

    __slots__ = ()


class SubsetGibbsPolicies(NamedTuple):
    """S policies: their exponents, the tables of ``kernels.gibbs_subsets``, E[M], and Σ on the independent coordinates."""

    exponents: Floats
    include: Floats
    reach: Floats
    marginals: Floats
    moments: Floats


@project.of(SubsetGibbsFamily)
def project_subset_gibbs(family: Any, tilted: Floats, near: Floats) -> tuple[Floats, Floats, bool]:
    """Return the marginals of the policy of some exponents, and these."""
    include, reach, _ = gibbs_chain(tilted, family.common.size)
    return gibbs_marginals(include, reach), tilted, True


@room.of(SubsetGibbsFamily)
def subset_gibbs_room(family: Any, n_slots: int, n_atoms: int) -> SubsetGibbsPolicies:
    """Return room for chains; of μ its marginals and Σ."""
    common = family.common
    d, m, r = common.dimension, common.size, common.coordinates.size
    policies = SubsetGibbsPolicies(
        np.zeros((n_slots, d)),
        np.zeros((n_slots, d, m + 1)),
        np.zeros((n_slots, d + 1, m + 1)),
        np.zeros((n_slots, d)),
        np.zeros((n_slots, r, r)),
    )
    put_mu(common, policies.marginals, policies.moments)
    return policies


@make_policy.of(SubsetGibbsFamily)
def make_subset_gibbs(family: Any, policies: Any, slot: int, point: Floats, log_point: Floats) -> int:
    """Make the chain of some exponents, and its Σ; all coordinates are independent."""
    include, reach, _ = gibbs_chain(log_point, family.common.size)
    policies.exponents[slot] = log_point
    policies.include[slot] = include
    policies.reach[slot] = reach
    policies.marginals[slot] = gibbs_marginals(include, reach)
    if policies.moments.shape[1]:
        policies.moments[slot] = gibbs_pairs(include, reach)
    return MADE


@draw.of(SubsetGibbsFamily)
def draw_subset_gibbs(family: Any, policies: Any, slot: int, rng: np.random.Generator) -> Integers:
    """Go along the chain."""
    if slot == policies.marginals.shape[0] - 1:
        return draw_mu(family, rng)
    return gibbs_draw(policies.include[slot], rng.random(family.common.dimension))


@spread.of(SubsetGibbsFamily)
def spread_of_subset_gibbs(family: Any, policies: Any, slot: int, point: Floats, aggregate: Floats) -> float:
    """Return Var(X̃·M)."""
    vector = centred(aggregate, family.common.is_uniform)
    moment = gibbs_moment(policies.include[slot], policies.reach[slot], vector)
    return moment_variance(policies.marginals[slot], moment, vector)


show_policy.of(SubsetGibbsFamily)(show_mu)
slot_policy.register(SubsetGibbsFamily, gibbs_of)
