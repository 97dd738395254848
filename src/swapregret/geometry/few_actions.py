"""A point in the convex hull of a list of actions as a policy over few of them.

Lawson and Hanson's method (1974) for non-negative least squares, which ends at a basic solution. The factor of the products of
the rows held grows by a row for each that comes, and is rotated where one goes. Only the elements that rows have are visited: most
entries are 0.
"""

from typing import NamedTuple

import numpy as np

from swapregret.arrays import Floats, Integers
from swapregret.compiled.kernel import kernel
from swapregret.compiled.vectors import dot
from swapregret.geometry.rows import add_totals, padded_rows

_EXACT = 1e-13
_NEAR = 1e-6
"""The distance from which on least squares are corrected once for what rounding has lost."""
DEPENDENT = 1e-11
"""The share of a pivot below which it is rounding: a row that depends on the others would spoil all weights."""
_HELD, _PASSED = -1.0, -2.0


class Candidates(NamedTuple):
    """Rows by their elements, the point and the mass they shall have, and the norm in which they come near it.

    ``padded`` (width, n) has the k-th element of the first n rows, or d where a row has fewer; later rows are only in ``elements``.
    A row that has no more than the share ``dependent`` of its own beside those held stays out, and so does one whose price is
    not above ``least``.
    """

    elements: Integers
    ends: Integers
    padded: Integers
    point: Floats
    mass: float
    scale: Floats
    dependent: float
    least: float


class RowBasis(NamedTuple):
    """The rows ``held`` with their ``weights``, and the lower ``factor`` of their products; more room than rows."""

    held: Integers
    weights: Floats
    factor: Floats


class Search(NamedTuple):
    """Where a search for weights stands: the basis, of each row whether it is held or passed over and its price, and the rest."""

    basis: RowBasis
    marks: Floats
    price: Floats
    rest: Floats


@kernel
def few_actions(elements: Integers, ends: Integers, point: Floats, scale: Floats) -> tuple[Integers, Floats, float]:
    """Return few rows and weights that make a point, and the distance left: of the coordinates, and of Σ weights from 1.

    The distance that is made small is that of ``scale``, which decides between the policies there are.
    """
    rows = Candidates(elements, ends, padded_rows(elements, ends, point.size), point, 1.0, scale, DEPENDENT, 0.0)
    search = begin_search(rows)
    count, distance = hold_more(rows, search, 0, ends.size - 1)
    return search.basis.held[:count].copy(), search.basis.weights[:count].copy(), distance


@kernel
def begin_search(rows: Candidates) -> Search:
    """Return a search that holds no row yet."""
    n, d = rows.ends.size - 1, rows.point.size
    basis = RowBasis(np.empty(d + 2, dtype=np.int64), np.zeros(d + 2), np.zeros((d + 2, d + 2)))
    return Search(basis, np.zeros(n), np.empty(n), np.zeros(d + 1))


@kernel
def with_room(search: Search, n: int) -> Search:
    """Return the same search among n rows, of which the last are new."""
    marks = np.append(search.marks, np.zeros(n - search.marks.size))
    return Search(search.basis, marks, np.empty(n), search.rest)


@kernel
def hold_more(rows: Candidates, search: Search, count: int, n_tried: int) -> tuple[int, float]:
    """Hold more of the first rows, and let others go, until they make the point or none helps; return how many and how far."""
    basis, marks, rest = search.basis, search.marks, search.rest
    d, distance = rows.point.size, np.inf
    for _ in range(3 * (n_tried + d)):
        missing = rest_of(rows, basis.held[:count], basis.weights, rest)
        distance = abs(missing)
        for i in range(d):
            distance = max(distance, abs(rest[i]))
            rest[i] *= rows.scale[i]
        if distance <= _EXACT or count > d:
            break
        chosen = _dearest(rows, rest, missing, marks, search.price[:n_tried])
        if chosen < 0:
            break
        if not factor_on(rows, basis, count, chosen):
            marks[chosen] = _PASSED
            continue
        marks[chosen] = _HELD
        count, is_moved = _settle(rows, basis, count + 1, marks, rest, missing, True, distance <= _NEAR)
        if is_moved:
            for a in range(n_tried):
                if marks[a] == _PASSED:
                    marks[a] = 0.0
        else:
            marks[chosen] = _PASSED
    return count, distance


@kernel
def hold_again(rows: Candidates, search: Search, count: int) -> int:
    """Give the rows held the weights that another point, or norm, asks for, and let others go; return how many are left."""
    basis, kept = search.basis, 0
    for k in range(count):
        row, weight = basis.held[k], basis.weights[k]
        if factor_on(rows, basis, kept, row):
            basis.weights[kept] = weight
            kept += 1
        else:
            search.marks[row] = 0.0
    return _settle(rows, basis, kept, search.marks, search.rest, 0.0, False, False)[0]


@kernel
def rest_of(rows: Candidates, held: Integers, weights: Floats, rest: Floats) -> float:
    """Write what a point has beyond some rows with their weights; return what the weights lack to have the mass."""
    elements, ends, missing = rows.elements, rows.ends, rows.mass
    for i in range(rows.point.size):
        rest[i] = rows.point[i]
    for k in range(held.size):
        weight = weights[k]
        missing -= weight
        for e in range(ends[held[k]], ends[held[k] + 1]):
            rest[elements[e]] -= weight
    return missing


