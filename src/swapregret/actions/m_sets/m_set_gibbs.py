"""Gibbs policies of m-sets as compiled code sees them: Markov chains over the elements."""

from typing import Any, NamedTuple

import numpy as np

from swapregret.actions.family import MADE, draw, gibbs_of, law_of, make_law, project, room, show_law, spread
from swapregret.actions.listed_laws import draw_mu, put_mu, show_mu
from swapregret.actions.m_sets.kernels.gibbs_subsets import (
    gibbs_chain,
    gibbs_draw,
    gibbs_marginals,
    gibbs_moment,
    gibbs_pairs,
)
from swapregret.actions.m_sets.m_set_family import SubsetFamily
from swapregret.arrays import Floats, Integers
from swapregret.compiled.vectors import centred, moment_variance


class SubsetGibbsFamily(SubsetFamily):
    """All m-sets, played by p(M) ∝ exp(s·M); a point is known by its exponents s, and listed as by its base."""

    __slots__ = ()


class SubsetGibbsLaws(NamedTuple):
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
def subset_gibbs_room(family: Any, n_slots: int, n_atoms: int) -> SubsetGibbsLaws:
    """Return room for chains; of μ its marginals and Σ."""
    common = family.common
    d, m, r = common.dimension, common.size, common.coordinates.size
    laws = SubsetGibbsLaws(
        np.zeros((n_slots, d)),
        np.zeros((n_slots, d, m + 1)),
        np.zeros((n_slots, d + 1, m + 1)),
        np.zeros((n_slots, d)),
        np.zeros((n_slots, r, r)),
    )
    put_mu(common, laws.marginals, laws.moments)
    return laws


@make_law.of(SubsetGibbsFamily)
def make_subset_gibbs(family: Any, laws: Any, slot: int, point: Floats, log_point: Floats) -> int:
    """Make the chain of some exponents, and its Σ; all coordinates are independent."""
    include, reach, _ = gibbs_chain(log_point, family.common.size)
    laws.exponents[slot] = log_point
    laws.include[slot] = include
    laws.reach[slot] = reach
    laws.marginals[slot] = gibbs_marginals(include, reach)
    if laws.moments.shape[1]:
        laws.moments[slot] = gibbs_pairs(include, reach)
    return MADE


@draw.of(SubsetGibbsFamily)
def draw_subset_gibbs(family: Any, laws: Any, slot: int, rng: np.random.Generator) -> Integers:
    """Go along the chain."""
    if slot == laws.marginals.shape[0] - 1:
        return draw_mu(family, rng)
    return gibbs_draw(laws.include[slot], rng.random(family.common.dimension))


@spread.of(SubsetGibbsFamily)
def spread_of_subset_gibbs(family: Any, laws: Any, slot: int, point: Floats, aggregate: Floats) -> float:
    """Return Var(X̃·M)."""
    vector = centred(aggregate, family.common.is_uniform)
    moment = gibbs_moment(laws.include[slot], laws.reach[slot], vector)
    return moment_variance(laws.marginals[slot], moment, vector)


show_law.of(SubsetGibbsFamily)(show_mu)
law_of.register(SubsetGibbsFamily, gibbs_of)
