"""The operations of a list of actions: projections by Newton's method or from within, lists of few actions, Gibbs policies."""

from typing import NamedTuple

import numpy as np

from swapregret.actions.hull import Hull, Tables, part_of_basis
from swapregret.arrays import Floats, Integers, Words
from swapregret.compiled.address import Handle, set_of
from swapregret.compiled.bits import unpack
from swapregret.compiled.kernel import kernel
from swapregret.geometry.few_actions import few_actions
from swapregret.geometry.kl import INSIDE
from swapregret.geometry.kl_from_actions import approach, begin_approach
from swapregret.geometry.listed_hull import TARGET, first_weights, gibbs_weights, improve_weights
from swapregret.geometry.rows import mean_of_rows, totals_of_rows

LISTED_GAP = 1e-9


class ListedRows(NamedTuple):
    """All N actions, by their elements and, packed, ``words``; the norms in which points are decomposed.

    ``elements`` has the elements of all rows, ``ends`` where each begins and ends, ``norms`` a row per variant.
    """

    elements: Integers
    ends: Integers
    words: Words
    norms: Floats
    orthonormal: Floats


@kernel
def best_row(h: Handle[ListedRows], weights: Floats) -> Integers:
    """Try every action; the first wins a tie."""
    data = set_of(h)
    return unpack(data.words[np.argmax(totals_of_rows(data.elements, data.ends, weights))], weights.size)


@kernel
def project_on_rows(h: Handle[ListedRows], tilted: Floats, near: Floats) -> tuple[Floats, Floats, float]:
    """Project by Newton's method from a point that may be near; by an interior point method where none is or that does not end."""
    elements, ends, gap = set_of(h).elements, set_of(h).ends, np.inf
    point, log_point, is_known = near, np.zeros(near.size), np.any(near)
    if is_known:
        at = begin_approach(elements, ends, tilted, np.exp(near))
        point, gap, _ = approach(elements, ends, tilted, at, 0, ends.size - 1, TARGET)
    if not gap <= TARGET:
        weights, slack, level = first_weights(elements, ends, tilted)
        gap = improve_weights(elements, ends, tilted, TARGET, weights, slack, level, False)
        point = mean_of_rows(elements, ends, weights, tilted.size)
    if not is_known:  # what is small becomes as exact as what is not
        reached = improve_weights(elements, ends, tilted, TARGET, weights, slack, level, True)
        if reached <= LISTED_GAP:
            point, gap = mean_of_rows(elements, ends, weights, tilted.size), reached
    for i in range(point.size):
        if point[i] > 0.0:
            log_point[i] = np.log(point[i])
    return point, log_point, gap if gap <= LISTED_GAP else np.inf


@kernel
def list_few(h: Handle[ListedRows], point: Floats) -> tuple[Words, Floats, bool]:
    """Find few actions that make the point, in each of the norms."""
    data = set_of(h)
    n_norms = data.norms.shape[0]
    weights, distance = np.zeros(data.words.shape[0]), 0.0
    for v in range(n_norms):
        held, found, left = few_actions(data.elements, data.ends, point, data.norms[v])
        distance = max(distance, left)
        total = found.sum()
        for k in range(held.size):
            weights[held[k]] += found[k] / (total * n_norms)
    listed = np.flatnonzero(weights > 0.0)
    return data.words[listed], weights[listed], distance <= INSIDE


# ---- Gibbs policies: a table has the sums of the weights up to each action, then the weights -------------------------------------


@kernel
def project_gibbs_rows(h: Handle[ListedRows], tilted: Floats, near: Floats) -> tuple[Floats, Floats, float]:
    """Return the marginals of the policy of some exponents, and these."""
    elements, ends = set_of(h).elements, set_of(h).ends
    return mean_of_rows(elements, ends, gibbs_weights(elements, ends, tilted), tilted.size), tilted, 0.0


@kernel
def fill_gibbs_rows(
    h: Handle[ListedRows],
    point: Floats,
    log_point: Floats,
    coordinates: Integers,
    table: Floats,
    marginals: Floats,
    moment: Floats,
) -> bool:
    """Weigh all actions."""
    elements, ends, r = set_of(h).elements, set_of(h).ends, coordinates.size
    weights = gibbs_weights(elements, ends, log_point)
    place, chosen = np.full(point.size, -1, dtype=np.int64), np.empty(r, dtype=np.int64)
    place[coordinates] = np.arange(r)
    moment[:] = 0.0
    for a in range(weights.size if r else 0):
        count = 0
        for e in range(ends[a], ends[a + 1]):
            if place[elements[e]] >= 0:
                chosen[count] = place[elements[e]]
                count += 1
        for e in range(count):
            line = moment[chosen[e]]
            for f in range(count):
                line[chosen[f]] += weights[a]
    table[: weights.size] = np.cumsum(weights)
    table[weights.size :] = weights
    marginals[:] = mean_of_rows(elements, ends, weights, point.size)
    return True


@kernel
def draw_gibbs_row(h: Handle[ListedRows], table: Floats, rng: np.random.Generator) -> Integers:
    """Draw by inversion."""
    n = table.size // 2
    drawn = np.searchsorted(table[:n], rng.random() * table[n - 1], side="right")
    return unpack(set_of(h).words[min(drawn, n - 1)], set_of(h).norms.shape[1])


@kernel
def gibbs_row_variance(h: Handle[ListedRows], table: Floats, marginals: Floats, vector: Floats) -> float:
    """Return Var(v·M)."""
    totals, weights = totals_of_rows(set_of(h).elements, set_of(h).ends, vector), table[table.size // 2 :]
    mean, square = 0.0, 0.0
    for a in range(totals.size):
        mean += weights[a] * totals[a]
    for a in range(totals.size):
        square += weights[a] * (totals[a] - mean) ** 2
    return square


def explicit_hull(data: ListedRows) -> Hull:
    """Return the operations of a list of actions."""
    gibbs = Tables(
        2 * len(data.words),
        fill_gibbs_rows,
        draw_gibbs_row,
        project=project_gibbs_rows,
        variance=gibbs_row_variance,
    )
    return Hull(
        data, best=best_row, project=project_on_rows, list_policy=list_few, span_part=part_of_basis, gibbs=gibbs
    )
