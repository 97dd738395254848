"""Heaviest forests by Kruskal's rule, and what else one sweep over the edges tells.

A graph is two arrays ``tails`` and ``heads`` of vertex numbers, one entry per edge.
"""

import numpy as np
import numpy.typing as npt

from swapregret.arrays import Floats, Integers
from swapregret.compiled.kernel import kernel
from swapregret.compiled.selection import ranked, top_elements

_AT_ONCE = 128
"""Edges that are put in order at once, at least."""


@kernel
def find_root(parents: Integers, vertex: int) -> int:
    """Follow parents to the root, halving the path on the way."""
    while parents[vertex] != vertex:
        parents[vertex] = parents[parents[vertex]]
        vertex = parents[vertex]
    return vertex


@kernel
def heaviest_forest(weights: Floats, tails: Integers, heads: Integers, n_vertices: int, size: int) -> Integers:
    """Return the indicator of the heaviest forest of exactly ``size`` edges; the lower index wins a tie.

    Greedy is optimal on every matroid and on every truncation of one, whatever the signs of the weights. If the graph
    has no forest of that size, the largest one comes back.

    The heaviest edges are put in order and tried first: on a dense graph the forest is complete after a small part of them. Where
    two trees are joined, all vertices of one get the label of the other: several at once, which is faster than to follow parents.
    """
    m = weights.size
    chosen, labels = np.zeros(m, dtype=np.int64), np.arange(n_vertices)
    some = min(m, max(_AT_ONCE, 2 * size))
    lightness, edges, order = np.empty(some), np.empty(some, dtype=np.int64), np.empty(some, dtype=np.int64)
    are_all = some == m
    untried, n_untried, left = np.empty(0) if are_all else weights.copy(), m, size
    while left > 0 and n_untried > 0:
        # the heaviest of the edges that were not tried, in order
        count, k = min(some, n_untried), 0
        is_next = chosen if are_all else top_elements(untried, count)
        for edge in range(m):
            if are_all or is_next[edge]:
                lightness[k], edges[k] = -weights[edge], edge
                k += 1
                if not are_all:
                    untried[edge] = -np.inf
        ranked(lightness[:count], order)
        n_untried -= count
        # take each that joins two trees, and relabel one of them
        for k in range(count):
            edge = edges[order[k]]
            u, v = labels[tails[edge]], labels[heads[edge]]
            if u != v:
                for vertex in range(n_vertices):
                    labels[vertex] = u if labels[vertex] == v else labels[vertex]
                chosen[edge] = 1
                left -= 1
                if left == 0:
                    break
    return chosen


@kernel
def is_forest(action: Integers, tails: Integers, heads: Integers, n_vertices: int) -> bool:
    """Tell whether the chosen edges close no cycle."""
    parents = np.arange(n_vertices)
    for edge in range(action.size):
        if action[edge]:
            u = find_root(parents, tails[edge])
            v = find_root(parents, heads[edge])
            if u == v:
                return False
            parents[v] = u
    return True


@kernel
def components(tails: Integers, heads: Integers, n_vertices: int) -> Integers:
    """Give every vertex the number of its connected component, in the order of their first vertices."""
    parents = np.arange(n_vertices)
    for edge in range(tails.size):
        u = find_root(parents, tails[edge])
        v = find_root(parents, heads[edge])
        if u != v:
            parents[max(u, v)] = min(u, v)
    numbers = np.empty(n_vertices, dtype=np.int64)
    count = 0
    for vertex in range(n_vertices):
        root = find_root(parents, vertex)
        if root == vertex:
            numbers[vertex] = count
            count += 1
        else:
            numbers[vertex] = numbers[root]
    return numbers


@kernel
def arc_table(tails: Integers, heads: Integers, n_vertices: int) -> tuple[Integers, Integers, Integers]:
    """List the edges at every vertex: vertex v has ``edges[starts[v] : starts[v + 1]]``, leading to ``ends`` there."""
    starts = np.zeros(n_vertices + 1, dtype=np.int64)
    for edge in range(tails.size):
        starts[tails[edge]] += 1
        starts[heads[edge]] += 1
    for vertex in range(n_vertices):
        starts[vertex + 1] += starts[vertex]
    edges, ends = np.empty(2 * tails.size, dtype=np.int64), np.empty(2 * tails.size, dtype=np.int64)
    for edge in range(tails.size - 1, -1, -1):
        for vertex, other in ((tails[edge], heads[edge]), (heads[edge], tails[edge])):
            starts[vertex] -= 1
            edges[starts[vertex]] = edge
            ends[starts[vertex]] = other
    return starts, edges, ends


