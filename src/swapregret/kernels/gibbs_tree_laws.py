"""Gibbs laws of spanning trees, kept in slots."""

from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from swapregret.actions.graphs.kernels.kruskal import heaviest_forest
from swapregret.actions.graphs.kernels.spanning_tree_gibbs import (
    affordable_walk,
    draw_by_chain,
    draw_by_walk,
    root_forest,
    scaled_cuts,
    walk_bound,
    walk_table,
)
from swapregret.actions.graphs.kernels.tree_gibbs_law import (
    reduce_cuts,
    root_order,
    tree_marginals,
    tree_moment_on,
    tree_squared,
)
from swapregret.compiled.kernel import kernel
from swapregret.compiled.vectors import centred

__all__ = ["TreeLaws", "TreeSetting", "draw_tree_law", "empty_tree_laws", "make_tree_law"]

Floats = npt.NDArray[np.float64]
Integers = npt.NDArray[np.int64]

_UNKNOWN, _BY_WALK, _BY_CHAIN = 0, 1, 2


class TreeSetting(NamedTuple):
    """The set.

    Attributes
    ----------
    tails, heads, starts, edges, ends : int64 arrays
        The graph, and the edges at each vertex.
    size : int
        Edges of a tree.
    orthonormal : float64 array, shape (d, r) or (0, 0)
        A basis of the span, if estimates must be projected onto it.
    """

    tails: Integers
    heads: Integers
    starts: Integers
    edges: Integers
    ends: Integers
    size: int
    orthonormal: Floats


class TreeLaws(NamedTuple):
    """Laws, and last the uniform one."""

    kinds: Integers
    scores: Floats
    up: Integers
    order: Integers
    columns: Floats
    marginals: Floats
    squared: Floats
    moments: Floats
    walks: Floats


@kernel
def empty_tree_laws(setting: TreeSetting, n_slots: int, rank: int) -> TreeLaws:
    """Return room for some laws, and the uniform law after them; ``rank`` is 0 where nobody asks for second moments."""
    n, d = setting.starts.size - 1, setting.tails.size
    laws = TreeLaws(
        np.zeros(n_slots + 1, dtype=np.int64),
        np.zeros((n_slots + 1, d)),
        np.empty((n_slots + 1, n), dtype=np.int64),
        np.empty((n_slots + 1, n), dtype=np.int64),
        np.empty((n_slots + 1, d, setting.size)),
        np.zeros((n_slots + 1, d)),
        np.empty((n_slots + 1, d, d)),
        np.zeros((n_slots + 1, rank, rank)),
        np.empty((n_slots + 1, setting.edges.size)),
    )
    make_tree_law(setting, np.empty(0, dtype=np.int64), np.zeros(d), laws, n_slots)
    return laws


@kernel
def make_tree_law(setting: TreeSetting, coordinates: Integers, scores: Floats, laws: TreeLaws, slot: int) -> None:
    """Make the law of some scores, and its Σ on the coordinates; how to draw from it is decided when it is first drawn from."""
    tails, heads, n = setting.tails, setting.heads, setting.starts.size - 1
    chosen = heaviest_forest(scores, tails, heads, n, setting.size)
    first = root_order(scores, tails, heads, n)
    up, depths, order = root_forest(chosen, first, setting.starts, setting.edges, setting.ends)
    columns, _ = reduce_cuts(scaled_cuts(scores, chosen, up, depths, tails, heads))
    x, squared = tree_marginals(columns), tree_squared(columns)
    laws.kinds[slot] = _UNKNOWN
    laws.scores[slot] = scores
    laws.up[slot] = up
    laws.order[slot] = order
    laws.columns[slot] = columns
    laws.marginals[slot] = x
    laws.squared[slot] = squared
    if coordinates.size:
        tree_moment_on(x, squared, coordinates, laws.moments[slot])


@kernel
def draw_tree_law(rng: np.random.Generator, setting: TreeSetting, laws: TreeLaws, slot: int) -> Integers:
    """Draw from the law in a slot; −1 is the uniform one."""
    tails, heads, starts, edges = setting.tails, setting.heads, setting.starts, setting.edges
    at = laws.kinds.size - 1 if slot < 0 else slot
    up, n, d = laws.up[at], starts.size - 1, tails.size
    if laws.kinds[at] == _UNKNOWN:
        scores = centred(laws.scores[at], True)
        bound = walk_bound(scores, up, laws.order[at], tails, heads, starts, edges)
        laws.kinds[at] = _BY_CHAIN
        if bound <= affordable_walk(n, setting.size, d):
            laws.walks[at] = walk_table(scores, starts, edges)
            laws.kinds[at] = _BY_WALK
    if laws.kinds[at] == _BY_WALK:
        return draw_by_walk(rng, laws.walks[at], up, starts, edges, setting.ends)
    return draw_by_chain(rng, laws.columns[at], tails, heads, n)
