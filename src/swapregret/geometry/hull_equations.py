r"""conv(A) by equations, for sets that have few of them, and the affine maps of conv(A) into itself.

.. math:: \mathrm{conv}(\mathcal A) = \{x \ge 0 : Ex = e, \; Gx \le g\}, \qquad y = (x, g - Gx) \ge 0, \quad Fy = f.

An affine function that is nowhere negative on a bounded polytope is a sum of its coordinates y with weights ≥ 0 (Farkas), so the
affine maps of conv(A) into itself are the matrices S ≥ 0 with F·S·y = f for all y of the polytope: FS = NF and Nf = f for some N.
"""

from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING, Protocol, TypeAlias, runtime_checkable

import numpy as np
import numpy.typing as npt

from swapregret.arrays import Integers, Matrix, Vector, frozen
from swapregret.errors import NotConverged, Unsupported

if TYPE_CHECKING:
    from scipy import sparse

Sparse: TypeAlias = "sparse.csr_array"

_TOLERANCE = 1e-10
"""How far the linear program may be from its constraints, in units of the largest entry."""


@dataclass(frozen=True, eq=False)
class HullEquations:
    """The points x ≥ 0 with equal·x = right and below·x ≤ limit, and 0 outside of ``used``; no bound is met by all of them."""

    used: Integers  # the elements that some action has: columns are these
    equal: Sparse
    right: Vector
    below: Sparse
    limit: Vector

    @classmethod
    def of(
        cls,
        used: Integers,
        equal: npt.ArrayLike,
        right: npt.ArrayLike,
        below: npt.ArrayLike | None = None,
        limit: npt.ArrayLike = (),
    ) -> "HullEquations":
        """Take matrices of any kind, with a column for each used element."""
        from scipy import sparse

        under = np.zeros((0, len(used))) if below is None else below
        right, limit = (np.asarray(each, dtype=np.float64) for each in (right, limit))
        return cls(used, sparse.csr_array(equal), right, sparse.csr_array(under), limit)

    @cached_property
    def one(self) -> Vector:
        """Return u with u·x = 1 on all points: the equations, weighted by their right-hand sides."""
        return np.asarray(self.right @ self.equal) / float(self.right @ self.right)

    def best_map(self, products: Matrix, *, is_shortest: bool = True) -> Matrix:
        """Return B of the map x ↦ Bx of conv(A) into itself that maximises Σ_ij B_ij·products_ij, by linear programming.

        ``products`` is Σ_t R_t x_tᵀ over some days with points x_t: then the sum is what B x_t would have earned. The shortest B
        is found by a second program, and is for people.
        """
        whole, here = np.eye(len(products)), np.ix_(self.used, self.used)
        scale = float(np.abs(products[here]).max(initial=0.0))
        if scale > 0.0:
            change = self._solve(products[here] / scale) - np.eye(len(self.used))
            whole[here] += self._shortest(change) if is_shortest else change
        return whole

    def _shortest(self, change: Matrix) -> Matrix:
        """Return the matrix of least Σ|entries| that is the same on all points of the polytope.

        Matrices that are the same there differ by ΠE with Π·right = 0.
        """
        from scipy import sparse

        n, m = change.shape[1], len(self.right)
        every = sparse.eye_array(n)
        same = [sparse.kron(every, part) for part in (self.equal.T, -sparse.eye_array(n), sparse.eye_array(n))]
        none = sparse.csr_array((n, n * n))
        keeps = sparse.kron(every, sparse.csr_array(self.right[None, :]))
        equations = sparse.bmat([same, [keeps, none, none]], format="csr")
        found = _minimise(
            np.repeat([0.0, 1.0], [n * m, 2 * n * n]), equations, np.concatenate([-change.ravel(), np.zeros(n)]), n * m
        )
        return np.asarray((found[n * m : n * m + n * n] - found[n * m + n * n :]).reshape(n, n))

    def _solve(self, products: Matrix) -> Matrix:
        from scipy import sparse

        n, slack = len(self.used), len(self.limit)
        right = np.concatenate([self.right, self.limit])
        table = sparse.bmat([[self.equal, None], [self.below, sparse.eye_array(slack)]] if slack else [[self.equal]])
        m, size = table.shape
        each_column = sparse.kron(sparse.eye_array(size), table)  # FS, column by column
        sums = sparse.kron(table.T, sparse.eye_array(m))  # NF
        keeps = sparse.kron(sparse.csr_array(right[None, :]), sparse.eye_array(m))  # Nf
        equations = sparse.bmat([[-sums, each_column], [keeps, None]], format="csr")
        worth = np.zeros((size, size))
        total = products @ self.one  # Σ R
        worth[:n, :n] = products
        worth[:n, n:] = np.outer(total, self.limit) - products @ self.below.T
        costs = np.concatenate([np.zeros(m * m), -worth.T.ravel()])
        found = _minimise(costs, equations, np.concatenate([np.zeros(m * size), right]), m * m)
        maps = found[m * m :].reshape(size, size).T[:n]
        return np.asarray(maps[:, :n] - maps[:, n:] @ self.below + np.outer(maps[:, n:] @ self.limit, self.one))


def _minimise(costs: Vector, equations: Sparse, right: Vector, n_free: int) -> Vector:
    """Minimise costs·v with equations·v = right; all but the first ``n_free`` entries are nowhere negative."""
    from scipy.optimize import linprog

    found = linprog(
        costs,
        A_eq=equations,
        b_eq=right,
        bounds=[(None, None)] * n_free + [(0.0, None)] * (len(costs) - n_free),
        method="highs-ds",
        options={"primal_feasibility_tolerance": _TOLERANCE, "dual_feasibility_tolerance": _TOLERANCE},
    )
    if not found.success:
        raise NotConverged(
            "the linear program over affine maps must be solved", found.message, "Report it: it always has a solution."
        )
    return np.asarray(found.x)


@runtime_checkable
class Described(Protocol):
    """A set whose hull has few equations."""

    def hull_equations(self) -> HullEquations:
        """Return conv(A) by equations."""
        ...


def equations_of(actions: object) -> HullEquations:
    """Return conv(A) by equations, or say that the set has none."""
    if not isinstance(actions, Described):
        raise Unsupported(
            "linear swap regret must be asked of m-sets, permutations, paths, plans or products, whose hulls have few equations",
            repr(actions),
            "Use swap_regret, which needs only the oracle and is never below it.",
        )
    return actions.hull_equations()


def side_by_side(parts: list[tuple[HullEquations, int]]) -> HullEquations:
    """Return the equations of the product of some polytopes, each with the number of its coordinates."""
    from scipy import sparse

    first = np.cumsum([0, *(dimension for _, dimension in parts)])
    each = [part for part, _ in parts]
    return HullEquations(
        frozen(np.concatenate([part.used + at for part, at in zip(each, first[:-1], strict=True)])),
        sparse.block_diag([part.equal for part in each], format="csr"),
        np.concatenate([part.right for part in each]),
        sparse.block_diag([part.below for part in each], format="csr"),
        np.concatenate([part.limit for part in each]),
    )
