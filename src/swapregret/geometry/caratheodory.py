r"""A point of conv(A) written as a law over few actions (Algorithm 2, line 5).

The paper asks for any :math:`\tilde p` with :math:`\sum_M \tilde p(M) M = m q`; it is not unique (deviation D4), so
the rule here is fixed: Wolfe's algorithm from a fixed vertex, in a fixed norm.
"""

import numpy as np

from swapregret.arrays import Action, Actions, Vector, as_integer, as_vector
from swapregret.errors import InvalidInput
from swapregret.geometry.listed_hull import few_actions
from swapregret.geometry.min_norm import min_norm_point
from swapregret.geometry.oracle import LinearOracle
from swapregret.policy import FinitePolicy

__all__ = ["decompose", "norm_of_variant"]

_INSIDE = 1e-8
_REACHED = 2e-13
_GOLDEN = (5.0**0.5 - 1.0) / 2.0


def decompose(
    oracle: LinearOracle,
    marginals: Vector,
    *,
    variants: int = 1,
    pool: Actions | None = None,
    first: FinitePolicy | None = None,
) -> FinitePolicy:
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
    pool : int64 array, shape (n, d), optional
        Actions that are tried before the oracle is asked, as are its answers then: fewer questions, and another law, which
        depends on the point and the pool alone.
    first : FinitePolicy, optional
        The first variant, where it is known.

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
    known = None if pool is None else list(pool)
    if first is not None and known is not None:
        known += list(first.atoms)
    parts = [_decompose_once(oracle, x, 0, known) if first is None else first]
    parts += [_decompose_once(oracle, x, variant, known) for variant in range(1, count)]
    if count == 1:
        return parts[0]
    return FinitePolicy(
        np.concatenate([part.atoms for part in parts]), np.concatenate([part.weights for part in parts]) / count
    )


def norm_of_variant(variant: int, dimension: int) -> Vector:
    """Return the weights of the coordinates in the norm of a variant: fixed numbers from 1/e to e, 1 for the first variant."""
    if variant == 0:
        return np.ones(dimension)
    place = np.modf((variant * dimension + np.arange(1, dimension + 1)) * _GOLDEN)[0]
    return np.asarray(np.exp(2.0 * (place - 0.5)))


def _decompose_once(oracle: LinearOracle, x: Vector, variant: int, pool: list[Action] | None) -> FinitePolicy:
    scale = norm_of_variant(variant, len(x))
    start = oracle.argmax(x - 0.5 + 0.5 * np.log(scale))
    if pool is None:
        found = min_norm_point(oracle, x, scale, start=start)
        point, atoms, weights = found.point, found.atoms, found.weights
    else:
        pool.append(start)
        atoms, weights = _from_pool(oracle, x, scale, pool)
        point = weights @ atoms
    distance = float(np.linalg.norm(point - x))
    if distance > _INSIDE:
        raise InvalidInput(
            "`marginals` must be a point of the convex hull of the actions",
            f"a point at distance {distance:.3g} from it",
            "Project it first, e.g. with kl_project.",
        )
    return FinitePolicy(atoms, weights)


def _from_pool(oracle: LinearOracle, x: Vector, scale: Vector, pool: list[Action]) -> tuple[Actions, Vector]:
    """Write a point by actions of a list; where they do not reach it, the action furthest in the missing direction joins."""
    while True:
        table = np.array(pool, dtype=np.float64)
        held, weights, distance = few_actions(table, x, scale)
        atoms = table[held]
        rest = scale * (x - weights @ atoms)
        largest = float(np.abs(rest).max())
        if distance > _REACHED and largest > 0.0:
            action = oracle.argmax(rest / largest)
            if not (table == action).all(axis=1).any():
                pool.append(action)
                continue
        total = float(weights.sum())
        return atoms.astype(np.int64), weights / total if total > 0.0 else weights
