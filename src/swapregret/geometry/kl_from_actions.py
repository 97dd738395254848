r"""Kullback–Leibler projection onto conv(A), beginning with actions that are known.

Weights are projected onto the hull of the actions known (``geometry.listed_hull``); the oracle then certifies the point, or its
answer is one action more, and the weights are moved on from where they are. While answers still help, the point is found only to
a share of what the last one gained (Gondzio, González-Brevis and Munari 2013). While they help much, some Frank–Wolfe steps in
between ask for several actions at once.
"""

import numpy as np

from swapregret.arrays import Floats, Integers
from swapregret.compiled.kernel import kernel
from swapregret.compiled.selection import top_elements
from swapregret.compiled.vectors import dot
from swapregret.geometry.kl import ACCEPTABLE
from swapregret.geometry.listed_hull import first_weights, further_slacks, gradient, improve_weights
from swapregret.geometry.oracle import AskedOracle, ask
from swapregret.geometry.rows import mean_of_rows, totals_of_rows, with_row

GAP = 1e-10
"""The gap at which a projection ends: below the promised 1e-9, so that several parts of a product keep it together."""
_QUESTIONS = 5000
_FIRST, _SHARE = 0.1, 0.02
"""The gap on the actions known at which the oracle is asked: at first, and beside what its last answer gained."""
_FAR = 0.1
"""The gap from which several actions are asked for at once: so many at most, while they gain this share of the first."""
_AT_ONCE = 8
_WORTH = 0.1
_SEARCH = 12
_LONGEST = 0.9


@kernel
def project_from(
    oracle: AskedOracle, w: Floats, elements: Integers, ends: Integers, tolerance: float, is_relative: bool
) -> tuple[Floats, float, int, Integers, Integers]:
    """Return the projection of exp(w), its certified gap, the number of questions, and the rows with those that were added.

    It ends when the gap is at most the tolerance, or as small as it gets; the gap is infinite where the oracle has raised an error.
    What is to be exact in relative terms is first found without.
    """
    weights, slack, level = first_weights(elements, ends, w)
    best_gap, best = np.inf, np.zeros(w.size)
    n_asked, target, least, is_fresh, is_refined = 0, _FIRST, 0.2 * tolerance, False, False
    action = np.zeros(0, dtype=np.int64)
    while n_asked < _QUESTIONS:
        reached = improve_weights(elements, ends, w, target, weights, slack, level, is_refined)
        x = mean_of_rows(elements, ends, weights, w.size)
        g = gradient(x, w)
        gap = bound_of(g, x, oracle.size)
        if gap > tolerance:
            action = ask(oracle, -g)
            n_asked += 1
            if action.size == 0:
                return best, np.inf, n_asked, elements, ends
            gap = slope_of(g, x, action)
        is_good = reached <= ACCEPTABLE or not is_refined
        if gap < best_gap and is_good:
            best_gap, best = gap, x
        if gap <= tolerance and is_good:
            if is_refined == is_relative:
                break
            is_refined, is_fresh, target, best_gap = True, False, least, np.inf
            continue
        if gap > tolerance:
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
        weights = _with_weight(weights, _WORTH * _least(x, action) if is_refined else mu / gap)
        target = max(least, min(target, _SHARE * gap))
        if not is_refined:
            elements, ends, more, is_answered = ask_further(oracle, w, x, action, gap, elements, ends)
            n_asked += more
            if not is_answered:
                return best, np.inf, n_asked, elements, ends
            totals = totals_of_rows(elements, ends, g)
            for a in range(weights.size, totals.size):
                weights = _with_weight(weights, mu / max(dot(g, x) - totals[a], _WORTH * gap))
        slack, level = further_slacks(elements, ends, w, weights, gap)
    return best, best_gap, n_asked, elements, ends


@kernel
def _with_weight(weights: Floats, weight: float) -> Floats:
    """Give a row that was added a weight."""
    return np.append(weights, weight) / (1.0 + weight)


@kernel
def _least(x: Floats, action: Integers) -> float:
    """Return the least coordinate of a point that an action has."""
    least = 1.0
    for i in range(x.size):
        if action[i]:
            least = min(least, x[i])
    return least


@kernel
def slope_of(g: Floats, x: Floats, action: Integers) -> float:
    """Return g·(x − M), if it is positive."""
    total = 0.0
    for i in range(x.size):
        total += g[i] * (x[i] - action[i])
    return max(total, 0.0)


@kernel
def bound_of(g: Floats, x: Floats, size: int) -> float:
    """Return g·x less the sum of the smallest entries of g, as many as all actions have elements; ∞ if that is not known."""
    if size == 0:
        return np.inf
    return slope_of(g, x, top_elements(-g, size))


@kernel
def ask_further(
    oracle: AskedOracle, w: Floats, x: Floats, action: Integers, gap: float, elements: Integers, ends: Integers
) -> tuple[Integers, Integers, int, bool]:
    """Take some Frank–Wolfe steps towards an answer, and ask on the way; return the rows with the answers, and how many.

    The last value tells that the oracle has raised no error.
    """
    y, gain, n_asked = x, gap, 0
    while gap > _FAR and gain >= _WORTH * gap and n_asked < _AT_ONCE - 1:
        y, h = _step_towards(y, action, w)
        action = ask(oracle, -h)
        n_asked += 1
        if action.size == 0:
            return elements, ends, n_asked, False
        gain = slope_of(h, y, action)
        elements, ends = with_row(elements, ends, action)
    return elements, ends, n_asked, True


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
