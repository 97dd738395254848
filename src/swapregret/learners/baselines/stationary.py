r"""The stationary distribution of a slowly changing chain.

The reductions from swap to external regret play :math:`p` with :math:`p = pQ`, and Q changes little from day to day.
Up to 160 states, elimination without subtraction is fast enough. Above, an inverse made some days ago is a good
preconditioner today; it is made again when refinement takes long, and elimination is the last word.
"""

from dataclasses import dataclass

import numpy as np

from swapregret.arrays import Matrix, Vector, frozen
from swapregret.kernels.stationary import eliminate, refine, restation, row_sums

__all__ = ["PATIENCE", "TOLERANCE", "Stationary", "restationed", "stationed"]

TOLERANCE, PATIENCE = 1e-13, 5
"""Of refinement: the residual that is good enough, and the steps after which an inverse no longer serves."""
_SMALL = 160


@dataclass(frozen=True, eq=False)
class Stationary:
    """A stationary distribution, and the (transposed) inverse that found it: 0 × 0 for small chains, which need none.

    Kernels read the inverse, and nothing writes to it.
    """

    point: Vector
    inverse: Matrix


def stationed(rates: Matrix) -> Stationary:
    """Find the stationary distribution of a chain from nothing.

    Parameters
    ----------
    rates : array, shape (n, n)
        Transition probabilities, or any non-negative rates of the same order: p_j Σ_k rate_jk = Σ_i p_i rate_ij.
        Irreducible.

    Examples
    --------
    >>> stationed(np.array([[.5, .5], [.25, .75]])).point
    array([0.33333333, 0.66666667])
    """
    n = len(rates)
    if n <= _SMALL:
        return Stationary(frozen(eliminate(rates)), np.zeros((0, 0)))
    totals = row_sums(rates)
    matrix = 1.0 / n - rates.T
    matrix[np.diag_indices(n)] += totals
    inverse: Matrix
    try:
        inverse = np.ascontiguousarray(np.linalg.inv(matrix).T, dtype=np.float64)
    except np.linalg.LinAlgError:
        inverse = np.zeros((n, n))
    point, size, _ = refine(rates, totals, np.full(n, 1.0 / n), inverse, TOLERANCE, PATIENCE)
    if not size <= TOLERANCE or point.min() < -TOLERANCE:
        point = eliminate(rates)
    positive = np.maximum(point, 0.0)
    return Stationary(frozen(positive / positive.sum()), inverse)


def restationed(rates: Matrix, before: Stationary) -> Stationary:
    """Find the stationary distribution of a chain close to one whose distribution is known."""
    point = before.point.copy()
    if not restation(rates, point, before.inverse, TOLERANCE, PATIENCE):
        return stationed(rates)
    return Stationary(frozen(point), before.inverse)
