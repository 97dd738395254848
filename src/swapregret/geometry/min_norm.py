r"""The point of conv(A) nearest to a target, by Wolfe's algorithm.

The same routine is the engine of the decomposition: a target inside conv(A) is reached exactly, as a convex
combination of at most r + 1 actions (Wolfe 1976).
"""

from dataclasses import dataclass

import numpy as np
import scipy

from swapregret.arrays import Action, Actions, Matrix, Vector, as_vector, frozen
from swapregret.errors import InvalidInput
from swapregret.geometry.oracle import LinearOracle

_ROUNDING = 4.0 * float(np.finfo(np.float64).eps)
_DEPENDENT = 1e-11
_QUESTIONS = 50
"""Questions asked at most, times d + 2."""
_TINY = 1e-300


@dataclass(frozen=True, eq=False)
class MinNorm:
    """The nearest point, written as a convex combination of actions, and its certificate.

    Attributes
    ----------
    point : array, shape (d,)
        ``weights @ atoms``, the nearest point found.
    atoms : int64 array, shape (n, d)
        Affinely independent actions, so n ≤ r + 1.
    weights : array, shape (n,)
        Positive, adding up to 1.
    gap : float
        An upper bound on how far the objective at ``point`` lies above its minimum, from one oracle call.
    """

    point: Vector
    atoms: Actions
    weights: Vector
    gap: float


def min_norm_point(oracle: LinearOracle, target: Vector, scale: Vector, *, start: Action | None = None) -> MinNorm:
    r"""Find the point of conv(A) nearest to a target in a diagonal norm.

    .. math:: \min_{x \in \mathrm{conv}(\mathcal A)} \sum_i s_i (x_i - t_i)^2.

    Wolfe's algorithm keeps affinely independent actions; each step moves to the minimiser over their affine hull,
    dropping actions whose weight would turn negative, and adds the action most opposed to the gradient.

    Parameters
    ----------
    oracle : LinearOracle
    target : array, shape (d,)
        t.
    scale : array, shape (d,)
        s > 0.
    start : action, optional
        Where to begin; by default the action that is best in the direction of the target.

    Returns
    -------
    MinNorm

    Notes
    -----
    An iteration is one oracle call and O(n d) arithmetic for n atoms held: the QR factors of the shifted, scaled atoms
    are updated as atoms come and go. An extra coordinate, equal for all atoms, turns affine into linear independence
    and leaves the minimiser alone. A new atom that depends numerically on those held ends the search, as does a step
    that does not bring the point nearer: the point is then the best that rounding allows, and the gap says how good.

    Examples
    --------
    >>> from swapregret.actions.m_sets.m_sets import MSets
    >>> found = min_norm_point(MSets(2, 1), np.array([.25, .25]), np.ones(2))
    >>> found.point
    array([0.5, 0.5])
    """
    d = oracle.dimension
    t, s = as_vector(target, d, "target"), as_vector(scale, d, "scale")
    if not (s > 0.0).all():
        raise InvalidInput("`scale` must be positive", f"{s.min()!r}", "Give every coordinate a positive weight.")
    hull = _Hull(t, np.sqrt(s))
    hull.add(oracle.argmax(s * (t - 0.5)) if start is None else start)
    gap = float(np.inf)
    for _ in range(_QUESTIONS * (d + 2)):
        difference = hull.point() - t
        largest = float(np.abs(difference).max())
        if largest <= _ROUNDING:
            gap = min(gap, 2.0 * float((s * np.abs(difference)).sum()))
            break
        y = s * difference
        action = oracle.argmax(-y / float(np.abs(y).max()))
        gap = 2.0 * max(float(y @ (hull.point() - action)), 0.0)
        if gap == 0.0 or not hull.improve(action):
            break
    return MinNorm(
        point=frozen(hull.point()),
        atoms=frozen(hull.atoms.astype(np.int64)),
        weights=frozen(hull.weights),
        gap=gap,
    )


