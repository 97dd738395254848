r"""From a point to a list of forests: its splits, and the vertices put back, as spanning trees with integer weights.

The policy over trees of the last vertex alone is trivial. Given one over the trees of the vertices without v, with the masses that
``tree_splitting`` left, the policy with v follows: trees that use mass split off to (a, b) get the path
a – v – b instead of that edge, and trees that use none get v as a leaf. A tree that uses such mass twice or more keeps it
connected with one half of each further edge; the other half is then free for a tree that uses none. The sums come out even.

Trees are arrays of parents, weights are integers. k-forests with k below n − 1 go the way of spanning trees: an extra vertex, the
*apex*, is joined to every vertex by the room its load leaves, and trees of the larger graph lose the apex at the end.
"""

import numpy as np
import numpy.typing as npt

from swapregret.actions.graphs.kernels.graphic_matroid import FlowNetwork
from swapregret.actions.graphs.kernels.kruskal import arc_table, find_root
from swapregret.actions.graphs.kernels.tree_network import ForestGraph, round_to_base, widened, with_apex
from swapregret.actions.graphs.kernels.tree_splitting import Splits, split_off
from swapregret.arrays import Floats, Integers, Words
from swapregret.compiled.bits import merge_policy, pack_rows
from swapregret.compiled.kernel import kernel

_Table = npt.NDArray[np.int32]


@kernel
def divide(parents: _Table, weights: Integers, tree: int, keep: int, n_trees: int) -> int:
    """Copy a tree so that the first has weight ``keep`` and the copy the rest; return the new number of trees."""
    for vertex in range(parents.shape[1]):
        parents[n_trees, vertex] = parents[tree, vertex]
    weights[n_trees] = weights[tree] - keep
    weights[tree] = keep
    return n_trees + 1


@kernel
def insert(parents: npt.NDArray[np.int32], v: int, child: int, parent: int) -> int:
    """Lead the edge from child to parent over v; return the neighbour whose half is free, or −1."""
    before = parents[v]
    free = -1
    if before < 0:
        parents[v] = parent
    else:
        node = v
        while node >= 0 and node != child:
            node = parents[node]
        if node == child:  # v hangs below: it moves up, and its old parent's half is free
            free = before
            parents[v] = parent
        else:
            free = parent
    parents[child] = v
    return int(free)


@kernel
def hang_from(apex: int, parents: _Table, weights: Integers, v: int, pool: Integers, n_trees: int) -> int:
    """Hang v from the apex, as much as its pool, where the apex has the lowest degree; return the number of trees."""
    degrees = np.zeros(n_trees, dtype=np.int64)
    for tree in range(n_trees):
        for vertex in range(parents.shape[1]):
            degrees[tree] += parents[tree, vertex] == apex
        degrees[tree] += parents[tree, apex] >= 0
    degree = 0
    while pool[apex] > 0 and degree <= parents.shape[1]:
        for tree in range(degrees.size):
            if degrees[tree] == degree and parents[tree, v] < 0 and pool[apex] > 0:
                if weights[tree] > pool[apex]:
                    n_trees = divide(parents, weights, tree, pool[apex], n_trees)
                pool[apex] -= weights[tree]
                parents[tree, v] = apex
        degree += 1
    return n_trees


@kernel
def put_back(splits: Splits, unit: int, apex: int, room: int) -> tuple[_Table, Integers, int, bool]:
    """Build the policy: trees, each as the parents of its vertices, with weights that add up to a unit.

    Returns the parents (n, vertices), −1 for the vertex never taken out, the weights, the number of trees, and whether all sums
    came out even, as they do if the splits are valid. Where there is a choice, trees are kept even in the degree of the vertex
    ``apex``, if it is not −1. At most one tree more for each piece of the splits, so 1 + n_pieces + Σ (neighbours of each vertex
    when it was taken out); there is ``room`` for more.
    """
    # room: a tree for each piece, and for each neighbour of each vertex when it was taken out
    n = splits.order.size
    capacity = 1 + room
    pool = np.zeros(n, dtype=np.int64)
    for step in range(n - 1):
        for piece in range(splits.starts[step], splits.starts[step + 1]):
            capacity += 1
            for u in (splits.firsts[piece], splits.seconds[piece]):
                if u >= 0 and pool[u] != step + 1:
                    pool[u] = step + 1
                    capacity += 1
    for vertex in range(n):
        pool[vertex] = 0
    parents = np.empty((capacity, n), dtype=np.int32)
    weights = np.empty(capacity, dtype=np.int64)
    # one tree, of the vertex that was never taken out; the others come back in the reverse order
    for vertex in range(n):
        parents[0, vertex] = -1
    weights[0] = unit
    n_trees, is_even = 1, True
    for step in range(n - 2, -1, -1):
        v = splits.order[step]
        low, high = splits.starts[step], splits.starts[step + 1]
        for piece in range(low, high):
            a, b, left = splits.firsts[piece], splits.seconds[piece], splits.amounts[piece]
            if b < 0:
                pool[a] += left  # v hangs from a alone, in so much of the trees
                continue
            # v comes between a and b, in so much of the trees that have this edge
            for is_used in (False, True):  # trees without v first
                tree = 0
                while left > 0 and tree < n_trees:
                    row = parents[tree]
                    if (row[a] == b or row[b] == a) and (row[v] >= 0) == is_used:
                        if weights[tree] > left:
                            n_trees = divide(parents, weights, tree, left, n_trees)
                        left -= weights[tree]
                        free = insert(row, v, a, b) if row[a] == b else insert(row, v, b, a)
                        if free >= 0:
                            pool[free] += weights[tree]
                    tree += 1
            is_even = is_even and left == 0
        # what hangs from one vertex: in the trees that have no v yet, ``pool`` of each neighbour
        if apex >= 0 and pool[apex] > 0:
            n_trees = hang_from(apex, parents, weights, v, pool, n_trees)
        tree = 0
        for piece in range(low, high):
            for u in (splits.firsts[piece], splits.seconds[piece]):
                while u >= 0 and pool[u] > 0 and tree < n_trees:
                    if parents[tree, v] < 0:
                        if weights[tree] > pool[u]:
                            n_trees = divide(parents, weights, tree, pool[u], n_trees)
                        pool[u] -= weights[tree]
                        parents[tree, v] = u
                    tree += 1
                is_even = is_even and (u < 0 or pool[u] == 0)
        for tree in range(n_trees):
            is_even = is_even and parents[tree, v] >= 0
    return parents, weights, n_trees, is_even


