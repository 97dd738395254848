"""What both slow simulations are made of: plain lists, a projection by its optimality conditions, one learner, one estimate.

Nothing here is shared with the library: plain Python and dense NumPy, written from the paper and from the docstrings.
"""

import math
from dataclasses import dataclass, field
from itertools import combinations, permutations
from types import SimpleNamespace

import numpy as np
import pytest


@dataclass
class PlainSet:
    """A list of actions and the inequalities of its hull: Ax = b, Cx ≤ e, x ≥ 0."""

    rows: np.ndarray
    A: np.ndarray
    b: np.ndarray
    C: np.ndarray
    e: np.ndarray

    @property
    def is_uniform(self) -> bool:
        """Tell whether all actions have one size."""
        return len({int(row.sum()) for row in self.rows}) == 1

    @property
    def size(self) -> int:
        """Return m."""
        return int(self.rows.sum(axis=1).max())

    @property
    def rank(self) -> int:
        """Return the dimension of span(A)."""
        return int(np.linalg.matrix_rank(self.rows))

    def span_part(self, vector: np.ndarray) -> np.ndarray:
        """Return the projection onto span(A)."""
        return np.linalg.pinv(self.rows) @ (self.rows @ vector)

    def best(self, weights: np.ndarray) -> np.ndarray:
        """Return the action of largest total weight."""
        return self.rows[int(np.argmax(self.rows @ weights))]

    def diameter(self, first: np.ndarray) -> float:
        """Return m log(d/m), or the largest divergence of an action from the start where sizes differ."""
        d = self.rows.shape[1]
        if self.is_uniform:
            return self.size * math.log(d / self.size)
        return float(max(row @ (-1.0 - np.log(first)) for row in self.rows) + first.sum())

    def project(self, log_w: np.ndarray) -> np.ndarray:
        """Minimise Σ x log(x/w) − x + w over the hull: the conditions of Karush, Kuhn and Tucker, by an active set."""
        active: list[int] = []
        for _ in range(200):
            G = np.vstack([self.A, self.C[active]])
            x, prices = _scaled(log_w, G, np.append(self.b, self.e[active]))
            signs = prices[len(self.b) :]
            if signs.size and signs.max() > 1e-10:
                del active[int(signs.argmax())]
                continue
            excess = self.C @ x - self.e if len(self.e) else np.zeros(0)
            if not excess.size or excess.max() <= 1e-12:
                return x
            active.append(int(excess.argmax()))
        raise AssertionError("no active set was found")


