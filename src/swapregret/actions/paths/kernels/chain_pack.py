"""Mixtures of Markov chains on the paths of a graph, packed four at a time for products, with what preconditions them.

The formulas are in ``kernels.chain_solve``, which solves with what is packed here; the graph is as in ``kernels.dag``, vectors
are in its order. A chain is one row of numbers: transition and flow of the E edges, mass of the n vertices, wandering.
"""

from typing import NamedTuple

import numpy as np

from swapregret.actions.paths.kernels.dag import Offsets
from swapregret.arrays import Floats, Integers
from swapregret.compiled.cholesky import cholesky
from swapregret.compiled.kernel import kernel
from swapregret.compiled.vectors import dot

WIDTH = 4
_SMALLEST, _NEGLIGIBLE = 1e-280, 1e-3


class PackedChains(NamedTuple):
    """A mixture of chains."""

    flow: Floats  # (groups, E, 4) weight · probability of each edge; empty places are chains that never move
    per_mass: Floats  # (groups, n, 4) one over weight · probability of each vertex; 0 where that is 0
    per_flow: Floats  # (E,) 1 / Σ_c θ_c w_c x_c of each edge
    per_vertex: Floats  # (n,) the same of each vertex
    per_share: float  # 1 / Σ_c θ_c w_c
    solved: Floats  # (q, E) what the one chain makes of √((1 − θ_c) w_c) x_c, of the q chains that do not wander
    factor: Floats  # (q, q) of I + the products of these with those


@kernel
def chain_wandering(transition: Floats, flow: Floats) -> float:
    """Return the expected sum of 1 − p over the steps of a chain."""
    return dot(flow, 1.0 - transition)


@kernel
def pack_chains(start: Offsets, tables: Floats, n_edges: int, mixed: Floats) -> PackedChains:
    """Put the chains in all slots with a weight side by side, and make the preconditioner."""
    slots, weights, n_mixed = np.empty(mixed.size, dtype=np.int64), np.empty(mixed.size), 0
    for s in range(mixed.size):
        if mixed[s] != 0.0:
            slots[n_mixed], weights[n_mixed] = s, mixed[s]
            n_mixed += 1
    slots, weights = slots[:n_mixed], weights[:n_mixed]
    # θ: the share of each chain that the preconditioner treats as independent
    n = tables.shape[1] - 2 * n_edges - 1
    n_groups = (slots.size + WIDTH - 1) // WIDTH
    packed, per_mass = np.empty((n_groups, n_edges, WIDTH)), np.empty((n_groups, n, WIDTH))
    per_flow, per_vertex = np.zeros(n_edges), np.zeros(n)
    share, wandering = 0.0, tables[:, 2 * n_edges + n][slots]
    theta = (wandering / wandering.max()) ** 3 if wandering.max() > 0.0 else np.ones(slots.size)
    slot, weight, part = np.zeros(WIDTH, dtype=np.int64), np.empty(WIDTH), np.empty(WIDTH)
    # chains side by side, WIDTH of them, and their mean flow and mass
    for group in range(n_groups):
        for place in range(WIDTH):
            c = group * WIDTH + place
            slot[place] = slots[c] if c < slots.size else slots[0]
            weight[place] = weights[c] if c < slots.size else 0.0
            part[place] = theta[c] * weights[c] if c < slots.size else 0.0
            share += part[place]
        _pack_four(tables, n_edges, slot, weight, part, packed[group], per_flow)
        _pack_four(tables, 2 * n_edges, slot, weight, part, per_mass[group], per_vertex)
        masses_of = per_mass[group].reshape(-1)
        for i in range(masses_of.size):
            masses_of[i] = 1.0 / masses_of[i] if masses_of[i] > _SMALLEST else 0.0
    for k in range(n_edges):
        per_flow[k] = 1.0 / per_flow[k] if per_flow[k] > _SMALLEST else 0.0
    for u in range(n):
        per_vertex[u] = 1.0 / per_vertex[u] if per_vertex[u] > _SMALLEST else 0.0
    per_share = 1.0 / share if share > 0.0 else 0.0
    # the rest 1 − θ as a correction of low rank: its columns solved, and their Gram matrix factorised
    scales, kept, q = np.empty(slots.size), np.empty(slots.size, dtype=np.int64), 0
    for c in range(slots.size):
        rest = weights[c] * (1.0 - theta[c])
        if rest > _NEGLIGIBLE * share:
            scales[q], kept[q] = np.sqrt(rest), slots[c]
            q += 1
    solved, gram = np.empty((q, n_edges)), np.empty((q, q))
    for c in range(q):
        flow = tables[kept[c]][n_edges : 2 * n_edges]
        _one_chain(start, per_flow, per_vertex, per_share, scales[c], flow, solved[c])
        for e in range(c + 1):
            flow = tables[kept[e]][n_edges : 2 * n_edges]
            gram[e, c] = scales[e] * lane_dot(flow, solved[c]) + (1.0 if c == e else 0.0)
    factor, _ = cholesky(gram)
    return PackedChains(packed, per_mass, per_flow, per_vertex, per_share, solved, factor)


@kernel
def _pack_four(
    tables: Floats, begin: int, slot: Integers, weight: Floats, part: Floats, packed: Floats, common: Floats
) -> None:
    """Write a stretch of four rows side by side, each times its weight, and add them up, each times its part."""
    end = begin + common.size
    first, second = tables[slot[0]][begin:end], tables[slot[1]][begin:end]
    third, fourth = tables[slot[2]][begin:end], tables[slot[3]][begin:end]
    e, f, g, h = weight[0], weight[1], weight[2], weight[3]
    p, q, r, s = part[0], part[1], part[2], part[3]
    for i in range(common.size):
        a, b, c, d = first[i], second[i], third[i], fourth[i]
        packed[i, 0], packed[i, 1], packed[i, 2], packed[i, 3] = e * a, f * b, g * c, h * d
        common[i] += (p * a + q * b) + (r * c + s * d)


@kernel
def _one_chain(
    start: Offsets,
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
def lane_dot(left: Floats, right: Floats) -> float:
    """Return Σ left·right in eight interleaved sums."""
    sums = np.empty(8)
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
