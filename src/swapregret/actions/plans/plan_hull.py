"""The operations of plans: lists by stripping, Gibbs policies that choose at every information set on their own."""

from typing import NamedTuple

import numpy as np

from swapregret.actions.hull import put_moment
from swapregret.actions.plans.kernels.plan_best import best_plan, packed_plans
from swapregret.actions.plans.kernels.plan_chances import (
    draw_plan,
    gibbs_chances,
    plan_cooccurrence,
    plan_flow,
    plan_moment,
)
from swapregret.actions.plans.kernels.plan_projection import plan_span_part, project_plan
from swapregret.arrays import Floats, Integers, Words
from swapregret.compiled.address import Handle, set_of
from swapregret.compiled.kernel import kernel
from swapregret.compiled.vectors import moment_variance
from swapregret.geometry.kl import ACCEPTED_GAP


class PlanData(NamedTuple):
    """A tree as in ``kernels.plan_best``, and how its plans are listed.

    Attributes
    ----------
    start, parent
        The tree.
    explore : float64 array
        The chances of the exploration policy; empty where that is a list.
    orders : int64 array, shape (variants, d)
        In which plans are stripped off a point.
    inside : float
        How far from a mean of plans a point may be.
    """

    start: Integers
    parent: Integers
    explore: Floats
    orders: Integers
    inside: float


@kernel
def best_of_plans(h: Handle[PlanData], weights: Floats) -> Integers:
    """Return the best plan, by one pass from the leaves."""
    return best_plan(set_of(h).start, set_of(h).parent, weights)


@kernel
def project_plans(h: Handle[PlanData], tilted: Floats, near: Floats) -> tuple[Floats, Floats, float]:
    """Project onto the mean plans by Newton's method; weights near a mean plan take few steps."""
    point, log_point, gap = project_plan(set_of(h).start, set_of(h).parent, tilted)
    return point, log_point, gap if gap <= ACCEPTED_GAP else np.inf


@kernel
def list_plans(h: Handle[PlanData], point: Floats) -> tuple[Words, Floats, bool]:
    """Strip plans off a point, in each of the orders."""
    tree = set_of(h)
    words, chances, outside = packed_plans(tree.start, tree.parent, point, tree.orders)
    return words, chances, outside <= tree.inside


@kernel
def part_of_plans(h: Handle[PlanData], vector: Floats) -> Floats:
    """Take off what no plan can see."""
    return plan_span_part(set_of(h).start, set_of(h).parent, vector)


@kernel
def draw_exploring_plan(h: Handle[PlanData], rng: np.random.Generator) -> Integers:
    """Draw at every information set that is reached."""
    return draw_plan(set_of(h).start, set_of(h).parent, set_of(h).explore, rng)


# ---- Gibbs policies: a table has the chance of every sequence where its information set is reached -------------------------------


@kernel
def project_gibbs_plans(h: Handle[PlanData], tilted: Floats, near: Floats) -> tuple[Floats, Floats, float]:
    """Return the marginals of the policy of some exponents, and these."""
    start, parent = set_of(h).start, set_of(h).parent
    return plan_flow(start, parent, gibbs_chances(start, parent, tilted)), tilted, 0.0


@kernel
def fill_gibbs_plans(
    h: Handle[PlanData],
    point: Floats,
    log_point: Floats,
    coordinates: Integers,
    table: Floats,
    marginals: Floats,
    moment: Floats,
) -> bool:
    """Make the chances of some exponents, and their Σ."""
    start, parent = set_of(h).start, set_of(h).parent
    table[:] = gibbs_chances(start, parent, log_point)
    marginals[:] = plan_flow(start, parent, table)
    if coordinates.size:
        put_moment(plan_cooccurrence(start, parent, table, marginals), coordinates, moment)
    return True


@kernel
def draw_gibbs_plan(h: Handle[PlanData], table: Floats, rng: np.random.Generator) -> Integers:
    """Draw at every information set that is reached."""
    return draw_plan(set_of(h).start, set_of(h).parent, table, rng)


@kernel
def plan_variance(h: Handle[PlanData], table: Floats, marginals: Floats, vector: Floats) -> float:
    """Return Var(v·M)."""
    moment = plan_moment(set_of(h).start, set_of(h).parent, table, marginals, vector)
    return moment_variance(marginals, moment, vector)
