"""Masses between vertices that come and go: adding as much as the sets allow, taking back, new edges.

Works on the :class:`~swapregret.actions.graphs.kernels.graphic_matroid.Network` of a graph without contractions.
"""

from typing import NamedTuple

import numpy as np

from swapregret.actions.graphs.kernels.graphic_matroid import Network, find_levels, forget_levels, network, push
from swapregret.arrays import Integers
from swapregret.compiled.kernel import kernel


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
def drain(net: Network, source: int, root: int, floor: int, unit: int) -> tuple[int, int]:
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
def add_mass(net: Network, root: int, other: int, amount: int, unit: int) -> tuple[int, int]:
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
def find_arc(net: Network, tail: int, head: int) -> int:
    """Return the arc between two vertices, or −1."""
    arc = net.first[tail]
    while arc >= 0:
        if net.targets[arc] == head:
            return int(arc)
        arc = net.following[arc]
    return -1


@kernel
def unlink(net: Network, arc: int) -> None:
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
def copied(net: Network, n_arcs: int, room: int) -> Network:
    """Return a copy of the masses of a network, with room for more arcs; both search in the same place."""
    return Network(
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
def link(net: Network, tail: int, head: int, arc: int) -> None:
    """Lay an edge without mass, with ``arc`` from tail to head and ``arc + 1`` back."""
    net.targets[arc], net.targets[arc + 1] = head, tail
    net.following[arc], net.following[arc + 1] = net.first[tail], net.first[head]
    net.first[tail], net.first[head] = arc, arc + 1
    net.held[arc], net.held[arc + 1] = 0, 0


@kernel
def take_back(net: Network, a: int, b: int, amount: int) -> None:
    """Remove mass between two vertices, from the share of a first."""
    arc = find_arc(net, a, b)
    share = min(amount, net.held[arc])
    net.held[arc] -= share
    net.loads[a] -= share
    net.held[arc ^ 1] -= amount - share
    net.loads[b] -= amount - share


@kernel
def with_apex(graph: ForestGraph, net: Network, unit: int) -> Network:
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
