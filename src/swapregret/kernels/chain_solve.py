r"""Σ⁺M for mixtures of Markov chains on the paths of a graph, without a matrix.

For one chain Σ⁺ is known. Let :math:`x_e` be the probability of edge e and :math:`m_u` that of vertex u. The variance of a
sum along the walk is the sum of what each step adds to it, so for a vector r in the span of the paths one solution of Σy = r is

.. math:: y_e = \frac{r_e}{x_e} - \frac{1}{m_u}\sum_{e' \text{ leaves } u} r_{e'} + \rho\,[u = s],

e leaving u, ρ the sum over the edges that leave the source s. Chains that wander have nearly the Σ of one chain with their common
marginals; a chain that hardly does has nearly :math:`xx^\top`. So conjugate gradients are preconditioned by

.. math:: \textstyle\big(\sum_c \theta_c w_c\big)\,\Sigma_{\text{one chain}} + \sum_c (1-\theta_c)\,w_c\, x_c x_c^\top,

the one chain having the marginals of :math:`\sum_c \theta_c w_c x_c`, and :math:`\sqrt[3]{\theta_c}` saying how much chain c
wanders: the expected sum of 1 − p over its steps, relative to the largest. Products of all chains are taken in one pass
over the edges, four chains at a time.

The graph is as in ``kernels.dag``; vectors are in the order of the graph. May touch: ``kernels.cholesky``,
``kernels.compile``.
"""

from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from swapregret.kernels.cholesky import cholesky
from swapregret.kernels.compile import kernel

__all__ = ["Chains", "chain_wandering", "pack_chains", "solve_chains"]

Floats = npt.NDArray[np.float64]
Integers = npt.NDArray[np.int64]
Places = npt.NDArray[np.uint64]

_WIDTH = 4
_SMALLEST, _NEGLIGIBLE = 1e-280, 1e-3


class Chains(NamedTuple):
    """A mixture of chains, in groups of four; empty places are chains that never move.

    Attributes
    ----------
    start, head : uint64 arrays
        The graph once more: an index without a sign need not be checked for one.
    flow : float64 array, shape (groups, E, 4)
        Weight · probability of each edge.
    per_mass : float64 array, shape (groups, n, 4)
        One over weight · probability of each vertex; 0 where that is 0.
    per_flow : float64 array, shape (E,)
        1 / Σ_c θ_c w_c x_c of each edge.
    per_vertex : float64 array, shape (n,)
        The same of each vertex.
    per_share : float
        1 / Σ_c θ_c w_c.
    solved : float64 array, shape (q, E)
        What the one chain makes of √((1 − θ_c) w_c) x_c, of the chains that do not wander.
    factor : float64 array, shape (q, q)
        Of I + the products of these with those.
    """

    start: Places
    head: Places
    flow: Floats
    per_mass: Floats
    per_flow: Floats
    per_vertex: Floats
    per_share: float
    solved: Floats
    factor: Floats


@kernel
def chain_wandering(transition: Floats, flow: Floats) -> float:
    """Return the expected sum of 1 − p over the steps of a chain."""
    a, b, c, d = 0.0, 0.0, 0.0, 0.0
    k = 0
    while k + 3 < flow.size:
        a += flow[k] * (1.0 - transition[k])
        b += flow[k + 1] * (1.0 - transition[k + 1])
        c += flow[k + 2] * (1.0 - transition[k + 2])
        d += flow[k + 3] * (1.0 - transition[k + 3])
        k += 4
    while k < flow.size:
        a += flow[k] * (1.0 - transition[k])
        k += 1
    return (a + c) + (b + d)


@kernel
def _shares(wandering: Floats, slots: Integers) -> Floats:
    """Return θ of each chain."""
    theta = np.empty(slots.size)
    largest = 0.0
    for c in range(slots.size):
        largest = max(largest, wandering[slots[c]])
    for c in range(slots.size):
        share = wandering[slots[c]] / largest if largest > 0.0 else 1.0
        theta[c] = share * share * share
    return theta