@kernel
def root_forest(
    chosen: Integers, first: Integers, starts: Integers, edges: Integers, ends: Integers
) -> tuple[Integers, Integers, Integers]:
    """Hang a forest from roots, trying the vertices in the order ``first``.

    Returns the edge to the parent (−1 at a root), the depth of every vertex, and the vertices from the roots downwards.
    """
    n = first.size
    up, depths = np.full(n, -1, dtype=np.int64), np.full(n, -1, dtype=np.int64)
    order = np.empty(n, dtype=np.int64)
    count, position = 0, 0
    for root in first:
        if depths[root] < 0:
            depths[root] = 0
            order[count] = root
            count += 1
        while position < count:
            vertex = order[position]
            position += 1
            for index in range(starts[vertex], starts[vertex + 1]):
                if chosen[edges[index]] and depths[ends[index]] < 0:
                    up[ends[index]] = edges[index]
                    depths[ends[index]] = depths[vertex] + 1
                    order[count] = ends[index]
                    count += 1
    return up, depths, order


@kernel
def exchanges(chosen: Integers, tails: Integers, heads: Integers, n_vertices: int) -> tuple[Integers, Integers]:
    """Find exchanges of one edge of a forest against one outside that link all edges that can be linked.

    Edge ``a`` outside can come for edge ``b`` of the forest if b lies on the cycle that a closes, or if a closes none. The edges
    linked by exchanges are the connected components of the matroid whose bases are the forests of that size. Returns the lowest
    edge of each edge's component (d,), and pairs (a, b), (d − n_components, 2), without cycles among themselves.
    """
    d = tails.size
    names = components(tails[chosen == 1], heads[chosen == 1], n_vertices)
    up, depths, _ = root_forest(chosen, np.arange(n_vertices), *arc_table(tails, heads, n_vertices))
    links = np.arange(d)
    swaps, count = np.empty((d, 2), dtype=np.int64), 0
    forest = np.flatnonzero(chosen)
    cycle = np.empty(n_vertices, dtype=np.int64)
    for edge in range(d):
        if chosen[edge]:
            continue
        u, v = tails[edge], heads[edge]
        length = 0
        if names[u] == names[v]:
            while u != v:
                if depths[u] < depths[v]:
                    u, v = v, u
                cycle[length] = up[u]
                length += 1
                u = tails[up[u]] + heads[up[u]] - u
        for other in cycle[:length] if names[u] == names[v] else forest:
            a, b = find_root(links, edge), find_root(links, other)
            if a != b:
                links[max(a, b)] = min(a, b)
                swaps[count, 0], swaps[count, 1] = edge, other
                count += 1
    for edge in range(d):
        links[edge] = find_root(links, edge)
    return links, swaps[:count].copy()


@kernel
def next_forests(
    state: Integers, tails: Integers, heads: Integers, n_vertices: int, size: int, rows: npt.NDArray[np.int64]
) -> int:
    """Write the next forests of ``size`` edges into ``rows``; return how many were written.

    Forests come in lexicographic order of their sorted edges. ``state`` holds the edges of the last forest written,
    −1 everywhere before the first call; it is moved on in place. A partial forest is only extended while the edges
    behind it can complete it, so the delay between two forests is polynomial.
    """
    m = tails.size
    parents = np.empty(n_vertices, dtype=np.int64)
    written = 0
    while written < rows.shape[0]:
        depth = size - 1
        candidate = state[depth] + 1
        if state[0] < 0:
            depth, candidate = 0, 0
        while depth >= 0:
            # the first ``depth`` edges as they are, then the next candidate that closes no cycle with them
            parents[:] = np.arange(n_vertices)
            for level in range(depth):
                parents[find_root(parents, heads[state[level]])] = find_root(parents, tails[state[level]])
            while candidate < m and find_root(parents, tails[candidate]) == find_root(parents, heads[candidate]):
                candidate += 1
            # how many edges there can be with those behind it; if not enough, the edge before moves on
            reachable = depth
            for edge in range(candidate, m):
                u = find_root(parents, tails[edge])
                v = find_root(parents, heads[edge])
                if u != v:
                    parents[v] = u
                    reachable += 1
                    if reachable == size:
                        break
            if reachable == size:
                state[depth] = candidate
                depth += 1
                candidate += 1
                if depth == size:
                    break
            else:
                depth -= 1
                if depth >= 0:
                    candidate = state[depth] + 1
        if depth < size:
            break  # that was the last forest
        rows[written, :] = 0
        for level in range(size):
            rows[written, state[level]] = 1
        written += 1
    return written
