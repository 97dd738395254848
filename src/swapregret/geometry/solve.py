r"""Solving Σ y = M on the span of the actions, for a policy that is an object, and how well it can be solved.

:math:`\Sigma = \mathbb E[MM^\top]` is singular wherever the actions do not span :math:`\mathbb R^d`, and any solution
will do: projections and Gibbs weights ignore what is orthogonal to span(A) (deviation D8). On r independent coordinates J the
matrix Σ_JJ is positive definite; :math:`y_J = \Sigma_{JJ}^{-1} M_J`, 0 elsewhere, gives
:math:`y\cdot M' = M_J^\top \Sigma_{JJ}^{-1} M'_J` for every M' in span(A). Where r is too large for a matrix, conjugate
gradients take products v ↦ Σv only. Learners solve for their own mixtures: ``actions.policy_slots``. The variance of the estimate
is bounded through the smallest eigenvalue of Σ on the span.
"""

import math

import numpy as np
import scipy

from swapregret.arrays import Action, Matrix, Vector
from swapregret.compiled.cholesky import cholesky, recover
from swapregret.errors import InvalidInput, NotConverged
from swapregret.geometry.span import Span
from swapregret.policy import Policy

DENSE_LIMIT = 400
"""Largest rank for which Σ is made as a matrix where there is another way."""
TOLERANCE, LIMIT = 1e-10, 2000
"""Of conjugate gradients: when to stop, and when to give up."""
_HOPELESS = 1e-4


def invert(policy: Policy, span: Span) -> tuple[Matrix, bool]:
    """Return the inverse of Σ on the independent coordinates of a span, and whether there is one to working precision.

    If there is none (a policy that hardly explores), what is returned leaves out eigenvalues below 1e-12 of the largest:
    directions never played get estimate 0.
    """
    return invert_matrix(policy.cooccurrence()[np.ix_(span.coordinates, span.coordinates)])


def invert_matrix(matrix: Matrix) -> tuple[Matrix, bool]:
    """Return the inverse of a Σ as ``invert`` does."""
    sigma = np.ascontiguousarray(matrix)
    _, is_definite = cholesky(sigma)
    return np.asarray(np.linalg.inv(sigma) if is_definite else recover(sigma), dtype=np.float64), is_definite


class Solver:
    """Solves Σ y = M for one policy: O(r³) once, O(r²) per action, up to rank 400; by iteration above.

    Examples
    --------
    >>> from swapregret import MSets
    >>> actions = MSets(3, 1)
    >>> Solver(actions.uniform_policy(), actions.span).solve(np.array([1, 0, 0])).round(12)
    array([3., 0., 0.])
    """

    def __init__(self, policy: Policy, span: Span) -> None:
        self._policy, self._coordinates = policy, span.coordinates
        self._inverse = invert(policy, span)[0] if span.rank <= DENSE_LIMIT else None

    def solve(self, action: Action) -> Vector:
        """Return y with Σ y = M on the span."""
        if self._inverse is None:
            return iterate(self._policy, action)
        result = np.zeros(len(action))
        result[self._coordinates] = self._inverse @ action[self._coordinates]
        return result


def iterate(policy: Policy, action: Action, *, limit: int = LIMIT) -> Vector:
    """Solve by conjugate gradients, preconditioned by the marginals.

    The system is consistent (M is in the range of Σ), so the iteration converges on the span although Σ is singular. After
    ``limit`` steps, or where rounding leaves no direction to go on in, the point reached is returned, unless its relative
    residual is above 1e-4, which raises NotConverged.
    """
    marginals = policy.marginals()
    scale = np.divide(1.0, marginals, out=np.zeros(len(marginals)), where=marginals > 0.0)
    result, residual = np.zeros(len(marginals)), action.astype(np.float64)
    preconditioned = scale * residual
    direction = preconditioned.copy()
    first = energy = float(residual @ preconditioned)
    for _ in range(limit):
        if energy <= first * TOLERANCE**2:
            break
        product = policy.second_moment(direction)
        curvature = float(direction @ product)
        if not curvature > 0.0:
            break
        step = energy / curvature
        result += step * direction
        residual -= step * product
        preconditioned = scale * residual
        previous, energy = energy, float(residual @ preconditioned)
        direction = preconditioned + (energy / previous) * direction
    ratio = math.sqrt(max(energy, 0.0) / first) if first > 0.0 else 0.0
    if not ratio <= _HOPELESS:
        raise NotConverged(
            f"conjugate gradients must solve Σy = M within {limit} steps",
            f"relative residual {ratio:.1e}",
            "Explore more.",
        )
    return result


def smallest_eigenvalue(policy: Policy, span: Span) -> float:
    r"""Compute the smallest eigenvalue of a policy's second moment on the span of its set.

    .. math:: \lambda_{\min} = \min_{v \in \mathrm{span}(\mathcal A),\ |v| = 1} \mathbb E[(M \cdot v)^2],

    not negative; 0 exactly when the policy does not show every direction (to rounding). Dense: O(d² r + r³). The paper's
    constant 1/(4d³) is used nowhere (deviation D6).

    Examples
    --------
    >>> from swapregret import FinitePolicy
    >>> span = Span(np.array([0, 1]), np.eye(2), np.eye(2, dtype=np.int64))
    >>> smallest_eigenvalue(FinitePolicy([[1, 0], [0, 1]], [.75, .25]), span)
    0.25
    """
    if policy.dimension != len(span.lift):
        raise InvalidInput(
            f"`policy` must have dimension {len(span.lift)}, as the span",
            f"dimension {policy.dimension}",
            "Pass a policy and a span of the same action set.",
        )
    Q, _ = scipy.linalg.qr(span.lift, mode="economic")
    reduced = Q.T @ policy.cooccurrence() @ Q
    smallest = float(scipy.linalg.eigh(reduced, eigvals_only=True, subset_by_index=[0, 0])[0])
    noise = 4.0 * np.finfo(np.float64).eps * span.rank * float(np.trace(reduced))
    return smallest if smallest > noise else 0.0
