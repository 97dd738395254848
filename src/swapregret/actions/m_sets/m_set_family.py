"""m-sets as compiled code sees them: systematic lists."""

from typing import Any, NamedTuple

import numpy as np

from swapregret.actions import covariance, listed_laws  # the code behind the methods that are not given here
from swapregret.actions.family import Common, best, draw_explore, hybrid, list_law, project
from swapregret.actions.hybrid_capped import hybrid_capped
from swapregret.actions.m_sets.kernels.capped_simplex import project_capped
from swapregret.actions.m_sets.kernels.subsets import UNIT, draw_uniform, round_to_units, systematic_starts
from swapregret.actions.m_sets.kernels.systematic_words import systematic_words
from swapregret.arrays import Floats, Integers, Words
from swapregret.compiled.kernel import kernel
from swapregret.compiled.selection import top_elements

__all__ = ["INSIDE", "SubsetFamily", "distance_outside", "draw_uniform_subset"]


INSIDE = 1e-8
"""How far outside the capped simplex a point that is listed may lie."""
_ = covariance, listed_laws


class SubsetFamily(NamedTuple):
    """All m-sets, listed systematically in some ``orders`` (variants, d)."""

    common: Common
    orders: Integers


@kernel
def distance_outside(point: Floats, size: int) -> float:
    """Return how far a point is from the capped simplex."""
    total, low, high = 0.0, np.inf, -np.inf
    for i in range(point.size):
        total += point[i]
        low, high = min(low, point[i]), max(high, point[i])
    return max(abs(total - size), -low, high - 1.0)


@project.of(SubsetFamily)
def project_subsets(family: Any, tilted: Floats, near: Floats) -> tuple[Floats, Floats, bool]:
    """Project onto the capped simplex, exactly."""
    point, log_point, _ = project_capped(tilted, family.common.size)
    return point, log_point, True


@hybrid.of(SubsetFamily)
def hybrid_subsets(family: Any, costs: Floats, mix: float, middle: Floats, near: Floats) -> tuple[Floats, float]:
    """Minimise over the capped simplex by a scalar Newton iteration, exactly."""
    point, _ = hybrid_capped(costs, family.common.size, mix)
    return point, 0.0


@list_law.of(SubsetFamily)
def list_subsets(family: Any, point: Floats) -> tuple[Words, Floats, bool]:
    """List the systematic policy of a point, averaged over the orders."""
    size, orders = family.common.size, family.orders
    units = round_to_units(point, size)
    words, lengths = systematic_words(units, systematic_starts(units, orders), orders, UNIT)
    chances = np.empty(lengths.size)
    scale = float(UNIT * len(orders))
    for a in range(lengths.size):
        chances[a] = lengths[a] / scale
    return words, chances, distance_outside(point, size) <= INSIDE


@best.of(SubsetFamily)
def best_subset(family: Any, weights: Floats) -> Integers:
    """Return the m heaviest elements."""
    return top_elements(weights, family.common.size)


@draw_explore.of(SubsetFamily)
def draw_uniform_subset(family: Any, rng: np.random.Generator) -> Integers:
    """Draw an m-set uniformly, by Floyd's rule."""
    return draw_uniform(rng, family.common.dimension, family.common.size)
