r"""Kullback–Leibler projection onto conv(A), given only the oracle (Algorithm 2, line 9).

Wolfe's scheme with Newton steps: keep affinely independent actions with positive weights, minimise the divergence over
their convex hull by Newton's method in the weights, then add the action most opposed to the gradient. Every coordinate of
the point is a sum of positive weights, so coordinates of size :math:`e^{-60}` keep their relative accuracy.

May touch: ``errors``, ``arrays``, ``geometry.oracle``.
"""

from dataclasses import dataclass

import numpy as np

from swapregret.arrays import Action, Vector, as_vector, frozen
from swapregret.errors import InvalidInput, NotConverged
from swapregret.geometry.active_set import ActiveSet
from swapregret.geometry.oracle import LinearOracle

__all__ = ["Projection", "kl_gap", "project_kl"]

_ACCEPTABLE = 1e-6
_FRACTION = 0.999


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
    held = ActiveSet(atoms[:, inside].astype(np.float64), np.full(len(atoms), 1.0 / len(atoms)))
    best_gap, best_x = np.inf, held.point
    n, accuracy = 0, 0.1
    while n < limit:
        n += 1 + _settle(held, w[inside], min(limit - n, 100), accuracy)
        g = np.log(held.point) - w[inside]
        ask = np.zeros(d)
        ask[inside] = -g
        row = oracle.argmax(ask)[inside].astype(np.float64)
        gap = max(float(g @ (held.point - row)), 0.0)
        if gap < best_gap:
            best_gap, best_x = gap, held.point
        if gap <= tolerance:
            break
        is_new = held.add(row)
        if not is_new and accuracy <= 0.1 * tolerance:
            break
        accuracy = max(0.1 * tolerance, min(accuracy, 0.1 * gap) if is_new else 0.01 * accuracy)
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


def _settle(held: ActiveSet, w: Vector, limit: int, accuracy: float) -> int:
    """Minimise over the hull of the actions held by Newton steps; return how many were taken."""
    for steps in range(limit):
        g = np.log(held.point) - w
        reduced = held.atoms @ g
        reduced -= float(held.weights @ reduced)
        if float(np.abs(reduced).max()) <= accuracy:
            return steps
        delta, dx, slope = held.newton(g)
        if not slope < 0.0:
            return steps
        ratios = np.full(len(delta), np.inf)
        falling = delta < 0.0
        ratios[falling] = held.weights[falling] / -delta[falling]
        first = int(np.argmin(ratios))
        step = _line_minimum(held.point, dx, slope, float(ratios[first]))
        held.move(np.maximum(held.weights + step * delta, 0.0))
        if step == ratios[first]:
            held.drop(first)
    return limit


def _line_minimum(x: Vector, dx: Vector, slope: float, longest: float) -> float:
    """Return the t in (0, longest] that minimises the divergence at x + t dx, given its slope at 0.

    The derivative is slope + Σ dx log(1 + t dx / x): convex, and without cancellation however small x is.
    """
    rate = dx / x
    sinking = float(-rate.min())
    high = min(longest, _FRACTION / sinking if sinking > 0.0 else np.inf)

    def derivative(t: float) -> float:
        return slope + float(dx @ np.log1p(t * rate))

    if np.isfinite(high) and derivative(high) <= 0.0:
        return high
    low, t = 0.0, 1.0
    for _ in range(60):
        if not low < t < high:
            t = 0.5 * (low + high)
        value = derivative(t)
        if value > 0.0:
            high = t
        else:
            low = t
        if abs(value) <= -0.01 * slope or high - low <= 1e-6 * high:
            break
        t -= value / float((dx * rate / (1.0 + t * rate)).sum())
    return low if low > 0.0 else t