class _Hull:
    """Affinely independent actions with convex weights, and the minimiser over their affine hull.

    The columns of Q R are the atoms, shifted by the target, scaled, with one more coordinate that is the same for all.
    """

    def __init__(self, target: Vector, root: Vector) -> None:
        self.target, self.root = target, root
        self.extra = float(np.sqrt(np.mean(root * root)))
        self.atoms: Matrix = np.zeros((0, len(target)))
        self.weights: Vector = np.zeros(0)
        self.Q: Matrix = np.zeros((len(target) + 1, 0))
        self.R: Matrix = np.zeros((0, 0))

    def point(self) -> Vector:
        """Return the convex combination."""
        return np.asarray(self.weights @ self.atoms)

    def distance(self) -> float:
        """Return the distance of the point from the target in the scaled norm."""
        return float(np.linalg.norm(self.root * (self.point() - self.target)))

    def add(self, action: Action) -> bool:
        """Take in an action with weight 0 (1 if it is the first); refuse one that depends on those held."""
        column = np.append(self.root * (action - self.target), self.extra)
        n = len(self.weights)
        v = self.Q.T @ column
        rest = column - self.Q @ v
        correction = self.Q.T @ rest
        rest -= self.Q @ correction
        norm = float(np.linalg.norm(rest))
        if n > len(self.target) or norm <= _DEPENDENT * float(np.linalg.norm(column)):
            return False
        R = np.zeros((n + 1, n + 1))
        R[:n, :n], R[:n, n], R[n, n] = self.R, v + correction, norm
        self.Q, self.R = np.column_stack([self.Q, rest / norm]), R
        self.atoms = np.vstack([self.atoms, action.astype(np.float64)])
        self.weights = np.append(self.weights, 0.0 if n else 1.0)
        return True

    def improve(self, action: Action) -> bool:
        """Take in an action and move to the nearest point of the hull; undo it if that is not nearer than before."""
        before = self.distance()
        kept = self.atoms, self.weights, self.Q, self.R
        if not self.add(action):
            return False
        self._minimise()
        if self.distance() < before:
            return True
        self.atoms, self.weights, self.Q, self.R = kept
        return False

    def _minimise(self) -> None:
        """Move towards the affine minimiser, leaving out actions whose weight falls to 0 (Wolfe's minor cycle)."""
        while True:
            aim = self._affine_minimiser()
            falling = aim <= 0.0
            if not falling.any():
                self.weights = aim
                return
            ratios = np.full(len(aim), np.inf)
            ratios[falling] = self.weights[falling] / (self.weights[falling] - aim[falling] + _TINY)
            out = int(np.argmin(ratios))
            step = min(float(ratios[out]), 1.0)
            moved = np.delete(np.maximum(self.weights + step * (aim - self.weights), 0.0), out)
            self.weights = moved / moved.sum()
            self.atoms = np.delete(self.atoms, out, axis=0)
            Q, R = scipy.linalg.qr_delete(self.Q, self.R, out, which="col", check_finite=False)
            self.Q, self.R = Q[:, : len(moved)], R[: len(moved)]

    def _affine_minimiser(self) -> Vector:
        """Solve RᵀR u = 1, λ = u / Σu, then correct λ once by the gradient the rows themselves give."""
        direction = self._solve(np.ones(len(self.weights)))
        direction /= direction.sum()
        shifted = self.root * (self.atoms - self.target)
        aim = direction
        for _ in range(2):
            gradient = shifted @ (aim @ shifted)
            change = self._solve(float(gradient @ aim) - gradient)
            aim = aim + change - change.sum() * direction
        return np.asarray(aim / aim.sum())

    def _solve(self, right: Vector) -> Vector:
        half = scipy.linalg.solve_triangular(self.R, right, trans="T", check_finite=False)
        return np.asarray(scipy.linalg.solve_triangular(self.R, half, check_finite=False))