@kernel
def write_rows(
    graph: ForestGraph, parents: _Table, weights: Integers, n_trees: int, masses: Integers, apex: int
) -> tuple[npt.NDArray[np.int64], Integers, bool]:
    """Write trees as rows of edges (n, d), dividing them where parallel edges share the mass between two vertices.

    ``parents``, ``weights`` and ``n_trees`` come from :func:`put_back`, with room for one more tree for every parallel edge;
    edges of ``apex`` are not written. Returns the rows, their weights, and whether every edge got exactly its mass (d,).
    """
    pair_tails, pair_heads = graph.pair_tails, graph.pair_heads
    pair_starts, pair_edges = graph.pair_starts, graph.pair_edges
    n = parents.shape[1]
    starts, lists, ends = arc_table(pair_tails, pair_heads, n)
    rows = np.zeros((weights.size, masses.size), dtype=np.int64)
    left, cursors = masses.copy(), pair_starts.copy()
    pair_to = np.full(n, -1, dtype=np.int64)
    is_even = True
    for v in range(n):
        if v == apex:
            continue
        # the pair of v and each of its neighbours; then, tree by tree, an edge of the pair that v hangs by
        for index in range(starts[v], starts[v + 1]):
            pair_to[ends[index]] = lists[index]
        tree = 0
        while tree < n_trees:
            u = parents[tree, v]
            if u >= 0 and u != apex:
                pair = pair_to[u]
                while cursors[pair] < pair_starts[pair + 1] and left[pair_edges[cursors[pair]]] == 0:
                    cursors[pair] += 1
                if cursors[pair] == pair_starts[pair + 1]:
                    is_even = False
                    break
                edge = pair_edges[cursors[pair]]
                # a tree heavier than what is left of the edge is divided; the rest gets the next parallel edge
                if weights[tree] > left[edge]:
                    for other in range(masses.size):
                        rows[n_trees, other] = rows[tree, other]
                    n_trees = divide(parents, weights, tree, left[edge], n_trees)
                left[edge] -= weights[tree]
                rows[tree, edge] = 1
            tree += 1
    for edge in range(masses.size):
        is_even = is_even and left[edge] == 0
    return rows[:n_trees], weights[:n_trees], is_even


@kernel
def move_edges(graph: ForestGraph, large: Integers, small: Integers, count: int) -> None:
    """Move the first edges of the larger forest that close no cycle in the smaller one.

    As long as the one is larger than the other there is such an edge; one that closes a cycle now does so later too.
    """
    tails, heads, parents = graph.tails, graph.heads, np.arange(graph.n_vertices)
    for edge in range(tails.size):
        if small[edge]:
            parents[find_root(parents, heads[edge])] = find_root(parents, tails[edge])
    for edge in range(tails.size):
        if count == 0:
            return
        if large[edge]:
            u, v = find_root(parents, tails[edge]), find_root(parents, heads[edge])
            if u != v:
                parents[v] = u
                large[edge], small[edge] = 0, 1
                count -= 1


