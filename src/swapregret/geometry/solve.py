r"""Solving Σ y = M on the span of the actions.

:math:`\Sigma = \mathbb E[MM^\top]` is singular wherever the actions do not span :math:`\mathbb R^d`, and any solution will
do: projections and Gibbs weights ignore what is orthogonal to span(A) (deviation D8). So solve on r independent
coordinates J, where Σ_JJ is positive definite, and put 0 elsewhere:

.. math:: y_J = \Sigma_{JJ}^{-1} M_J, \qquad y \cdot M' = M_J^\top \Sigma_{JJ}^{-1} M'_J \quad \forall M' \in \mathrm{span}(A).

May touch: ``arrays``, ``errors``, ``policy``, ``geometry.span``.
"""

import numpy as np
from scipy.linalg import LinAlgError, cho_factor, cho_solve

from swapregret.arrays import Action, Matrix, Vector
from swapregret.errors import NotConverged
from swapregret.geometry.span import Span
from swapregret.policy import Policy

__all__ = ["DenseSolver"]


class DenseSolver:
    """Cholesky on the independent coordinates: O(r³) once a policy, O(r²) an action.

    Parameters
    ----------
    policy : Policy
        The law whose Σ is inverted.
    span : Span
        Of the action set.

    Raises
    ------
    NotConverged
        If Σ is not positive definite on the span: the policy misses a direction.

    Examples
    --------
    >>> from swapregret.actions.m_sets import MSets
    >>> actions = MSets(3, 1)
    >>> DenseSolver(actions.uniform_policy(), actions.span).solve(np.array([1, 0, 0]))
    array([3., 0., 0.])
    """

    def __init__(self, policy: Policy, span: Span) -> None:
        self._dimension = policy.dimension
        self._rank = span.rank
        self._coordinates = None if span.rank == policy.dimension else span.coordinates
        matrix: Matrix = policy.cooccurrence()
        if self._coordinates is not None:
            matrix = matrix[np.ix_(self._coordinates, self._coordinates)]
        try:
            self._factor, _ = cho_factor(matrix, lower=True, check_finite=False)
        except LinAlgError:
            raise NotConverged(
                f"Σ must be positive definite on the {span.rank}-dimensional span of the actions",
                "a singular matrix",
                "Explore: mix in a law with a larger smallest eigenvalue, or more of it.",
            ) from None

    def solve(self, action: Action) -> Vector:
        """Return y with Σ y = M on the span."""
        if self._coordinates is None:
            right = action.astype(np.float64)
            return np.asarray(cho_solve((self._factor, True), right, overwrite_b=True, check_finite=False))
        result = np.zeros(self._dimension)
        right = action[self._coordinates].astype(np.float64)
        result[self._coordinates] = cho_solve((self._factor, True), right, overwrite_b=True, check_finite=False)
        return result
