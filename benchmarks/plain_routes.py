"""The straightforward route to every operation, with NumPy and SciPy: what one writes in an afternoon.

Each function takes an action set (for its sizes and its graph) and a vector, as the method it stands in for. Nothing here is
certified and some of it is wrong on hard inputs; ``oracles.py`` prints by how much.
"""

from collections.abc import Callable
from typing import Any

import numpy as np
import numpy.typing as npt
from scipy.optimize import linear_sum_assignment, minimize, nnls
from scipy.sparse import csr_array
from scipy.sparse.csgraph import minimum_spanning_tree
from scipy.special import logsumexp

Vector = npt.NDArray[np.float64]
List = tuple[npt.NDArray[Any], Vector]
"""Atoms, one per row, and their weights."""

_SMALL = 1e-12
_SWEEPS = 2_000
_STEPS = 300


def _indicator(dimension: int, chosen: Any) -> npt.NDArray[np.int64]:
    action = np.zeros(dimension, dtype=np.int64)
    action[chosen] = 1
    return action


# ---- m-sets ----------------------------------------------------------------------------------------------------------


def best_subset(actions: Any, weights: Vector) -> npt.NDArray[np.int64]:
    """``argpartition``."""
    return _indicator(actions.dimension, np.argpartition(-weights, actions.size - 1)[: actions.size])


def cap(actions: Any, log_weights: Vector) -> Vector:
    """Sort everything, and cap the largest weights at 1 until the rest fits."""
    order, m = np.argsort(-log_weights), actions.size
    w = np.exp(log_weights[order] - log_weights[order[m - 1]])
    rest = np.cumsum(w[::-1])[::-1]
    scale = (m - np.arange(m)) / rest[:m]
    point = np.empty(actions.dimension)
    point[order] = np.minimum(1.0, scale[np.argmax(scale * w[:m] <= 1.0)] * w)
    return point


def systematic(actions: Any, point: Vector) -> List:
    """Systematic sampling in floats."""
    ends = np.cumsum(point)
    cuts = np.unique(np.concatenate([[0.0], ends % 1.0, [1.0]]))
    needles = 0.5 * (cuts[1:] + cuts[:-1])
    chosen = np.searchsorted(ends, needles[:, None] + np.arange(actions.size))
    atoms = np.zeros((len(needles), actions.dimension), dtype=np.int64)
    atoms[np.arange(len(needles))[:, None], np.minimum(chosen, actions.dimension - 1)] = 1
    return atoms, np.diff(cuts)


def gibbs_subsets(actions: Any, scores: Vector) -> Vector:
    """Elementary symmetric polynomials from both ends, in logarithms."""
    d, m = actions.dimension, actions.size
    before = np.full((d + 1, m + 1), -np.inf)
    after = np.full((d + 1, m + 1), -np.inf)
    before[0, 0] = after[d, 0] = 0.0
    for i in range(d):
        before[i + 1] = before[i]
        before[i + 1, 1:] = np.logaddexp(before[i, 1:], before[i, :-1] + scores[i])
    for i in range(d - 1, -1, -1):
        after[i] = after[i + 1]
        after[i, 1:] = np.logaddexp(after[i + 1, 1:], after[i + 1, :-1] + scores[i])
    with_i = logsumexp(before[:-1, :m] + after[1:, m - 1 :: -1][:, :m], axis=1) + scores
    return np.exp(with_i - before[d, m])


# ---- matchings -------------------------------------------------------------------------------------------------------


def _shape(actions: Any) -> tuple[int, int]:
    return actions.size, actions.dimension // actions.size


def assignment(actions: Any, weights: Vector) -> npt.NDArray[np.int64]:
    """``scipy.optimize.linear_sum_assignment``."""
    k, m = _shape(actions)
    rows, columns = linear_sum_assignment(weights.reshape(k, m), maximize=True)
    return _indicator(actions.dimension, rows * m + columns)


def sinkhorn(actions: Any, log_weights: Vector) -> Vector:
    """Sinkhorn's sweeps in the log domain, 2,000 at most; columns may stay below 1 if there are more than rows."""
    k, m = _shape(actions)
    s = log_weights.reshape(k, m)
    v = np.zeros(m)
    x = s
    for _ in range(_SWEEPS):
        u = logsumexp(s - v, axis=1, keepdims=True)
        x = np.exp(s - u - v)
        full = logsumexp(s - u, axis=0)
        new = full if k == m else np.maximum(full, 0.0)
        if np.abs(new - v).max() <= _SMALL:
            break
        v = new
    return np.asarray(x).reshape(-1)


