r"""The linear span of an action set, and an approximate barycentric spanner of it, found by asking the oracle.

Few sets span :math:`\mathbb R^d`: permutations have rank (n−1)²+1, paths |E|−|V|+2 (deviation D5). What the estimator
needs instead of an inverse on :math:`\mathbb R^d` is a set J of r coordinates that determine all others,
:math:`M = L\,M_J` for every action (deviation D8).

Line 1 of Algorithm 2 explores with the uniform policy over a barycentric spanner: r actions in which every action has small
coefficients. Working in the coordinates J makes the matrix square, so no dummy columns are needed.
"""

from collections.abc import Callable
from dataclasses import dataclass, field
from functools import cached_property
from math import log2

import numpy as np
import numpy.typing as npt
import scipy

from swapregret.arrays import Action, Actions, Matrix, Vector, as_action, frozen
from swapregret.compiled.vectors import part_in_columns
from swapregret.errors import InvalidInput, NotConverged
from swapregret.geometry.oracle import LinearOracle

_ZERO = 1e-9
_REFACTOR = 32


class Span:
    """The linear span of the actions of a set.

    Dense matrices may be given by functions, which are called when they are first asked for: at 10⁴ coordinates each of them is
    most of a gigabyte, while rank and coordinates are all a matrix-free solver needs.

    Parameters
    ----------
    coordinates : int64 array, shape (r,)
        J, increasing: coordinates that are linearly independent on A and determine all others.
    lift : array, shape (d, r), or callable
        L, with M = L @ M[J] for every action M; entries that are whole numbers are so exactly.
    basis : int64 array, shape (r, d), or callable
        r linearly independent actions; ``basis[:, coordinates]`` is invertible.
    part : callable, optional
        Gives what :meth:`project` returns, where that is known in closed form.

    Examples
    --------
    >>> span = Span(np.arange(2), lambda: np.eye(2), np.eye(2, dtype=np.int64))
    >>> span.rank, span.lift.tolist()
    (2, [[1.0, 0.0], [0.0, 1.0]])
    """

    def __init__(
        self,
        coordinates: npt.NDArray[np.int64],
        lift: Matrix | Callable[[], Matrix],
        basis: Actions | Callable[[], Actions],
        part: Callable[[Vector], Vector] | None = None,
    ) -> None:
        self.rank, self.coordinates = len(coordinates), frozen(coordinates)
        self._lift, self._basis, self._part = lift, basis, part

    @cached_property
    def lift(self) -> Matrix:
        """L, with M = L @ M[J] for every action M."""
        return frozen(self._lift() if callable(self._lift) else self._lift)

    @cached_property
    def basis(self) -> Actions:
        """As many linearly independent actions as the rank."""
        return frozen(self._basis() if callable(self._basis) else self._basis)

    @cached_property
    def orthonormal(self) -> Matrix:
        """An orthonormal basis of span(A), shape (d, r)."""
        columns, _ = scipy.linalg.qr(self.lift, mode="economic")
        return np.ascontiguousarray(columns)

    def project(self, vector: Vector) -> Vector:
        """Return the part of a vector in span(A); what is orthogonal to all actions is lost on every one of them."""
        given = np.array(vector, dtype=np.float64)
        return part_in_columns(self.orthonormal, given) if self._part is None else self._part(given)


def find_span(oracle: LinearOracle) -> Span:
    r"""Find r independent coordinates and the matrix that gives all others from them.

    Going through the coordinates i in order, with pivots J and actions B found so far and :math:`B_J` invertible,
    there is one direction :math:`c = e_i - \sum_{j \in J} \alpha_j e_j` that vanishes on B. If :math:`c \cdot M = 0`
    for the maximiser of c and of −c, it vanishes on A: coordinate i is the combination α of those in J. Otherwise i
    is a new pivot and the maximiser a new action. A set whose only action is zero is refused.

    At most 2d oracle calls and O(d r²) arithmetic. The inverse of :math:`B_J` grows by bordering, every solution is
    refined once against the 0/1 matrix itself, and L is solved afresh at the end.
    """
    d = oracle.dimension
    J: list[int] = []
    B = np.zeros((0, d), dtype=np.float64)
    inverse: Matrix = np.zeros((0, 0))
    for i in range(d):
        column = B[:, i]
        B_J = B[:, J]
        alpha = inverse @ column
        alpha += inverse @ (column - B_J @ alpha)
        c = np.zeros(d)
        c[i] = 1.0
        c[J] = -alpha
        found = _nonzero(oracle, c, _ZERO * (1.0 + float(np.abs(alpha).sum())))
        if found is None:
            continue
        row = found.astype(np.float64)
        inverse = _border(inverse, alpha, row[J] @ inverse, float(c @ row))
        J.append(i)
        B = np.vstack([B, row])
        if len(J) % _REFACTOR == 0:
            inverse = np.asarray(np.linalg.inv(B[:, J]), dtype=np.float64)
    if not J:
        raise InvalidInput(
            "the set must contain an action other than the zero vector",
            f"a set of dimension {d} whose only action is zero",
            "Leave out sets in which nothing can be chosen.",
        )
    return Span(np.array(J, dtype=np.int64), _lift(B, J), B.astype(np.int64))


def _nonzero(oracle: LinearOracle, c: Vector, zero: float) -> Action | None:
    """Return an action with c·M ≠ 0, or None if c vanishes on the whole set."""
    for sign in (1.0, -1.0):
        action = oracle.argmax(sign * c)
        if abs(float(c @ action)) > zero:
            return action
    return None


def _border(inverse: Matrix, alpha: Vector, beta: Vector, schur: float) -> Matrix:
    """Return the inverse of [[X, Xα], [βX, βXα + schur]] from the inverse of X."""
    r = len(alpha)
    grown = np.empty((r + 1, r + 1))
    grown[:r, :r] = inverse + np.outer(alpha, beta) / schur
    grown[:r, r] = -alpha / schur
    grown[r, :r] = -beta / schur
    grown[r, r] = 1.0 / schur
    return grown


def _lift(B: Matrix, J: list[int]) -> Matrix:
    """Solve B_J Lᵀ = B, refined once; whole numbers are rounded to themselves."""
    B_J = B[:, J]
    transposed = np.linalg.solve(B_J, B)
    transposed += np.linalg.solve(B_J, B - B_J @ transposed)
    whole = np.rint(transposed)
    L = np.where(np.abs(transposed - whole) <= _ZERO, whole, transposed) + 0.0
    return np.ascontiguousarray(L.T)


_REPLACED = 200


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
            if updates == _REPLACED:
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
