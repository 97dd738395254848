r"""Ordered pivotal sampling of m-sets: one element from every unit of length, drawn along the line.

The elements lie end to end on a line of length m, element i with length :math:`x_i \le 1`. Every stratum [k, k+1) gives one
element, in proportion to the lengths; an element on the border of two strata, a in the one and b in the other, is not drawn
twice: if the first stratum drew it, the second draws from the rest; if not, the second draws it with probability b/(1−a). Each
element is drawn with probability x_i exactly.

Walk along the line and let n be 1 while the present stratum has drawn nothing: a Markov chain with :math:`n' = n - M_i`, plus 1
where a stratum ends. Given n, :math:`E[M_i - x_i] = h_i (n - E[n])`, with :math:`h_i` the ``share``: x_i over what is left of
the stratum, or (1−a−b)/(1−a) on a border; ``noise`` is :math:`E[\mathrm{Var}(M_i \mid n)]`. All second moments follow from the two.

Lengths are integers in units of 2⁻⁴⁴.
"""

import numpy as np

from swapregret.arrays import Floats, Integers
from swapregret.compiled.bits import UNIT
from swapregret.compiled.kernel import kernel
from swapregret.compiled.vectors import dot

_ONE, _UNIT = float(UNIT), 1.0 / UNIT


@kernel
def pivotal_policy(units: Integers, share: Floats, noise: Floats, point: Floats) -> None:
    """Write share, noise and marginals of the policy with these lengths, which add up to whole strata."""
    left = np.int64(UNIT)  # of the present stratum
    for i in range(units.size):
        noise[i] = left
        left -= units[i]
        if left <= 0:
            left += UNIT
    for i in range(units.size):  # whole numbers below 2⁵³ throughout: floats are exact, and divided several at a time
        u, rest = float(units[i]), noise[i]
        is_border = u > rest
        chance = (_ONE - u if is_border else u) / (_ONE - rest if is_border else rest)
        share[i] = chance
        noise[i] = chance * (abs(rest - u) * _UNIT)
        point[i] = u * _UNIT


@kernel
def pivotal_draw(units: Integers, numbers: Floats) -> Integers:
    """Draw a set with one uniform number per stratum."""
    action = np.empty(units.size, dtype=np.int64)
    i, border = 0, 0
    inside = np.int64(0)  # how much of the border element lies in this stratum
    was_drawn = False
    for k in range(numbers.size):
        number, whole = numbers[k], units[border]
        if inside == 0:
            target = np.int64(number * UNIT)
        elif was_drawn:
            target = inside + np.int64(number * (UNIT - inside))
        else:
            odds = number * (UNIT - (whole - inside))
            if odds < inside or whole == UNIT:
                action[border] = 1
                target = np.int64(-1)
            else:
                target = inside + np.int64((odds - inside) * ((UNIT - inside) / (UNIT - whole)))
        target = min(target, np.int64(UNIT - 1))
        position = inside
        while position < UNIT:
            end = position + units[i]
            if end > UNIT:
                break
            action[i] = np.int64(position <= target) & np.int64(target < end)
            position = end
            i += 1
        inside = np.int64(0)
        if position < UNIT:
            was_drawn = bool(target >= position)
            action[i] = np.int64(was_drawn)
            border, inside = i, position + units[i] - UNIT
            i += 1
    action[i:] = 0  # what has no length
    return action


@kernel
def pivotal_moment(share: Floats, noise: Floats, point: Floats, vector: Floats) -> Floats:
    """Return E[M (M·v)]: what the rest of the line adds to M·v, backwards, then covariances, forwards."""
    d = vector.size
    result = np.empty(d)
    ahead = 0.0
    for j in range(d):
        i = d - 1 - j
        own = vector[i] - ahead
        result[i] = noise[i] * own
        ahead += share[i] * own
    mean, behind = dot(point, vector), 0.0
    for i in range(d):
        together = share[i] * behind + result[i]
        behind -= together
        result[i] = together + point[i] * mean
    return result


@kernel
def pivotal_cooccurrence(share: Floats, noise: Floats, point: Floats) -> Floats:
    """Return Σ = E[M Mᵀ] in O(d²)."""
    d = point.size
    result = np.empty((d, d))
    spread = 0.0  # the variance of n
    for i in range(d):
        behind = share[i] * spread - point[i] * (1.0 - point[i])
        result[i, i] = point[i]
        for j in range(i + 1, d):
            together = max(point[i] * point[j] + share[j] * behind, 0.0)
            result[i, j] = together
            result[j, i] = together
            behind *= 1.0 - share[j]
        rest = 1.0 - share[i]
        spread = rest * rest * spread + noise[i]
    return result


@kernel
def _probability(units: Integers, action: Integers) -> float:
    """Return the probability of a set; 0 for what cannot be drawn."""
    chance, is_open = 1.0, True
    left = np.int64(UNIT)
    for i in range(units.size):
        u, is_chosen = units[i], action[i] != 0
        if u > left:
            if is_open:
                chance *= 1.0 if is_chosen else 0.0
            else:
                chance *= (u - left if is_chosen else UNIT - u) / (UNIT - left)
                is_open = not is_chosen
        elif is_open:
            chance *= (u if is_chosen else left - u) / left
            is_open = not is_chosen
        elif is_chosen:
            return 0.0
        if u == left:
            is_open = True
        left -= u
        if left <= 0:
            left += UNIT
        if chance == 0.0:
            return 0.0
    return chance


@kernel
def pivotal_probabilities(units: Integers, actions: Integers) -> Floats:
    """Return the probability of every row; 0 for what cannot be drawn."""
    result = np.empty(len(actions))
    for row in range(len(actions)):
        result[row] = _probability(units, actions[row])
    return result


@kernel
def pivotal_largest(units: Integers) -> float:
    """Return the probability of the likeliest set."""
    is_open, is_shut = 1.0, 0.0  # the best so far that end with n = 1 and n = 0
    left = np.int64(UNIT)
    for i in range(units.size):
        u = units[i]
        if u > left:
            is_open = max(is_open, is_shut * ((UNIT - u) / (UNIT - left)))
            is_shut *= (u - left) / (UNIT - left)
        else:
            is_shut = max(is_shut, is_open * (u / left))
            is_open *= (left - u) / left
        if u == left:
            is_open, is_shut = is_shut, 0.0
        left -= u
        if left <= 0:
            left += UNIT
    return is_open
