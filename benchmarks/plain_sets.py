r"""Three sets as one writes them with NumPy and SciPy: a projection, a list of atoms, a policy to explore with.

Each is made from a set of the library, for its sizes and its graph; nothing is compiled or certified. The points they find
agree with the library's to about 1e-10.
"""

from typing import Any, Protocol

import numpy as np
import numpy.typing as npt
import plain_routes as plain
from plain_routes import List, Vector

from swapregret.arrays import Matrix

_SUMS = 1e-11
_SWEEPS = 100
_MOST_STEPS = 500
_LONGEST = 3.0


class PlainSet(Protocol):
    """What the reference learner asks of a set."""

    dimension: int
    explore_moment: Matrix
    """E[M Mᵀ] of the exploration policy."""
    independent: npt.NDArray[np.int64]
    """Coordinates that determine an action, as many as the rank."""

    def project(self, log_weights: Vector) -> Vector:
        """Return the point of conv(A) nearest to exp(log_weights) in relative entropy."""

    def decompose(self, point: Vector) -> List:
        """Return actions, one per row, and weights whose mean is the point."""

    def explore(self, rng: np.random.Generator) -> Vector:
        """Draw an action from the exploration policy."""


class PlainSubsets:
    """All ways to choose m of d elements; explored uniformly."""

    def __init__(self, actions: Any) -> None:
        self.actions, self.dimension, self.size = actions, actions.dimension, actions.size
        single, pair = self.size / self.dimension, self.size * (self.size - 1) / (self.dimension * (self.dimension - 1))
        self.explore_moment: Matrix = np.full((self.dimension, self.dimension), pair)
        np.fill_diagonal(self.explore_moment, single)
        self.independent = np.arange(self.dimension)

    def project(self, log_weights: Vector) -> Vector:
        """Sort, and cap the largest weights at 1 until the rest fits."""
        return plain.cap(self.actions, log_weights)

    def decompose(self, point: Vector) -> List:
        """Sample systematically: m needles at equal distances on a line of length m."""
        return plain.systematic(self.actions, point)

    def explore(self, rng: np.random.Generator) -> Vector:
        """Draw m of d without replacement."""
        action = np.zeros(self.dimension)
        action[rng.choice(self.dimension, self.size, replace=False)] = 1.0
        return action


class PlainMatchings:
    """Permutations of n things, as n × n matrices row by row; explored uniformly."""

    def __init__(self, actions: Any) -> None:
        self.actions, self.dimension, n = actions, actions.dimension, actions.n
        self.n = n
        same = np.eye(n)
        other = 1.0 - same
        pairs = np.einsum("ik,jl->ijkl", other, other) / (n * (n - 1)) + np.einsum("ik,jl->ijkl", same, same) / n
        self.explore_moment: Matrix = pairs.reshape(n * n, n * n)
        index = np.arange(n * n).reshape(n, n)
        self.independent = np.concatenate([index[0], index[1 : n - 1, : n - 1].reshape(-1)])

    def project(self, log_weights: Vector) -> Vector:
        """Scale rows and columns in turn (Sinkhorn); where that is slow, Newton's method on the prices of the columns."""
        table = log_weights.reshape(self.n, self.n)
        kernel = np.exp(table - table.max(axis=1, keepdims=True))
        columns = np.ones(self.n)
        for _ in range(_SWEEPS):
            rows = 1.0 / (kernel @ columns)
            sums = rows @ kernel
            if np.abs(sums * columns - 1.0).max() < _SUMS:
                return np.asarray(rows[:, None] * kernel * columns).reshape(-1)
            columns = 1.0 / sums
        return self._newton(table, np.log(columns)).reshape(-1)

    def _newton(self, table: Matrix, prices: Vector) -> Matrix:
        for _ in range(_MOST_STEPS):
            raised = table + prices
            raised -= raised.max(axis=1, keepdims=True)
            x = np.exp(raised)
            x /= x.sum(axis=1, keepdims=True)
            sums = x.sum(axis=0)
            if np.abs(sums - 1.0).max() < _SUMS:
                break
            step = _solve((np.diag(sums) - x.T @ x)[1:, 1:], 1.0 - sums[1:])
            prices[1:] += step * min(1.0, _LONGEST / np.abs(step).max())
        return x

    def decompose(self, point: Vector) -> List:
        """Take off one matching of what is left after another (Birkhoff)."""
        return plain.birkhoff(self.actions, point)

    def explore(self, rng: np.random.Generator) -> Vector:
        """Draw a permutation."""
        return np.eye(self.n)[rng.permutation(self.n)].reshape(-1)


class PlainPaths:
    """Paths in an acyclic graph; explored by the Markov chain of the flow that the library explores with, every edge positive."""

    def __init__(self, actions: Any) -> None:
        self.actions, flow = actions, actions.exploration_policy().marginals()
        tails, heads = (
            actions.graph.tail,
            actions.graph.head,
        )  # in topological order, 0 the source and the last the sink
        self.heads = heads
        self.dimension, n = len(tails), int(heads.max()) + 1
        self.incidence = np.zeros((n, self.dimension))
        self.incidence[tails, np.arange(self.dimension)] = 1.0
        self.incidence[heads, np.arange(self.dimension)] -= 1.0
        self.out = [np.flatnonzero(tails == u) for u in range(n - 1)]
        first = {int(edges[0]) for edges in self.out[1:]}
        self.independent = np.array([e for e in range(self.dimension) if e not in first])
        visits = np.bincount(tails, flow, n)
        self.chance = flow / visits[tails]
        steps = np.zeros((n, n))
        np.add.at(steps, (tails, heads), self.chance)
        reach = np.linalg.inv(np.eye(n) - steps)
        later = flow[:, None] * reach[np.ix_(heads, tails)] * self.chance
        self.explore_moment: Matrix = later + later.T + np.diag(flow)

    def project(self, log_weights: Vector) -> Vector:
        """Newton's method on the potentials of the vertices, with steps of bounded length."""
        balance = self.incidence[:-1]
        wanted = np.zeros(len(balance))
        wanted[0] = 1.0
        log_flow = log_weights - log_weights.max()
        for _ in range(_MOST_STEPS):
            flow = np.exp(np.minimum(log_flow, 50.0))
            missing = wanted - balance @ flow
            if np.abs(missing).max() < _SUMS:
                break
            change = _solve((balance * flow) @ balance.T, missing) @ balance
            log_flow += change * min(1.0, _LONGEST / np.abs(change).max())
        return np.asarray(flow)

    def decompose(self, point: Vector) -> List:
        """Follow the largest flow left out of every vertex, and take it off."""
        return plain.strip(self.actions, point)

    def explore(self, rng: np.random.Generator) -> Vector:
        """Walk the chain."""
        action = np.zeros(self.dimension)
        u = 0
        while u != len(self.out):
            edges = self.out[u]
            chosen = edges[min(int(np.searchsorted(self.chance[edges].cumsum(), rng.random())), len(edges) - 1)]
            action[chosen] = 1.0
            u = int(self.heads[chosen])
        return action


def _solve(curvature: Matrix, missing: Vector) -> Vector:
    """Return the step of Newton's method, found on a matrix that is scaled to have ones on its diagonal."""
    scale = 1.0 / np.sqrt(np.maximum(curvature.diagonal(), 1e-300))
    scaled = curvature * scale[:, None] * scale + 1e-13 * np.eye(len(missing))
    return np.asarray(scale * np.linalg.solve(scaled, scale * missing))
