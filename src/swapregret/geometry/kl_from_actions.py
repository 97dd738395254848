r"""Kullback–Leibler projection onto conv(A), beginning with actions that are known, and perhaps from a point that may be near.

*From actions alone* (``project_from``) weights are projected onto the hull of the actions known (``geometry.listed_hull``); the
oracle then certifies the point, or its answer is one action more, and the weights are moved on from where they are. While answers
still help, the point is found only to a share of what the last one gained (Gondzio, González-Brevis and Munari 2013). While they
help much, some Frank–Wolfe steps in between ask for several actions at once.

*From a point that may be near* (``project_near``), by few of many actions. *Notation*: u is what :math:`\log x - \log w` is thought
to be, z = w exp(u). Newton's method: each step minimises the second-order model of the divergence at z,

.. math:: \min_{x \in \mathrm{conv}(\text{known})} \sum_i \frac{(x_i - z_i (1 - u_i))^2}{2 z_i},

by non-negative least squares (``geometry.few_actions``), which begins with the rows it held before. Then
:math:`u_i` grows by :math:`x_i / z_i - 1`, or by its logarithm where that is positive. No z falls below 1e-12, and no x below
a trace of the mean of the actions: what is small has only to be small. When x is good among the known actions the oracle certifies
it, or its answer is known from then on. Where all actions are known there is nothing to ask. Where that does not come to an end,
the interior point method does.
"""

from typing import NamedTuple

import numpy as np

from swapregret.arrays import Floats, Integers
from swapregret.compiled.kernel import kernel
from swapregret.compiled.selection import top_elements
from swapregret.compiled.vectors import dot
from swapregret.geometry.few_actions import (
    Candidates,
    Search,
    begin_search,
    hold_again,
    hold_more,
    price_rows,
    with_room,
)
from swapregret.geometry.kl import ACCEPTED_GAP
from swapregret.geometry.listed_hull import first_weights, further_slacks, gradient, improve_weights
from swapregret.geometry.oracle import AskedOracle, ask
from swapregret.geometry.rows import mean_of_rows, padded_rows, totals_of_rows, with_row

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
        is_good = reached <= ACCEPTED_GAP or not is_refined
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


CERTIFIED = 5e-10
"""The gap at which a projection of a learner ends."""
_STEPS = 200
_FLOOR = 1e-12
_DEPENDENT = 1e-13
"""The share of a pivot below which it is rounding: rows that share what is very small depend on each other but for the rest."""
_STIFFNESS = 100.0
"""How much the sum of the weights counts in least squares; what it lacks is asked for the next time."""
_CHEAP = 1e-13
_TRACE = 1e-11
"""x has this share of the mean of the actions, over how far apart log-weights are: little enough to cost nothing."""
_CLOSE, _STILL = 1e-2, 1e-24
"""The square of a step from which on x is judged, and that of one that leads nowhere."""
_KNOWN = 0.5 * CERTIFIED
"""The gap on the actions known at which the oracle is asked: asked earlier, it says what they would have said."""


class Approach(NamedTuple):
    """Where Newton's method stands: z and u, the mass that is asked for, the rows held, and what does not change.

    ``padded`` (width, n) has the elements of the first rows (``few_actions.Candidates``), ``trace`` is what x has of their mean.
    """

    z: Floats
    u: Floats
    mass: Floats
    search: Search
    padded: Integers
    trace: Floats


@kernel
def begin_approach(elements: Integers, ends: Integers, w: Floats, near: Floats) -> Approach:
    """Return an approach that has come as far as a point that all elements of the rows have."""
    d, padded, trace = w.size, padded_rows(elements, ends, w.size), np.zeros(w.size)
    for i in elements:
        trace[i] += 1.0
    z, u, level, low, high = np.full(d, _FLOOR), np.zeros(d), 0.0, np.inf, -np.inf
    for i in range(d):
        if trace[i] > 0.0:
            z[i] = max(near[i], _FLOOR)
            u[i] = np.log(z[i]) - w[i]
            level += z[i] * u[i]
            low, high = min(low, w[i]), max(high, w[i])
    for i in range(d):
        trace[i] *= _TRACE / ((ends.size - 1) * max(100.0, high - low))
    mass = np.full(1, 1.0 + level / _STIFFNESS)
    search = begin_search(Candidates(elements, ends, padded, z, mass[0], z, _DEPENDENT, _CHEAP))
    return Approach(z, u, mass, search, padded, trace)


