r"""Totals explained by what was chosen: ridge regression over the days so far."""

from typing import Self

import numpy as np

from swapregret.arrays import Actions, Matrix, NamedArrays, Vector
from swapregret.files.held import held_array

_LARGEST = 1e15


class LeastSquares:
    r"""Sums over days, and the fit they make.

    .. math:: \hat\theta = (A + \rho I)^{-1}(b - c\,A 1) + c, \qquad A = \sum M M^\top,\; b = \sum r M,

    c the mean reward per element and ρ the mean number of elements of an action, at least 1.

    Parameters
    ----------
    dimension : int

    Examples
    --------
    >>> fit = LeastSquares(2)
    >>> fit.add(np.array([[1, 0], [0, 1]] * 50), np.array([0.75, 0.25] * 50))
    >>> fit.theta().round(2).tolist()
    [0.75, 0.25]
    """

    def __init__(self, dimension: int) -> None:
        self.moment: Matrix = np.zeros((dimension, dimension))
        self.paid: Vector = np.zeros(dimension)
        self.chosen: Vector = np.zeros(dimension)
        self.n_days = 0
        self.squares = 0.0

    def add(self, plays: Actions, totals: Vector) -> None:
        """Add days, one action per row; copies of this keep what they had."""
        rows = plays.astype(np.float64)
        self.moment = self.moment + rows.T @ rows
        self.paid = self.paid + rows.T @ totals
        self.chosen = self.chosen + rows.sum(axis=0)
        self.n_days += len(rows)
        self.squares += float(totals @ totals)

    def theta(self) -> Vector:
        """Return θ̂."""
        along = self.moment.sum(axis=1)
        level = float(self.paid.sum() / along.sum()) if along.any() else 0.0
        found: Vector = level + np.linalg.solve(self.ridged(), self.paid - level * along)
        return found

    def ridged(self) -> Matrix:
        """Return A + ρI."""
        ridge = max(1.0, float(self.chosen.sum()) / max(1, self.n_days))
        made: Matrix = self.moment + ridge * np.eye(len(self.paid))
        return made

    def noise(self) -> float:
        """Return the root of the mean square of the residuals."""
        fit = self.theta()
        left = self.squares - 2.0 * float(fit @ self.paid) + float(fit @ self.moment @ fit)
        return float(np.sqrt(max(0.0, left) / max(1, self.n_days)))

    def dump(self) -> NamedArrays:
        """Write the sums as arrays."""
        numbers = np.array([float(self.n_days), self.squares])
        return {"moment": self.moment, "paid": self.paid, "chosen": self.chosen, "numbers": numbers}

    @classmethod
    def load(cls, arrays: NamedArrays, dimension: int) -> Self:
        """Read what ``dump`` wrote, or refuse it."""
        made, d = cls(dimension), dimension
        made.moment = held_array(arrays, "moment", "float64", (d, d), 0.0, _LARGEST)
        made.paid, made.chosen = (
            held_array(arrays, name, "float64", (d,), 0.0, _LARGEST) for name in ("paid", "chosen")
        )
        n_days, made.squares = held_array(arrays, "numbers", "float64", (2,), 0.0, _LARGEST).tolist()
        made.n_days = int(n_days)
        return made
