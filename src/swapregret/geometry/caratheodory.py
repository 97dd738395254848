r"""A point of conv(A) written as a law over few actions (Algorithm 2, line 5).

The paper asks for any :math:`\tilde p` with :math:`\sum_M \tilde p(M) M = m q`; it is not unique (deviation D4), so
the rule here is fixed: Wolfe's algorithm from a fixed vertex, in a fixed norm; or non-negative least squares on actions that are
known, in a fixed norm.
"""

from collections.abc import Iterable

import numpy as np

from swapregret.arrays import Matrix, Vector, as_integer, as_vector
from swapregret.errors import InvalidInput
from swapregret.geometry.few_actions import more_actions
from swapregret.geometry.min_norm import min_norm_point
from swapregret.geometry.oracle import LinearOracle
from swapregret.policy import FinitePolicy

__all__ = ["decompose", "decompose_from", "norm_of_variant"]

_INSIDE = 1e-8
_REACHED = 2e-13
_GOLDEN = (5.0**0.5 - 1.0) / 2.0


def decompose(oracle: LinearOracle, marginals: Vector, *, variants: int = 1) -> FinitePolicy:
    r"""Write a point of conv(A) as a law over at most r + 1 actions.

    Find actions :math:`M_a` and weights :math:`p_a > 0`, :math:`\sum_a p_a = 1`, with :math:`\sum_a p_a M_a` equal to
    the point, to rounding. The law is on the grid of :class:`~swapregret.policy.FinitePolicy`: no mass is left over.

    Parameters
    ----------
    oracle : LinearOracle
    marginals : array, shape (d,)
        A point of conv(A).
    variants : int
        How many decompositions to average. Each starts from its own fixed vertex and measures distances in its own
        fixed norm, so the average has up to ``variants`` · (r + 1) atoms.

    Returns
    -------
    FinitePolicy

    Raises
    ------
    InvalidInput
        If the point is further than 1e-8 from conv(A).

    Examples
    --------
    >>> class Line:
    ...     dimension = 2
    ...     def argmax(self, weights):
    ...         return (np.arange(2) == np.argmax(weights)).astype(np.int64)
    >>> law = decompose(Line(), np.array([.25, .75]))
    >>> law.atoms.tolist(), law.weights.tolist()
    ([[1, 0], [0, 1]], [0.25, 0.75])
    """
    d = oracle.dimension
    x = as_vector(marginals, d, "marginals")
    count = as_integer(variants, "variants", 1)
    parts = [_decompose_once(oracle, x, variant) for variant in range(count)]
    if count == 1:
        return parts[0]
    return FinitePolicy(
        np.concatenate([part.atoms for part in parts]), np.concatenate([part.weights for part in parts]) / count
    )


def decompose_from(oracle: LinearOracle, point: Vector, pool: Matrix, variants: Iterable[int]) -> tuple[Matrix, Vector]:
    """Write a point of conv(A) by actions that are known; where they do not reach it, the action furthest in that direction joins.

    Parameters
    ----------
    oracle : LinearOracle
    point : array, shape (d,)
    pool : float64 array, shape (n, d)
        Different actions.
    variants : iterable of int
        The numbers of the variants; each measures distances in its own fixed norm.

    Returns
    -------
    table : float64 array, shape (k, d)
        The pool, and the actions that joined it.
    weights : float64 array, shape (k,)
        The sum of the variants' laws, which depends on the point and the pool alone.

    Examples
    --------
    >>> class Line:
    ...     dimension = 2
    ...     def argmax(self, weights):
    ...         return (np.arange(2) == np.argmax(weights)).astype(np.int64)
    >>> table, weights = decompose_from(Line(), np.array([.25, .75]), np.array([[1., 0.]]), [0])
    >>> table.tolist(), weights.tolist()
    ([[1.0, 0.0], [0.0, 1.0]], [0.25, 0.75])
    """
    table, total = pool, np.zeros(len(pool))
    for variant in variants:
        scale = norm_of_variant(variant, len(point))
        held, weights = np.empty(0, dtype=np.int64), np.empty(0)
        while True:
            held, weights, distance = more_actions(table, point, scale, held, weights)
            rest = point - weights @ table[held]
            largest = float(np.abs(rest).max())
            if distance <= _REACHED or largest == 0.0:
                break
            action = oracle.argmax(scale * rest / largest)
            if (table == action).all(axis=1).any():
                break
            table = np.vstack([table, action])
        law = weights / weights.sum() if len(weights) else weights
        _check_distance(float(np.linalg.norm(point - law @ table[held])))
        total = np.append(total, np.zeros(len(table) - len(total)))
        total[held] += law
    return table, total


def norm_of_variant(variant: int, dimension: int) -> Vector:
    """Return the weights of the coordinates in the norm of a variant: fixed numbers from 1/e to e, 1 for the first variant."""
    if variant == 0:
        return np.ones(dimension)
    place = np.modf((variant * dimension + np.arange(1, dimension + 1)) * _GOLDEN)[0]
    return np.asarray(np.exp(2.0 * (place - 0.5)))


def _decompose_once(oracle: LinearOracle, x: Vector, variant: int) -> FinitePolicy:
    scale = norm_of_variant(variant, len(x))
    start = oracle.argmax(x - 0.5 + 0.5 * np.log(scale))
    found = min_norm_point(oracle, x, scale, start=start)
    _check_distance(float(np.linalg.norm(found.point - x)))
    return FinitePolicy(found.atoms, found.weights)


def _check_distance(distance: float) -> None:
    """Refuse a point that lies outside."""
    if distance > _INSIDE:
        raise InvalidInput(
            "`marginals` must be a point of the convex hull of the actions",
            f"a point at distance {distance:.3g} from it",
            "Project it first, e.g. with kl_project.",
        )
