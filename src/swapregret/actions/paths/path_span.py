r"""The span of the paths of a graph, in closed form.

A vector is in the span of the paths exactly when as much enters each inner vertex as leaves it, so the rank is
:math:`|E| - |V| + 2` (on the edges and vertices that lie on paths). Of each inner vertex, one edge, the last that leaves
it, is given by the others through the balance of the vertex; all others are independent.
"""

from functools import cached_property

import numpy as np

from swapregret.actions.paths.directed import Digraph
from swapregret.actions.paths.kernels.elimination import Elimination
from swapregret.actions.paths.kernels.path_projection import factor_balance, path_span_part
from swapregret.actions.paths.path_elimination import plan_elimination
from swapregret.arrays import Actions, Matrix, Vector
from swapregret.geometry.span import Span


def path_rank(graph: Digraph) -> int:
    """Return |E| − |V| + 2 on the edges and vertices that lie on paths."""
    return int(graph.head.size) - len(graph.vertices) + 2


class PathSpan(Span):
    """The span of the paths of a graph; its matrices are made when they are asked for.

    Notes
    -----
    ``rank`` and ``coordinates`` cost O(E), ``project`` one solution with a Laplacian that is factored once; ``lift`` and ``basis``
    are dense, (d, r) and (r, d).

    Examples
    --------
    >>> from swapregret.actions.paths.directed import read_digraph
    >>> span = PathSpan(read_digraph([("s", "a"), ("a", "t"), ("s", "t")], "s", "t"))
    >>> span.rank, span.coordinates.tolist(), span.lift.tolist()
    (2, [0, 2], [[1.0, 0.0], [1.0, 0.0], [0.0, 1.0]])
    """

    def __init__(self, graph: Digraph) -> None:
        free = np.ones(graph.head.size, dtype=bool)
        free[graph.start[2:-1] - 1] = False  # the last edge that leaves each inner vertex
        super().__init__(np.sort(graph.edge[free]), self._find_lift, self._find_basis, self._find_part)
        self._graph, self._free = graph, free

    @cached_property
    def plan(self) -> Elimination:
        """In which order vertices are eliminated."""
        return plan_elimination(self._graph.tail, self._graph.head, len(self._graph.vertices) - 1)

    @cached_property
    def balance(self) -> tuple[Vector, Vector]:
        """The factors of the Laplacian that balances the vertices."""
        return factor_balance(self.plan)

    def _find_part(self, vector: Vector) -> Vector:
        """Return the part of a vector in the span: potential differences that unbalance vertices are taken off."""
        return path_span_part(self.plan, self._graph.edge, *self.balance, vector)

    def _find_lift(self) -> Matrix:
        """Return L, with M = L @ M[J] for every path M; entries −1, 0 and 1."""
        graph = self._graph
        matrix = np.zeros((graph.n_edges, self.rank))
        matrix[self.coordinates, np.arange(self.rank)] = 1.0
        balance = np.zeros((len(graph.vertices), self.rank))
        for u in range(len(graph.vertices) - 1):
            out = slice(int(graph.start[u]), int(graph.start[u + 1]))
            edges, heads = graph.edge[out], graph.head[out]
            if u > 0:
                matrix[edges[-1]] = balance[u] - matrix[edges[:-1]].sum(axis=0)
            np.add.at(balance, heads, matrix[edges])
        return matrix + 0.0

    def _find_basis(self) -> Actions:
        """Return one path for each independent edge: there by the first edges into each vertex, on by the dependent ones.

        Sorted by the place of its edge, row by row, the table is triangular in the independent coordinates.
        """
        graph = self._graph
        n = len(graph.vertices)
        start, tail, head, edge = (array.tolist() for array in (graph.start, graph.tail, graph.head, graph.edge))
        entered = [-1] * n
        for k in range(len(head) - 1, -1, -1):
            entered[head[k]] = k
        rows = np.zeros((self.rank, graph.n_edges), dtype=np.int64)
        column = {int(edge): index for index, edge in enumerate(self.coordinates)}
        for k in np.flatnonzero(self._free).tolist():
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
