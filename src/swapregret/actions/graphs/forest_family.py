"""Spanning trees and forests as compiled code sees them: lists by splitting off vertices."""

from typing import Any, NamedTuple

import numpy as np

from swapregret.actions import policy_slots  # the code behind the methods that are not given here
from swapregret.actions.family import Common, best, draw_explore, list_policy, project
from swapregret.actions.graphs.kernels.forest_decompose import packed_forests
from swapregret.actions.graphs.kernels.kruskal import heaviest_forest
from swapregret.actions.graphs.kernels.spanning_tree_gibbs import draw_by_walk
from swapregret.actions.graphs.kernels.tree_network import ForestGraph
from swapregret.actions.graphs.kernels.tree_partition import project_forests
from swapregret.arrays import Floats, Integers, Words

_ = policy_slots


class Walk(NamedTuple):
    """The random walk that draws from the exploration policy; without ``steps`` where that is a list."""

    steps: Floats
    up: Integers
    starts: Integers
    edges: Integers
    ends: Integers


class ForestFamily(NamedTuple):
    """Forests of a graph, in which ``unit`` and ``orders`` of the vertices they are listed, and how far outside a point may lie."""

    common: Common
    graph: ForestGraph
    unit: int
    orders: Integers
    inside: float
    walk: Walk


@project.of(ForestFamily)
def project_forest(family: Any, tilted: Floats, near: Floats) -> tuple[Floats, Floats, bool]:
    """Project onto the forest polytope, exactly, by the principal partition."""
    graph = family.graph
    point, log_point, _, _ = project_forests(tilted, graph.tails, graph.heads, graph.n_vertices, graph.size)
    return point, log_point, True


@list_policy.of(ForestFamily)
def list_forests(family: Any, point: Floats) -> tuple[Words, Floats, bool]:
    """Split forests off a point, in each of the orders."""
    words, chances, outside = packed_forests(family.graph, point, family.unit, family.orders)
    return words, chances, outside <= family.inside


@best.of(ForestFamily)
def best_forest(family: Any, weights: Floats) -> Integers:
    """Return the heaviest forest, by Kruskal's rule."""
    graph = family.graph
    return heaviest_forest(weights, graph.tails, graph.heads, graph.n_vertices, graph.size)


@draw_explore.of(ForestFamily)
def draw_forest(family: Any, rng: np.random.Generator) -> Integers:
    """Draw a tree uniformly, by Wilson's walk."""
    walk = family.walk
    return draw_by_walk(rng, walk.steps, walk.up, walk.starts, walk.edges, walk.ends)
