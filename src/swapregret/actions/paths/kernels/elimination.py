r"""Compiled elimination of the vertices of a graph: the Laplacian of a flow, planned, factored and solved without subtractions.

The Laplacian of a connected graph with conductances c, grounded at one vertex, has off-diagonal entries −c and a diagonal that
makes up for them. Eliminating a vertex joins its neighbours a and b by a new conductance :math:`c_a c_b / \sum c`. Only
conductances are stored and the diagonal is their sum, so elimination adds positive numbers and never subtracts: every factor is
right to a few units in the last place, however unlike the conductances are (Grassmann, Taksar and Heyman 1985).

Only the sums of rows matter for that, so rows may be divided by scales of their own, and entries differ from row to row.

Vertices are eliminated in an order that joins few of them, or as they come.
"""

from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from swapregret.actions.elimination_order import elimination_order
from swapregret.actions.paths.kernels.dag import Offsets
from swapregret.arrays import Floats, Integers
from swapregret.compiled.kernel import kernel


class Elimination(NamedTuple):
    """Which vertices are joined when the vertices are eliminated in a fixed order; the sink is the ground."""

    place: Integers  # (n,) when each vertex but the sink is eliminated
    slot: Integers  # (n_edges,) where an edge's conductance is stored; −1 for edges into the sink
    start: Integers  # column j has its neighbours among the vertices eliminated later,
    later: Integers  # ``later[start[j]:start[j+1]]``, increasing
    before: Integers  # row k has the columns that contain k,
    earlier: Integers  # ``earlier[before[k]:before[k+1]]``,
    at: Integers  # and where in ``later``
    leave: Offsets  # (n + 2,) the graph itself: the edges that leave u are ``leave[u]..leave[u+1]-1``,
    enter: Offsets  # (n_edges,) edge k enters ``enter[k]``
    # ``start`` (n + 1,) once more if every column holds all vertices up to its last, ``reach`` (n,), so that nothing has to be
    # looked up, else empty; three places of each column are then left empty, which ``later`` calls vertex n
    band: Offsets
    reach: Offsets


@kernel
def factor_rows(
    plan: Elimination, upper: Floats, lower: Floats, ground: Floats, pivot: Floats, work: Floats, other: Floats
) -> None:
    """Eliminate all vertices of a Laplacian with scaled rows, in place; ``pivot`` takes one over the sum of each row.

    ``upper`` has the entries of a row towards later vertices, ``lower`` those of a column from later rows.
    """
    if plan.band.size:
        _factor_band(plan, upper, lower, ground, pivot, work, other)
        return
    for k in range(pivot.size):
        first, end = plan.start[k], plan.start[k + 1]
        for i in range(first, end):
            work[plan.later[i]] = upper[i]
            other[plan.later[i]] = lower[i]
        leak = ground[k]
        for q in range(plan.before[k], plan.before[k + 1]):
            j = plan.earlier[q]
            down = lower[plan.at[q]] * pivot[j]
            across = upper[plan.at[q]] * pivot[j]
            leak += down * ground[j]
            for i in range(plan.at[q] + 1, plan.start[j + 1]):
                work[plan.later[i]] += down * upper[i]
                other[plan.later[i]] += across * lower[i]
        total = leak
        for i in range(first, end):
            upper[i] = work[plan.later[i]]
            lower[i] = other[plan.later[i]]
            total += upper[i]
        ground[k] = leak
        pivot[k] = 1.0 / total


@kernel
def _factor_band(
    plan: Elimination, upper: Floats, lower: Floats, ground: Floats, pivot: Floats, down: Floats, across: Floats
) -> None:
    """Do the same where columns are unbroken: vertex k takes in those before it, four columns at a time.

    Indices have no sign: they need not be checked for one. What is read beyond a column is 0, and so is what is written there.
    """
    zero, one, two, three, four = np.uint64(0), np.uint64(1), np.uint64(2), np.uint64(3), np.uint64(4)
    start, reach, first = plan.band, plan.reach, zero
    for k in range(zero, np.uint64(pivot.size)):
        while reach[first] < k:
            first += one
        # what the vertices before k put into its row and column, and what of it leaks to the ground
        leak = ground[k]
        for j in range(first, k):
            p = start[j] + (k - j) - one
            down[j] = lower[p] * pivot[j]
            across[j] = upper[p] * pivot[j]
            leak += down[j] * ground[j]
        # row and column k, four entries at a time
        oldest, column, at = first, k + one, start[k]
        while column <= reach[k]:
            while reach[oldest] < column:
                oldest += one
            a, b, c, d = upper[at], upper[at + one], upper[at + two], upper[at + three]
            e, f, g, h = lower[at], lower[at + one], lower[at + two], lower[at + three]
            for j in range(oldest, k):
                p = start[j] + (column - j) - one
                x, y = down[j], across[j]
                a += x * upper[p]
                b += x * upper[p + one]
                c += x * upper[p + two]
                d += x * upper[p + three]
                e += y * lower[p]
                f += y * lower[p + one]
                g += y * lower[p + two]
                h += y * lower[p + three]
            upper[at], upper[at + one], upper[at + two], upper[at + three] = a, b, c, d
            lower[at], lower[at + one], lower[at + two], lower[at + three] = e, f, g, h
            column += four
            at += four
        # the pivot: all that leaves vertex k
        s, t, u, v = 0.0, 0.0, 0.0, 0.0
        i = start[k]
        while i < at:
            s += upper[i]
            t += upper[i + one]
            u += upper[i + two]
            v += upper[i + three]
            i += four
        ground[k] = leak
        pivot[k] = 1.0 / (((s + u) + (t + v)) + leak)