@kernel
def pack_chains(
    start: Places,
    head: Places,
    flows: Floats,
    masses: Floats,
    wandering: Floats,
    slots: Integers,
    weights: Floats,
) -> Chains:
    """Put the chains in some slots side by side, and make the preconditioner; ``wandering`` as by :func:`chain_wandering`."""
    n_edges, n = flows.shape[1], masses.shape[1]
    n_groups = (slots.size + _WIDTH - 1) // _WIDTH
    packed, per_mass = np.empty((n_groups, n_edges, _WIDTH)), np.empty((n_groups, n, _WIDTH))
    per_flow, per_vertex, share = np.zeros(n_edges), np.zeros(n), 0.0
    theta = _shares(wandering, slots)
    slot, weight, part = np.zeros(_WIDTH, dtype=np.int64), np.empty(_WIDTH), np.empty(_WIDTH)
    for group in range(n_groups):
        for place in range(_WIDTH):
            c = group * _WIDTH + place
            slot[place] = slots[c] if c < slots.size else slots[0]
            weight[place] = weights[c] if c < slots.size else 0.0
            part[place] = theta[c] * weights[c] if c < slots.size else 0.0
            share += part[place]
        _pack_four(flows, slot, weight, part, packed[group], per_flow)
        _pack_four(masses, slot, weight, part, per_mass[group], per_vertex)
        masses_of = per_mass[group].reshape(-1)
        for i in range(masses_of.size):
            masses_of[i] = 1.0 / masses_of[i] if masses_of[i] > _SMALLEST else 0.0
    for k in range(n_edges):
        per_flow[k] = 1.0 / per_flow[k] if per_flow[k] > _SMALLEST else 0.0
    for u in range(n):
        per_vertex[u] = 1.0 / per_vertex[u] if per_vertex[u] > _SMALLEST else 0.0
    per_share = 1.0 / share if share > 0.0 else 0.0
    scales, kept, q = np.empty(slots.size), np.empty(slots.size, dtype=np.int64), 0
    for c in range(slots.size):
        rest = weights[c] * (1.0 - theta[c])
        if rest > _NEGLIGIBLE * share:
            scales[q], kept[q] = np.sqrt(rest), slots[c]
            q += 1
    solved, gram, sums = np.empty((q, n_edges)), np.empty((q, q)), np.empty(8)
    for c in range(q):
        _one_chain(start, per_flow, per_vertex, per_share, scales[c], flows[kept[c]], solved[c])
        for e in range(c + 1):
            gram[e, c] = scales[e] * _dot(flows[kept[e]], solved[c], sums) + (1.0 if c == e else 0.0)
    factor, _ = cholesky(gram)
    return Chains(start, head, packed, per_mass, per_flow, per_vertex, per_share, solved, factor)


@kernel
def _pack_four(rows: Floats, slot: Integers, weight: Floats, part: Floats, packed: Floats, common: Floats) -> None:
    """Write four rows side by side, each times its weight, and add them up, each times its part."""
    first, second, third, fourth = rows[slot[0]], rows[slot[1]], rows[slot[2]], rows[slot[3]]
    e, f, g, h = weight[0], weight[1], weight[2], weight[3]
    p, q, r, s = part[0], part[1], part[2], part[3]
    for i in range(common.size):
        a, b, c, d = first[i], second[i], third[i], fourth[i]
        packed[i, 0], packed[i, 1], packed[i, 2], packed[i, 3] = e * a, f * b, g * c, h * d
        common[i] += (p * a + q * b) + (r * c + s * d)


@kernel
def _one_chain(
    start: Places,
    per_flow: Floats,
    per_vertex: Floats,
    per_share: float,
    scale: float,
    column: Floats,
    solved: Floats,
) -> None:
    """Solve for the one chain, with a column times a scale."""
    for u in range(start.size - 2):
        first, last = start[u], start[u + 1]
        leaving = 0.0
        for k in range(first, last):
            leaving += column[k]
        shift = leaving * per_vertex[u]
        if u == 0:
            shift -= leaving * per_share
        for k in range(first, last):
            solved[k] = scale * (column[k] * per_flow[k] - shift)


