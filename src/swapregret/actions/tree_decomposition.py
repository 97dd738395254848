"""From a point of the polytope to forests with integer weights: rounding, taking vertices out, putting them back.

k-forests with k below n − 1 go the way of spanning trees: an extra vertex, the *apex*, is joined to every vertex by the room its
load leaves, and trees of the larger graph lose the apex at the end.

May touch: ``arrays``, ``kernels.tree_*``, ``actions.undirected``.
"""

import numpy as np
import numpy.typing as npt

from swapregret.actions.undirected import UndirectedGraph
from swapregret.arrays import Actions
from swapregret.kernels.tree_atoms import level_sizes, put_back, write_rows
from swapregret.kernels.tree_network import with_apex
from swapregret.kernels.tree_rounding import round_to_base
from swapregret.kernels.tree_splitting import split_off

__all__ = ["decompose_masses"]

Integers = npt.NDArray[np.int64]


def decompose_masses(
    graph: UndirectedGraph, masses: Integers, size: int, unit: int, ranks: Integers
) -> tuple[Actions, Integers, Integers] | None:
    """Write masses as a sum of forests of ``size`` edges.

    Parameters
    ----------
    graph : UndirectedGraph
    masses : int64 array, shape (d,)
        Non-negative, nearly in the polytope scaled by ``unit``; overwritten.
    size, unit : int
    ranks : int64 array, shape (n_vertices + 1,)
        Order in which vertices are taken out; see :func:`~swapregret.kernels.tree_splitting.split_off`.

    Returns
    -------
    rows : int64 array, shape (n, d)
    weights : int64 array, shape (n,)
        Positive, adding up to ``unit``.
    masses : int64 array, shape (d,)
        What is decomposed: ``weights @ rows``, exactly.

    None comes back if no point of the polytope was found near the masses.
    """
    pairs, n = graph.pairs, graph.n_vertices
    net, masses, _, missing = round_to_base(
        masses, pairs.tails, pairs.heads, pairs.starts, pairs.edges, n, size * unit, unit
    )
    if missing > 0:
        return None
    apex, n_arcs = -1, 2 * pairs.tails.size
    if size < n - 1:
        apex, n_arcs = n, n_arcs + 2 * n
        net = with_apex(net, pairs.tails, pairs.heads, unit)
    splits, is_inside = split_off(net, n_arcs, unit, ranks)
    if not is_inside:
        return None
    parents, weights, n_trees, is_even = put_back(splits, unit, apex, masses.size - pairs.tails.size)
    if not is_even:
        return None
    rows, weights, is_even = write_rows(
        parents, weights, n_trees, pairs.tails, pairs.heads, pairs.starts, pairs.edges, masses, apex
    )
    if apex >= 0:
        rows, weights = level_sizes(rows, weights, size, graph.tails, graph.heads, n)
    return (rows, weights, masses) if is_even else None
