r"""Members that fit: least squares of the rewards earned on the actions played, with forgetting.

For a member with retention λ, sums over the days so far with weights :math:`\lambda^{\text{updates since}}`,

.. math:: A = \sum M M^\top,\quad b = \sum r M,\quad \hat\theta = (A + \rho I)^{-1}(b - c\,A 1),\quad \rho = m,

c = Σb / ΣA the mean reward per element. The member plays the KL projection of

.. math:: q_1\exp\Bigl(\beta\,\max\bigl(1, \log\tfrac dm\bigr)\,(\hat\theta + c) / s\Bigr),

.. math:: s^2 = 2\,\hat\sigma^2\,\frac1d \sum_i \frac{1}{A_{ii} + \rho}

the square of the standard error of a difference of two elements, as if each had been seen on its own on the days it was played:
as bold as what is known allows. Where all actions have one size c changes nothing and is left out; elsewhere longer actions earn
more by it. An element begins with probability m/d, so log d/m is what its log-weight must gain before it is played for sure;
without this factor members on sets with many elements for each that is chosen (paths, rankings) stay close to where they began.
With semi-bandit feedback :math:`A = \sum \mathrm{diag}(M)`, :math:`b = \sum M \circ R`: every element is seen on its own.

Actions may have fewer than d dimensions. Then r independent coordinates J say all of an action, and with P the projection onto
span(A)

.. math:: \hat\theta = P_{\cdot J}\,\zeta,\quad (A_{JJ} + \rho P_{JJ})\,\zeta = (b - c\,A 1)_J

is the same with a smaller matrix: A is :math:`L A_{JJ} L^\top` with :math:`M = L M_J`, and :math:`P_{JJ} = (L^\top L)^{-1}`.
"""

import numpy as np

from swapregret.actions.family import Family
from swapregret.actions.hull import span_part
from swapregret.arrays import Floats, Integers
from swapregret.compiled.cholesky import cholesky_solve, factorise
from swapregret.compiled.kernel import kernel
from swapregret.learners.adaptive.state import Basis, Fit

_FARTHEST = 1e4
"""Most that a log-weight is moved: in a world without noise the standard error goes to 0, and projections have an end."""
_SETTLED = 64
"""Base windows after which what is shared becomes each member's own."""
_ROUNDING = 1e-12
"""Differences in rewards that are due to rounding."""


@kernel
def keep_rewards(fit: Fit) -> None:
    """Keep the sums of rewards before a day is added: they are rounded, so it could not be taken away again."""
    r, last = fit.shared.shape[0], fit.plays[fit.plays.shape[0] - 1]
    for i in range(r):
        fit.undo[i] = fit.shared[i, r + 1]
    fit.undo[r] = last[last.size - 1]


@kernel
def restore_rewards(fit: Fit) -> None:
    """Put back the sums of rewards that were kept."""
    r, last = fit.shared.shape[0], fit.plays[fit.plays.shape[0] - 1]
    for i in range(r):
        fit.shared[i, r + 1] = fit.undo[i]
    last[last.size - 1] = fit.undo[r]


@kernel
def remember_total(fit: Fit, place: Integers, action: Integers, reward: float, times: float) -> None:
    """Add a day to the sums of all members: A += M Mᵀ, A·1 += |M| M, b += r M."""
    d, r = place.size, fit.shared.shape[0]
    chosen, count, size = np.empty(d, dtype=np.int64), 0, 0
    plays = fit.plays[fit.plays.shape[0] - 1]
    for i in range(d):
        if action[i]:
            plays[i] += times
            size += 1
            if place[i] >= 0:
                chosen[count] = place[i]
                count += 1
    for e in range(count):
        line = fit.shared[chosen[e]]
        for f in range(e, count):
            line[chosen[f]] += times
        line[r] += times * size
        line[r + 1] += times * reward
    plays[d] += times * size * size
    plays[d + 1] += times * size * reward


@kernel
def remember_elements(fit: Fit, action: Integers, seen: Floats, times: float) -> None:
    """Add a day of semi-bandit feedback: A += diag(M), A·1 += M, b += M∘R."""
    d = action.size
    plays = fit.plays[fit.plays.shape[0] - 1]
    for i in range(d):
        if action[i]:
            line = fit.shared[i]
            line[i] += times
            line[d] += times
            line[d + 1] += times * seen[i]
            plays[i] += times
            plays[d] += times
            plays[d + 1] += times * seen[i]


@kernel
def forget_days(fit: Fit, kept: Floats, n_windows: int) -> None:
    """Let each member that fits keep a share of its sums: 1 if it did not update, or never forgets.

    From time to time, before the sums grow so large that their differences are rounded, every member takes what is shared.
    """
    n, r = fit.own.shape[0], fit.own.shape[1]
    plays = fit.plays[n]
    is_settling = n_windows % _SETTLED == 0
    for f in range(n):
        keep = kept[f]
        if keep == 1.0 and not is_settling:
            continue
        rest = 0.0 if is_settling else 1.0
        for i in range(r):
            line, shared = fit.own[f, i, i:], fit.shared[i, i:]
            for j in range(line.size):
                line[j] = keep * (line[j] + shared[j]) - rest * shared[j]
        line = fit.plays[f]
        for j in range(line.size):
            line[j] = keep * (line[j] + plays[j]) - rest * plays[j]
    if is_settling:
        fit.shared[:] = 0.0
        plays[:] = 0.0


@kernel
def fitted_tilt(
    family: Family, fit: Fit, basis: Basis, f: int, noise: float, boldness: float, first_log: Floats
) -> Floats:
    """Return the log-weights that member f of those that fit projects."""
    d, r = first_log.size, fit.shared.shape[0]
    ridge = float(max(1, family.common.size))
    own, shared, spread = fit.plays[f], fit.plays[fit.own.shape[0]], 0.0
    for i in range(d):
        spread += 1.0 / (own[i] + shared[i] + ridge)
    bottom = own[d] + shared[d]
    level = (own[d + 1] + shared[d + 1]) / bottom if bottom > 0.0 else 0.0
    worth = _fitted(fit, basis, f, ridge, level)
    if r < d:
        worth = span_part(family, worth)
    error = np.sqrt(2.0 * noise * spread / d)
    largest = 0.0
    for i in range(d):
        if not family.common.is_uniform:  # where all actions have one size, what every element is worth changes nothing
            worth[i] += level
        largest = max(largest, abs(worth[i]))
    bold = boldness * max(1.0, np.log(d / ridge))
    tilted = first_log.copy()
    if largest > _ROUNDING:
        steepness = bold / error if bold * largest < _FARTHEST * error else _FARTHEST / largest
        for i in range(d):
            tilted[i] += steepness * worth[i]
    return tilted


@kernel
def _fitted(fit: Fit, basis: Basis, f: int, ridge: float, level: float) -> Floats:
    """Return ζ on the independent coordinates, 0 elsewhere."""
    r = fit.shared.shape[0]
    a, right = np.empty((r, r)), np.empty(r)
    for i in range(r):
        line, own, shared = a[i, i:], fit.own[f, i, i:], fit.shared[i, i:]
        n = line.size
        for j in range(n):
            line[j] = own[j] + shared[j]
        right[i] = own[n + 1] + shared[n + 1] - level * (own[n] + shared[n])
        if basis.part.size:
            part = basis.part[i, i:]
            for j in range(n):
                line[j] += ridge * part[j]
        else:
            line[0] += ridge
    factorise(a)
    found, place = cholesky_solve(a, right), basis.place
    result = np.zeros(place.size)
    for i in range(place.size):
        if place[i] >= 0:
            result[i] = found[place[i]]
    return result
