r"""Kullback–Leibler projection onto conv(A), given only the oracle (Algorithm 2, line 9).

Wolfe's scheme with Newton steps: keep affinely independent actions with positive weights, minimise the divergence over
their convex hull by Newton's method, then add the action most opposed to the gradient. Every coordinate of the point
is a sum of positive weights and every system is solved in an echelon basis
(:class:`~swapregret.geometry.active_set.ActiveSet`), so coordinates of size :math:`e^{-60}` keep their relative accuracy,
which the certificate needs: it sees logarithms.
"""

from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from swapregret.arrays import Actions, Vector, as_integer, as_vector, frozen
from swapregret.errors import InvalidInput, NotConverged
from swapregret.geometry.active_set import ActiveSet
from swapregret.geometry.oracle import LinearOracle

ACCEPTABLE = 1e-6
"""The largest certified gap of a projection."""
_SMALLEST = 1e-280
_FRACTION = 0.999
_STEPS = 100
_PATIENCE = 20


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

    bounds how far the unnormalised divergence at x lies above its minimum over conv(A). Coordinates that are 0 in x and in
    every action are left out; if some action has a coordinate that x has not, the slope towards it is infinite and so is the
    gap. The one question finds out both, by giving such coordinates more weight than all others together.

    Parameters
    ----------
    oracle : LinearOracle
    log_weights : array, shape (d,)
        log w, finite.
    log_point : array, shape (d,)
        log x for an x in conv(A); −∞ where x = 0.

    Examples
    --------
    >>> class Line:
    ...     dimension = 2
    ...     def argmax(self, weights):
    ...         return (np.arange(2) == np.argmax(weights)).astype(np.int64)
    >>> kl_gap(Line(), np.zeros(2), np.log([.5, .5]))
    0.0
    """
    d = oracle.dimension
    w = as_vector(log_weights, d, "log_weights")
    log_x = np.asarray(log_point, dtype=np.float64)
    if log_x.shape != (d,) or np.isnan(log_x).any() or (log_x > 1e-9).any():
        raise InvalidInput(
            f"`log_point` must be {d} logarithms of numbers in [0, 1]",
            f"an array of shape {log_x.shape}, largest {log_x.max(initial=-np.inf)!r}",
            "Pass the log_point of a Projection.",
        )
    inside = np.isfinite(log_x)
    g = np.zeros(d)
    g[inside] = log_x[inside] - w[inside]
    ask = -g
    ask[~inside] = 1.0 + 2.0 * float(np.abs(g).sum())
    action = oracle.argmax(ask)
    if action[~inside].any():
        return float(np.inf)
    return max(float(g @ (np.exp(log_x) - action)), 0.0)


def project_kl(
    oracle: LinearOracle, log_weights: Vector, tolerance: float = 1e-9, *, max_iterations: int | None = None
) -> Projection:
    r"""Project weights onto conv(A) in unnormalised Kullback–Leibler divergence.

    .. math:: \min_{x \in \mathrm{conv}(\mathcal A)} \sum_i x_i \log\frac{x_i}{w_i} - x_i + w_i.

    Parameters
    ----------
    oracle : LinearOracle
    log_weights : array, shape (d,)
        log w, finite. On a set of uniform size adding a constant changes nothing.
    tolerance : float
        Stop when the gap is at most this.
    max_iterations : int, optional
        Newton steps allowed; by default 1000 + 300 d.

    Returns
    -------
    Projection

    Raises
    ------
    NotConverged
        If the gap cannot be brought below 1e-6 (or the tolerance, if larger); the sentence gives the gap reached.

    Notes
    -----
    A step costs O(n² d + n³/3) for n ≤ r + 1 actions held, and there is at most one oracle call per step besides the at most d + 1
    that find a first point with every coordinate some action has. Coordinates no action has stay at 0 and
    out of the objective. How many steps are needed grows with the spread of the log-weights and the rank: tens at d = 20,
    hundreds to thousands at d = 100. Coordinates below 1e-280 are refused.

    References
    ----------
    Wolfe 1976, for the scheme of adding and dropping; Holloway 1974, for the restricted problems in between.

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
        raise InvalidInput("`tolerance` of project_kl must be positive", repr(tolerance), "Use 1e-9.")
    limit = 1000 + 300 * d if max_iterations is None else as_integer(max_iterations, "max_iterations", 1)
    actions, inside = cover(oracle, w)
    held = ActiveSet(actions[:, inside].astype(np.float64), np.full(len(actions), 1.0 / len(actions)))
    w_inside, ask = w[inside], np.zeros(d)
    best_gap, best_x = np.inf, held.point
    n, accuracy, is_fresh = 0, 0.1, False
    while n < limit and held.point.min() > _SMALLEST:
        n += max(1, _settle(held, w_inside, min(limit - n, _STEPS), accuracy))
        g = np.log(held.point) - w_inside
        ask[inside] = -g
        row = oracle.argmax(ask)[inside].astype(np.float64)
        gap = max(float(g @ (held.point - row)), 0.0)
        if gap < best_gap:
            best_gap, best_x = gap, held.point
        if gap <= tolerance:
            break
        is_new = held.add(row)
        if is_new:
            accuracy = max(0.1 * tolerance, min(accuracy, 0.1 * gap))
        elif accuracy > 0.1 * tolerance:
            accuracy = max(0.1 * tolerance, 0.01 * accuracy)
        elif is_fresh:
            break
        else:
            held.rebuild()
        is_fresh = not is_new and accuracy <= 0.1 * tolerance
    if best_gap > max(ACCEPTABLE, tolerance):
        raise NotConverged(
            f"the certified gap of project_kl must be at most {max(ACCEPTABLE, tolerance):.1e}",
            f"{best_gap:.3g} after {n} of {limit} steps, with a smallest coordinate of {held.point.min():.1e}",
            "Raise `max_iterations` or `tolerance`, or bring the log-weights closer together.",
        )
    x, log_x = np.zeros(d), np.full(d, -np.inf)
    x[inside], log_x[inside] = best_x, np.log(best_x)
    return Projection(point=x, log_point=log_x, gap=best_gap, n_iterations=n)


