"""Lists of forests, and the graph as the kernels that make them take it."""

from typing import Self

import numpy as np
import numpy.typing as npt

from swapregret.actions.graphs.kernels.forest_decompose import ForestGraph
from swapregret.actions.graphs.undirected import UndirectedGraph
from swapregret.actions.paths.path_laws import PathList, held_paths
from swapregret.arrays import Vector
from swapregret.policy.held import Held, wrong_law


class ForestList(PathList):
    """A law given by forests of the same size and their weights, kept as lists of edges.

    Parameters
    ----------
    dimension : int
    chosen : int32 array, shape (n, size)
        The edges of each forest.
    weights : array, shape (n,)
        Their probabilities, which add up to 1.

    Examples
    --------
    >>> law = ForestList(3, np.array([[0, 1], [1, 2]], dtype=np.int32), np.array([.25, .75]))
    >>> law.marginals()
    array([0.25, 1.  , 0.75])
    """

    def __init__(self, dimension: int, chosen: npt.NDArray[np.int32], weights: Vector) -> None:
        first = chosen.shape[1] * np.arange(len(chosen) + 1)
        super().__init__(dimension, first, np.ascontiguousarray(chosen).reshape(-1), weights)

    def __repr__(self) -> str:
        return f"ForestList({len(self.path_weights)} forests, dimension={self.dimension})"

    @classmethod
    def of_held(cls, held: Held, most: int) -> Self:
        """Return the law that a file holds, its numbers checked: in range, and fitting each other."""
        d, first, path, weights = held_paths(held, most)
        if len(set(np.diff(first).tolist())) != 1:
            raise wrong_law("forests of one size as `first`", f"{first!r:.80}")
        return cls(d, path.reshape(len(weights), -1), weights)


def forest_graph(graph: UndirectedGraph, size: int) -> ForestGraph:
    """Return a graph as the kernels of its forests of ``size`` edges take it."""
    pairs = graph.pairs
    return ForestGraph(
        graph.tails, graph.heads, graph.n_vertices, size, pairs.tails, pairs.heads, pairs.starts, pairs.edges
    )
