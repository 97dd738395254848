r"""Kullback–Leibler projection onto conv(A), given only the oracle (Algorithm 2, line 9).

Wolfe's scheme with Newton steps: keep affinely independent actions with positive weights, minimise the divergence over
their convex hull by Newton's method in the weights, then add the action most opposed to the gradient. Every coordinate of
the point is a sum of positive weights, so coordinates of size :math:`e^{-60}` keep their relative accuracy.

May touch: ``errors``, ``arrays``, ``geometry.oracle``.
"""

from dataclasses import dataclass

import numpy as np
import scipy.linalg

from swapregret.arrays import Action, Matrix, Vector, as_vector, frozen
from swapregret.errors import InvalidInput, NotConverged
from swapregret.geometry.oracle import LinearOracle

__all__ = ["Projection", "kl_gap", "project_kl"]

_ACCEPTABLE = 1e-6
_FRACTION = 0.9


@dataclass(frozen=True, eq=False)
class Projection:
    """The projected point and the proof that it is nearly optimal.

    Attributes
    ----------
    point : array, shape (d,)
        x in conv(A): the paper's m·q.
    log_point : array, shape (d,)
        log x; −∞ at coordinates no action has.
    gap : float
        An upper bound on how far the divergence at x lies above its minimum.
    n_iterations : int
        Steps taken.
    """

    point: Vector
    log_point: Vector
    gap: float
    n_iterations: int

    def __post_init__(self) -> None:
        frozen(self.point)
        frozen(self.log_point)


def kl_gap(oracle: LinearOracle, log_weights: Vector, log_point: Vector) -> float:
    r"""Certify a projection with one oracle call.

    .. math:: \max_{M \in \mathcal A}\ g\cdot x - g\cdot M, \qquad g = \log x - \log w,

    bounds how far the unnormalised divergence at x lies above its minimum over conv(A). Coordinates with x = 0, which
    must be 0 in every action, are left out.

    Examples
    --------
    >>> class Line:
    ...     dimension = 2
    ...     def argmax(self, weights):
    ...         return (np.arange(2) == np.argmax(weights)).astype(np.int64)
    >>> kl_gap(Line(), np.zeros(2), np.log([.5, .5]))
    0.0
    """
    w = as_vector(log_weights, oracle.dimension, "log_weights")
    inside = np.isfinite(log_point)
    g = np.zeros(oracle.dimension)
    g[inside] = log_point[inside] - w[inside]
    action = oracle.argmax(-g)
    if action[~inside].any():
        return np.inf
    x = np.exp(log_point)
    return max(float(g @ (x - action)), 0.0)


def project_kl(
    oracle: LinearOracle, log_weights: Vector, tolerance: float = 1e-9, *, max_iterations: int | None = None
) -> Projection:
    r"""Project weights onto conv(A) in unnormalised Kullback–Leibler divergence.

    .. math:: \min_{x \in \mathrm{conv}(\mathcal A)} \sum_i x_i \log\frac{x_i}{w_i} - x_i + w_i.

    Parameters
    ----------
    oracle : LinearOracle
    log_weights : array, shape (d,)
        log w, finite.
    tolerance : float
        Stop when the gap is at most this.
    max_iterations : int, optional
        Newton steps allowed; by default 400 + 40 d.

    Returns
    -------
    Projection

    Raises
    ------
    NotConverged
        If the gap cannot be brought below 1e-6 (or the tolerance, if larger).

    Examples
    --------
    >>> class Line:
    ...     dimension = 2
    ...     def argmax(self, weights):
    ...         return (np.arange(2) == np.argmax(weights)).astype(np.int64)
    >>> project_kl(Line(), np.log([1., 3.])).point.round(12)
    array([0.25, 0.75])
    """
    d = oracle.dimension
    w = as_vector(log_weights, d, "log_weights")
    if not tolerance > 0.0:
        raise InvalidInput("`tolerance` must be positive", repr(tolerance), "Use 1e-9.")
    limit = 400 + 40 * d if max_iterations is None else max_iterations
    atoms, inside = _cover(oracle, w)
    lam = np.full(len(atoms), 1.0 / len(atoms))
    state = _State(atoms[:, inside].astype(np.float64), lam, w[inside])
    best_gap, best_x = np.inf, state.x
    n, failures = 0, 0
    while n < limit:
        inner = _settle(state, limit - n, max(0.25 * tolerance, 1e-3 * min(best_gap, 1.0)))
        n += max(inner, 1)
        g = state.gradient()
        ask = np.zeros(d)
        ask[inside] = -g
        action = oracle.argmax(ask)
        row = action[inside].astype(np.float64)
        gap = max(float(g @ (state.x - row)), 0.0)
        failures = failures + 1 if gap >= 0.999 * best_gap else 0
        if gap < best_gap:
            best_gap, best_x = gap, state.x
        if gap <= tolerance or failures > 60 + 2 * d:
            break
        state.add(row)
    if best_gap > max(_ACCEPTABLE, tolerance):
        raise NotConverged(
            f"the certified gap of project_kl must be at most {max(_ACCEPTABLE, tolerance):.1e}",
            f"{best_gap:.3g} after {n} steps",
            "Raise `tolerance` or `max_iterations`, or bring the log-weights closer together.",
        )
    x = np.zeros(d)
    x[inside] = best_x
    log_x = np.full(d, -np.inf)
    log_x[inside] = np.log(best_x)
    return Projection(point=x, log_point=log_x, gap=best_gap, n_iterations=n)


