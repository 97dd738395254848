"""Sets given by the list of their actions, as compiled code sees them."""

from typing import Any, NamedTuple

import numpy as np

from swapregret.actions import policy_slots  # the code behind the methods that are not given here
from swapregret.actions.family import FULL, MADE, Common, best, list_policy, make_policy, project, spread
from swapregret.actions.policy_slots import put_policy
from swapregret.arrays import Floats, Integers, Words
from swapregret.compiled.rows import row_mean, row_totals
from swapregret.compiled.vectors import centred
from swapregret.geometry.caratheodory import INSIDE
from swapregret.geometry.few_actions import few_actions
from swapregret.geometry.kl_near import approach, begin_approach
from swapregret.geometry.listed_hull import TARGET, gibbs_weights, project_list

ACCEPTED_GAP = 1e-9
_ = policy_slots


class ListedFamily(NamedTuple):
    """All actions: the ``table`` (N, d), by their elements and, packed, ``words``; the norms in which points are decomposed.

    ``elements`` has the elements of all rows, ``ends`` where each begins and ends, ``norms`` a row per variant.
    """

    common: Common
    table: Floats
    elements: Integers
    ends: Integers
    words: Words
    norms: Floats


class ListedGibbsFamily(ListedFamily):
    """The same, played by p(M) ∝ exp(s·M); a point is known by its exponents s."""

    __slots__ = ()


@project.of(ListedFamily)
def project_listed(family: Any, tilted: Floats, near: Floats) -> tuple[Floats, Floats, bool]:
    """Project by Newton's method from a point that may be near; by an interior point method where it does not come to an end."""
    elements, ends = family.elements, family.ends
    at = begin_approach(elements, ends, tilted, np.exp(near))
    point, gap, _ = approach(elements, ends, tilted, at, 0, ends.size - 1, TARGET)
    if not gap <= TARGET:
        point, _, gap = project_list(elements, ends, tilted, TARGET)
    log_point = np.zeros(point.size)
    for i in range(point.size):
        if point[i] > 0.0:
            log_point[i] = np.log(point[i])
    return point, log_point, gap <= ACCEPTED_GAP


@list_policy.of(ListedFamily)
def list_few(family: Any, point: Floats) -> tuple[Words, Floats, bool]:
    """Find few actions that make the point, in each of the norms."""
    n_norms = family.norms.shape[0]
    weights, distance = np.zeros(family.table.shape[0]), 0.0
    for v in range(n_norms):
        held, found, left = few_actions(family.elements, family.ends, point, family.norms[v])
        distance = max(distance, left)
        total = found.sum()
        for k in range(held.size):
            weights[held[k]] += found[k] / (total * n_norms)
    listed = np.flatnonzero(weights > 0.0)
    return family.words[listed], weights[listed], distance <= INSIDE


@best.of(ListedFamily)
def best_listed(family: Any, weights: Floats) -> Integers:
    """Try every action; the first wins a tie."""
    action: Integers = family.table[np.argmax(row_totals(family.table, weights))].astype(np.int64)
    return action


@project.of(ListedGibbsFamily)
def project_listed_gibbs(family: Any, tilted: Floats, near: Floats) -> tuple[Floats, Floats, bool]:
    """Return the marginals of the policy of some exponents, and these."""
    return row_mean(family.table, gibbs_weights(family.table, tilted)), tilted, True


@make_policy.of(ListedGibbsFamily)
def make_listed_gibbs(family: Any, policies: Any, slot: int, point: Floats, log_point: Floats) -> int:
    """List all actions with their Gibbs weights."""
    if family.words.shape[0] > policies.chances.shape[1]:
        return FULL
    put_policy(policies, slot, family.words, gibbs_weights(family.table, log_point), family.common.place)
    return MADE


@spread.of(ListedGibbsFamily)
def spread_of_listed_gibbs(family: Any, policies: Any, slot: int, point: Floats, aggregate: Floats) -> float:
    """Return Var(X̃·M)."""
    totals = row_totals(family.table, centred(aggregate, family.common.is_uniform))
    mean, square = 0.0, 0.0
    for a in range(totals.size):
        mean += policies.chances[slot, a] * totals[a]
    for a in range(totals.size):
        square += policies.chances[slot, a] * (totals[a] - mean) ** 2
    return square