def birkhoff(actions: Any, point: Vector) -> List:
    """Take off matchings found by ``linear_sum_assignment`` on what is positive; dummy rows fill up the columns."""
    k, m = _shape(actions)
    table = point.reshape(k, m)
    if k < m:
        table = np.vstack([table, np.tile((1.0 - table.sum(axis=0)) / (m - k), (m - k, 1))])
    left = table.copy()
    atoms, weights = [], []
    while True:
        rows, columns = linear_sum_assignment(left > _SMALL, maximize=True)
        step = float(left[rows, columns].min())
        if step <= _SMALL:
            return np.array(atoms), np.array(weights)
        left[rows, columns] -= step
        atoms.append(_indicator(k * m, rows[:k] * m + columns[:k]))
        weights.append(step)


def gibbs_permutations(actions: Any, scores: Vector) -> Vector:
    """Sum over subsets of columns in a Python loop."""
    n = actions.n
    w = np.exp(scores.reshape(n, n)).tolist()
    full = (1 << n) - 1
    ahead, behind = [0.0] * (full + 1), [0.0] * (full + 1)
    ahead[0] = behind[full] = 1.0
    for mask in range(full):
        row = mask.bit_count()
        for j in range(n):
            if not mask >> j & 1:
                ahead[mask | 1 << j] += ahead[mask] * w[row][j]
    x = np.zeros((n, n))
    for mask in range(full - 1, -1, -1):
        row = mask.bit_count()
        for j in range(n):
            if not mask >> j & 1:
                term = w[row][j] * behind[mask | 1 << j]
                behind[mask] += term
                x[row, j] += ahead[mask] * term
    return x.reshape(-1) / ahead[full]


# ---- trees and forests -----------------------------------------------------------------------------------------------


def scipy_tree(actions: Any, weights: Vector) -> npt.NDArray[np.int64]:
    """``scipy.sparse.csgraph.minimum_spanning_tree`` on positive costs (no parallel edges)."""
    graph, n = actions.graph, actions.graph.n_vertices
    costs = weights.max() + 1.0 - weights
    tree = minimum_spanning_tree(csr_array((costs, (graph.tails, graph.heads)), shape=(n, n))).tocoo()
    keys = graph.tails * n + graph.heads
    order = np.argsort(keys)
    return _indicator(actions.dimension, order[np.searchsorted(keys[order], tree.row * n + tree.col)])


def kruskal(actions: Any, weights: Vector) -> npt.NDArray[np.int64]:
    """Kruskal's rule in Python."""
    tails, heads = actions.graph.tails.tolist(), actions.graph.heads.tolist()
    parent = list(range(actions.graph.n_vertices))

    def root(vertex: int) -> int:
        while parent[vertex] != vertex:
            parent[vertex] = vertex = parent[parent[vertex]]
        return vertex

    chosen: list[int] = []
    for edge in np.argsort(-weights, kind="stable").tolist():
        u, v = root(tails[edge]), root(heads[edge])
        if u != v:
            parent[u] = v
            chosen.append(edge)
            if len(chosen) == actions.size:
                break
    return _indicator(actions.dimension, chosen)


def gibbs_trees(actions: Any, scores: Vector) -> Vector:
    """Weight times effective resistance, from the pseudo-inverse of the Laplacian."""
    graph, n = actions.graph, actions.graph.n_vertices
    w = np.exp(scores)
    laplacian = np.zeros((n, n))
    np.add.at(laplacian, (graph.tails, graph.heads), -w)
    laplacian += laplacian.T
    np.fill_diagonal(laplacian, -laplacian.sum(axis=1))
    inverse = np.linalg.pinv(laplacian)
    diagonal = inverse.diagonal()
    return w * (diagonal[graph.tails] + diagonal[graph.heads] - 2.0 * inverse[graph.tails, graph.heads])


# ---- paths and partitions --------------------------------------------------------------------------------------------


def _paths(actions: Any) -> Any:
    return getattr(actions, "paths", actions).graph


def longest_path(actions: Any, weights: Vector) -> npt.NDArray[np.int64]:
    """Dynamic programming in Python."""
    graph = _paths(actions)
    start, head, edge = graph.start.tolist(), graph.head.tolist(), graph.edge.tolist()
    w = weights.tolist()
    last = len(start) - 2
    value, choice = [0.0] * (last + 1), [0] * (last + 1)
    for u in range(last - 1, -1, -1):
        choice[u] = max(range(start[u], start[u + 1]), key=lambda k: w[edge[k]] + value[head[k]])
        value[u] = w[edge[choice[u]]] + value[head[choice[u]]]
    chosen, u = [], 0
    while u != last:
        chosen.append(edge[choice[u]])
        u = head[choice[u]]
    return _indicator(actions.dimension, chosen)


