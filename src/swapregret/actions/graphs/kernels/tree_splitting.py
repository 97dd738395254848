r"""Taking vertices out of a point of the spanning tree polytope, one at a time, in integers.

Let X be masses with :math:`X(E) = (n-1)\mu` and :math:`X(E[U]) \le (|U|-1)\mu` for all vertex sets U: a sum of spanning trees of
total weight μ. A vertex v of degree at most 2μ, i.e. μ + s with s ≤ μ, can be taken out: s of its mass is *split off* in
pairs of neighbours, (v, a) and (v, b) becoming the edge (a, b), and the remaining μ − s is left hanging. What is left is again
a sum of spanning trees, now of the other vertices (Tay 1984). A vertex of degree below 2μ always exists.
``kernels.tree_atoms`` puts the vertices back.

How much of (a, b) the sets U allow is one flow, after the mass at a has moved away. Pairs are chosen greedily; where no pair is
left to choose, all remaining mass lies at one full set, some mass already split off lies wholly outside it, and exchanging
partners with that mass goes on. No division occurs anywhere, so integers stay integers.
"""

from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from swapregret.actions.graphs.kernels.graphic_matroid import FlowNetwork
from swapregret.actions.graphs.kernels.kruskal import find_root
from swapregret.actions.graphs.kernels.tree_network import (
    add_mass,
    copied_network,
    drain,
    find_arc,
    link,
    undo_flow,
    unlink,
)
from swapregret.arrays import Integers
from swapregret.compiled.address import lend
from swapregret.compiled.kernel import kernel


class Splits(NamedTuple):
    """How each vertex was taken out.

    Vertex ``order[i]`` was taken out with the pieces ``starts[i] : starts[i + 1]``: a piece (a, b) of two neighbours is mass
    split off to the edge between them, a piece (a, −1) is mass left hanging at a. The last vertex of the order remains.
    """

    order: Integers
    starts: Integers
    firsts: Integers  # (k,)
    seconds: Integers  # (k,)
    amounts: Integers  # (k,)


class Work(NamedTuple):
    """The vertex that is being taken out: its neighbours by numbers 0, 1, …, and the pieces written down so far."""

    near: Integers  # (n,) neighbours
    halves: Integers  # (n,) mass of the edge to each neighbour that is not used yet
    groups: Integers  # (n,) parents: neighbours known to lie in one full set hang together
    local: Integers  # (n,) number of a vertex among the neighbours, or −1
    firsts: Integers
    seconds: Integers
    amounts: Integers
    counts: Integers  # numbers of neighbours, arcs and pieces, and the first piece of this vertex


_NEAR, ARCS, PIECES, START = 0, 1, 2, 3
DONE, NOT_INSIDE, NO_ROOM = 0, 1, 2
"""How taking vertices out ended: well; the masses are no sum of trees; there was not enough room."""


@kernel
def place(net: FlowNetwork, work: Work, root: int, other: int, amount: int, unit: int) -> int:
    """Add mass between two neighbours, as much as goes, and join the groups of all neighbours in a set that becomes full."""
    placed, length = add_mass(net, root, other, amount, unit)
    if placed < amount:
        for index in range(length):
            member = work.local[net.queue[index]]
            if member >= 0:
                work.groups[find_root(work.groups, member)] = find_root(work.groups, work.local[root])
    if placed > 0:
        arc = find_arc(net, other, root)
        if arc < 0:
            arc = work.counts[ARCS]
            work.counts[ARCS] += 2
            link(net, other, root, arc)
        net.held[arc] += placed
    return placed


@kernel
def _note(work: Work, a: int, b: int, amount: int) -> None:
    """Write down a piece, or add to one of the same two neighbours."""
    count = work.counts[PIECES]
    for piece in range(work.counts[START], count):
        if (work.firsts[piece] == a and work.seconds[piece] == b) or (
            work.firsts[piece] == b and work.seconds[piece] == a
        ):
            work.amounts[piece] += amount
            return
    work.firsts[count], work.seconds[count], work.amounts[count] = a, b, amount
    work.counts[PIECES] += 1


@kernel
def _heaviest(work: Work, hub: int) -> int:
    """Return the neighbour with most mass not used yet, outside the group of ``hub`` if that is not −1; −1 if none has any."""
    best = -1
    for index in range(work.counts[_NEAR]):
        if work.halves[index] == 0 or (best >= 0 and work.halves[index] <= work.halves[best]):
            continue
        if hub < 0 or find_root(work.groups, index) != find_root(work.groups, hub):
            best = index
    return best


@kernel
def exchange(net: FlowNetwork, work: Work, spare: int, unit: int) -> int:
    """Make room for more splits: (x, y) and the halves u, w become (x, u) and (y, w); return how much.

    Called when all neighbours that still have mass lie in one full set. Some piece then has both ends outside the largest such
    set, and mass of it can be exchanged; an attempt that fails shows that the full set reaches further.
    """
    u = _heaviest(work, -1)
    second, w = work.halves[u] // 2, u
    for index in range(work.counts[_NEAR]):
        if index != u and work.halves[index] > second:
            second, w = work.halves[index], index
    for piece in range(work.counts[START], work.counts[PIECES]):
        x, y = work.firsts[piece], work.seconds[piece]
        group = find_root(work.groups, u)
        if find_root(work.groups, work.local[x]) == group or find_root(work.groups, work.local[y]) == group:
            continue
        amount = min(work.amounts[piece], spare, second)
        undo_flow(net, x, y, amount)
        for is_second in range(2):
            if amount == 0:
                break
            root, other = (y, work.near[w]) if is_second else (x, work.near[u])
            placed = place(net, work, root, other, amount, unit)
            if placed < amount:  # what did not fit goes back to where it was
                if is_second:
                    undo_flow(net, x, work.near[u], amount - placed)
                place(net, work, x, y, amount - placed, unit)
            amount = placed
        if amount > 0:
            work.amounts[piece] -= amount
            work.halves[u] -= amount
            work.halves[w] -= amount
            _note(work, x, work.near[u], amount)
            _note(work, y, work.near[w], amount)
            for index in range(work.counts[_NEAR]):
                work.groups[index] = index
            return int(amount)
    return 0


