"""From a point of the polytope to forests with integer weights: rounding, taking vertices out, putting them back.

k-forests with k below the rank go the way of spanning trees: an extra vertex, the *apex*, is joined to every vertex by the room
its load leaves, and trees of the larger graph lose the apex at the end.

May touch: ``kernels.compile``, ``kernels.graphic_matroid``, ``kernels.tree_rounding``, ``kernels.tree_splitting``,
``kernels.tree_atoms``.
"""

import numpy as np
import numpy.typing as npt

from swapregret.kernels.compile import kernel
from swapregret.kernels.graphic_matroid import Network, network
from swapregret.kernels.tree_atoms import level_sizes, put_back, write_rows
from swapregret.kernels.tree_rounding import round_to_base
from swapregret.kernels.tree_splitting import split_off

__all__ = ["decompose_masses"]

Integers = npt.NDArray[np.int64]


@kernel
def with_apex(net: Network, pair_tails: Integers, pair_heads: Integers, unit: int) -> Network:
    """Join a new vertex to all others by what is missing from their loads to a unit."""
    n, n_pairs = net.labels.size, pair_tails.size
    tails = np.concatenate((pair_tails, np.arange(n)))
    heads = np.concatenate((pair_heads, np.full(n, n, dtype=np.int64)))
    wider = network(np.arange(n + 1), tails, heads, 2 * tails.size)
    wider.held[: 2 * n_pairs] = net.held
    for vertex in range(n):
        wider.held[2 * (n_pairs + vertex)] = unit - net.loads[vertex]
        wider.loads[vertex] = unit
    return wider


@kernel
def decompose_masses(
    masses: Integers,
    tails: Integers,
    heads: Integers,
    pair_tails: Integers,
    pair_heads: Integers,
    pair_starts: Integers,
    pair_edges: Integers,
    n_vertices: int,
    size: int,
    unit: int,
    ranks: Integers,
) -> tuple[npt.NDArray[np.int64], Integers, Integers, bool]:
    """Write masses as a sum of forests of ``size`` edges.

    Parameters
    ----------
    masses : int64 array, shape (d,)
        Non-negative, nearly in the polytope scaled by ``unit``.
    tails, heads, pair_tails, pair_heads, pair_starts, pair_edges : int64 arrays
        The graph, edge by edge and pair by pair.
    n_vertices, size, unit : int
    ranks : int64 array, shape (n_vertices + 1,)
        Order in which vertices are taken out; see :func:`~swapregret.kernels.tree_splitting.split_off`.

    Returns
    -------
    rows : int64 array, shape (n, d)
    weights : int64 array, shape (n,)
        Positive, adding up to ``unit``.
    masses : int64 array, shape (d,)
        What is decomposed: ``weights @ rows``, exactly.
    is_done : bool
        False if no point of the polytope was found near the masses.
    """
    net, masses, _, missing = round_to_base(
        masses.copy(), pair_tails, pair_heads, pair_starts, pair_edges, n_vertices, size * unit, unit
    )
    rows, weights = np.zeros((0, masses.size), dtype=np.int64), np.zeros(0, dtype=np.int64)
    if missing > 0:
        return rows, weights, masses, False
    apex, n_arcs = -1, 2 * pair_tails.size
    if size < n_vertices - 1:
        apex = n_vertices
        n_arcs += 2 * n_vertices
        net = with_apex(net, pair_tails, pair_heads, unit)
    splits, is_inside = split_off(net, n_arcs, unit, ranks[: net.labels.size])
    if not is_inside:
        return rows, weights, masses, False
    parents, weights, n_trees, is_even = put_back(splits, unit, apex, masses.size - pair_tails.size)
    if is_even:
        rows, weights, is_even = write_rows(
            parents, weights, n_trees, pair_tails, pair_heads, pair_starts, pair_edges, masses, apex
        )
    if is_even and apex >= 0:
        rows, weights = level_sizes(rows, weights, tails, heads, n_vertices)
    return rows, weights, masses, is_even
