r"""The most violated set of the forest polytope, by flows in integers.

Let r be the rank function of the graphic matroid (vertices minus components). Masses :math:`x \ge 0` on the edges lie in the
forest polytope iff :math:`x(S) \le r(S)` for all S. A violation is a vertex set U with :math:`x(E[U]) > |U| - 1`, and by
Hakimi's theorem none contains the vertex v iff every edge can hand its mass to its two ends so that v receives
nothing and every other vertex at most 1. An edge that has handed mass to one end can still move it to the other: the
residual network of the flows below.
"""

from typing import NamedTuple

import numpy as np

from swapregret.actions.graphs.kernels.kruskal import find_root
from swapregret.arrays import Integers
from swapregret.compiled.address import lend
from swapregret.compiled.kernel import kernel
from swapregret.compiled.selection import in_order


class FlowNetwork(NamedTuple):
    """Edges that hand their mass to their ends, and room to search for a better way of doing so.

    Arc 2e leaves the tail of edge e, arc 2e + 1 its head; ``arc ^ 1`` is the other one. Vertices may be contracted to
    classes, each named after its lowest vertex.
    """

    labels: Integers  # (n,) name of the class of a vertex
    first: Integers  # (n,) first arc that leaves a class, or −1
    last: Integers  # (n,) last arc that leaves a class, or −1
    following: Integers  # (2m,) next arc that leaves the same class, or −1
    targets: Integers  # (2m,) vertex an arc points to
    held: Integers  # (2m,) mass the edge has handed to the vertex the arc leaves
    loads: Integers  # (n,) mass handed to a class by the edges that leave it
    levels: Integers  # (n,) distance from the sources of the search; −1 between searches
    queue: Integers  # (n,) classes in the order the search met them
    pointers: Integers  # (n,) arc at which the search of a class stands
    path: Integers  # (n,) arcs from the source to where the search stands


@kernel
def network(labels: Integers, tails: Integers, heads: Integers, n_arcs: int) -> FlowNetwork:
    """Lay out the arcs of the edges between classes, with room for ``n_arcs`` of them; no mass is handed out yet."""
    n = labels.size
    first, last = np.full(n, -1, dtype=np.int64), np.full(n, -1, dtype=np.int64)
    following, targets = np.empty(n_arcs, dtype=np.int64), np.empty(n_arcs, dtype=np.int64)
    for edge in range(tails.size - 1, -1, -1):
        targets[2 * edge], targets[2 * edge + 1] = heads[edge], tails[edge]
        if labels[tails[edge]] != labels[heads[edge]]:
            for arc in (2 * edge, 2 * edge + 1):
                name = labels[targets[arc ^ 1]]
                following[arc] = first[name]
                first[name] = arc
                if last[name] < 0:
                    last[name] = arc
    return FlowNetwork(
        labels,
        first,
        last,
        following,
        targets,
        np.zeros(n_arcs, dtype=np.int64),
        np.zeros(n, dtype=np.int64),
        np.full(n, -1, dtype=np.int64),
        np.empty(n + 1, dtype=np.int64),
        np.empty(n, dtype=np.int64),
        np.empty(n, dtype=np.int64),
    )


@kernel
def find_levels(net: FlowNetwork, n_sources: int, root: int, unit: int) -> tuple[int, bool]:
    """Search from ``queue[:n_sources]`` for the nearest classes with room, never through ``root``.

    Returns how many classes were met, and whether one of them has room. Levels and pointers are set for :func:`push`.
    """
    n = net.labels.size
    net.levels[root] = n
    for index in range(n_sources):
        node = net.queue[index]
        net.levels[node] = 0
        net.pointers[node] = net.first[node]
    length, position, furthest = n_sources, 0, n
    while position < length:
        node = net.queue[position]
        position += 1
        level = net.levels[node] + 1
        if level > furthest:
            break
        arc = net.first[node]
        while arc >= 0:
            if net.held[arc] > 0:
                other = net.labels[net.targets[arc]]
                if net.levels[other] < 0:
                    net.levels[other] = level
                    net.pointers[other] = net.first[other]
                    net.queue[length] = other
                    length += 1
                    if net.loads[other] < unit:
                        furthest = level
            arc = net.following[arc]
    return length, furthest < n


@kernel
def forget_levels(net: FlowNetwork, length: int, root: int) -> None:
    """Make the network ready for the next search."""
    for index in range(length):
        net.levels[net.queue[index]] = -1
    net.levels[root] = -1


