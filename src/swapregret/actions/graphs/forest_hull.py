"""The operations of spanning trees and forests: lists by splitting off vertices, Gibbs policies by their transfer currents."""

from typing import NamedTuple

import numpy as np

from swapregret.actions.graphs.kernels.kruskal import heaviest_forest
from swapregret.actions.graphs.kernels.spanning_tree_gibbs import (
    draw_by_chain,
    draw_by_walk,
    hang_heaviest,
    reduce_cuts,
    scaled_cuts,
    short_walk,
    tree_marginals,
    tree_moment_on,
    tree_squared,
    tree_variance,
)
from swapregret.actions.graphs.kernels.tree_atoms import packed_forests
from swapregret.actions.graphs.kernels.tree_network import ForestGraph
from swapregret.actions.graphs.kernels.tree_partition import project_forests
from swapregret.actions.hull import Hull, Tables, part_of_basis
from swapregret.arrays import Floats, Integers, Words
from swapregret.compiled.address import Handle, set_of
from swapregret.compiled.kernel import kernel

_LARGEST = 1000
"""Up to how many edges K∘K is kept of every Gibbs policy."""
_UNKNOWN, _BY_WALK, _BY_CHAIN = 0.0, 1.0, 2.0


class Walk(NamedTuple):
    """The random walk that draws from the exploration policy; without ``steps`` where that is a list."""

    steps: Floats
    up: Integers
    starts: Integers
    edges: Integers
    ends: Integers


class ForestData(NamedTuple):
    """Forests of a graph, in which ``unit`` and ``orders`` of the vertices they are listed, and how far outside a point may lie."""

    graph: ForestGraph
    unit: int
    orders: Integers
    inside: float
    walk: Walk
    orthonormal: Floats


@kernel
def best_forest(h: Handle[ForestData], weights: Floats) -> Integers:
    """Return the heaviest forest, by Kruskal's rule."""
    graph = set_of(h).graph
    return heaviest_forest(weights, graph.tails, graph.heads, graph.n_vertices, graph.size)


@kernel
def project_on_forests(h: Handle[ForestData], tilted: Floats, near: Floats) -> tuple[Floats, Floats, float]:
    """Project onto the forest polytope, exactly, by the principal partition."""
    graph = set_of(h).graph
    point, log_point, gap, _ = project_forests(tilted, graph.tails, graph.heads, graph.n_vertices, graph.size)
    return point, log_point, gap


@kernel
def list_forests(h: Handle[ForestData], point: Floats) -> tuple[Words, Floats, bool]:
    """Split forests off a point, in each of the orders."""
    data = set_of(h)
    words, chances, outside = packed_forests(data.graph, point, data.unit, data.orders)
    return words, chances, outside <= data.inside


@kernel
def draw_uniform_tree(h: Handle[ForestData], rng: np.random.Generator) -> Integers:
    """Draw a tree uniformly, by Wilson's walk."""
    walk = set_of(h).walk
    return draw_by_walk(rng, walk.steps, walk.up, walk.starts, walk.edges, walk.ends)


# ---- Gibbs policies of spanning trees ---------------------------------------------------------------------------------
#
# A table has d · size numbers of C (``kernels.spanning_tree_gibbs``), the upper triangle of K∘K unless d is very large, the
# steps of the random walk where that draws, the exponents (d), the edges upwards and the vertices downwards of the heaviest
# tree, and how it is drawn from: what the walk needs is found out when that first happens.


@kernel
def _columns(data: ForestData, exponents: Floats) -> tuple[Floats, Integers, Integers]:
    """Return C of some exponents, and their heaviest tree: the edges upwards and the vertices downwards."""
    graph, walk = data.graph, data.walk
    tails, heads = graph.tails, graph.heads
    chosen, up, depths, order = hang_heaviest(exponents, graph.size, tails, heads, walk.starts, walk.edges, walk.ends)
    columns, _ = reduce_cuts(scaled_cuts(exponents, chosen, up, depths, tails, heads))
    return columns, up, order


