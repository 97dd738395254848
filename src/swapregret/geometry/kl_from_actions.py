r"""Kullback–Leibler projection onto conv(A), beginning with actions that are known.

Weights are projected onto the hull of the actions known (``geometry.listed_hull``); the oracle then certifies the point, or its
answer is one action more, and the weights are moved on from where they are. While answers still help, the point is found only to
a share of what the last one gained (Gondzio, González-Brevis and Munari 2013). While they help much, some Frank–Wolfe steps in
between ask for several actions at once.
"""

from typing import Any

import numpy as np

from swapregret.arrays import Actions, Floats, Integers, Matrix, Vector, as_vector
from swapregret.compiled.callback import settle
from swapregret.compiled.kernel import kernel
from swapregret.compiled.rows import elements_of_rows, mean_of_rows, rows_from, with_row
from swapregret.errors import NotConverged
from swapregret.geometry.kl import ACCEPTABLE, Projection
from swapregret.geometry.listed_hull import first_weights, further_slacks, gradient, improve_weights
from swapregret.geometry.oracle import AskedOracle, LinearOracle, ask

CERTIFIED = 5e-10
"""The gap at which a projection ends that is to be exact."""
_QUESTIONS = 5000
_FIRST, _SHARE = 0.1, 0.02
"""The gap on the actions known at which the oracle is asked: at first, and beside what its last answer gained."""
_FAR = 0.3
"""The gap from which several actions are asked for at once: so many at most, while they gain this share of the first."""
_AT_ONCE = 8
_WORTH = 0.1
_SEARCH = 12
_LONGEST = 0.9


def project_kl_from(
    oracle: LinearOracle, log_weights: Vector, pool: Matrix, size: int = 0
) -> tuple[Projection, Actions]:
    """Project weights as :func:`~swapregret.geometry.kl.project_kl` does; the result depends on the weights and the pool alone.

    Parameters
    ----------
    oracle : LinearOracle
    log_weights : array, shape (d,)
    pool : float64 array, shape (n, d)
        Different actions, which together have every coordinate any action has.
    size : int
        m, if all actions have m elements: then the m largest weights bound the best answer, and a point may be certified without
        a question. 0 if they have not. Of an :class:`AskedOracle` its own is taken.

    Returns
    -------
    projection : Projection
    found : int64 array, shape (k, d)
        The actions that had to be added to the pool: the point lies in the hull of both.

    Examples
    --------
    >>> class Line:
    ...     dimension = 2
    ...     def argmax(self, weights):
    ...         return (np.arange(2) == np.argmax(weights)).astype(np.int64)
    >>> project_kl_from(Line(), np.log([1., 3.]), np.eye(2))[0].point.round(8)
    array([0.25, 0.75])
    """
    asked = AskedOracle.of(oracle, size)
    w = np.array(as_vector(log_weights, asked.dimension, "log_weights"))
    x, gap, n_asked, elements, ends = project_from(asked, w, *elements_of_rows(pool), CERTIFIED)
    settle([asked.callback])
    if gap > ACCEPTABLE:
        raise NotConverged(
            f"the certified gap of project_kl_from must be at most {ACCEPTABLE:.1e}",
            f"{gap:.3g} after {n_asked} questions",
            "Bring the log-weights closer together.",
        )
    log_x = np.log(x, out=np.full(len(w), -np.inf), where=x > 0.0)
    found = rows_from(elements, ends, len(pool), len(w))
    return Projection(point=x, log_point=log_x, gap=gap, n_iterations=n_asked), found


@kernel
def project_from(
    oracle: Any, w: Floats, elements: Integers, ends: Integers, tolerance: float
) -> tuple[Floats, float, int, Integers, Integers]:
    """Return the projection of exp(w), its certified gap, the number of questions, and the rows with those that were added.

    It ends when the gap is at most the tolerance, or as small as it gets; the gap is infinite where the oracle has raised an error.
    """
    weights, slack, level = first_weights(elements, ends, w)
    best_gap, best = np.inf, np.zeros(w.size)
    n_asked, target, least, is_fresh = 0, _FIRST, 0.2 * tolerance, False
    action = np.zeros(0, dtype=np.int64)
    while n_asked < _QUESTIONS:
        improve_weights(elements, ends, w, target, weights, slack, level)
        x = mean_of_rows(elements, ends, weights, w.size)
        g = gradient(x, w)
        gap = _bound(g, x, oracle.size)
        if gap > tolerance:
            action = ask(oracle, -g)
            n_asked += 1
            if action.size == 0:
                return best, np.inf, n_asked, elements, ends
            gap = _slope(g, x, action)
        if gap < best_gap:
            best_gap, best = gap, x
        if gap <= tolerance:
            break
        elements, ends = with_row(elements, ends, action)
        if ends.size - 1 == weights.size:  # the answer was known: it may well be that all that are needed are
            if is_fresh:
                break
            if target == least:  # steps got stuck
                weights, slack, level = first_weights(elements, ends, w)
                is_fresh = True
            target = least
            continue
        is_fresh, mu = False, target / weights.size
        weights = _with_weight(weights, mu / gap)
        target = max(least, min(target, _SHARE * gap))
        y, gain = x, gap
        for _ in range(_AT_ONCE - 1 if gap > _FAR else 0):
            if gain < _WORTH * gap:
                break
            y, h = _step_towards(y, action, w)
            action = ask(oracle, -h)
            n_asked += 1
            if action.size == 0:
                return best, np.inf, n_asked, elements, ends
            gain = _slope(h, y, action)
            elements, ends = with_row(elements, ends, action)
            if ends.size - 1 > weights.size:
                weights = _with_weight(weights, mu / max(_slope(g, x, action), _WORTH * gap))
        slack, level = further_slacks(elements, ends, w, weights, gap)
    return best, best_gap, n_asked, elements, ends


@kernel
def _with_weight(weights: Floats, weight: float) -> Floats:
    """Give a row that was added a weight."""
    return np.append(weights, weight) / (1.0 + weight)


@kernel
def _slope(g: Floats, x: Floats, action: Integers) -> float:
    """Return g·(x − M), if it is positive."""
    total = 0.0
    for i in range(x.size):
        total += g[i] * (x[i] - action[i])
    return max(total, 0.0)


@kernel
def _bound(g: Floats, x: Floats, size: int) -> float:
    """Return g·x less the sum of the smallest entries of g, as many as all actions have elements; ∞ if that is not known."""
    if size == 0:
        return np.inf
    least = np.full(size, np.inf)  # growing
    total = 0.0
    for i in range(g.size):
        total += g[i] * x[i]
        at = size - 1
        while at >= 0 and g[i] < least[at]:
            if at + 1 < size:
                least[at + 1] = least[at]
            least[at] = g[i]
            at -= 1
    for k in range(size):
        total -= least[k]
    return max(total, 0.0)


@kernel
def _step_towards(x: Floats, action: Integers, tilted: Floats) -> tuple[Floats, Floats]:
    """Go towards an action as far as the divergence falls, not all the way; return the point and its gradient."""
    low, high, t = 0.0, 1.0, 0.5
    for _ in range(_SEARCH):
        slope, curvature = 0.0, 0.0
        for i in range(x.size):
            change = action[i] - x[i]
            y = x[i] + t * change
            if y > 0.0:
                slope += change * (np.log(y) - tilted[i])
                curvature += change * change / y
        if slope > 0.0:
            high = t
        else:
            low = t
        t -= slope / curvature
        if not low < t < high:
            t = 0.5 * (low + high)
    t = min(t, _LONGEST)
    y = x + t * (action - x)
    return y, gradient(y, tilted)