@kernel
def _dot(left: Floats, right: Floats, sums: Floats) -> float:
    """Return Σ left·right in eight interleaved sums, kept in ``sums``."""
    zero, one, two, three, four = np.uint64(0), np.uint64(1), np.uint64(2), np.uint64(3), np.uint64(4)
    five, six, seven, eight = np.uint64(5), np.uint64(6), np.uint64(7), np.uint64(8)
    a, b, c, d, e, f, g, h = 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0
    k, size = zero, np.uint64(left.size)
    while k + seven < size:
        a += left[k] * right[k]
        b += left[k + one] * right[k + one]
        c += left[k + two] * right[k + two]
        d += left[k + three] * right[k + three]
        e += left[k + four] * right[k + four]
        f += left[k + five] * right[k + five]
        g += left[k + six] * right[k + six]
        h += left[k + seven] * right[k + seven]
        k += eight
    sums[0], sums[1], sums[2], sums[3], sums[4], sums[5], sums[6], sums[7] = a, b, c, d, e, f, g, h
    rest = 0.0
    while k < size:
        rest += left[k] * right[k]
        k += one
    even, odd = (sums[0] + sums[4]) + (sums[2] + sums[6]), (sums[1] + sums[5]) + (sums[3] + sums[7])
    return float((even + odd) + rest)


@kernel
def _energy(chains: Chains, residual: Floats, scaled: Floats, shift: Floats, inner: Floats, sums: Floats) -> float:
    """Return rᵀ P⁻¹ r, and write what P⁻¹ r takes off at each vertex and, by the formula of Woodbury, of each column.

    ``scaled`` is r times ``chains.per_flow``.
    """
    one, two = np.uint64(1), np.uint64(2)
    start = chains.start
    squares = _dot(residual, scaled, sums)
    for u in range(start.size - 2):
        k, last, a, b = start[u], start[u + 1], 0.0, 0.0
        while k + one < last:
            a += residual[k]
            b += residual[k + one]
            k += two
        if k < last:
            a += residual[k]
        leaving = a + b
        taken = leaving * chains.per_vertex[u]
        if u == 0:
            taken -= leaving * chains.per_share
        shift[u] = taken
        squares -= leaving * taken
    q = len(chains.solved)
    if q == 0:
        return squares
    for c in range(q):
        inner[c] = _dot(chains.solved[c], residual, sums)
    for c in range(q):
        value = inner[c]
        for e in range(c):
            value -= chains.factor[e, c] * inner[e]
        value /= chains.factor[c, c]
        inner[c] = value
        squares -= value * value
    for c in range(q - 1, -1, -1):
        value = inner[c]
        for e in range(c + 1, q):
            value -= chains.factor[c, e] * inner[e]
        inner[c] = value / chains.factor[c, c]
    return squares


@kernel
def _turn(chains: Chains, scaled: Floats, shift: Floats, inner: Floats, ratio: float, direction: Floats) -> None:
    """Write P⁻¹ r + ratio · direction."""
    one, two, three, four = np.uint64(1), np.uint64(2), np.uint64(3), np.uint64(4)
    start, solved, q = chains.start, chains.solved, len(chains.solved)
    for u in range(start.size - 2):
        taken, k, last = shift[u], start[u], start[u + 1]
        while k + three < last:
            a, b = (scaled[k] - taken) + ratio * direction[k], (scaled[k + one] - taken) + ratio * direction[k + one]
            c = (scaled[k + two] - taken) + ratio * direction[k + two]
            d = (scaled[k + three] - taken) + ratio * direction[k + three]
            direction[k], direction[k + one], direction[k + two], direction[k + three] = a, b, c, d
            k += four
        while k < last:
            direction[k] = (scaled[k] - taken) + ratio * direction[k]
            k += one
    column = 0
    while column + 1 < q:
        x, y, first, second = inner[column], inner[column + 1], solved[column], solved[column + 1]
        for i in range(direction.size):
            direction[i] -= x * first[i] + y * second[i]
        column += 2
    if column < q:
        x, first = inner[column], solved[column]
        for i in range(direction.size):
            direction[i] -= x * first[i]


@kernel
def _multiply(chains: Chains, vector: Floats, sides: Floats, spare: Floats, result: Floats) -> None:
    """Write Σ_c w_c E_c[M (M·v)]."""
    for group in range(len(chains.flow)):
        part = result if group == 0 else spare
        _product(chains.start, chains.head, chains.flow[group], chains.per_mass[group], vector, sides, part)
        if group > 0:
            for k in range(result.size):
                result[k] += spare[k]