def _scaled(log_w: np.ndarray, G: np.ndarray, h: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Find x = w exp(Gᵀλ) with Gx = h, by Newton's method on the dual Σ x − λ·h."""
    prices = -np.linalg.lstsq(G.T, log_w)[0]

    def dual(given: np.ndarray) -> float:
        with np.errstate(over="ignore"):
            return float(np.exp(log_w + given @ G).sum() - given @ h)

    for _ in range(3000):
        x = np.exp(log_w + prices @ G)
        residual = G @ x - h
        if np.abs(residual).max() <= 1e-14:
            break
        H = (G * x) @ G.T
        root = np.sqrt(np.diag(H))
        step = -np.linalg.lstsq(H / np.outer(root, root), residual / root, rcond=1e-13)[0] / root
        share = 1.0
        is_near = np.abs(residual).max() < 1e-6
        while (
            not is_near
            and share > 1e-30
            and dual(prices + share * step) > dual(prices) + 1e-4 * share * float(residual @ step)
        ):
            share /= 2.0
        prices = prices + share * step
    x = np.exp(log_w + prices @ G)
    assert np.abs(G @ x - h).max() <= 1e-11
    return x, prices


def m_sets(d: int, m: int) -> PlainSet:
    """List the sets of m elements."""
    rows = np.array([[int(i in chosen) for i in range(d)] for chosen in combinations(range(d), m)])
    return PlainSet(rows, np.ones((1, d)), np.array([float(m)]), np.eye(d), np.ones(d))


def matchings(n: int) -> PlainSet:
    """List the permutation matrices."""
    rows = np.array([np.eye(n, dtype=int)[list(order)].ravel() for order in permutations(range(n))])
    lines = np.array([np.eye(n)[i][:, None] * np.ones((1, n)) for i in range(n)]).reshape(n, -1)
    columns = np.array([np.ones((n, 1)) * np.eye(n)[j] for j in range(n)]).reshape(n, -1)
    none = np.zeros((0, n * n))
    return PlainSet(rows, np.vstack([lines, columns]), np.ones(2 * n), none, np.zeros(0))


def paths(edges: list[tuple[int, int]], source: int, sink: int) -> PlainSet:
    """List the paths of a graph whose edges go from lower to higher numbers; its hull are the unit flows."""
    found: list[list[int]] = []

    def walk(at: int, taken: list[int]) -> None:
        if at == sink:
            found.append(taken)
        for index, (tail, head) in enumerate(edges):
            if tail == at:
                walk(head, [*taken, index])

    walk(source, [])
    rows = np.array([[int(i in taken) for i in range(len(edges))] for taken in found])
    inner = sorted({vertex for edge in edges for vertex in edge} - {source, sink})
    flow = [[float(head == v) - float(tail == v) for tail, head in edges] for v in inner]
    out = [[float(tail == source) for tail, _ in edges]]
    b = np.append(np.zeros(len(inner)), 1.0)
    return PlainSet(rows, np.array(flow + out), b, np.zeros((0, len(edges))), np.zeros(0))


def trees(edges: list[tuple[int, int]], n: int) -> PlainSet:
    """List the spanning trees: no set S of vertices has more than |S| − 1 edges."""

    def joins(chosen: tuple[int, ...]) -> bool:
        group = list(range(n))
        for index in chosen:
            tail, head = edges[index]
            group = [group[tail] if g == group[head] else g for g in group]
        return len(set(group)) == 1

    listed = [chosen for chosen in combinations(range(len(edges)), n - 1) if joins(chosen)]
    rows = np.array([[int(i in chosen) for i in range(len(edges))] for chosen in listed])
    groups = [set(S) for k in range(2, n) for S in combinations(range(n), k)]
    C = np.array([[float(tail in S and head in S) for tail, head in edges] for S in groups])
    e = np.array([len(S) - 1.0 for S in groups])
    return PlainSet(rows, np.ones((1, len(edges))), np.array([n - 1.0]), C, e)


@dataclass
class Learner:
    """Algorithm 2: one point that moves at the end of each meta-day; with the step of D17, or a fixed one."""

    plain: PlainSet
    rate: float
    is_adaptive: bool
    keep: float = 1.0
    seen_noise: list[float] = field(default_factory=list)

    def __post_init__(self) -> None:
        self.begin()

    def begin(self) -> None:
        """Begin an interval; only the memory of the noise is kept."""
        self.first = self.plain.project(np.zeros(self.plain.rows.shape[1]))
        self.point = self.first.copy()
        self.forget()

    def forget(self) -> None:
        """Begin an interval where the last one ended."""
        d = self.plain.rows.shape[1]
        self.score, self.aggregate = np.zeros(d), np.zeros(d)
        self.variation, self.n_updates = 0.0, 0

    def move(self, seen: np.ndarray) -> None:
        """End a meta-day with the last of its estimates."""
        X = self.aggregate + seen
        centre = self.point @ X / self.point.sum() if self.plain.is_uniform else 0.0
        v = float(self.point @ (X - centre) ** 2)
        self.seen_noise.append(v)
        self.variation = self.keep * self.variation + v
        self.score = self.keep * self.score + X
        if self.is_adaptive:
            noise = self.variation + float(np.mean(self.seen_noise))
            eta = self.rate * math.sqrt(self.plain.diameter(self.first) / noise) if noise > 0.0 else 0.0
            self.point = self.plain.project(np.log(self.first) + eta * self.score)
        else:
            self.point = self.plain.project(np.log(self.point) + self.rate * X)
        self.aggregate = np.zeros_like(X)
        self.n_updates += 1


@dataclass
class Estimates:
    """R̃ from what is seen, with the prediction R̂ (D19)."""

    feedback: str
    step: float
    dimension: int
    n_seen: int = 0
    noise: float = 0.0

    def __post_init__(self) -> None:
        self.guess = np.zeros(self.dimension)

    def make(self, rows: np.ndarray, chances: np.ndarray, action: np.ndarray, vector: np.ndarray) -> np.ndarray:
        """Return R̃ of a day whose action was drawn from a policy; ``vector`` is read as far as it is seen."""
        if self.feedback == "full":
            return vector
        self.n_seen += 1
        forget = max(0.002, 1.0 / self.n_seen)
        if self.feedback == "semi-bandit":
            mean = chances @ rows
            self.noise += forget * (np.mean((vector - self.guess)[action > 0] ** 2) - self.noise)
            estimate = self.guess + np.where(action > 0, (vector - self.guess) / np.where(mean > 0, mean, 1.0), 0.0)
            self.guess = self.guess + self.step * (vector - self.guess) * action
            return estimate
        surprise = float(vector @ action - self.guess @ action)
        sigma = (rows.T * chances) @ rows
        estimate = self.guess + surprise * np.linalg.pinv(sigma, rcond=1e-11, hermitian=True) @ action
        self.guess = self.guess + self.step * surprise * action / action.sum()
        self.noise += forget * (surprise**2 - self.noise)
        return estimate


@pytest.fixture(scope="session")
def literal() -> SimpleNamespace:
    """Hand out what the simulations are made of."""
    parts = (m_sets, matchings, paths, trees, Learner, Estimates)
    return SimpleNamespace(**{part.__name__: part for part in parts})
