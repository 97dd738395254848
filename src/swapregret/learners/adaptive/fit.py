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
"""

import numpy as np

from swapregret.arrays import Floats, Integers
from swapregret.compiled.cholesky import cholesky, cholesky_solve
from swapregret.compiled.kernel import kernel
from swapregret.learners.adaptive.state import Fit

_FARTHEST = 1e4
"""Most that a log-weight is moved: in a world without noise the standard error goes to 0, and projections have an end."""
_SETTLED = 64
"""Base windows after which what is shared becomes each member's own."""
_ROUNDING = 1e-12
"""Differences in rewards that are due to rounding."""


@kernel
def remember_total(fit: Fit, action: Integers, reward: float, times: float) -> None:
    """Add a day to the sums of all members: A += M Mᵀ, A·1 += |M| M, b += r M."""
    d = action.size
    chosen, count = np.empty(d, dtype=np.int64), 0
    for i in range(d):
        if action[i]:
            chosen[count] = i
            count += 1
    for e in range(count):
        line = fit.shared[chosen[e]]
        for f in range(e, count):
            line[chosen[f]] += times
        line[d] += times * count
        line[d + 1] += times * reward


@kernel
def remember_elements(fit: Fit, action: Integers, seen: Floats, times: float) -> None:
    """Add a day of semi-bandit feedback: A += diag(M), A·1 += M, b += M∘R."""
    d = action.size
    for i in range(d):
        if action[i]:
            line = fit.shared[i]
            line[i] += times
            line[d] += times
            line[d + 1] += times * seen[i]


@kernel
def forget_days(fit: Fit, kept: Floats, n_windows: int) -> None:
    """Let each member that fits keep a share of its sums: 1 if it did not update, or never forgets.

    From time to time, before the sums grow so large that their differences are rounded, every member takes what is shared.
    """
    n, d = fit.own.shape[0], fit.own.shape[1]
    is_settling = n_windows % _SETTLED == 0
    for f in range(n):
        keep = kept[f]
        if keep == 1.0 and not is_settling:
            continue
        rest = 0.0 if is_settling else 1.0
        for i in range(d):
            line, shared = fit.own[f, i, i:], fit.shared[i, i:]
            for j in range(line.size):
                line[j] = keep * (line[j] + shared[j]) - rest * shared[j]
    if is_settling:
        fit.shared[:] = 0.0


@kernel
def fitted_tilt(
    fit: Fit, f: int, size: int, is_uniform: bool, noise: float, boldness: float, first_log: Floats
) -> Floats:
    """Return the log-weights that member f of those that fit projects."""
    d = first_log.size
    a, ones, right = np.empty((d, d)), np.empty(d), np.empty(d)  # A + ρI, A·1, b and then the right side
    ridge = float(max(1, size))
    top, bottom, spread = 0.0, 0.0, 0.0
    for i in range(d):
        line, own, shared = a[i, i:], fit.own[f, i, i:], fit.shared[i, i:]
        n = line.size
        for j in range(n):
            line[j] = own[j] + shared[j]
        ones[i], right[i] = own[n] + shared[n], own[n + 1] + shared[n + 1]
        line[0] += ridge
        top += right[i]
        bottom += ones[i]
        spread += 1.0 / line[0]
    level = top / bottom if bottom > 0.0 else 0.0
    for i in range(d):
        right[i] -= level * ones[i]
    factor, _ = cholesky(a)
    worth = cholesky_solve(factor, right)
    error = np.sqrt(2.0 * noise * spread / d)
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