def _cover(oracle: LinearOracle, w: Vector) -> tuple["np.ndarray[tuple[int, int], np.dtype[np.int64]]", Action]:
    """Find actions that together have every coordinate any action has; each brings a new one."""
    d = len(w)
    big = 1.0 + 2.0 * float(np.abs(w - w.mean()).sum())
    rows = [oracle.argmax(w)]
    covered = rows[0] > 0
    for i in range(d):
        if covered[i]:
            continue
        ask = w - w.mean()
        ask[i] += big
        action = oracle.argmax(ask)
        if action[i]:
            rows.append(action)
            covered = covered | (action > 0)
    if not covered.any():
        raise InvalidInput(
            "the set must contain an action other than the zero vector",
            f"a set of dimension {d} whose only action is zero",
            "Leave out sets in which nothing can be chosen.",
        )
    return np.array(rows), np.flatnonzero(covered)


class _State:
    """Actions, their weights, and the point they make."""

    def __init__(self, atoms: Matrix, lam: Vector, w: Vector) -> None:
        self.atoms, self.lam, self.w = atoms, lam, w
        self.x: Vector = lam @ atoms

    def gradient(self) -> Vector:
        return np.asarray(np.log(self.x) - self.w)

    def add(self, row: Vector) -> None:
        if (self.atoms == row).all(axis=1).any():
            return
        self.atoms = np.vstack([self.atoms, row])
        self.lam = np.append(self.lam, 0.0)

    def direction(self, reduced: Vector) -> Vector:
        """Newton's step in the weights, keeping their sum: (G + 11ᵀ) δ = −reduced + μ1, G = A diag(1/x) Aᵀ."""
        H = (self.atoms / self.x) @ self.atoms.T + 1.0
        D = 1.0 / np.sqrt(np.diag(H))
        S = H * D[:, None] * D
        right = np.stack([-reduced * D, D], axis=1)
        try:
            solved = scipy.linalg.cho_solve(scipy.linalg.cho_factor(S, lower=True), right)
        except np.linalg.LinAlgError:
            solved = np.linalg.lstsq(S, right, rcond=1e-13)[0]
        p, q = D * solved[:, 0], D * solved[:, 1]
        return np.asarray(p - (p.sum() / q.sum()) * q)


def _settle(state: _State, limit: int, accuracy: float) -> int:
    """Minimise over the hull of the state's actions by Newton steps; return how many were taken."""
    steps = 0
    while steps < limit:
        g = state.gradient()
        values = state.atoms @ g
        reduced = values - float(g @ state.x)
        delta = state.direction(reduced)
        decrement = -float(reduced @ delta)
        spread = -float(reduced.min())
        if (decrement <= accuracy**1.5 and spread <= accuracy) or not np.isfinite(decrement) or decrement <= 0.0:
            break
        dx = delta @ state.atoms
        sinking = dx < 0.0
        step = min(1.0, _FRACTION * float((state.x[sinking] / -dx[sinking]).min(initial=np.inf)))
        falling = delta < 0.0
        ratios = np.full(len(delta), np.inf)
        ratios[falling] = state.lam[falling] / -delta[falling]
        dropped = int(np.argmin(ratios))
        drops = ratios[dropped] <= step
        step = min(step, float(ratios[dropped]))
        if step > 0.0:
            for _ in range(40):
                lam = np.maximum(state.lam + step * delta, 0.0)
                if drops:
                    lam[dropped] = 0.0
                x = lam @ state.atoms
                if (x > 0.0).all() and _change(state.x, x, g) <= -1e-4 * step * decrement + 1e-18:
                    break
                step *= 0.5
                drops = False
            else:
                break
            state.lam, state.x = lam / lam.sum(), x / lam.sum()
        keep = state.lam > 0.0
        if drops:
            keep[dropped] = False
        if not keep.all():
            state.atoms, state.lam = state.atoms[keep], state.lam[keep]
            state.lam = state.lam / state.lam.sum()
            state.x = state.lam @ state.atoms
        steps += 1
    return steps


def _change(x: Vector, y: Vector, g: Vector) -> float:
    """Divergence at y minus that at x, without cancellation: g·(y − x) + KL(y, x)."""
    ratio = (y - x) / x
    return float(g @ (y - x) + (y * np.log1p(ratio) - (y - x)).sum())