def cover(oracle: LinearOracle, w: Vector) -> tuple[Actions, npt.NDArray[np.int64]]:
    """Find actions that together have every coordinate any action has; each brings a new one, so they are independent."""
    d = len(w)
    centred = w - w.mean()
    big = 1.0 + 2.0 * float(np.abs(centred).sum())
    rows = [oracle.argmax(centred)]
    covered = rows[0] > 0
    for i in range(d):
        if covered[i]:
            continue
        ask = centred.copy()
        ask[i] += big
        action = oracle.argmax(ask)
        if action[i]:
            rows.append(action)
            covered |= action > 0
    if not covered.any():
        raise InvalidInput(
            "the set must contain an action other than the zero vector",
            f"a set of dimension {d} whose only action is zero",
            "Leave out sets in which nothing can be chosen.",
        )
    return np.array(rows, dtype=np.int64), np.flatnonzero(covered)


def _settle(held: ActiveSet, w: Vector, limit: int, accuracy: float) -> int:
    """Minimise over the hull of the actions held by Newton steps; return how many were taken.

    A step that brings a weight to 0 first drops that action, as in Wolfe's minor cycle.
    """
    for steps in range(limit):
        if held.point.min() <= _SMALLEST:
            return steps
        g = np.log(held.point) - w
        reduced = held.atoms @ g
        reduced -= float(held.weights @ reduced)
        if float(np.abs(reduced).max()) <= accuracy:
            return steps
        if steps % _PATIENCE == _PATIENCE - 1:
            held.rebuild()
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
    """Return about the t in (0, longest] that minimises the divergence at x + t dx, given its slope at 0.

    The derivative is slope + Σ dx log(1 + t dx / x): increasing, and without cancellation however small x is. No coordinate may
    fall by more than a factor of 1000.
    """
    rate = dx / x
    sinking = float(-rate.min())
    high = min(longest, _FRACTION / sinking if sinking > 0.0 else np.inf)
    if np.isfinite(high) and slope + float(dx @ np.log1p(high * rate)) <= 0.0:
        return high
    low, t = 0.0, 1.0
    for _ in range(60):
        if not low < t < high:
            t = 0.5 * (low + high)
        value = slope + float(dx @ np.log1p(t * rate))
        if value > 0.0:
            high = t
        else:
            low = t
        if abs(value) <= -0.01 * slope or high - low <= 1e-6 * high:
            break
        t -= value / float((dx * rate / (1.0 + t * rate)).sum())
    return low if low > 0.0 else t