@kernel
def pair_neighbours(net: FlowNetwork, work: Work, spare: int, unit: int) -> bool:
    """Split off ``spare`` mass of a vertex that is already unlinked; ``halves`` becomes what is left hanging.

    The neighbour with most mass is paired with the others, heaviest first; neighbours known to lie in one full set are not
    tried again. Returns False if the masses are no sum of trees.
    """
    hub = -1
    while spare > 0:
        if hub < 0 or work.halves[hub] == 0:
            hub = _heaviest(work, -1)
        partner = _heaviest(work, hub)
        if partner >= 0:
            amount = min(work.halves[hub], work.halves[partner], spare)
            placed = place(net, work, work.near[hub], work.near[partner], amount, unit)
            if placed > 0:
                work.halves[hub] -= placed
                work.halves[partner] -= placed
                _note(work, work.near[hub], work.near[partner], placed)
        else:
            placed = exchange(net, work, spare, unit)
            hub = -1
        if placed < 0 or (placed == 0 and partner < 0):
            return False
        spare -= placed
    return True


@kernel
def unlink_vertex(net: FlowNetwork, work: Work, v: int, degrees: Integers, n_neighbours: Integers) -> int:
    """Take the edges of a vertex that holds nothing out of the network; return their mass."""
    count, total = 0, 0
    arc = net.first[v]
    while arc >= 0:
        u, amount = net.targets[arc], net.held[arc ^ 1]
        unlink(net, arc ^ 1)
        n_neighbours[u] -= 1
        if amount > 0:
            work.near[count], work.halves[count], work.groups[count], work.local[u] = u, amount, count, count
            net.loads[u] -= amount
            degrees[u] -= amount
            total += amount
            count += 1
        arc = net.following[arc]
    work.counts[_NEAR] = count
    work.counts[START] = work.counts[PIECES]
    return total


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
def take_out(
    net: FlowNetwork, work: Work, order: Integers, starts: Integers, n_arcs: int, unit: int, ranks: Integers
) -> int:
    """Take out all vertices but one, writing down in which order and where the pieces of each begin; say how it ended."""
    n = net.labels.size
    degrees, n_neighbours = np.zeros(n, dtype=np.int64), np.zeros(n, dtype=np.int64)
    for arc in range(n_arcs):
        degrees[net.targets[arc]] += net.held[arc] + net.held[arc ^ 1]
        n_neighbours[net.targets[arc]] += 1
    is_out = np.zeros(n, dtype=np.bool_)
    work.counts[ARCS] = n_arcs
    for step in range(n - 1):
        v = choose_vertex(degrees, n_neighbours, ranks, is_out, unit)
        if v < 0 or drain(net, v, v, 0, unit)[0] != 0:
            return NOT_INSIDE
        order[step] = v
        is_out[v] = True
        spare = unlink_vertex(net, work, v, degrees, n_neighbours) - unit
        k, before = work.counts[_NEAR], work.counts[ARCS]
        if before + k * (k - 1) > net.held.size or work.counts[PIECES] + k * (k + 1) // 2 > work.amounts.size:
            return NO_ROOM
        if spare < 0 or not pair_neighbours(net, work, spare, unit):
            return NOT_INSIDE
        for arc in range(before, work.counts[ARCS]):
            n_neighbours[net.targets[arc]] += 1
        for piece in range(starts[step], work.counts[PIECES]):
            degrees[work.firsts[piece]] += work.amounts[piece]
            degrees[work.seconds[piece]] += work.amounts[piece]
        for index in range(k):
            work.local[work.near[index]] = -1
            if work.halves[index] > 0:
                _note(work, work.near[index], -1, work.halves[index])
        starts[step + 1] = work.counts[PIECES]
    for vertex in range(n):
        if not is_out[vertex]:
            order[n - 1] = vertex
    return DONE


@kernel
def split_off(given: FlowNetwork, n_arcs: int, unit: int, ranks: Integers) -> tuple[Splits, bool]:
    """Take out all vertices but one; tell whether the masses are a sum of spanning trees.

    ``given`` has masses handed to vertices, no load above a unit μ, that add up to (n − 1) units; it is left as it is. Among the
    vertices with fewest neighbours the one of lowest rank goes first.
    """
    n, room = given.labels.size, 2 * n_arcs
    while True:  # new edges and pieces mostly take less room than that
        order, starts = np.empty(n, dtype=np.int64), np.zeros(n + 1, dtype=np.int64)
        net = copied_network(given, n_arcs, room)
        work = Work(
            np.empty(n, dtype=np.int64),
            np.empty(n, dtype=np.int64),
            np.empty(n, dtype=np.int64),
            np.full(n, -1, dtype=np.int64),
            np.empty(room, dtype=np.int64),
            np.empty(room, dtype=np.int64),
            np.empty(room, dtype=np.int64),
            np.zeros(4, dtype=np.int64),
        )
        ended = take_out(lend(net), lend(work), order, starts, n_arcs, unit, ranks)
        if ended != NO_ROOM:
            return Splits(order, starts, work.firsts, work.seconds, work.amounts), ended == DONE
        room = 2 * net.held.size
