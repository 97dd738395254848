r"""A point of conv(A) written as a policy over few actions (Algorithm 2, line 5).

The paper asks for any :math:`\tilde p` with :math:`\sum_M \tilde p(M) M = m q`; it is not unique (deviation D4), so
the rule here is fixed: non-negative least squares on actions that are known, in a fixed norm; where they do not reach the point,
the action furthest in that direction joins.
"""

from collections.abc import Iterable

import numpy as np

from swapregret.arrays import Floats, Integers, Matrix, Vector
from swapregret.compiled.kernel import kernel
from swapregret.compiled.selection import in_order
from swapregret.compiled.vectors import dot
from swapregret.geometry.few_actions import DEPENDENT, Candidates, begin_search, hold_more, rest_of, with_room
from swapregret.geometry.kl import INSIDE
from swapregret.geometry.oracle import AskedOracle, ask
from swapregret.geometry.rows import padded_rows, with_row

REACHED = 1e-12
_LIGHT = 0.05
"""The mass of the rows that all variants of a policy share, the lightest of the first."""
_GOLDEN = (5.0**0.5 - 1.0) / 2.0


@kernel
def list_from(
    oracle: AskedOracle, point: Floats, elements: Integers, ends: Integers, n_first: int, norms: Floats
) -> tuple[Integers, Integers, Floats, float]:
    """Return the rows with those added, the sum of the policies nearest to a point, one per norm, and the distance.

    The lightest rows of the first policy, which have a twentieth of its mass, are in all of them: they are most of its rows, and
    the others differ in what they make of the rest. The distance is infinite where the oracle has raised an error.
    """
    n_norms, padded = norms.shape[0], padded_rows(elements, ends, point.size)
    total, left, mass, furthest = np.zeros(ends.size - 1), point.copy(), 1.0, 0.0
    for v in range(n_norms):
        rows = Candidates(elements, ends, padded, left, mass, norms[v], DEPENDENT, 0.0)
        elements, ends, held, weights, distance = list_once(oracle, rows, n_first)
        furthest = max(furthest, distance)
        total = np.append(total, np.zeros(ends.size - 1 - total.size))
        order, light = in_order(weights), 0.0
        for k in range(held.size):
            weight = weights[order[k]]
            light += weight
            is_shared = v == 0 and light <= _LIGHT
            total[held[order[k]]] += n_norms * weight if is_shared else weight
            if is_shared:
                mass -= weight
                for e in range(ends[held[order[k]]], ends[held[order[k]] + 1]):
                    left[elements[e]] -= weight
    return elements, ends, total, furthest


@kernel
def list_once(
    oracle: AskedOracle, rows: Candidates, n_first: int
) -> tuple[Integers, Integers, Integers, Floats, float]:
    """Return the rows with those that were added, some of them with weights of a mass that make a point, and the distance left.

    The first rows are tried alone, then all; then the oracle is asked for more, until it shows that the point is out of reach.
    """
    search, count, n_tried, rest = begin_search(rows), 0, n_first, np.empty(rows.point.size)
    while True:
        count, distance = hold_more(rows, search, count, n_tried)
        held, weights = search.basis.held[:count].copy(), search.basis.weights[:count].copy()
        rest_of(rows, held, weights, rest)
        largest = np.abs(rest).max()
        if distance <= REACHED or largest == 0.0:
            break
        if n_tried < rows.ends.size - 1:
            n_tried = rows.ends.size - 1
            continue
        direction = rows.scale * rest / largest
        action = ask(oracle, direction)
        if action.size == 0:
            return rows.elements, rows.ends, held, weights, np.inf
        reach = dot(direction, rows.mass * action - rows.point)
        elements, ends = with_row(rows.elements, rows.ends, action)
        rows = Candidates(elements, ends, rows.padded, rows.point, rows.mass, rows.scale, DEPENDENT, 0.0)
        if ends.size - 1 == n_tried or reach < -INSIDE:
            break
        n_tried += 1
        search = with_room(search, n_tried)
    weights *= rows.mass / weights.sum()
    rest_of(rows, held, weights, rest)
    return rows.elements, rows.ends, held, weights, np.sqrt((rest * rest).sum())


def norms_of(variants: Iterable[int], dimension: int) -> Matrix:
    """Return the weights of the coordinates in the norms of some variants, one row each."""
    return np.array([norm_of_variant(each, dimension) for each in variants]).reshape(-1, dimension)


def norm_of_variant(variant: int, dimension: int) -> Vector:
    """Return the weights of the coordinates in the norm of a variant: fixed numbers from 1/e to e, 1 for the first variant."""
    if variant == 0:
        return np.ones(dimension)
    place = np.modf((variant * dimension + np.arange(1, dimension + 1)) * _GOLDEN)[0]
    return np.asarray(np.exp(2.0 * (place - 0.5)))
