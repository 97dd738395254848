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
from swapregret.compiled.cholesky import cholesky, solve_with_trace
from swapregret.compiled.kernel import kernel
from swapregret.compiled.vectors import sum_of
from swapregret.learners.adaptive.state import Fit

_FARTHEST = 1e4
"""Most that a log-weight is moved: in a world without noise the standard error goes to 0, and projections have an end."""
_SETTLED = 64
"""Base windows after which what is shared becomes each member's own."""
_ROUNDING = 1e-12
"""Differences in rewards that are due to rounding."""


@kernel
def remember_total(fit: Fit, action: Integers, reward: float, times: float) -> None:
    """Add a day to the sums of all members: A += M Mᵀ, b += r M."""
    d = fit.shared_moment.size
    chosen = np.empty(d, dtype=np.int64)
    count = 0
    for i in range(d):
        if action[i]:
            chosen[count] = i
            count += 1
    for e in range(count):
        i = chosen[e]
        fit.shared_moment[i] += times * reward
        line = fit.shared_info[i]
        for f in range(e, count):
            line[chosen[f]] += times


@kernel
def remember_elements(fit: Fit, action: Integers, seen: Floats, times: float) -> None:
    """Add a day of semi-bandit feedback: A += diag(M), b += M∘R."""
    for i in range(action.size):
        if action[i]:
            fit.shared_moment[i] += times * seen[i]
            fit.shared_info[i, i] += times


@kernel
def forget_days(fit: Fit, kept: Floats, n_windows: int) -> None:
    """Let each member that fits keep a share of its A and b: 1 if it did not update, or never forgets.

    From time to time, before the sums grow so large that their differences are rounded, every member takes what is shared.
    """
    n, d = fit.moment.shape
    is_settling = n_windows % _SETTLED == 0
    for f in range(n):
        keep = kept[f]
        if keep == 1.0 and not is_settling:
            continue
        rest = 0.0 if is_settling else 1.0
        for i in range(d):
            fit.moment[f, i] = keep * (fit.moment[f, i] + fit.shared_moment[i]) - rest * fit.shared_moment[i]
            line, shared = fit.info[f, i, i:], fit.shared_info[i, i:]
            for j in range(line.size):
                line[j] = keep * (line[j] + shared[j]) - rest * shared[j]
    if is_settling:
        fit.shared_moment[:] = 0.0
        fit.shared_info[:] = 0.0


@kernel
def fitted_tilt(
    fit: Fit, f: int, size: int, rank: int, is_uniform: bool, noise: float, boldness: float, first_log: Floats
) -> Floats:
    """Return the log-weights that member f of those that fit projects."""
    d = fit.shared_moment.size
    a, b, ones = np.empty((d, d)), np.empty(d), np.zeros(d)  # the last is A·1
    for i in range(d):
        b[i] = fit.moment[f, i] + fit.shared_moment[i]
        line, own, shared = a[i, i:], fit.info[f, i, i:], fit.shared_info[i, i:]
        for j in range(line.size):
            line[j] = own[j] + shared[j]
        ones[i] += sum_of(line)
        below = ones[i + 1 :]
        for j in range(below.size):
            below[j] += line[j + 1]
    top, bottom = 0.0, 0.0
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
    worth, trace = solve_with_trace(factor, right)
    trace -= (d - rank) / ridge
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