def potentials(actions: Any, log_weights: Vector) -> Vector:
    """``scipy.optimize.minimize`` (L-BFGS) on the potentials of the vertices."""
    graph = _paths(actions)
    s, n = log_weights[graph.edge], len(graph.vertices)

    def dual(potential: Vector) -> tuple[float, Vector]:
        x = np.exp(np.minimum(s + potential[graph.tail] - potential[graph.head], 300.0))
        gradient = np.bincount(graph.tail, x, n) - np.bincount(graph.head, x, n)
        gradient[0] -= 1.0
        gradient[-1] += 1.0
        return float(x.sum() - potential[0] + potential[-1]), gradient

    found = minimize(dual, np.zeros(n), jac=True, method="L-BFGS-B", options={"maxiter": _SWEEPS, "ftol": 0.0}).x
    point = np.zeros(actions.dimension)
    point[graph.edge] = np.exp(np.minimum(s + found[graph.tail] - found[graph.head], 300.0))
    return point


def strip(actions: Any, point: Vector) -> List:
    """Take paths off the flow in Python, in floats."""
    graph = _paths(actions)
    start, head, edge = graph.start.tolist(), graph.head.tolist(), graph.edge.tolist()
    left = point[graph.edge].tolist()
    last = len(start) - 2
    atoms, weights = [], []
    while True:
        walk, u = [], 0
        while u != last:
            k = max(range(start[u], start[u + 1]), key=left.__getitem__)
            walk.append(k)
            u = head[k]
        step = min(left[k] for k in walk)
        if step <= _SMALL:
            return np.array(atoms), np.array(weights)
        for k in walk:
            left[k] -= step
        atoms.append(_indicator(actions.dimension, [edge[k] for k in walk]))
        weights.append(step)


def gibbs_paths(actions: Any, scores: Vector) -> Vector:
    """Weights of all paths from both ends, vertex by vertex in NumPy."""
    graph = _paths(actions)
    start, s, n = graph.start, scores[graph.edge], len(graph.vertices)
    ahead, flow = np.zeros(n), np.zeros(n)
    for u in range(n - 2, -1, -1):
        out = slice(start[u], start[u + 1])
        ahead[u] = logsumexp(s[out] + ahead[graph.head[out]])
    flow[0] = 1.0
    x = np.zeros(actions.dimension)
    for u in range(n - 1):
        out = slice(start[u], start[u + 1])
        part = flow[u] * np.exp(s[out] + ahead[graph.head[out]] - ahead[u])
        x[graph.edge[out]] = part
        np.add.at(flow, graph.head[out], part)
    return x


def best_amounts(actions: Any, weights: Vector) -> npt.NDArray[np.int64]:
    """Compact partitions: dynamic programming over what is left, in Python."""
    n, k = actions.total, actions.parts
    w = weights.reshape(k, n + 1).tolist()
    value = w[-1][:]
    choices = []
    for part in range(k - 2, -1, -1):
        choice = [max(range(left + 1), key=lambda a: w[part][a] + value[left - a]) for left in range(n + 1)]
        value = [w[part][a] + value[left - a] for left, a in enumerate(choice)]
        choices.append(choice)
    left, chosen = n, []
    for part, choice in enumerate(reversed(choices)):
        chosen.append(part * (n + 1) + choice[left])
        left -= choice[left]
    return _indicator(actions.dimension, [*chosen, (k - 1) * (n + 1) + left])


# ---- anything with an oracle -----------------------------------------------------------------------------------------


def frank_wolfe(oracle: Callable[[Any, Vector], npt.NDArray[np.int64]]) -> Callable[[Any, Vector], Vector]:
    """Return a projection by 300 steps of Frank and Wolfe."""

    def project(actions: Any, log_weights: Vector) -> Vector:
        x = oracle(actions, log_weights).astype(np.float64)
        for t in range(_STEPS):
            gradient = np.log(np.maximum(x, 1e-300)) - log_weights
            x += 2.0 / (t + 2.0) * (oracle(actions, -gradient) - x)
        return x

    return project


def columns(oracle: Callable[[Any, Vector], npt.NDArray[np.int64]]) -> Callable[[Any, Vector], List]:
    """Return a decomposition by column generation: non-negative least squares over the actions found so far."""

    def decompose(actions: Any, point: Vector) -> List:
        atoms = [oracle(actions, point)]
        while True:
            table = np.array(atoms, dtype=np.float64)
            weights, distance = nnls(table.T, point)
            new = oracle(actions, point - weights @ table)
            if distance <= 1e-9 or any(np.array_equal(new, atom) for atom in atoms):
                return np.array(atoms), weights
            atoms.append(new)

    return decompose


def listed_moment(listed: List, vector: Vector) -> Vector:
    """E[M (M·v)] from the table of atoms."""
    atoms, weights = listed
    return atoms.T @ (weights * (atoms @ vector))
