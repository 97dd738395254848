"""m-sets as compiled code sees them: systematic lists."""

from typing import Any, NamedTuple

import numpy as np

from swapregret.actions import policy_slots  # the code behind the methods that are not given here
from swapregret.actions.family import Common, best, draw_explore, list_policy, project
from swapregret.actions.m_sets.kernels.capped_simplex import project_capped
from swapregret.actions.m_sets.kernels.subsets import INSIDE, distance_outside, draw_uniform, list_systematic
from swapregret.arrays import Floats, Integers, Words
from swapregret.compiled.selection import top_elements

_ = policy_slots


class SubsetFamily(NamedTuple):
    """All m-sets, listed systematically in some ``orders`` (variants, d)."""

    common: Common
    orders: Integers


@project.of(SubsetFamily)
def project_subsets(family: Any, tilted: Floats, near: Floats) -> tuple[Floats, Floats, bool]:
    """Project onto the capped simplex, exactly."""
    point, log_point, _ = project_capped(tilted, family.common.size)
    return point, log_point, True


@list_policy.of(SubsetFamily)
def list_subsets(family: Any, point: Floats) -> tuple[Words, Floats, bool]:
    """List the systematic policy of a point, averaged over the orders."""
    size = family.common.size
    words, chances = list_systematic(point, size, family.orders)
    return words, chances, distance_outside(point, size) <= INSIDE


@best.of(SubsetFamily)
def best_subset(family: Any, weights: Floats) -> Integers:
    """Return the m heaviest elements."""
    return top_elements(weights, family.common.size)


@draw_explore.of(SubsetFamily)
def draw_uniform_subset(family: Any, rng: np.random.Generator) -> Integers:
    """Draw an m-set uniformly, by Floyd's rule."""
    return draw_uniform(rng, family.common.dimension, family.common.size)
