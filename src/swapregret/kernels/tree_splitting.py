r"""Taking vertices out of a point of the spanning tree polytope, one at a time, in integers.

Let X be masses with :math:`X(E) = (n-1)\mu` and :math:`X(E[U]) \le (|U|-1)\mu` for all vertex sets U: a sum of spanning trees of
total weight μ. A vertex v of degree at most 2μ, i.e. μ + s with s ≤ μ, can be taken out: s of its mass is *split off* in
pairs of neighbours, (v, a) and (v, b) becoming the edge (a, b), and the remaining μ − s is left hanging. What is left is again
a sum of spanning trees, now of the other vertices (Tay 1984). A vertex of degree below 2μ always exists.
``kernels.tree_atoms`` puts the vertices back.

How much of (a, b) the sets U allow is one flow, after the mass at a has moved away. Pairs are chosen greedily; where no pair is left
to choose, all remaining mass lies at one full set, some mass already split off lies wholly outside it, and exchanging partners
with that mass goes on. No division occurs anywhere, so integers stay integers.

May touch: ``kernels.compile``, ``kernels.graphic_matroid``, ``kernels.kruskal``, ``kernels.tree_network``.
"""

from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from swapregret.kernels.compile import kernel
from swapregret.kernels.graphic_matroid import Network
from swapregret.kernels.kruskal import find_root
from swapregret.kernels.tree_network import add_mass, drain, find_arc, link, take_back, unlink, widened

__all__ = ["Splits", "split_off"]

Integers = npt.NDArray[np.int64]


class Splits(NamedTuple):
    """How each vertex was taken out.

    Vertex ``order[i]`` was taken out with the pieces ``starts[i] : starts[i + 1]``: a piece (a, b) of two neighbours is mass
    split off to the edge between them, a piece (a, −1) is mass left hanging at a. The last vertex of the order remains.
    """

    order: Integers
    starts: Integers
    pieces: npt.NDArray[np.int64]  # (k, 2)
    amounts: Integers  # (k,)


@kernel
def place(
    net: Network, n_arcs: int, root: int, other: int, amount: int, unit: int, groups: Integers, local: Integers
) -> tuple[Network, int, int]:
    """Add mass between two neighbours and join the groups of all neighbours in a set that becomes full."""
    placed, length = add_mass(net, root, other, amount, unit)
    if placed < amount:
        for index in range(length):
            member = local[net.queue[index]]
            if member >= 0:
                groups[find_root(groups, member)] = find_root(groups, local[root])
    if placed > 0:
        arc = find_arc(net, other, root)
        if arc < 0:
            arc = n_arcs
            net, n_arcs = link(net, other, root, n_arcs)
        net.held[arc] += placed
    return net, n_arcs, placed


@kernel
def noted(
    pieces: npt.NDArray[np.int64], amounts: Integers, count: int, a: int, b: int, amount: int
) -> tuple[npt.NDArray[np.int64], Integers, int]:
    """Write down a piece; return the lists, longer if need be, and their length."""
    if count == amounts.size:
        longer = np.empty((2 * count + 8, 2), dtype=np.int64)
        longer[:count] = pieces
        pieces, amounts = longer, widened(amounts)
    pieces[count, 0], pieces[count, 1], amounts[count] = a, b, amount
    return pieces, amounts, count + 1


@kernel
def exchange(
    net: Network,
    n_arcs: int,
    unit: int,
    near: Integers,
    halves: Integers,
    local: Integers,
    groups: Integers,
    spare: int,
    pieces: npt.NDArray[np.int64],
    amounts: Integers,
    start: int,
    count: int,
) -> tuple[Network, int, npt.NDArray[np.int64], Integers, int, int]:
    """Make room for one more split: (a, b) and the halves u, u' become (a, u) and (b, u').

    Called when all neighbours that still have mass lie in one full set. Some piece then has both ends outside the largest such
    set, and mass of it can be exchanged; an attempt that fails shows that the full set reaches further.
    """
    u = int(np.argmax(halves))
    second, w = halves[u] // 2, u
    for index in range(halves.size):
        if index != u and halves[index] > second:
            second, w = halves[index], index
    for piece in range(start, count):
        x, y = pieces[piece, 0], pieces[piece, 1]
        group = find_root(groups, u)
        if find_root(groups, local[x]) == group or find_root(groups, local[y]) == group:
            continue
        amount = min(amounts[piece], spare, second)
        if amount == 0:
            continue
        take_back(net, x, y, amount)
        net, n_arcs, placed = place(net, n_arcs, x, near[u], amount, unit, groups, local)
        if placed < amount:
            net, n_arcs, _ = place(net, n_arcs, x, y, amount - placed, unit, groups, local)
        if placed == 0:
            continue
        amount = placed
        net, n_arcs, placed = place(net, n_arcs, y, near[w], amount, unit, groups, local)
        if placed < amount:
            take_back(net, x, near[u], amount - placed)
            net, n_arcs, _ = place(net, n_arcs, x, y, amount - placed, unit, groups, local)
        if placed == 0:
            continue
        amounts[piece] -= placed
        halves[u] -= placed
        halves[w] -= placed
        pieces, amounts, count = noted(pieces, amounts, count, x, near[u], placed)
        pieces, amounts, count = noted(pieces, amounts, count, y, near[w], placed)
        for index in range(groups.size):
            groups[index] = index
        return net, n_arcs, pieces, amounts, count, placed
    return net, n_arcs, pieces, amounts, count, 0


