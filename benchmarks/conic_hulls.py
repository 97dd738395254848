"""conv(A) as a list of inequalities for CVXPY, and the two problems over it: linear, and Kullback–Leibler.

A hull is {x ≥ 0 : E x = e, U x ≤ u}; for compact partitions the point is the image of x. Spanning trees and forests have an
inequality for every set of vertices, so these are for small instances only.
"""

from collections.abc import Callable
from dataclasses import dataclass
from itertools import combinations
from typing import Any

import cvxpy as cp
import numpy as np
import numpy.typing as npt
from scipy.sparse import csr_array

Vector = npt.NDArray[np.float64]


@dataclass(frozen=True)
class Hull:
    """E x = e and U x ≤ u for x ≥ 0; ``image`` maps x to the point, if they differ."""

    equal: Any
    equal_to: Vector
    at_most: Any = None
    bound: Any = None
    image: Any = None


def capped_simplex(actions: Any) -> Hull:
    """m-sets: sum m, at most 1 each."""
    d = actions.dimension
    return Hull(np.ones((1, d)), np.array([float(actions.size)]), np.eye(d), np.ones(d))


def matchings(actions: Any) -> Hull:
    """Row sums 1; column sums 1, or at most 1 if there are more columns than rows."""
    k = actions.size
    m = actions.dimension // k
    rows, columns = np.kron(np.eye(k), np.ones(m)), np.kron(np.ones(k), np.eye(m))
    if k == m:
        return Hull(np.vstack([rows, columns]), np.ones(k + m))
    return Hull(rows, np.ones(k), columns, np.ones(m))


def forests(actions: Any) -> Hull:
    """Sum k; in every set U of vertices at most |U| − 1 edges."""
    graph, n = actions.graph, actions.graph.n_vertices
    sets = [list(chosen) for count in range(2, n + 1) for chosen in combinations(range(n), count)]
    inside = np.zeros((len(sets), n), dtype=bool)
    for row, chosen in zip(inside, sets, strict=True):
        row[chosen] = True
    edges = (inside[:, graph.tails] & inside[:, graph.heads]).astype(np.float64)
    sizes = np.array([len(chosen) - 1.0 for chosen in sets])
    return Hull(np.ones((1, actions.dimension)), np.array([float(actions.size)]), edges, sizes)


def flows(actions: Any) -> Hull:
    """Flows of one unit; every edge must lie on a path. Compact partitions are an image of them."""
    paths = getattr(actions, "paths", actions)
    graph = paths.graph
    E, n = graph.head.size, len(graph.vertices)
    signs = np.concatenate([np.ones(E), -np.ones(E)])
    places = np.concatenate([graph.tail, graph.head]), np.concatenate([graph.edge, graph.edge])
    balance = csr_array((signs, places), shape=(n, E))
    right = np.zeros(n)
    right[0], right[-1] = 1.0, -1.0
    if not getattr(actions, "is_compact", False):
        return Hull(balance, right)
    compact = [part * (actions.total + 1) + after - before for part, before, after in paths.labels]
    image = csr_array((np.ones(E), (compact, np.arange(E))), shape=(actions.dimension, E))
    return Hull(balance, right, image=image)


def _problem(hull: Hull, goal: Callable[[Any, Any], Any]) -> Callable[[Vector], Vector]:
    """Compile a problem once; the function returned solves it for one vector."""
    x = cp.Variable(hull.equal.shape[1], nonneg=True)
    point = x if hull.image is None else hull.image @ x
    weights = cp.Parameter(point.shape[0])
    constraints = [hull.equal @ x == hull.equal_to]
    if hull.at_most is not None:
        constraints.append(hull.at_most @ x <= hull.bound)
    problem = cp.Problem(cp.Maximize(goal(point, weights)), constraints)

    def solve(values: Vector) -> Vector:
        weights.value = values
        problem.solve(solver=cp.CLARABEL)
        return np.asarray(point.value)

    return solve


def maximise(hull: Hull) -> Callable[[Vector], Vector]:
    """Return the linear problem: weights · x."""
    return _problem(hull, lambda x, weights: weights @ x)


def project(hull: Hull) -> Callable[[Vector], Vector]:
    """Return the projection: the least Σ x log(x/w) − x for log-weights."""
    return _problem(hull, lambda x, log_weights: cp.sum(cp.entr(x)) + log_weights @ x + cp.sum(x))
