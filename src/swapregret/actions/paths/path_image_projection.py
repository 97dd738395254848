r"""KL projection onto the image of the flows of a graph, where edges that mean the same are one coordinate.

With A the 0/1 matrix that adds up the edges of each coordinate, solve

.. math:: \min_{x \ge 0}\ \sum_c y_c \log\frac{y_c}{w_c} - y_c, \qquad y = Ax,\quad x \text{ a flow of one unit},

by a primal-dual interior point method with Mehrotra's corrector. The second derivative is diagonal plus one rank-one term a
coordinate, so each step costs one dense Cholesky factor of the size of the vertices. Unlike on the flows themselves, some
edges of the best flow are empty, and Newton's method on potentials alone does not apply.
"""

import numpy as np
import numpy.typing as npt
import scipy

from swapregret.actions.paths.directed import Digraph
from swapregret.actions.paths.kernels.dag import best_value
from swapregret.arrays import Vector

_CENTRE = 1e-2
_FALL = 0.8
_RISE = 4.0
_BOUNDARY = 0.995
_MAX_STEPS = 100


def project_image(
    graph: Digraph, image: npt.NDArray[np.int64], log_weights: Vector, flow: Vector, tolerance: float
) -> tuple[Vector, int] | None:
    """Find the flow whose image is nearest to exp(log_weights), and the number of steps; None where rounding stops it early.

    ``image`` (n_usable,) is the coordinate of each usable edge, every one of 0..c-1 having one; ``flow`` uses every edge, to
    start from. Steps end when the gap, an upper bound on the distance of the divergence from its minimum, is at most the
    tolerance. A step shortens no coordinate by more than 80 % nor makes it more than five times as large: the logarithm is linear
    only so far. 6 to 30 steps, each O(|V|³ + |V|² c).
    """
    with np.errstate(all="ignore"):  # a step that leaves the range of floats is caught below
        return _iterate(_Problem(graph, image, log_weights), flow, tolerance)


def _iterate(problem: "_Problem", x: Vector, tolerance: float) -> tuple[Vector, int] | None:
    gradient = problem.gradient(x)
    potential = problem.shortest(gradient)
    z = problem.reduced(gradient, potential)
    z = np.maximum(z, 0.1 * float(np.mean(x * np.maximum(z, 1e-3))) / x)
    for step in range(_MAX_STEPS):
        gradient = problem.gradient(x)
        if float(gradient @ x) + problem.best(-gradient) <= tolerance:
            return x, step
        mu = float(np.mean(x * z))
        residual = problem.reduced(gradient, potential) - z
        try:
            newton = _Newton(problem, x, x / z)
            dx, _ = newton.solve(-residual - z)
            dz = -z - z / x * dx
            length = min(1.0, _room(x, dx), _room(z, dz))
            mu_after = float(np.mean((x + length * dx) * (z + length * dz)))
            product = max((mu_after / mu) ** 3, _CENTRE) * mu - dx * dz
            bend = 0.5 * np.clip(newton.change(dx), -1.0, 1.0)[problem.image] ** 2
            dx, dpi = newton.solve(-residual - z + product / x + bend)
        except (np.linalg.LinAlgError, ValueError):
            return None
        dz = (product - x * z - z * dx) / x
        change = newton.change(dx)
        slower = min(_FALL / max(-float(change.min()), 1e-300), _RISE / max(float(change.max()), 1e-300))
        length = min(1.0, _BOUNDARY * _room(x, dx), _BOUNDARY * _room(z, dz), slower)
        x, z, potential = x + length * dx, z + length * dz, potential + length * dpi
        if not (np.isfinite(x).all() and x.min() > 0.0 and z.min() > 0.0):
            return None
    return None


def _room(values: Vector, change: Vector) -> float:
    """Return how far positive values can go along a change before one is 0."""
    falling = change < 0.0
    return float((values[falling] / -change[falling]).min(initial=np.inf))


class _Problem:
    """The objective and its linear constraints."""

    def __init__(self, graph: Digraph, image: npt.NDArray[np.int64], log_weights: Vector) -> None:
        self.graph, self.image, self.log_weights = graph, image, log_weights
        self.n = len(graph.vertices) - 1
        self.n_coordinates = len(log_weights)

    def collect(self, x: Vector) -> Vector:
        return np.asarray(np.bincount(self.image, x, self.n_coordinates))

    def gradient(self, x: Vector) -> Vector:
        return np.asarray((np.log(self.collect(x)) - self.log_weights)[self.image])

    def divergence(self, x: Vector) -> Vector:
        """Return what leaves each vertex but the sink, minus what enters it."""
        graph, n = self.graph, self.n
        return np.asarray((np.bincount(graph.tail, x, n + 1) - np.bincount(graph.head, x, n + 1))[:n])

    def reduced(self, costs: Vector, potential: Vector) -> Vector:
        return np.asarray(costs - (potential[self.graph.tail] - potential[self.graph.head]))

    def best(self, gains: Vector) -> float:
        return best_value(self.graph.start, self.graph.head, gains)

    def shortest(self, costs: Vector) -> Vector:
        """Return the least cost from each vertex to the sink."""
        graph, distance = self.graph, np.zeros(self.n + 1)
        for u in range(self.n - 1, -1, -1):
            out = slice(graph.start[u], graph.start[u + 1])
            distance[u] = (costs[out] + distance[graph.head[out]]).min()
        return distance


class _Newton:
    """The linear system of one step: N (D⁻¹ + Aᵀ diag(1/y) A)⁻¹ Nᵀ, with D = x / z."""

    def __init__(self, problem: _Problem, x: Vector, D: Vector) -> None:
        graph, n, c = problem.graph, problem.n, problem.n_coordinates
        tail, head = graph.tail, graph.head
        self.problem, self.D = problem, D
        self.y = problem.collect(x)
        self.weight = 1.0 / (self.y + problem.collect(D))
        self.missing = -problem.divergence(x)
        self.missing[0] += 1.0
        across = np.bincount(tail * (n + 1) + head, D, (n + 1) ** 2).reshape(n + 1, n + 1)
        around = np.bincount(tail, D, n + 1) + np.bincount(head, D, n + 1)
        grouped = np.bincount(tail * c + problem.image, D, (n + 1) * c) - np.bincount(
            head * c + problem.image, D, (n + 1) * c
        )
        grouped = grouped.reshape(n + 1, c)[:n]
        matrix = np.diag(around[:n]) - across[:n, :n] - across[:n, :n].T - (grouped * self.weight) @ grouped.T
        self.scale = 1.0 / np.sqrt(np.diag(matrix))
        self.factor = scipy.linalg.cho_factor(matrix * self.scale[:, None] * self.scale, lower=True)

    def change(self, dx: Vector) -> Vector:
        """Return the relative change of each coordinate."""
        return np.asarray(self.problem.collect(dx) / self.y)

    def _apply(self, values: Vector) -> Vector:
        """(D⁻¹ + Aᵀ diag(1/y) A)⁻¹, which mixes only edges of the same coordinate."""
        scaled = self.D * values
        return np.asarray(scaled - self.D * (self.problem.collect(scaled) * self.weight)[self.problem.image])

    def solve(self, right: Vector) -> tuple[Vector, Vector]:
        """Return the steps of the flow and of the potentials."""
        graph = self.problem.graph
        needed = self.missing - self.problem.divergence(self._apply(right))
        dpi = np.zeros(self.problem.n + 1)
        dpi[:-1] = self.scale * scipy.linalg.cho_solve((self.factor[0], True), self.scale * needed)
        return self._apply(dpi[graph.tail] - dpi[graph.head] + right), dpi