@kernel
def _product(
    start: Places, head: Places, flow: Floats, per_mass: Floats, vector: Floats, sides: Floats, result: Floats
) -> None:
    """Write the sum over four chains: what each vertex expects ahead, backwards, then what lies behind, forwards.

    ``sides`` ends with four numbers that are written to and never read: it makes the compiler add all four chains at once.
    """
    zero, one = np.uint64(0), np.uint64(1)
    n = np.uint64(start.size - 2)
    ahead, behind, sums = sides[0], sides[1], sides[1, start.size - 1]
    u = n
    while u > zero:
        u -= one
        a, b, c, d = 0.0, 0.0, 0.0, 0.0
        for k in range(start[u], start[u + one]):
            v, value = head[k], vector[k]
            a += flow[k, 0] * (value + ahead[v, 0])
            b += flow[k, 1] * (value + ahead[v, 1])
            c += flow[k, 2] * (value + ahead[v, 2])
            d += flow[k, 3] * (value + ahead[v, 3])
        a, b, c, d = a * per_mass[u, 0], b * per_mass[u, 1], c * per_mass[u, 2], d * per_mass[u, 3]
        ahead[u, 0], ahead[u, 1], ahead[u, 2], ahead[u, 3] = a, b, c, d
    behind[:] = 0.0
    for w in range(zero, n):
        e, f = behind[w, 0] * per_mass[w, 0], behind[w, 1] * per_mass[w, 1]
        g, h = behind[w, 2] * per_mass[w, 2], behind[w, 3] * per_mass[w, 3]
        for k in range(start[w], start[w + one]):
            v, value = head[k], vector[k]
            i, j, m, o = flow[k, 0], flow[k, 1], flow[k, 2], flow[k, 3]
            p, q, r, s = e + value, f + value, g + value, h + value
            a, b, c, d = i * (p + ahead[v, 0]), j * (q + ahead[v, 1]), m * (r + ahead[v, 2]), o * (s + ahead[v, 3])
            p, q, r, s = behind[v, 0] + i * p, behind[v, 1] + j * q, behind[v, 2] + m * r, behind[v, 3] + o * s
            behind[v, 0], behind[v, 1], behind[v, 2], behind[v, 3] = p, q, r, s
            sums[0], sums[1], sums[2], sums[3] = a, b, c, d
            result[k] = (a + c) + (b + d)


@kernel
def solve_chains(chains: Chains, right: Floats, tolerance: float, limit: int) -> tuple[Floats, float, int]:
    """Solve Σy = r for r in the span of the paths; return y, the relative residual reached and the number of steps.

    The iteration ends at ``tolerance``, in the norm of the preconditioner, after ``limit`` steps, or where rounding leaves no
    direction.
    """
    n, n_edges = chains.start.size - 1, chains.head.size
    result, room, sides = np.zeros(n_edges), np.empty((4, n_edges)), np.zeros((2, n + 1, _WIDTH))
    residual, direction, product, scaled = room[0], room[1], room[2], room[3]
    residual[:] = right
    direction[:] = 0.0
    per_flow = chains.per_flow
    for k in range(n_edges):
        scaled[k] = residual[k] * per_flow[k]
    shift, inner, sums = np.empty(n), np.empty(len(chains.solved)), np.empty(8)
    energy = _energy(chains, residual, scaled, shift, inner, sums)
    first, previous = energy, energy
    if not energy > 0.0:
        return result, 0.0, 0
    step = 0
    while True:
        ratio = energy / previous if step > 0 else 0.0
        _turn(chains, scaled, shift, inner, ratio, direction)
        _multiply(chains, direction, sides, scaled, product)
        curvature = _dot(direction, product, sums)
        if not curvature > 0.0:
            break
        length = energy / curvature
        for k in range(n_edges):
            result[k] += length * direction[k]
        for k in range(n_edges):
            left = residual[k] - length * product[k]
            residual[k] = left
            scaled[k] = left * per_flow[k]
        step += 1
        previous, energy = energy, _energy(chains, residual, scaled, shift, inner, sums)
        if not energy > first * tolerance * tolerance or step == limit:
            break
    return result, np.sqrt(max(energy, 0.0) / first), step