@kernel
def price_rows(rows: Candidates, vector: Floats, price: Floats) -> None:
    """Add to the prices of the first rows what they have of a vector, whose entry d must be 0."""
    n_padded = min(price.size, rows.padded.shape[1])
    add_totals(rows.padded, vector, price[:n_padded])
    for a in range(n_padded, price.size):
        for e in range(rows.ends[a], rows.ends[a + 1]):
            price[a] += vector[rows.elements[e]]


@kernel
def _dearest(rows: Candidates, rest: Floats, missing: float, marks: Floats, price: Floats) -> int:
    """Return the row that most of the rest lies in, of those that are neither held nor passed over; −1 if none helps."""
    price[:] = missing
    price_rows(rows, rest, price)
    chosen, largest = -1, rows.least
    for a in range(price.size):
        if price[a] > largest and marks[a] == 0.0:
            chosen, largest = a, price[a]
    return chosen


@kernel
def factor_on(rows: Candidates, basis: RowBasis, count: int, chosen: int) -> bool:
    """Hold one row more, with weight 0, unless it depends on the others; tell whether it is held."""
    elements, ends, scale, factor = rows.elements, rows.ends, rows.scale, basis.factor
    own, marked = 1.0, np.zeros(scale.size)
    for e in range(ends[chosen], ends[chosen + 1]):
        marked[elements[e]] = scale[elements[e]]
        own += scale[elements[e]]
    row, pivot = factor[count], own
    for k in range(count):
        product = 1.0  # of the two rows in the norm of `scale`, one more coordinate being 1
        for e in range(ends[basis.held[k]], ends[basis.held[k] + 1]):
            product += marked[elements[e]]
        value = (product - dot(factor[k, :k], row[:k])) / factor[k, k]
        row[k] = value
        pivot -= value * value
    if not pivot > rows.dependent * own:
        return False
    row[count] = np.sqrt(pivot)
    basis.held[count] = chosen
    basis.weights[count] = 0.0
    return True


@kernel
def _settle(
    rows: Candidates,
    basis: RowBasis,
    count: int,
    marks: Floats,
    rest: Floats,
    missing: float,
    is_new: bool,
    is_near: bool,
) -> tuple[int, bool]:
    """Go to the least squares of the rows held; those whose weight would be negative go, the first to reach 0 first.

    Returns how many are left, and whether there was a step. Where only the last row is new, with weight 0, the others are at
    their least squares, and ``rest`` and ``missing`` are what they left, in the norm of ``scale``.
    """
    held, weights, chosen = basis.held, basis.weights, basis.held[count - 1] if is_new else -1
    is_moved = False
    while count > 0:
        aim = _least_squares(rows, basis, count, rest, missing, is_new, is_near)
        least, at = 1.0, -1
        for k in range(count):
            if aim[k] <= 0.0:
                ratio = weights[k] / (weights[k] - aim[k]) if weights[k] > aim[k] else 0.0
                if at < 0 or ratio < least:
                    least, at = ratio, k
        if at < 0:
            for k in range(count):
                weights[k] = aim[k]
            return count, True
        is_moved = is_moved or least > 0.0
        if held[at] == chosen and not is_moved:
            return count - 1, False
        for k in range(count):
            weights[k] = max(weights[k] + least * (aim[k] - weights[k]), 0.0)
        marks[held[at]] = 0.0
        count = _drop(basis, count, at)
        is_new = False
    return count, is_moved


@kernel
def _least_squares(
    rows: Candidates, basis: RowBasis, count: int, rest: Floats, missing: float, is_new: bool, is_near: bool
) -> Floats:
    """Return the weights, of any sign, of the rows held that come nearest to a point and its mass.

    They are found from the weights there are. Where only the last row is new, the rest is known, and the others are not in it.
    """
    elements, ends, factor, held = rows.elements, rows.ends, basis.factor, basis.held
    aim, move = basis.weights[:count].copy(), np.zeros(count)
    for turn in range(2 if is_near else 1):
        first = count - 1 if is_new and turn == 0 else 0
        if first == 0:
            missing = rest_of(rows, held[:count], aim, rest)
            for i in range(rows.scale.size):
                rest[i] *= rows.scale[i]
        for k in range(first, count):
            total = missing
            for e in range(ends[held[k]], ends[held[k] + 1]):
                total += rest[elements[e]]
            move[k] = (total - dot(factor[k, :k], move[:k])) / factor[k, k]
        for k in range(count - 1, -1, -1):
            line = factor[k]
            value = move[k] / line[k]
            aim[k] += value
            for j in range(k):
                move[j] -= value * line[j]
            move[k] = 0.0
    return aim


@kernel
def _drop(basis: RowBasis, count: int, at: int) -> int:
    """Let a row go, and rotate the factor of the others into shape; return how many are left."""
    held, weights, factor = basis.held, basis.weights, basis.factor
    count -= 1
    for k in range(at, count):
        held[k], weights[k] = held[k + 1], weights[k + 1]
        for j in range(k + 2):
            factor[k, j] = factor[k + 1, j]
    for k in range(at, count):
        a, b = factor[k, k], factor[k, k + 1]
        length = np.sqrt(a * a + b * b)
        cosine, sine = a / length, b / length
        factor[k, k] = length
        for i in range(k + 1, count):
            x, y = factor[i, k], factor[i, k + 1]
            factor[i, k] = cosine * x + sine * y
            factor[i, k + 1] = cosine * y - sine * x
    return count
