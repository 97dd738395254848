"""A point in the convex hull of a list of actions as a law over few of them.

Lawson and Hanson's method (1974) for non-negative least squares, which ends at a basic solution. The factor of the products of
the rows held grows with them. Only the elements that rows have are visited: most entries are 0.
"""

import numpy as np

from swapregret.arrays import Floats, Integers
from swapregret.compiled.cholesky import cholesky, cholesky_solve
from swapregret.compiled.kernel import kernel
from swapregret.geometry.listed_hull import elements_of_rows

__all__ = ["few_actions", "more_actions"]


_EXACT = 1e-13
_DEPENDENT = 1e-14
"""The share of a pivot below which it has lost all its digits, as in ``compiled.cholesky``."""


@kernel
def few_actions(table: Floats, point: Floats, scale: Floats) -> tuple[Integers, Floats, float]:
    """Return few rows and weights that make a point, and the distance left: of the coordinates, and of Σ weights from 1.

    The distance that is made small is that of ``scale``, which decides between the laws there are.
    """
    return more_actions(table, point, scale, np.empty(0, dtype=np.int64), np.empty(0))


@kernel
def more_actions(
    table: Floats, point: Floats, scale: Floats, first: Integers, shares: Floats
) -> tuple[Integers, Floats, float]:
    """Go on from the rows and weights found before the table had its last rows."""
    n, d = table.shape
    elements, ends = elements_of_rows(table)
    most = min(n, d + 1)
    held, weights = np.empty(most + 1, dtype=np.int64), np.zeros(most + 1)
    is_held = np.zeros(n, dtype=np.bool_)
    gram, factor = np.zeros((most + 1, most + 1)), np.zeros((most + 1, most + 1))
    count = 0
    for k in range(first.size):
        held[k], weights[k] = first[k], shares[k]
        is_held[first[k]] = True
        count += 1
        _border(table, elements, ends, scale, held, count, gram)
    is_definite = _factor_again(gram, count, factor)
    distance = np.inf
    for _ in range(3 * (n + d)):
        rest, missing = _rest(elements, ends, point, held[:count], weights)
        distance = abs(missing)
        for i in range(d):
            distance = max(distance, abs(rest[i]))
            rest[i] *= scale[i]
        if distance <= _EXACT or count > most - 1 + (count == 0) or not is_definite:
            break
        chosen, largest = -1, 0.0
        for a in range(n):
            if not is_held[a]:
                total = missing
                for e in range(ends[a], ends[a + 1]):
                    total += rest[elements[e]]
                if total > largest:
                    chosen, largest = a, total
        if chosen < 0:
            break
        held[count], weights[count] = chosen, 0.0
        is_held[chosen] = True
        count += 1
        _border(table, elements, ends, scale, held, count, gram)
        is_definite = _factor_on(gram, count, factor)
        is_moved = False
        while count > 0 and is_definite:
            upper = factor[:count, :count].copy()
            aim = _least_squares(elements, ends, point, scale, held[:count], weights, upper)
            least, at = 1.0, -1
            for k in range(count):
                if aim[k] <= 0.0:
                    ratio = weights[k] / (weights[k] - aim[k]) if weights[k] > aim[k] else 0.0
                    if at < 0 or ratio < least:
                        least, at = ratio, k
            if at < 0:
                for k in range(count):
                    weights[k] = aim[k]
                is_moved = True
                break
            for k in range(count):
                weights[k] = max(weights[k] + least * (aim[k] - weights[k]), 0.0)
            if held[at] == chosen and weights[at] <= 0.0 and at == count - 1 and least == 0.0:
                break
            is_held[held[at]] = False
            count -= 1
            for k in range(at, count):
                held[k], weights[k] = held[k + 1], weights[k + 1]
                for j in range(count + 1):
                    gram[k, j] = gram[k + 1, j]
            for k in range(at, count):
                for j in range(count):
                    gram[j, k] = gram[j, k + 1]
            is_definite = _factor_again(gram, count, factor)
        if not is_moved:
            if count > 0 and held[count - 1] == chosen:
                count -= 1
            break
    return held[:count].copy(), weights[:count].copy(), distance


@kernel
def _rest(elements: Integers, ends: Integers, point: Floats, held: Integers, weights: Floats) -> tuple[Floats, float]:
    """Return what a point has beyond the rows held, with their weights, and what the weights lack to add up to 1."""
    rest, missing = point.copy(), 1.0
    for k in range(held.size):
        missing -= weights[k]
        for e in range(ends[held[k]], ends[held[k] + 1]):
            rest[elements[e]] -= weights[k]
    return rest, missing


@kernel
def _border(
    table: Floats, elements: Integers, ends: Integers, scale: Floats, held: Integers, count: int, gram: Floats
) -> None:
    """Write the products of the last row held with all, in the norm of ``scale``, one more coordinate being 1."""
    last = held[count - 1]
    for k in range(count):
        one, total = table[held[k]], 1.0
        for e in range(ends[last], ends[last + 1]):
            total += scale[elements[e]] * one[elements[e]]
        gram[k, count - 1] = total
        gram[count - 1, k] = total


@kernel
def _factor_again(gram: Floats, count: int, factor: Floats) -> bool:
    """Factor the products of the rows held; tell whether they are independent."""
    upper, is_definite = cholesky(gram[:count, :count].copy())
    for i in range(count):
        for j in range(i, count):
            factor[i, j] = upper[i, j]
    return is_definite


@kernel
def _factor_on(gram: Floats, count: int, factor: Floats) -> bool:
    """Add the last column to the factor; tell whether the last row is independent of the others."""
    last = count - 1
    rest = gram[last, last]
    for i in range(last):
        total = gram[i, last]
        for k in range(i):
            total -= factor[k, i] * factor[k, last]
        factor[i, last] = total / factor[i, i]
        rest -= factor[i, last] ** 2
    is_definite = bool(rest > _DEPENDENT * gram[last, last])
    factor[last, last] = np.sqrt(rest) if is_definite else 1.0
    return is_definite


@kernel
def _least_squares(
    elements: Integers, ends: Integers, point: Floats, scale: Floats, held: Integers, weights: Floats, factor: Floats
) -> Floats:
    """Return the weights, of any sign, of the rows held that come nearest to a point and to adding up to 1.

    They are corrected once for what rounding has lost, and found from the weights there are, which are nearly right.
    """
    aim = weights[: held.size].copy()
    for _ in range(2):
        rest, missing = _rest(elements, ends, point, held, aim)
        right = np.empty(held.size)
        for k in range(held.size):
            right[k] = missing
            for e in range(ends[held[k]], ends[held[k] + 1]):
                right[k] += scale[elements[e]] * rest[elements[e]]
        aim += cholesky_solve(factor, right)
    return aim
