r"""Masses between vertices that come and go: adding as much as the sets allow, taking back, new edges; and rounding a point.

Works on the :class:`~swapregret.actions.graphs.kernels.graphic_matroid.Network` of a graph without contractions.

A point is rounded to integers that lie in the spanning tree or k-forest polytope exactly. Floors of :math:`x_e \mu` are below the
point, so at most its own error outside the forest polytope. They are handed to the vertices one edge at a time, cutting what does
not fit, then raised, heavy edges first, until the sum is right. Each coordinate moves by the error of the point plus the sum of
what the floors cut off, i.e. some d·2⁻⁵².
"""

from typing import NamedTuple

import numpy as np

from swapregret.actions.graphs.kernels.graphic_matroid import FlowNetwork, find_levels, forget_levels, network, push
from swapregret.actions.graphs.kernels.kruskal import find_root, heaviest_forest
from swapregret.arrays import Integers
from swapregret.compiled.address import lend
from swapregret.compiled.kernel import kernel
from swapregret.compiled.selection import in_order


class ForestGraph(NamedTuple):
    """A graph, the number of edges of its forests, and its edges by pairs of vertices.

    The edges between the two vertices of pair p are ``pair_edges[pair_starts[p] : pair_starts[p + 1]]``.
    """

    tails: Integers
    heads: Integers
    n_vertices: int
    size: int
    pair_tails: Integers
    pair_heads: Integers
    pair_starts: Integers
    pair_edges: Integers


@kernel
def drain(net: FlowNetwork, source: int, root: int, floor: int, unit: int) -> tuple[int, int]:
    """Move the load of ``source`` above ``floor`` to vertices with room other than ``root``.

    Returns what could not be moved; if that is not 0, also how many vertices at the front of the queue, all full, it could
    move to.
    """
    while net.loads[source] > floor:
        net.queue[0] = source
        length, has_room = find_levels(net, 1, root, unit)
        if has_room:
            push(net, source, floor, unit)
        forget_levels(net, length, root)
        if not has_room:
            return int(net.loads[source] - floor), length
    return 0, 0


@kernel
def add_mass(net: FlowNetwork, root: int, other: int, amount: int, unit: int) -> tuple[int, int]:
    """Add up to ``amount`` between two vertices, as much as the sets that contain both allow; it is handed to ``other``.

    Returns how much was added and, if not all, how many vertices at the front of the queue form, with ``root``, a set that is
    now full. The amount is −1 if the masses were out of bounds before. The caller adds it to ``held``.
    """
    if net.loads[root] > 0:
        left, _ = drain(net, root, root, 0, unit)
        if left > 0:
            return -1, 0
    net.loads[other] += amount
    left, length = drain(net, other, root, unit, unit)
    net.loads[other] -= left
    return amount - left, length


@kernel
def find_arc(net: FlowNetwork, tail: int, head: int) -> int:
    """Return the arc between two vertices, or −1."""
    arc = net.first[tail]
    while arc >= 0:
        if net.targets[arc] == head:
            return int(arc)
        arc = net.following[arc]
    return -1


@kernel
def unlink(net: FlowNetwork, arc: int) -> None:
    """Take an arc out of the list of the vertex it leaves."""
    tail = net.targets[arc ^ 1]
    if net.first[tail] == arc:
        net.first[tail] = net.following[arc]
        return
    before = net.first[tail]
    while net.following[before] != arc:
        before = net.following[before]
    net.following[before] = net.following[arc]


@kernel
def widened(array: Integers, room: int) -> Integers:
    """Return a copy with room for so many entries."""
    wider = np.empty(room, dtype=np.int64)
    for index in range(array.size):
        wider[index] = array[index]
    return wider


@kernel
def copied_network(net: FlowNetwork, n_arcs: int, room: int) -> FlowNetwork:
    """Return a copy of the masses of a network, with room for more arcs; both search in the same place."""
    return FlowNetwork(
        net.labels,
        net.first.copy(),
        net.last,
        widened(net.following[:n_arcs], room),
        widened(net.targets[:n_arcs], room),
        widened(net.held[:n_arcs], room),
        net.loads.copy(),
        net.levels,
        net.queue,
        net.pointers,
        net.path,
    )


@kernel
def link(net: FlowNetwork, tail: int, head: int, arc: int) -> None:
    """Lay an edge without mass, with ``arc`` from tail to head and ``arc + 1`` back."""
    net.targets[arc], net.targets[arc + 1] = head, tail
    net.following[arc], net.following[arc + 1] = net.first[tail], net.first[head]
    net.first[tail], net.first[head] = arc, arc + 1
    net.held[arc], net.held[arc + 1] = 0, 0


@kernel
def undo_flow(net: FlowNetwork, a: int, b: int, amount: int) -> None:
    """Remove mass between two vertices, from the share of a first."""
    arc = find_arc(net, a, b)
    share = min(amount, net.held[arc])
    net.held[arc] -= share
    net.loads[a] -= share
    net.held[arc ^ 1] -= amount - share
    net.loads[b] -= amount - share


@kernel
def with_apex(graph: ForestGraph, net: FlowNetwork, unit: int) -> FlowNetwork:
    """Join a new vertex, the last one, to all others by what is missing from their loads to a unit."""
    n, n_pairs = graph.n_vertices, graph.pair_tails.size
    tails, heads = widened(graph.pair_tails, n_pairs + n), widened(graph.pair_heads, n_pairs + n)
    for vertex in range(n):
        tails[n_pairs + vertex], heads[n_pairs + vertex] = vertex, n
    wider = network(np.arange(n + 1), tails, heads, 2 * tails.size)
    for arc in range(2 * n_pairs):
        wider.held[arc] = net.held[arc]
    for vertex in range(n):
        wider.held[2 * (n_pairs + vertex)] = unit - net.loads[vertex]
        wider.loads[vertex] = unit
    return wider


