r"""Solving Σ y = M on the span of the actions.

:math:`\Sigma = \mathbb E[MM^\top]` is singular wherever the actions do not span :math:`\mathbb R^d`, and any solution
will do: projections and Gibbs weights ignore what is orthogonal to span(A) (deviation D8). Three ways:

* dense: on r independent coordinates J the matrix Σ_JJ is positive definite; :math:`y_J = \Sigma_{JJ}^{-1} M_J`, 0
  elsewhere, gives :math:`y\cdot M' = M_J^\top \Sigma_{JJ}^{-1} M'_J` for every M' in span(A);
* inverse: the same with :math:`\Sigma_{JJ}^{-1}` written out, so that an action costs m of its rows: worth it where a law
  is kept for many days;
* iterative: conjugate gradients with products v ↦ Σv only, for sets too large for a matrix.
"""

import math
from functools import cached_property
from typing import Protocol

import numpy as np
import numpy.typing as npt
import scipy

from swapregret.arrays import Action, Matrix, Vector
from swapregret.compiled.cholesky import cholesky, cholesky_inverse, cholesky_solve, sum_rows
from swapregret.errors import InvalidInput, NotConverged
from swapregret.geometry.span import Span
from swapregret.geometry.weighted_sums import add_four
from swapregret.policy import Mixture, Policy

__all__ = [
    "DENSE_LIMIT",
    "HOPELESS",
    "KINDS",
    "LIMIT",
    "TOLERANCE",
    "DenseSolver",
    "IterativeSolver",
    "Solver",
    "make_solver",
    "not_solved",
]

DENSE_LIMIT = 400
"""Largest rank for which ``make_solver`` builds a matrix when left to choose."""
KINDS = ("auto", "dense", "inverse", "iterative")
"""How Σ⁺M may be found."""
TOLERANCE, LIMIT, HOPELESS = 1e-10, 2000, 1e-4
"""Of conjugate gradients: when to stop, when to give up, and what residual is no solution."""
_CUTOFF = 1e-12


class Solver(Protocol):
    """Something that solves Σ y = M for one law."""

    @property
    def has_recovered(self) -> bool:
        """Whether the solution last returned came the documented second way, because the ordinary one failed."""

    def solve(self, action: Action) -> Vector:
        """Return y with Σ y = M on the span."""


class DenseSolver:
    """Cholesky on the independent coordinates: O(r³) once a policy, O(r²) an action, or O(r·m) with the inverse.

    If Σ is singular to working precision (a policy that hardly explores), the factorisation is replaced by an
    eigendecomposition that leaves out eigenvalues below 1e-12 of the largest: directions never played get estimate 0.
    ``has_recovered`` says so. The factorisation gives the same bits whatever the number of BLAS threads; the
    eigendecomposition need not, above rank 64.

    Parameters
    ----------
    policy : Policy
        The law whose Σ is inverted.
    span : Span
        Of the action set.
    is_inverted : bool
        Whether to write the inverse out, at three times the cost of the factor.

    Examples
    --------
    >>> from swapregret.actions.m_sets.m_sets import MSets
    >>> actions = MSets(3, 1)
    >>> DenseSolver(actions.uniform_policy(), actions.span).solve(np.array([1, 0, 0])).round(12)
    array([3., 0., 0.])
    """

    def __init__(self, policy: Policy, span: Span, *, is_inverted: bool = False) -> None:
        self._dimension = policy.dimension
        self._coordinates = None if span.rank == policy.dimension else span.coordinates
        upper = _upper(policy, span.coordinates)
        self._factor, is_definite = cholesky(upper)
        self._is_inverted = is_inverted and is_definite
        if self._is_inverted:
            self._factor = cholesky_inverse(self._factor)
        self._inverse: Matrix | None = None
        if not is_definite:
            values, vectors = scipy.linalg.eigh(upper, lower=False)
            kept = values > _CUTOFF * values[-1]
            self._inverse = (vectors[:, kept] / values[kept]) @ vectors[:, kept].T

    @property
    def has_recovered(self) -> bool:
        """Whether Σ was singular to working precision."""
        return self._inverse is not None

    @property
    def factored(self) -> tuple[Matrix, npt.NDArray[np.int64], bool] | None:
        """Return the factor or inverse, the coordinates it belongs to, and whether it is the inverse; None if singular."""
        if self.has_recovered:
            return None
        coordinates = np.arange(self._dimension) if self._coordinates is None else self._coordinates
        return self._factor, np.array(coordinates, dtype=np.int64), self._is_inverted

    def solve(self, action: Action) -> Vector:
        """Return y with Σ y = M on the span."""
        right = (action if self._coordinates is None else action[self._coordinates]).astype(np.float64)
        if self._inverse is not None:
            part = self._inverse @ right
        else:
            part = sum_rows(self._factor, right) if self._is_inverted else cholesky_solve(self._factor, right)
        if self._coordinates is None:
            return np.asarray(part)
        result = np.zeros(self._dimension)
        result[self._coordinates] = part
        return result