@kernel
def approach(
    elements: Integers, ends: Integers, w: Floats, at: Approach, count: int, n_first: int, target: float
) -> tuple[Floats, float, int]:
    """Go on until a point is as good as the target among the rows; return it, its gap, and how many rows are held.

    The gap is infinite where that does not come to an end. The first rows are tried before the others.
    """
    z, u, mass, search, n = at.z, at.u, at.mass, at.search, ends.size - 1
    d, x = w.size, z
    for _ in range(_STEPS):
        aim = np.where(at.trace > 0.0, z * (1.0 - u), 0.0)
        rows = Candidates(elements, ends, at.padded, aim, mass[0], 1.0 / (_STIFFNESS * z), _DEPENDENT, _CHEAP)
        count = hold_more(rows, search, hold_again(rows, search, count), n_first)[0]
        if n > n_first:
            count = hold_more(rows, search, count, n)[0]
        x, total = _point_of(rows, search.basis.held[:count], search.basis.weights[:count])
        mass[0] += 1.0 - total
        step = 0.0
        for i in range(d):
            if at.trace[i] > 0.0:
                step += (x[i] - z[i]) ** 2 / z[i]
                ratio = x[i] / z[i]
                u[i] += np.log(ratio) if ratio > 1.0 else ratio - 1.0
                z[i] = max(_FLOOR, np.exp(w[i] + u[i]))
        if count > 0 and step <= _CLOSE:
            for i in range(d):
                x[i] += at.trace[i]
            g = gradient(x, w)
            search.price[:] = 0.0
            price_rows(rows, np.append(g, 0.0), search.price)
            gap = dot(g, x) - search.price.min()
            if gap <= target:
                return x, gap, count
            if step <= _STILL:
                break
    return x, np.inf, count


@kernel
def project_near(
    oracle: AskedOracle, w: Floats, near: Floats, elements: Integers, ends: Integers, n_first: int
) -> tuple[Floats, float, int, Integers, Integers, Integers]:
    """Return the projection of exp(w), its certified gap, the number of questions, the rows with those added, and those held last.

    These make the point, unless the interior point method had to end it. ``near`` is a point that all elements of the rows have;
    the gap is infinite where the oracle has raised an error.
    """
    at, count, n_asked = begin_approach(elements, ends, w, near), 0, 0
    for _ in range(_STEPS):
        x, gap, count = approach(elements, ends, w, at, count, n_first, _KNOWN)
        held = at.search.basis.held[:count]
        if not gap <= _KNOWN:
            break
        g = gradient(x, w)
        gap = bound_of(g, x, oracle.size)
        if gap <= CERTIFIED:
            return x, gap, n_asked, elements, ends, held
        action = ask(oracle, -g)
        n_asked += 1
        if action.size == 0:
            return x, np.inf, n_asked, elements, ends, held[:0]
        gap = slope_of(g, x, action)
        if gap <= CERTIFIED:
            return x, gap, n_asked, elements, ends, held
        n = ends.size - 1
        elements, ends = with_row(elements, ends, action)
        if ends.size - 1 == n:
            break
        elements, ends, more, is_answered = ask_further(oracle, w, x, action, gap, elements, ends)
        n_asked += more
        if not is_answered:
            return x, np.inf, n_asked, elements, ends, held[:0]
        at = Approach(at.z, at.u, at.mass, with_room(at.search, ends.size - 1), at.padded, at.trace)
    x, gap, more, elements, ends = project_from(oracle, w, elements, ends, CERTIFIED, False)
    return x, gap, n_asked + more, elements, ends, at.search.basis.held[:count]


@kernel
def _point_of(rows: Candidates, held: Integers, weights: Floats) -> tuple[Floats, float]:
    """Return the mean of the rows held, and the sum of their weights."""
    x, total = np.zeros(rows.point.size), weights.sum()
    for k in range(held.size):
        for e in range(rows.ends[held[k]], rows.ends[held[k] + 1]):
            x[rows.elements[e]] += weights[k] / total
    return x, total
