r"""An approximate barycentric spanner: r actions in which every action has small coefficients.

Line 1 of Algorithm 2 explores with the uniform policy over a barycentric spanner. On a set of rank r < d the
spanner has r elements (deviation D5); working in the coordinates J of :class:`~swapregret.geometry.span.Span` makes the
matrix square, so no dummy columns are needed.
"""

from dataclasses import dataclass, field
from math import log2

import numpy as np
import numpy.typing as npt

from swapregret.arrays import Actions, Matrix, Vector, as_action, frozen
from swapregret.errors import InvalidInput, NotConverged
from swapregret.geometry.oracle import LinearOracle
from swapregret.geometry.span import Span

_REFACTOR = 200


@dataclass(frozen=True, eq=False)
class Spanner:
    """Actions that span the set with bounded coefficients, and the proof.

    Attributes
    ----------
    actions : int64 array, shape (r, d)
        The spanner, one action a row.
    bound : float
        The largest absolute coefficient any action of the set has in it, certified by 2r oracle calls.
    coordinates : int64 array, shape (r,)
        J, the coordinates in which the spanner is an invertible matrix.
    inverse : array, shape (r, r)
        The inverse of ``actions[:, coordinates]``.
    """

    actions: Actions
    bound: float
    coordinates: npt.NDArray[np.int64] = field(repr=False)
    inverse: Matrix = field(repr=False)

    def coefficients(self, action: npt.ArrayLike) -> Vector:
        """Return the coefficients λ with ``action`` = λ @ ``actions``, in O(r²)."""
        vector = as_action(action, self.actions.shape[1])
        return np.asarray(vector[self.coordinates] @ self.inverse)


def find_spanner(oracle: LinearOracle, span: Span, slack: float = 2.0) -> Spanner:
    r"""Find r actions in which every action has coefficients of at most ``slack``, the paper's C > 1, in absolute value.

    With X the matrix of the spanner in the coordinates J of the span, the coefficient of M on row k is linear in M,
    :math:`\lambda_k(M) = M_J \cdot (X^{-1})_{\cdot k}`, so two oracle calls find its largest absolute value; if it
    exceeds the slack, M replaces row k and :math:`|\det X|` grows by that factor (Awerbuch and Kleinberg 2008). The
    scan over k is cyclic and goes on after an exchange; it ends after r clean rows in sequence, X freshly inverted. There are
    O(r log_slack r) exchanges; that rounding keeps them going beyond is refused.

    Examples
    --------
    >>> from swapregret.geometry.span import find_span
    >>> from swapregret import MSets
    >>> spanner = find_spanner(MSets(3, 1), find_span(MSets(3, 1)))
    >>> spanner.bound, sorted(spanner.actions.tolist())
    (1.0, [[0, 0, 1], [0, 1, 0], [1, 0, 0]])
    """
    if not slack > 1.0:
        raise InvalidInput("`slack` of find_spanner must exceed 1", repr(slack), "Use 2.0, the paper's choice.")
    J, r = span.coordinates, span.rank
    rows = span.basis.copy()
    inverse = np.linalg.inv(rows[:, J].astype(np.float64))
    limit = 64 + int(4 * r * log2(r + 2) / log2(slack))
    c = np.zeros(oracle.dimension)
    bound, clean, updates, swaps, k = 0.0, 0, 0, 0, 0
    while True:
        if clean == r:
            if updates == 0:
                break
            inverse = np.linalg.inv(rows[:, J].astype(np.float64))
            updates, clean, bound = 0, 0, 0.0
        best, value = None, 0.0
        for sign in (1.0, -1.0):
            c[J] = sign * inverse[:, k]
            action = oracle.argmax(c)
            coefficient = float(action[J] @ inverse[:, k])
            if abs(coefficient) > abs(value):
                best, value = action, coefficient
        if best is not None and abs(value) > slack:
            if swaps == limit:
                raise NotConverged(
                    f"the spanner must be found within {limit} exchanges",
                    f"a coefficient of {value:.3g} after them",
                    "Raise `slack`, or explore with the uniform policy.",
                )
            _replace(inverse, k, best[J] @ inverse)
            rows[k] = best
            swaps, updates, clean, bound = swaps + 1, updates + 1, 0, 0.0
            if updates == _REFACTOR:
                inverse = np.linalg.inv(rows[:, J].astype(np.float64))
                updates = 0
        else:
            clean, bound = clean + 1, max(bound, abs(value))
        k = (k + 1) % r
    return Spanner(actions=frozen(rows), bound=bound, coordinates=J, inverse=frozen(inverse))


def _replace(inverse: Matrix, k: int, coefficients: Vector) -> None:
    """Update X⁻¹ in place after row k of X became the action with these coefficients: one rank-one step."""
    column = inverse[:, k] / coefficients[k]
    others = coefficients.copy()
    others[k] = 0.0
    inverse -= np.outer(column, others)
    inverse[:, k] = column