@kernel
def pair_neighbours(
    net: Network,
    n_arcs: int,
    unit: int,
    near: Integers,
    halves: Integers,
    local: Integers,
    spare: int,
    pieces: npt.NDArray[np.int64],
    amounts: Integers,
    count: int,
) -> tuple[Network, int, npt.NDArray[np.int64], Integers, int, bool]:
    """Split off ``spare`` mass of a vertex that is already unlinked; ``halves`` becomes what is left hanging.

    The neighbour with most mass is paired with the others, heaviest first; neighbours known to lie in one full set are not
    tried again.
    """
    start = count
    groups = np.arange(near.size)
    hub = -1
    while spare > 0:
        if hub < 0 or halves[hub] == 0:
            hub = int(np.argmax(halves))
        partner = -1
        for index in range(near.size):
            if halves[index] == 0 or find_root(groups, index) == find_root(groups, hub):
                continue
            if partner < 0 or halves[index] > halves[partner]:
                partner = index
        if partner >= 0:
            amount = min(halves[hub], halves[partner], spare)
            net, n_arcs, placed = place(net, n_arcs, near[hub], near[partner], amount, unit, groups, local)
            if placed < 0:
                return net, n_arcs, pieces, amounts, count, False
            if placed > 0:
                halves[hub] -= placed
                halves[partner] -= placed
                pieces, amounts, count = noted(pieces, amounts, count, near[hub], near[partner], placed)
        else:
            net, n_arcs, pieces, amounts, count, placed = exchange(
                net, n_arcs, unit, near, halves, local, groups, spare, pieces, amounts, start, count
            )
            if placed == 0:
                return net, n_arcs, pieces, amounts, count, False
            hub = -1
        spare -= placed
    return net, n_arcs, pieces, amounts, count, True


@kernel
def choose_vertex(
    degrees: Integers, n_neighbours: Integers, ranks: Integers, is_out: npt.NDArray[np.bool_], unit: int
) -> int:
    """Return the vertex of degree at most 2μ with fewest neighbours, of the lowest rank on ties; −1 if there is none."""
    best = -1
    for vertex in range(degrees.size):
        if is_out[vertex] or degrees[vertex] > 2 * unit:
            continue
        more = n_neighbours[vertex] - n_neighbours[best] if best >= 0 else -1
        if more < 0 or (more == 0 and ranks[vertex] < ranks[best]):
            best = vertex
    return best


@kernel
def split_off(net: Network, n_arcs: int, unit: int, ranks: Integers) -> tuple[Splits, bool]:
    """Take out all vertices but one.

    Parameters
    ----------
    net : Network
        Masses handed to vertices, no load above a unit; the loads add up to (n − 1) units. Used up.
    n_arcs : int
    unit : int
        μ.
    ranks : int64 array, shape (n,)
        Which vertex to take out first among those with fewest neighbours.

    Returns
    -------
    splits : Splits
    is_inside : bool
        False if the masses are no sum of spanning trees.
    """
    n = net.labels.size
    degrees, n_neighbours = np.zeros(n, dtype=np.int64), np.zeros(n, dtype=np.int64)
    for vertex in range(n):
        arc = net.first[vertex]
        while arc >= 0:
            degrees[vertex] += net.held[arc] + net.held[arc ^ 1]
            n_neighbours[vertex] += 1
            arc = net.following[arc]
    is_out = np.zeros(n, dtype=np.bool_)
    local = np.full(n, -1, dtype=np.int64)
    near, halves = np.empty(n, dtype=np.int64), np.empty(n, dtype=np.int64)
    order, starts = np.empty(n, dtype=np.int64), np.zeros(n + 1, dtype=np.int64)
    pieces, amounts, count = np.empty((n_arcs, 2), dtype=np.int64), np.empty(n_arcs, dtype=np.int64), 0
    fits = True
    for step in range(n - 1):
        v = choose_vertex(degrees, n_neighbours, ranks, is_out, unit)
        fits = v >= 0 and drain(net, v, v, 0, unit)[0] == 0
        if not fits:
            break
        order[step] = v
        is_out[v] = True
        k, spare = 0, -unit
        arc = net.first[v]
        while arc >= 0:
            u, amount = net.targets[arc], net.held[arc ^ 1]
            unlink(net, arc ^ 1)
            if amount > 0:
                near[k], halves[k], local[u] = u, amount, k
                net.loads[u] -= amount
                degrees[u] -= amount
                spare += amount
                k += 1
            else:
                n_neighbours[u] -= 1
            arc = net.following[arc]
        if spare < 0:
            fits = False
            break
        net, n_arcs, pieces, amounts, count, fits = pair_neighbours(
            net, n_arcs, unit, near[:k], halves[:k], local, spare, pieces, amounts, count
        )
        if not fits:
            break
        for piece in range(starts[step], count):
            for side in range(2):
                degrees[pieces[piece, side]] += amounts[piece]
        for index in range(k):
            u = near[index]
            local[u] = -1
            if halves[index] > 0:
                pieces, amounts, count = noted(pieces, amounts, count, u, -1, halves[index])
            n_neighbours[u] = 0
            arc = net.first[u]
            while arc >= 0:
                n_neighbours[u] += 1
                arc = net.following[arc]
        starts[step + 1] = count
    for vertex in range(n):
        if not is_out[vertex]:
            order[n - 1] = vertex
    return Splits(order, starts, pieces[:count].copy(), amounts[:count].copy()), fits
