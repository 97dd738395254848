r"""A point of conv(A) written as a policy over few actions (Algorithm 2, line 5).

The paper asks for any :math:`\tilde p` with :math:`\sum_M \tilde p(M) M = m q`; it is not unique (deviation D4), so
the rule here is fixed: Wolfe's algorithm from a fixed vertex, in a fixed norm; or non-negative least squares on actions that are
known, in a fixed norm.
"""

from collections.abc import Iterable
from typing import Any

import numpy as np

from swapregret.arrays import Floats, Integers, Matrix, Vector, as_integer, as_vector
from swapregret.compiled.callback import settle
from swapregret.compiled.kernel import kernel
from swapregret.compiled.rows import elements_of_rows, padded_rows, rows_from, with_row
from swapregret.compiled.selection import in_order
from swapregret.compiled.vectors import dot
from swapregret.errors import InvalidInput
from swapregret.geometry.few_actions import DEPENDENT, Rows, begin_search, hold_more, rest_of, with_room
from swapregret.geometry.min_norm import min_norm_point
from swapregret.geometry.oracle import AskedOracle, LinearOracle, ask
from swapregret.policy import FinitePolicy

INSIDE = 1e-8
"""How far outside the hull a point that is listed may lie."""
REACHED = 1e-12
_LIGHT = 0.05
"""The mass of the rows that all variants of a policy share, the lightest of the first."""
_GOLDEN = (5.0**0.5 - 1.0) / 2.0


def decompose(oracle: LinearOracle, marginals: Vector, *, variants: int = 1) -> FinitePolicy:
    r"""Write a point of conv(A) as a policy over at most r + 1 actions.

    Find actions :math:`M_a` and weights :math:`p_a > 0`, :math:`\sum_a p_a = 1`, with :math:`\sum_a p_a M_a` equal to
    the point, to rounding. The policy is on the grid of :class:`~swapregret.policy.FinitePolicy`: no mass is left over.

    Parameters
    ----------
    oracle : LinearOracle
    marginals : array, shape (d,)
        A point of conv(A).
    variants : int
        How many decompositions to average. Each starts from its own fixed vertex and measures distances in its own
        fixed norm, so the average has up to ``variants`` · (r + 1) atoms.

    Returns
    -------
    FinitePolicy

    Raises
    ------
    InvalidInput
        If the point is further than 1e-8 from conv(A).

    Examples
    --------
    >>> from swapregret.actions.m_sets.m_sets import MSets
    >>> policy = decompose(MSets(2, 1), np.array([.25, .75]))
    >>> policy.atoms.tolist(), policy.weights.tolist()
    ([[1, 0], [0, 1]], [0.25, 0.75])
    """
    d = oracle.dimension
    x = as_vector(marginals, d, "marginals")
    count = as_integer(variants, "variants", 1)
    parts = [_decompose_once(oracle, x, variant) for variant in range(count)]
    if count == 1:
        return parts[0]
    return FinitePolicy(
        np.concatenate([part.atoms for part in parts]), np.concatenate([part.weights for part in parts]) / count
    )


def decompose_from(oracle: LinearOracle, point: Vector, pool: Matrix, variants: Iterable[int]) -> tuple[Matrix, Vector]:
    """Write a point of conv(A) by actions that are known; where they do not reach it, the action furthest in that direction joins.

    Parameters
    ----------
    oracle : LinearOracle
    point : array, shape (d,)
    pool : float64 array, shape (n, d)
        Different actions.
    variants : iterable of int
        The numbers of the variants; each measures distances in its own fixed norm.

    Returns
    -------
    table : float64 array, shape (k, d)
        The pool, and the actions that joined it.
    weights : float64 array, shape (k,)
        The sum of the variants' policies, which depends on the point and the pool alone.

    Examples
    --------
    >>> from swapregret.actions.m_sets.m_sets import MSets
    >>> table, weights = decompose_from(MSets(2, 1), np.array([.25, .75]), np.array([[1., 0.]]), [0])
    >>> table.tolist(), weights.round(12).tolist()
    ([[1.0, 0.0], [0.0, 1.0]], [0.25, 0.75])
    """
    asked, x, d = AskedOracle.of(oracle), np.array(point), len(point)
    norms = norms_of(variants, d)
    elements, ends, weights, distance = list_from(asked, x, *elements_of_rows(pool), len(pool), norms)
    settle([asked.callback])
    _check_distance(distance)
    return rows_from(elements, ends, 0, d).astype(np.float64), weights


@kernel
def list_from(
    oracle: Any, point: Floats, elements: Integers, ends: Integers, n_first: int, norms: Floats
) -> tuple[Integers, Integers, Floats, float]:
    """Return the rows with those added, the sum of the policies nearest to a point, one per norm, and the distance.

    The lightest rows of the first policy, which have a twentieth of its mass, are in all of them: they are most of its rows, and
    the others differ in what they make of the rest. The distance is infinite where the oracle has raised an error.
    """
    n_norms, padded = norms.shape[0], padded_rows(elements, ends, point.size)
    total, left, mass, furthest = np.zeros(ends.size - 1), point.copy(), 1.0, 0.0
    for v in range(n_norms):
        rows = Rows(elements, ends, padded, left, mass, norms[v], DEPENDENT, 0.0)
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
def list_once(oracle: Any, rows: Rows, n_first: int) -> tuple[Integers, Integers, Integers, Floats, float]:
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
        rows = Rows(elements, ends, rows.padded, rows.point, rows.mass, rows.scale, DEPENDENT, 0.0)
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


def _decompose_once(oracle: LinearOracle, x: Vector, variant: int) -> FinitePolicy:
    scale = norm_of_variant(variant, len(x))
    start = oracle.argmax(x - 0.5 + 0.5 * np.log(scale))
    found = min_norm_point(oracle, x, scale, start=start)
    _check_distance(float(np.linalg.norm(found.point - x)))
    return FinitePolicy(found.atoms, found.weights)


def _check_distance(distance: float) -> None:
    """Refuse a point that lies outside."""
    if distance > INSIDE:
        raise InvalidInput(
            "`marginals` must be a point of the convex hull of the actions",
            f"a point at distance {distance:.3g} from it",
            "Project it first, e.g. with kl_project.",
        )