@kernel
def _solve_band(start: Offsets, reach: Offsets, upper: Floats, lower: Floats, pivot: Floats, right: Floats) -> None:
    """Solve with the factors of :func:`_factor_band`, in place; the next vertex is always at hand, the others four at a time."""
    zero, one, two, three, four = np.uint64(0), np.uint64(1), np.uint64(2), np.uint64(3), np.uint64(4)
    n = np.uint64(pivot.size)
    value = right[zero]
    for j in range(zero, n):
        right[j] = value
        share = value * pivot[j]
        at, to, end = start[j], j + two, reach[j]
        value = right[j + one]
        if end > j:
            value += lower[at] * share
        at += one
        while to <= end:
            a, b = right[to] + lower[at] * share, right[to + one] + lower[at + one] * share
            c, d = right[to + two] + lower[at + two] * share, right[to + three] + lower[at + three] * share
            right[to], right[to + one], right[to + two], right[to + three] = a, b, c, d
            to += four
            at += four
    value = 0.0
    row = n
    while row > zero:
        row -= one
        at, to, end = start[row], row + two, reach[row]
        a, b, c, d = 0.0, 0.0, 0.0, 0.0
        after = upper[at] if end > row else 0.0
        at += one
        while to <= end:
            a += upper[at] * right[to]
            b += upper[at + one] * right[to + one]
            c += upper[at + two] * right[to + two]
            d += upper[at + three] * right[to + three]
            to += four
            at += four
        value = ((((a + c) + (b + d)) + right[row]) + after * value) * pivot[row]
        right[row] = value


@kernel
def solve_rows(plan: Elimination, upper: Floats, lower: Floats, pivot: Floats, right: Floats) -> None:
    """Solve with the factors of :func:`factor_rows`, in place; ``right`` ends with four more numbers, all 0."""
    n = pivot.size
    if plan.band.size:
        _solve_band(plan.band, plan.reach, upper, lower, pivot, right)
        return
    for j in range(n):
        rows = plan.later[plan.start[j] : plan.start[j + 1]]
        values = lower[plan.start[j] : plan.start[j + 1]]
        share = right[j] * pivot[j]
        for i in range(rows.size):
            right[rows[i]] += values[i] * share
    for j in range(n - 1, -1, -1):
        rows = plan.later[plan.start[j] : plan.start[j + 1]]
        values = upper[plan.start[j] : plan.start[j + 1]]
        total = right[j]
        for i in range(rows.size):
            total += values[i] * right[rows[i]]
        right[j] = total * pivot[j]


_IN_ORDER = 4.0
_EMPTY = 3


def plan_elimination(
    tail: npt.NDArray[np.int64], head: npt.NDArray[np.int64], sink: int, *, in_order: bool | None = None
) -> Elimination:
    """Plan the elimination of the vertices 0..sink-1 of a graph whose last vertex, the sink, is the ground.

    Edges are sorted by their tails. Two orders are tried: by minimum degree (``actions.elimination_order``), and as they come. As
    they come, in topological order, each vertex is taken to be joined to all up to the last that it or one before it is joined
    to: a band, whose arithmetic needs no looking up and is taken unless it is four times as much, or as ``in_order`` says.

    As many set operations as there are joined pairs: 10 ms for 500 vertices and 5,000 edges in layers of ten.
    """
    inner = head < sink
    order, neighbours = elimination_order(tail[inner], head[inner], sink)
    place = np.empty(sink, dtype=np.int64)
    place[order] = np.arange(sink)
    columns = [np.sort(place[list(joined)]) for joined in neighbours]
    ends = _band(tail, head, sink)
    most = _IN_ORDER * sum(column.size**2 for column in columns)
    is_band = bool(((ends - np.arange(sink)) ** 2).sum() <= most) if in_order is None else in_order
    if is_band:
        place = np.arange(sink)
        empty = np.full(_EMPTY, sink)
        columns = [np.concatenate([np.arange(j + 1, end + 1), empty]) for j, end in enumerate(ends.tolist())]
    start = np.zeros(sink + 1, dtype=np.int64)
    start[1:] = np.cumsum([column.size for column in columns])
    later = np.concatenate([np.empty(0, dtype=np.int64), *columns])
    of_column = np.repeat(np.arange(sink), np.diff(start))
    at = np.lexsort((of_column, later))
    before = np.searchsorted(later[at], np.arange(sink + 1))
    slot = np.full(tail.size, -1, dtype=np.int64)
    first = np.minimum(place[tail[inner]], place[head[inner]])
    second = np.maximum(place[tail[inner]], place[head[inner]])
    slot[inner] = np.searchsorted(of_column * (sink + 1) + later, first * (sink + 1) + second)
    nothing = np.empty(0, dtype=np.uint64)
    return Elimination(
        place=place,
        slot=slot,
        start=start,
        later=later,
        before=before.astype(np.int64),
        earlier=of_column[at],
        at=at.astype(np.int64),
        leave=np.searchsorted(tail, np.arange(sink + 2)).astype(np.uint64),
        enter=head.astype(np.uint64),
        band=start.astype(np.uint64) if is_band else nothing,
        reach=ends.astype(np.uint64) if is_band else nothing,
    )


def _band(tail: npt.NDArray[np.int64], head: npt.NDArray[np.int64], sink: int) -> npt.NDArray[np.int64]:
    """Return the last vertex each one is joined to when vertices are eliminated as they come."""
    ends = np.arange(sink)
    inner = head < sink
    np.maximum.at(ends, np.minimum(tail[inner], head[inner]), np.maximum(tail[inner], head[inner]))
    return np.asarray(np.maximum.accumulate(ends))
