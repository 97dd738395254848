r"""The span of the paths of a graph, in closed form.

A vector is in the span of the paths exactly when as much enters each inner vertex as leaves it, so the rank is
:math:`|E| - |V| + 2` (on the edges and vertices that lie on paths). Of each inner vertex, one edge, the last that leaves
it, is given by the others through the balance of the vertex; all others are independent.
"""

from collections.abc import Callable

import numpy as np
import numpy.typing as npt

from swapregret.actions.paths.directed import Digraph
from swapregret.arrays import Actions, Matrix, Vector
from swapregret.geometry.span import Span


def path_span(graph: Digraph, part: Callable[[Vector], Vector]) -> Span:
    """Return the span of the paths of a graph; ``part`` projects onto it.

    Examples
    --------
    >>> from swapregret.actions.paths.directed import read_digraph
    >>> span = path_span(read_digraph([("s", "a"), ("a", "t"), ("s", "t")], "s", "t"), np.copy)
    >>> span.rank, span.coordinates.tolist(), span.lift.tolist()
    (2, [0, 2], [[1.0, 0.0], [1.0, 0.0], [0.0, 1.0]])
    """
    is_free = np.ones(graph.head.size, dtype=bool)
    is_free[graph.start[2:-1] - 1] = False  # the last edge that leaves each inner vertex
    J = np.sort(graph.edge[is_free])
    return Span(J, lambda: _lift(graph, J), lambda: _basis(graph, J, np.flatnonzero(is_free)), part)


def _lift(graph: Digraph, J: npt.NDArray[np.int64]) -> Matrix:
    """Return L, with M = L @ M[J] for every path M; entries −1, 0 and 1."""
    matrix = np.zeros((graph.n_edges, J.size))
    matrix[J, np.arange(J.size)] = 1.0
    balance = np.zeros((len(graph.vertices), J.size))
    for u in range(len(graph.vertices) - 1):
        out = slice(int(graph.start[u]), int(graph.start[u + 1]))
        edges, heads = graph.edge[out], graph.head[out]
        if u > 0:
            matrix[edges[-1]] = balance[u] - matrix[edges[:-1]].sum(axis=0)
        np.add.at(balance, heads, matrix[edges])
    return np.asarray(matrix + 0.0)


def _basis(graph: Digraph, J: npt.NDArray[np.int64], free: npt.NDArray[np.int64]) -> Actions:
    """Return one path for each independent edge: there by the first edges into each vertex, on by the dependent ones.

    Sorted by the place of its edge, row by row, the table is triangular in the independent coordinates.
    """
    n = len(graph.vertices)
    start, tail, head, edge = (array.tolist() for array in (graph.start, graph.tail, graph.head, graph.edge))
    entered = [-1] * n
    for k in range(len(head) - 1, -1, -1):
        entered[head[k]] = k
    rows = np.zeros((J.size, graph.n_edges), dtype=np.int64)
    column = {each: index for index, each in enumerate(J.tolist())}
    for k in free.tolist():
        row = rows[column[edge[k]]]
        row[edge[k]] = 1
        u = tail[k]
        while u != 0:
            row[edge[entered[u]]] = 1
            u = tail[entered[u]]
        u = head[k]
        while u != n - 1:
            row[edge[start[u + 1] - 1]] = 1
            u = head[start[u + 1] - 1]
    return rows
