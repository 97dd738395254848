"""Gibbs policies that are played as lists of their marginals: how Lazy-ComBand is a member of the adaptive master."""

from typing import Any, NamedTuple

import numpy as np

from swapregret.actions.family import Common, best, draw_explore, list_policy, project, span_part
from swapregret.arrays import Floats, Integers, Words


class GibbsMembers(NamedTuple):
    """A set with lists of actions, whose points come from its Gibbs policies."""

    common: Common
    listed: Any
    gibbs: Any


@project.of(GibbsMembers)
def project_gibbs(family: Any, tilted: Floats, near: Floats) -> tuple[Floats, Floats, bool]:
    """Return the marginals of the Gibbs policy."""
    return project(family.gibbs, tilted, near)


@list_policy.of(GibbsMembers)
def list_gibbs(family: Any, point: Floats) -> tuple[Words, Floats, bool]:
    """List a point."""
    return list_policy(family.listed, point)


@best.of(GibbsMembers)
def best_listed(family: Any, weights: Floats) -> Integers:
    """Ask the oracle."""
    return best(family.listed, weights)


@span_part.of(GibbsMembers)
def part_listed(family: Any, vector: Floats) -> Floats:
    """Project onto the span."""
    return span_part(family.listed, vector)


@draw_explore.of(GibbsMembers)
def draw_listed_explore(family: Any, rng: np.random.Generator) -> Integers:
    """Draw from μ."""
    return draw_explore(family.listed, rng)