@kernel
def hand_out(net: FlowNetwork, masses: Integers, unit: int) -> None:
    """Let every edge hand its mass to its ends so that no vertex gets more than a unit and no set is violated; cut the rest."""
    n = net.labels.size
    degrees = np.zeros(n, dtype=np.int64)
    for arc in range(2 * masses.size):
        degrees[net.targets[arc]] += masses[arc >> 1]
    has_joined = np.zeros(n, dtype=np.bool_)
    for newcomer in in_order(degrees):
        has_joined[newcomer] = True
        arc = net.first[newcomer]
        while arc >= 0:
            other = net.targets[arc]
            if has_joined[other] and masses[arc >> 1] > 0:
                net.loads[other] += masses[arc >> 1]
                left, _ = drain(net, other, newcomer, unit, unit)
                net.loads[other] -= left
                masses[arc >> 1] -= left
                net.held[arc ^ 1] = masses[arc >> 1]
            arc = net.following[arc]


@kernel
def preorder(net: FlowNetwork, chosen: Integers) -> Integers:
    """Order the vertices so that each follows close behind its parent in the forest of the chosen pairs."""
    n = net.labels.size
    order, stack = np.empty(n, dtype=np.int64), np.empty(n, dtype=np.int64)
    is_known = np.zeros(n, dtype=np.bool_)
    count = 0
    for start in range(n):
        depth = 0
        if not is_known[start]:
            is_known[start] = True
            stack[0] = start
            depth = 1
        while depth > 0:
            depth -= 1
            vertex = stack[depth]
            order[count] = vertex
            count += 1
            arc = net.first[vertex]
            while arc >= 0:
                other = net.targets[arc]
                if chosen[arc >> 1] and not is_known[other]:
                    is_known[other] = True
                    stack[depth] = other
                    depth += 1
                arc = net.following[arc]
    return order


@kernel
def raise_to(net: FlowNetwork, masses: Integers, missing: int, unit: int) -> int:
    """Add ``missing`` to the masses as far as the sets allow; return what is still missing.

    Pairs of the heaviest forest come first, going along it: the mass of one vertex then moves away over a heavy edge to the
    vertex before. Then all pairs with mass, then all pairs.
    """
    n = net.labels.size
    weights = np.empty(masses.size)
    tails, heads = np.empty(masses.size, dtype=np.int64), np.empty(masses.size, dtype=np.int64)
    for pair in range(masses.size):
        weights[pair], tails[pair], heads[pair] = masses[pair], net.targets[2 * pair + 1], net.targets[2 * pair]
    chosen = heaviest_forest(weights, tails, heads, n, n)
    order = preorder(net, chosen)
    groups = np.arange(n)
    for least in range(2, -1, -1):
        for root in order:
            arc = net.first[root]
            while arc >= 0 and missing > 0:
                pair, other = arc >> 1, net.targets[arc]
                if min(masses[pair], 1) + chosen[pair] >= least and find_root(groups, root) != find_root(groups, other):
                    placed, length = add_mass(net, root, other, missing, unit)
                    if placed < missing:
                        for index in range(length):
                            groups[find_root(groups, net.queue[index])] = find_root(groups, root)
                    masses[pair] += placed
                    net.held[arc ^ 1] += placed
                    missing -= placed
                arc = net.following[arc]
    return missing


@kernel
def round_to_base(graph: ForestGraph, masses: Integers, unit: int) -> tuple[FlowNetwork, Integers, int]:
    """Move masses of edges, in place, to a point of the polytope scaled by ``unit``; pairs without edges keep the mass 0.

    Returns the masses of the pairs handed to the vertices, those of the edges (d,), and what could not be placed.
    """
    total, pair_starts, pair_edges = graph.size * unit, graph.pair_starts, graph.pair_edges
    n_pairs = graph.pair_tails.size
    sums = np.zeros(n_pairs, dtype=np.int64)
    for pair in range(n_pairs):
        for index in range(pair_starts[pair], pair_starts[pair + 1]):
            sums[pair] += masses[pair_edges[index]]
    rounded, surplus = np.empty(n_pairs, dtype=np.int64), -total
    for pair in range(n_pairs):
        rounded[pair] = min(sums[pair], unit)
        surplus += rounded[pair]
    while surplus > 0:  # too much in all: from the heaviest pair
        pair = int(np.argmax(rounded))
        cut = min(surplus, rounded[pair])
        rounded[pair] -= cut
        surplus -= cut
    net = network(np.arange(graph.n_vertices), graph.pair_tails, graph.pair_heads, 2 * n_pairs)
    hand_out(lend(net), rounded, unit)
    missing = total
    for pair in range(n_pairs):
        missing -= rounded[pair]
    missing = raise_to(lend(net), rounded, missing, unit)
    for pair in range(n_pairs):
        change = rounded[pair] - sums[pair]
        edges = pair_edges[pair_starts[pair] : pair_starts[pair + 1]]
        while change != 0:  # at the heaviest edge between the two vertices
            edge = edges[0]
            for other in edges:
                if masses[other] > masses[edge]:
                    edge = other
            step = max(change, -masses[edge])
            masses[edge] += step
            change -= step
    return net, masses, missing