@kernel
def level_sizes(
    graph: ForestGraph, rows: npt.NDArray[np.int64], weights: Integers
) -> tuple[npt.NDArray[np.int64], Integers]:
    """Move edges from forests that are too large to forests that are too small, until all have ``graph.size`` edges, their mean.

    The largest and the smallest, the heaviest among equals, are cut to the same weight, and edges move until one of them is
    right. With the most uneven first the list grows to two or three times its length; in other orders it may
    double with every edge.
    """
    (n_rows, d), size = rows.shape, graph.size
    sizes = np.zeros(n_rows, dtype=np.int64)
    for row in range(n_rows):
        for edge in range(d):
            sizes[row] += rows[row, edge]
    while True:
        large, small = 0, 0
        for row in range(1, n_rows):
            if sizes[row] > sizes[large] or (sizes[row] == sizes[large] and weights[row] > weights[large]):
                large = row
            if sizes[row] < sizes[small] or (sizes[row] == sizes[small] and weights[row] > weights[small]):
                small = row
        count = min(sizes[large] - size, size - sizes[small])
        if count <= 0:
            return rows[:n_rows], weights[:n_rows]
        if weights[large] != weights[small]:
            if n_rows == sizes.size:
                wider = np.empty((2 * n_rows, d), dtype=np.int64)
                for row in range(n_rows):
                    for edge in range(d):
                        wider[row, edge] = rows[row, edge]
                rows, weights, sizes = wider, widened(weights, 2 * n_rows), widened(sizes, 2 * n_rows)
            heavy, light = (large, small) if weights[large] > weights[small] else (small, large)
            for edge in range(d):
                rows[n_rows, edge] = rows[heavy, edge]
            sizes[n_rows], weights[n_rows] = sizes[heavy], weights[heavy] - weights[light]
            weights[heavy] = weights[light]
            n_rows += 1
        move_edges(graph, rows[large], rows[small], count)
        sizes[large] -= count
        sizes[small] += count


@kernel
def rounded_masses(graph: ForestGraph, masses: Integers, unit: int) -> tuple[FlowNetwork, Integers, int]:
    """Move masses to a point of the polytope scaled by ``unit`` and hand them to the vertices, with the apex where there is one.

    Returns the network, the masses, and what could not be placed: 0 if a point was found.
    """
    net, masses, missing = round_to_base(graph, masses, unit)
    if graph.size < graph.n_vertices - 1 and missing == 0:
        net = with_apex(graph, net, unit)
    return net, masses, missing


@kernel
def decompose_forest_masses(
    graph: ForestGraph, net: FlowNetwork, masses: Integers, unit: int, ranks: Integers
) -> tuple[Integers, Integers, bool]:
    """Write rounded masses as a sum of forests, ``weights @ rows`` exactly; the weights, positive, add up to ``unit``.

    Vertices are taken out in the order of ``ranks`` (``tree_splitting.split_off``). The last value is False, and the rest nothing,
    if the masses are no sum of forests.
    """
    n_pairs, has_apex = graph.pair_tails.size, net.labels.size > graph.n_vertices
    apex, n_arcs = (graph.n_vertices, 2 * (n_pairs + graph.n_vertices)) if has_apex else (-1, 2 * n_pairs)
    splits, is_inside = split_off(net, n_arcs, unit, ranks)
    if not is_inside:
        return np.empty((0, masses.size), dtype=np.int64), np.empty(0, dtype=np.int64), False
    parents, weights, n_trees, is_even = put_back(splits, unit, apex, masses.size - n_pairs)
    if not is_even:
        return np.empty((0, masses.size), dtype=np.int64), np.empty(0, dtype=np.int64), False
    rows, weights, is_even = write_rows(graph, parents, weights, n_trees, masses, apex)
    if has_apex:
        rows, weights = level_sizes(graph, rows, weights)
    return rows, weights, is_even


@kernel
def packed_forests(graph: ForestGraph, point: Floats, total: int, ranks: Integers) -> tuple[Words, Floats, float]:
    """Write a point as a policy over forests, the mean of one decomposition for each row of ``ranks``.

    Returns different forests, packed, their weights, and how far the worst coordinate is from what was decomposed: infinite if
    nothing could be.
    """
    d, count = point.size, len(ranks)
    unit, masses = total // count, np.empty(d, dtype=np.int64)
    for edge in range(d):
        masses[edge] = np.int64(np.floor(min(max(point[edge], 0.0), 1.0) * unit))
    words, weights = np.empty((0, (d + 63) // 64), dtype=np.uint64), np.empty(0)
    net, masses, missing = rounded_masses(graph, masses, unit)
    if missing > 0:
        return words, weights, np.inf
    outside = 0.0
    for edge in range(d):
        outside = max(outside, abs(masses[edge] / unit - point[edge]))
    for variant in range(count):
        rows, mass, is_found = decompose_forest_masses(graph, net, masses, unit, ranks[variant])
        if not is_found:
            return words[:0], weights[:0], np.inf
        words = np.concatenate((words, pack_rows(rows)))
        weights = np.concatenate((weights, mass / (unit * count)))
    different, merged = merge_policy(words, weights)
    return different, merged, outside
