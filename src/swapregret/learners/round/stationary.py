r"""The stationary distribution of a slowly changing chain.

The reductions from swap to external regret play :math:`p` with :math:`p = pQ`, and Q changes little from day to day. Up to 160
states, elimination without subtraction is fast enough. Above, an inverse made some days ago is a good preconditioner today; it is
made again when refinement takes long, and elimination is the last word.
"""

import numpy as np

from swapregret.arrays import Floats
from swapregret.compiled.kernel import kernel
from swapregret.compiled.vectors import dot

_TOLERANCE, _PATIENCE = 1e-13, 5
"""Of refinement: the residual that is good enough, and the steps after which an inverse no longer serves."""
SMALL = 160
"""Most states of a chain that is eliminated every day."""
_LEAST_RATE = 1e-200


@kernel
def eliminate(rates: Floats) -> Floats:
    """Return p with Σ_i p_i (rate_ij) = p_j Σ_k rate_jk; the diagonal is not used.

    Rates of 0, as weights leave that are too small for a number, count as 1e-200 of the largest: p is then unique.
    The elimination of Grassmann, Taksar and Heyman: no subtraction, so every entry has full relative accuracy,
    however small. O(2n³/3). Four states leave at a time, so that the rest of the matrix is gone through once for them.
    """
    n = rates.shape[0]
    a = np.maximum(rates, max(_LEAST_RATE * rates.max(), 1e-300))
    shares = np.zeros((n, n))  # row k: what each state before k passes on to it, in units of all that leaves k
    top = n
    while top > 1:
        width = 4 if top > 4 else 1
        for k in range(top - 1, top - 1 - width, -1):
            last, share = a[k], shares[k]
            for i in range(k):
                share[i] = a[i, k]
            for gone in range(top - 1, k, -1):  # what the states that left just before add to its row and its column
                row, passed = a[gone], shares[gone]
                to, through = passed[k], row[k]
                for j in range(k):
                    last[j] += to * row[j]
                    share[j] += passed[j] * through
            total = last[:k].sum()
            for i in range(k):
                share[i] /= total
        rest = top - width
        third, second, first = max(rest, top - 3), max(rest, top - 2), top - 1
        for i in range(rest):
            row = a[i]
            if width == 1:
                factor, only = shares[rest, i], a[rest]
                for j in range(rest):
                    row[j] += factor * only[j]
            else:
                one, two, three, four = shares[first, i], shares[second, i], shares[third, i], shares[rest, i]
                for j in range(rest):  # what this adds to the diagonal is never used
                    row[j] += (one * a[first, j] + two * a[second, j]) + (three * a[third, j] + four * a[rest, j])
        top = rest
    p = np.zeros(n)
    p[0] = 1.0
    for k in range(1, n):
        p[k] = dot(p[:k], shares[k, :k])
    p /= p.sum()
    return p


@kernel
def refine(rates: Floats, totals: Floats, guess: Floats, inverse: Floats) -> tuple[Floats, float, int]:
    """Refine a guess of the stationary distribution with an approximate inverse of yesterday, up to TOLERANCE or PATIENCE.

    Solves A p = u for A = diag(rates·1) − ratesᵀ + u1ᵀ, u = 1/n: then p is stationary and adds up to 1. The diagonal
    of the rates cancels. Each step costs two products with a matrix; all inner loops run along rows and add vectors, so
    that they can use vector instructions.

    Parameters
    ----------
    rates : array, shape (n, n)
    totals : array, shape (n,)
        rates·1.
    guess : array, shape (n,)
    inverse : array, shape (n, n)
        An approximate inverse of A, *transposed*.

    Returns
    -------
    p, ‖A p − u‖₁, steps
    """
    n = rates.shape[0]
    p = guess.copy()
    steps = 0
    while True:
        residual = np.zeros(n)
        for i in range(n):
            row, share = rates[i], p[i]
            for j in range(n):
                residual[j] += share * row[j]
        residual += (1.0 - p.sum()) / n - totals * p
        size = np.abs(residual).sum()
        if size <= _TOLERANCE or steps == _PATIENCE:
            return p, size, steps
        for j in range(n):
            row, share = inverse[j], residual[j]
            for i in range(n):
                p[i] += share * row[i]
        steps += 1


@kernel
def _take(found: Floats, point: Floats) -> bool:
    """Take over a distribution that may have entries just below 0; refuse one with entries far below."""
    if found.min() < -_TOLERANCE:
        return False
    point[:] = np.maximum(found, 0.0)
    point /= point.sum()
    return True


@kernel
def invert_chain(rates: Floats, totals: Floats, inverse: Floats) -> None:
    """Write the inverse of Aᵀ, A as of :func:`refine`; zeros if there is none."""
    matrix = 1.0 / totals.size - rates
    for i in range(totals.size):
        matrix[i, i] += totals[i]
    try:
        inverse[:, :] = np.linalg.inv(matrix)
    except Exception:  # compiled code knows no other class
        inverse[:, :] = 0.0


@kernel
def follow_chain(rates: Floats, point: Floats, inverse: Floats) -> None:
    """Change ``point`` to the stationary distribution of a chain close to the one it belongs to: p_j Σ_k rate_jk = Σ_i p_i rate_ij.

    By elimination if ``inverse`` is empty, and otherwise by refinement with it; it is made anew where it no longer serves.
    """
    if inverse.shape[0] == 0:
        point[:] = eliminate(rates)
        return
    totals = rates.sum(axis=1)
    found, size, steps = refine(rates, totals, point, inverse)
    if steps < _PATIENCE and size <= _TOLERANCE and _take(found, point):
        return
    invert_chain(rates, totals, inverse)
    found, size, _ = refine(rates, totals, np.full(point.size, 1.0 / point.size), inverse)
    if not (size <= _TOLERANCE and _take(found, point)):
        point[:] = eliminate(rates)


def start_chain(n: int) -> tuple[Floats, Floats]:
    """Return the uniform distribution, and an inverse that serves nothing yet; it is empty where none is needed."""
    return np.full(n, 1.0 / n), np.zeros((n, n) if n > SMALL else (0, 0))