def _upper(policy: Policy, coordinates: npt.NDArray[np.int64]) -> Matrix:
    """Return a matrix whose upper triangle is that of Σ on the coordinates; of a mixture, summed component by component."""
    if not isinstance(policy, Mixture):
        return np.array(policy.cooccurrence_on(coordinates), order="C")
    parts = [_readable(component.cooccurrence_on(coordinates)) for component in policy.components]
    weights = policy.component_weights.tolist()
    missing = -len(parts) % 4
    parts, weights = parts + parts[:1] * missing, weights + [0.0] * missing
    total = np.zeros((len(coordinates),) * 2)
    for k in range(0, len(parts), 4):
        a, b, c, d = parts[k : k + 4]
        add_four(total, a, b, c, d, *weights[k : k + 4])
    return total


def _readable(matrix: Matrix) -> Matrix:
    """Return a matrix as the kernel takes it: contiguous and marked read-only, so that it compiles once."""
    view = np.ascontiguousarray(matrix).view()
    view.flags.writeable = False
    return view


class IterativeSolver:
    """Conjugate gradients with Σ as a product only.

    The system is consistent (M is in the range of Σ), so the iteration converges on the span although Σ is singular. Laws
    that know a better way for mixtures of their kind (``Policy.joint_solver``) are asked first; otherwise the iteration
    is preconditioned by the marginals.

    Parameters
    ----------
    policy : Policy
    tolerance : float
        Relative residual, in the norm of the preconditioner.
    limit : int
        Most iterations. There, or where rounding leaves no direction to go on in, the point reached is returned and
        ``has_recovered`` says so, unless its residual is above 1e-4, which raises NotConverged.
    """

    def __init__(self, policy: Policy, *, tolerance: float = TOLERANCE, limit: int = LIMIT) -> None:
        self._policy = policy
        self._tolerance = tolerance
        self._limit = limit
        self._has_recovered = False
        mixture = policy if isinstance(policy, Mixture) else None
        parts = (policy,) if mixture is None else mixture.components
        weights = np.ones(1) if mixture is None else mixture.component_weights
        self._joint = parts[0].joint_solver(parts, weights)

    @cached_property
    def _scale(self) -> Vector:
        marginals = self._policy.marginals()
        return np.where(marginals > 0.0, 1.0 / np.where(marginals > 0.0, marginals, 1.0), 0.0)

    @property
    def has_recovered(self) -> bool:
        """Whether the iteration for the last action stopped short of its tolerance."""
        return self._has_recovered

    def solve(self, action: npt.NDArray[np.int64]) -> Vector:
        """Return y with Σ y = M on the span."""
        if self._joint is None:
            result, ratio = self._iterate(action)
        else:
            result, ratio = self._joint(action, self._tolerance, self._limit)
        if not ratio <= HOPELESS:
            raise not_solved(ratio, self._limit)
        self._has_recovered = ratio > self._tolerance
        return result

    def _iterate(self, action: npt.NDArray[np.int64]) -> tuple[Vector, float]:
        residual = action.astype(np.float64)
        result = np.zeros(len(residual))
        preconditioned = self._scale * residual
        direction = preconditioned.copy()
        energy = float(residual @ preconditioned)
        target = energy * self._tolerance**2
        first = energy
        for _ in range(self._limit):
            if energy <= target:
                break
            product = self._policy.second_moment(direction)
            curvature = float(direction @ product)
            if not curvature > 0.0:
                break
            step = energy / curvature
            result += step * direction
            residual -= step * product
            preconditioned = self._scale * residual
            previous, energy = energy, float(residual @ preconditioned)
            direction = preconditioned + (energy / previous) * direction
        return result, math.sqrt(max(energy, 0.0) / first) if first > 0.0 else 0.0


def not_solved(ratio: float, limit: int = LIMIT) -> NotConverged:
    """Return the error for a relative residual that is too large."""
    return NotConverged(
        f"conjugate gradients must solve Σy = M within {limit} steps",
        f"relative residual {ratio:.1e}",
        "Explore more, or use a dense solver: its cost is the cube of the rank.",
    )


def make_solver(policy: Policy, span: Span, kind: str = "auto") -> Solver:
    """Return a solver for Σ of the policy: one of ``KINDS``; "auto" is dense up to rank 400, else iterative."""
    if kind not in KINDS:
        raise InvalidInput(f"`kind` must be one of {KINDS}", repr(kind), "Use 'auto'.")
    if kind in ("dense", "inverse") or (kind == "auto" and span.rank <= DENSE_LIMIT):
        return DenseSolver(policy, span, is_inverted=kind == "inverse")
    return IterativeSolver(policy)
