r"""Members that fit: least squares of the rewards earned on the actions played, with forgetting.

For a member with retention λ, sums over the days so far with weights :math:`\lambda^{\text{updates since}}`,

.. math:: A = \sum M M^\top,\quad b = \sum r M,\quad \hat\theta = (A + \rho I)^{-1}(b - c\,A 1),\quad \rho = m,

c = Σb / ΣA the mean reward per element. The member plays the KL projection of

.. math:: q_1\exp\Bigl(\beta\,\max\bigl(1, \log\tfrac dm\bigr)\,(\hat\theta + c) / s\Bigr),

s the standard error of a difference of two elements: as bold as what is known allows. Where all actions have one size c changes
nothing and is left out; elsewhere longer actions earn more by it. An element begins with probability m/d, so log d/m is what its
log-weight must gain before it is played for sure; without this factor members on sets with many elements for
each that is chosen (paths, rankings) stay close to where they began. With semi-bandit feedback
:math:`A = \sum \mathrm{diag}(M)`, :math:`b = \sum M \circ R`, and the rank is d: every element is seen on its own.
"""

import numpy as np

from swapregret.arrays import Floats, Integers
from swapregret.compiled.cholesky import cholesky, cholesky_solve, trace_of_inverse
from swapregret.compiled.kernel import kernel
from swapregret.learners.adaptive.state import Fit

_FARTHEST = 1e4
"""Most that a log-weight is moved: in a world without noise the standard error goes to 0, and projections have an end."""
_ROUNDING = 1e-12
"""Differences in rewards that are due to rounding."""


@kernel
def remember_total(fit: Fit, action: Integers, reward: float, times: float) -> None:
    """Add a day to the sums of the window: A += M Mᵀ, b += r M."""
    d = fit.window_moment.size
    chosen = np.empty(d, dtype=np.int64)
    count = 0
    for i in range(d):
        if action[i]:
            chosen[count] = i
            count += 1
    for e in range(count):
        i = chosen[e]
        fit.window_moment[i] += times * reward
        line = fit.window_info[i]
        for f in range(count):
            line[chosen[f]] += times


@kernel
def remember_elements(fit: Fit, action: Integers, seen: Floats, times: float) -> None:
    """Add a day of semi-bandit feedback: A += diag(M), b += M∘R."""
    for i in range(action.size):
        if action[i]:
            fit.window_moment[i] += times * seen[i]
            fit.window_info[i, i] += times


@kernel
def gather_window(fit: Fit, kept: Floats) -> None:
    """Hand the sums of the window to all members that fit; each keeps a share of what it has then: 1 if it did not update."""
    n, d = fit.moment.shape
    for f in range(n):
        keep = kept[f]
        for i in range(d):
            fit.moment[f, i] = keep * (fit.moment[f, i] + fit.window_moment[i])
            line, new = fit.info[f, i], fit.window_info[i]
            for j in range(d):
                line[j] = keep * (line[j] + new[j])
    for i in range(d):
        fit.window_moment[i] = 0.0
        line = fit.window_info[i]
        for j in range(d):
            line[j] = 0.0


@kernel
def fitted_tilt(
    fit: Fit, f: int, size: int, rank: int, is_uniform: bool, noise: float, boldness: float, first_log: Floats
) -> Floats:
    """Return the log-weights that member f of those that fit projects, the window that ends included."""
    d = fit.window_moment.size
    a, b = np.empty((d, d)), np.empty(d)
    for i in range(d):
        b[i] = fit.moment[f, i] + fit.window_moment[i]
        line, old, new = a[i], fit.info[f, i], fit.window_info[i]
        for j in range(d):
            line[j] = old[j] + new[j]
    top, bottom = 0.0, 0.0
    ones = np.zeros(d)  # A·1: A is symmetric, so its rows are added up side by side
    for i in range(d):
        line = a[i]
        for j in range(d):
            ones[j] += line[j]
    for i in range(d):
        top += b[i]
        bottom += ones[i]
    level = top / bottom if bottom > 0.0 else 0.0
    right = np.empty(d)
    ridge = float(max(1, size))
    for i in range(d):
        right[i] = b[i] - level * ones[i]
        a[i, i] += ridge
    factor, _ = cholesky(a)
    worth = cholesky_solve(factor, right)
    trace = trace_of_inverse(factor) - (d - rank) / ridge
    error = np.sqrt(2.0 * noise * max(trace, 0.0) / rank)
    largest = 0.0
    for i in range(d):
        if not is_uniform:  # where all actions have one size, what every element is worth changes nothing
            worth[i] += level
        largest = max(largest, abs(worth[i]))
    bold = boldness * max(1.0, np.log(d / ridge))
    tilted = first_log.copy()
    if largest > _ROUNDING:
        steepness = bold / error if bold * largest < _FARTHEST * error else _FARTHEST / largest
        for i in range(d):
            tilted[i] += steepness * worth[i]
    return tilted
