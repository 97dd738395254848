r"""A point of conv(A) as a convex combination of affinely independent actions, and a good basis of their directions.

The KL projection meets points whose coordinates differ by forty orders of magnitude, and so Hessians diag(1/x) that
do. Normal equations, or a QR factorisation in the weights, lose the small directions. What keeps them is a basis of
the direction space :math:`\{\sum_a \delta_a M_a : \sum_a \delta_a = 0\}` in echelon form on the *smallest* coordinates of
the point: E with :math:`E_P = I` on pivot coordinates P, and :math:`E_{ip}^2\, x_p \le 100\, x_i`. Scaled by the
pivots, :math:`E^\top \mathrm{diag}(1/x) E` is then well conditioned whatever x is.
"""

import numpy as np
import numpy.typing as npt
import scipy

from swapregret.arrays import Matrix, Vector

_WHOLE = 1e-11
_PIVOT = 1e-6
_RATIO = 100.0
_REBUILD = 32
_TINY = 1e-290


class ActiveSet:
    """Affinely independent actions, their weights, the point they make and the directions they span.

    Parameters
    ----------
    atoms : array, shape (n, d)
        Affinely independent actions, as floats.
    weights : array, shape (n,)
        Positive; scaled to add up to 1.

    Attributes
    ----------
    atoms, weights
        As they are now.
    point : array, shape (d,)
        ``weights @ atoms``.

    Notes
    -----
    E has shape (d, k) and C shape (n, k), k = n − 1, with E = atomsᵀ C, 1ᵀC = 0 and E[P] = I. Adding or dropping an
    action, or exchanging a pivot, is one rank-one step, O(k (d + n)). Entries that are whole numbers, as most are for 0/1
    actions, are rounded to themselves, so that zeros are exact. The one mutable object of ``geometry``; it never leaves
    the projection that made it.

    Examples
    --------
    >>> held = ActiveSet(np.array([[1., 0.], [0., 1.]]), np.array([1., 1.]))
    >>> held.point
    array([0.5, 0.5])
    >>> in_weights, in_point, slope = held.newton(np.log(held.point / np.array([.6, .4])))
    >>> bool(in_point[0] > 0 > in_point[1]), slope < 0
    (True, True)
    """

    def __init__(self, atoms: Matrix, weights: Vector) -> None:
        self.atoms: Matrix = atoms[:1]
        self.weights: Vector = np.ones(1)
        self.point: Vector = atoms[0]
        self.E: Matrix = np.zeros((atoms.shape[1], 0))
        self.C: Matrix = np.zeros((1, 0))
        self.P: list[int] = []
        self.changes = 0
        for row in atoms[1:]:
            self.add(row)
        self.move(weights)

    def move(self, weights: Vector) -> None:
        """Change the weights, scaled to add up to 1."""
        self.weights = weights / weights.sum()
        self.point = self.weights @ self.atoms

    def add(self, row: Vector) -> bool:
        """Take in an action with weight 0; refuse one that is an affine combination of those held."""
        step = row - self.atoms[0]
        along = step[self.P]
        column = _snap(step - self.E @ along)
        free = np.flatnonzero(np.abs(column) > _PIVOT)
        if len(free) == 0:
            return False
        pivot = int(free[np.argmax(column[free] ** 2 / np.maximum(self.point[free], _TINY))])
        mix = -self.C @ along
        mix[0] -= 1.0
        new = np.append(mix, 1.0) / column[pivot]
        column = column / column[pivot]
        old = self.E[pivot].copy()
        C = np.vstack([self.C, np.zeros((1, len(self.P)))])
        self.E = _snap(np.column_stack([self.E - np.outer(column, old), column]))
        self.C = _snap(np.column_stack([C - np.outer(new, old), new]))
        self.P.append(pivot)
        self.atoms = np.vstack([self.atoms, row])
        self.weights = np.append(self.weights, 0.0)
        self.changes += 1
        return True

    def drop(self, index: int) -> None:
        """Leave out an action: of the directions only those in which its weight stays the same remain."""
        row = self.C[index]
        usable = np.flatnonzero(np.abs(row) > _PIVOT)
        out = int(usable[np.argmax(row[usable] ** 2 * self.point[np.array(self.P)[usable]])])
        ratio = row / row[out]
        E = self.E - np.outer(self.E[:, out], ratio)
        C = self.C - np.outer(self.C[:, out], ratio)
        self.E = _snap(np.delete(E, out, axis=1))
        self.C = _snap(np.delete(np.delete(C, out, axis=1), index, axis=0))
        del self.P[out]
        self.atoms = np.delete(self.atoms, index, axis=0)
        self.move(np.delete(self.weights, index))
        self.changes += 1

    def refresh(self) -> None:
        """Exchange pivots until none is much larger than a coordinate it serves."""
        if self.changes > _REBUILD:
            self.rebuild()
        for _ in range(4 * len(self.point)):
            ratios = np.where(np.abs(self.E) > _PIVOT, self.E**2 * (self.point[self.P] / self.point[:, None]), 0.0)
            worst = int(np.argmax(ratios))
            i, p = divmod(worst, len(self.P))
            if ratios[i, p] <= _RATIO:
                return
            self._exchange(i, p)

    def rebuild(self) -> None:
        """Compute the echelon basis afresh from the actions and the pivots."""
        D = (self.atoms[1:] - self.atoms[0]).T
        X = _snap(np.linalg.inv(D[self.P]))
        self.E, self.C = _snap(D @ X), _snap(np.vstack([-X.sum(axis=0), X]))
        self.changes = 0

    def _exchange(self, i: int, p: int) -> None:
        """Make coordinate i the pivot of column p."""
        row = self.E[i] / self.E[i, p]
        row[p] = 0.0
        E, C = self.E[:, p] / self.E[i, p], self.C[:, p] / self.E[i, p]
        self.E -= np.outer(self.E[:, p], row)
        self.C -= np.outer(self.C[:, p], row)
        self.E[:, p], self.C[:, p] = E, C
        self.E, self.C = _snap(self.E), _snap(self.C)
        self.P[p] = i
        self.changes += 1

    def newton(self, gradient: Vector) -> tuple[Vector, Vector, float]:
        """Return Newton's step for the Hessian diag(1/x): in the weights, in the point, and the slope along it."""
        self.refresh()
        root = np.sqrt(self.point)
        scaled = self.E * (root[self.P] / root[:, None])
        right = root[self.P] * (self.E.T @ gradient)
        step = -scipy.linalg.cho_solve(scipy.linalg.cho_factor(scaled.T @ scaled, lower=True), right)
        y = root[self.P] * step
        return self.C @ y, self.E @ y, float(right @ step)


def _snap(array: npt.NDArray[np.float64]) -> npt.NDArray[np.float64]:
    """Round entries that are whole numbers up to rounding to themselves."""
    whole = np.rint(array)
    return np.where(np.abs(array - whole) <= _WHOLE, whole, array)