@kernel
def _places(data: ForestData) -> tuple[int, int, int, int, int, int]:
    """Return where K∘K, the steps, the exponents, the edges, the vertices and the way of drawing begin."""
    graph, d = data.graph, data.graph.tails.size
    squared = d * graph.size
    steps = squared + (d * d if d <= _LARGEST else 0)
    exponents = steps + data.walk.edges.size
    up = exponents + d
    order = up + graph.n_vertices
    return squared, steps, exponents, up, order, order + graph.n_vertices


@kernel
def project_gibbs_trees(h: Handle[ForestData], tilted: Floats, near: Floats) -> tuple[Floats, Floats, float]:
    """Return the marginals of the policy of some exponents, and these."""
    columns, _, _ = _columns(set_of(h), tilted)
    return tree_marginals(columns), tilted, 0.0


@kernel
def fill_gibbs_trees(
    h: Handle[ForestData],
    point: Floats,
    log_point: Floats,
    coordinates: Integers,
    table: Floats,
    marginals: Floats,
    moment: Floats,
) -> bool:
    """Make the matrices of some exponents."""
    d = point.size
    columns, up, order = _columns(set_of(h), log_point)
    squared, steps, exponents, begin, next_one, kind = _places(set_of(h))
    table[:squared] = columns.reshape(-1)
    together = table[squared:steps].reshape(d, d) if steps > squared else np.zeros((d, d))
    if coordinates.size or steps > squared:
        tree_squared(columns, together)
    table[exponents : exponents + d] = log_point
    table[begin : begin + up.size] = up
    table[next_one : next_one + order.size] = order
    table[kind] = _UNKNOWN
    marginals[:] = tree_marginals(columns)
    if coordinates.size:
        tree_moment_on(marginals, together, coordinates, moment)
    return True


@kernel
def draw_gibbs_tree(h: Handle[ForestData], table: Floats, rng: np.random.Generator) -> Integers:
    """Draw by Wilson's walk, or edge by edge where walks may be long."""
    graph, walk, d = set_of(h).graph, set_of(h).walk, set_of(h).graph.tails.size
    squared, begin, exponents, first, next_one, kind = _places(set_of(h))
    up = table[first:next_one].astype(np.int64)
    if table[kind] == _UNKNOWN:
        order, scores = table[next_one:kind].astype(np.int64), table[exponents : exponents + d]
        steps = short_walk(scores, graph.size, up, order, graph.tails, graph.heads, walk.starts, walk.edges)
        table[kind] = _BY_CHAIN
        if steps.size:
            table[begin : begin + steps.size] = steps
            table[kind] = _BY_WALK
    if table[kind] == _BY_WALK:
        return draw_by_walk(rng, table[begin:exponents], up, walk.starts, walk.edges, walk.ends)
    columns = table[:squared].reshape(d, graph.size)
    return draw_by_chain(rng, columns, graph.tails, graph.heads, graph.n_vertices)


@kernel
def gibbs_tree_variance(h: Handle[ForestData], table: Floats, marginals: Floats, vector: Floats) -> float:
    """Return Var(v·M)."""
    d, (squared, steps, _, _, _, _) = vector.size, _places(set_of(h))
    if steps > squared:
        return tree_variance(marginals, table[squared:steps].reshape(d, d), vector)
    together = np.zeros((d, d))
    tree_squared(table[:squared].reshape(d, squared // d), together)
    return tree_variance(marginals, together, vector)


def forest_hull(data: ForestData, *, has_walk: bool, has_gibbs: bool) -> Hull:
    """Return the operations of forests; with a walk, exploration is drawn by it."""
    d, graph = len(data.graph.tails), data.graph
    gibbs = Tables(
        d * graph.size + (d * d if d <= _LARGEST else 0) + len(data.walk.edges) + d + 2 * graph.n_vertices + 1,
        fill_gibbs_trees,
        draw_gibbs_tree,
        project=project_gibbs_trees,
        variance=gibbs_tree_variance,
    )
    return Hull(
        data,
        best=best_forest,
        project=project_on_forests,
        list_policy=list_forests,
        span_part=part_of_basis,
        draw_explore=draw_uniform_tree if has_walk else None,
        gibbs=gibbs if has_gibbs else None,
    )