@kernel
def push(net: FlowNetwork, source: int, floor: int, unit: int) -> None:
    """Move load of one class above ``floor`` along shortest paths to classes with room (the second half of Dinic's rule)."""
    held, loads, levels, pointers, path = net.held, net.loads, net.levels, net.pointers, net.path
    depth, node = 0, source
    while loads[source] > floor:
        if depth > 0 and loads[node] < unit:
            amount = min(loads[source] - floor, unit - loads[node])
            for step in range(depth):
                amount = min(amount, held[path[step]])
            loads[source] -= amount
            loads[node] += amount
            cut = depth
            for step in range(depth - 1, -1, -1):
                arc = path[step]
                held[arc] -= amount
                held[arc ^ 1] += amount
                if held[arc] == 0:
                    cut = step
            if cut < depth:  # back to the tail of the first arc that is used up
                depth = cut
                node = net.labels[net.targets[path[depth] ^ 1]]
            continue
        arc = pointers[node]
        while arc >= 0:
            if held[arc] > 0 and levels[net.labels[net.targets[arc]]] == levels[node] + 1:
                break
            arc = net.following[arc]
        pointers[node] = arc
        if arc >= 0:
            path[depth] = arc
            depth += 1
            node = net.labels[net.targets[arc]]
        elif depth > 0:
            depth -= 1
            node = net.labels[net.targets[path[depth] ^ 1]]
            pointers[node] = net.following[pointers[node]]
        else:
            break


@kernel
def join(net: FlowNetwork, classes: Integers) -> None:
    """Contract classes to one, named after its lowest vertex, with all their arcs and an empty load."""
    lowest = classes.min()
    for name in classes:
        net.loads[name] = -1
        if name != lowest and net.first[name] >= 0:
            if net.first[lowest] < 0:
                net.first[lowest] = net.first[name]
            else:
                net.following[net.last[lowest]] = net.first[name]
            net.last[lowest] = net.last[name]
    for vertex in range(net.labels.size):
        if net.loads[net.labels[vertex]] < 0:
            net.labels[vertex] = lowest
    for name in classes:
        net.loads[name] = 0


@kernel
def contract_heavy(tails: Integers, heads: Integers, masses: Integers, n_vertices: int, unit: int) -> Integers:
    """Join the ends of every edge heavier than a unit; return the lowest vertex of each class, one entry a vertex."""
    labels = np.arange(n_vertices)
    for edge in range(tails.size):
        if masses[edge] > unit:
            u = find_root(labels, tails[edge])
            v = find_root(labels, heads[edge])
            labels[max(u, v)] = min(u, v)
    for vertex in range(n_vertices):
        labels[vertex] = labels[labels[vertex]]
    return labels


@kernel
def violated_classes(tails: Integers, heads: Integers, masses: Integers, n_vertices: int, unit: int) -> Integers:
    r"""Find the disjoint vertex sets that together are violated most; return the lowest vertex of each vertex's class.

    .. math:: \max \sum_i \bigl( x(E[U_i]) - (|U_i| - 1)\,\text{unit} \bigr)
              \quad\text{over partitions } U_1, U_2, \ldots \text{ of the vertices}

    Vertices join one at a time. The newcomer v hands the mass of all its edges to the other ends; what a class cannot
    hold flows on to classes with room. If some of it has nowhere to go, the classes it can reach are full and, with v,
    violated: they are contracted to one class, which holds nothing. One flow a vertex (Barahona 1992), each starting
    from where the last one ended; light vertices come first, whose flows are mostly empty. The sum of the masses up to a unit
    each must fit in 63 bits.
    """
    net = network(contract_heavy(tails, heads, masses, n_vertices, unit), tails, heads, 2 * tails.size)
    _contract_violated(lend(net), masses, unit)
    return net.labels


@kernel
def _contract_violated(net: FlowNetwork, masses: Integers, unit: int) -> None:
    """Let the vertices join, contracting those that are violated."""
    labels, n = net.labels, net.labels.size
    # vertices join in the order of their degrees
    degrees = np.zeros(n, dtype=np.int64)
    for edge in range(masses.size):
        u, v = labels[net.targets[2 * edge + 1]], labels[net.targets[2 * edge]]
        if u != v:
            degrees[u] += masses[edge]
            degrees[v] += masses[edge]
    has_joined = np.zeros(n, dtype=np.bool_)
    for newcomer in in_order(degrees):
        if labels[newcomer] != newcomer:
            continue
        has_joined[newcomer] = True
        # the edges to those that have joined put their mass on the other end; who then holds too much is a source
        n_sources = 0
        arc = net.first[newcomer]
        while arc >= 0:
            other = labels[net.targets[arc]]
            if other != newcomer and has_joined[other]:
                mass = masses[arc >> 1]
                net.held[arc ^ 1] = mass
                if net.loads[other] <= unit < net.loads[other] + mass:
                    net.queue[n_sources] = other
                    n_sources += 1
                net.loads[other] += mass
            arc = net.following[arc]
        # send the excess to where there is room; where there is none, what was reached is violated and becomes one vertex
        while n_sources > 0:
            length, has_room = find_levels(net, n_sources, newcomer, unit)
            if has_room:
                for index in range(n_sources):
                    push(net, net.queue[index], unit, unit)
            forget_levels(net, length, newcomer)
            if not has_room:
                net.queue[length] = newcomer
                for index in range(length + 1):
                    has_joined[net.queue[index]] = False
                has_joined[net.queue[: length + 1].min()] = True
                join(net, net.queue[: length + 1])
            left = 0
            for index in range(n_sources):
                if net.loads[net.queue[index]] > unit:
                    net.queue[left] = net.queue[index]
                    left += 1
            n_sources = left
