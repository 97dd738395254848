r"""A point of conv(A) written as a law over few actions (Algorithm 2, line 5).

The paper asks for any :math:`\tilde p` with :math:`\sum_M \tilde p(M) M = m q`; it is not unique (deviation D4), so
the rule here is fixed: Wolfe's algorithm from a fixed vertex, in a fixed norm.

May touch: ``errors``, ``arrays``, ``policy``, ``geometry.oracle``, ``geometry.min_norm``.
"""

import numpy as np

from swapregret.arrays import Vector, as_integer, as_vector
from swapregret.errors import InvalidInput
from swapregret.geometry.min_norm import min_norm_point
from swapregret.geometry.oracle import LinearOracle
from swapregret.policy import FinitePolicy

__all__ = ["decompose", "norm_of_variant"]

_INSIDE = 1e-8
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


def norm_of_variant(variant: int, dimension: int) -> Vector:
    """Return the weights of the coordinates in the norm of a variant: fixed numbers from 1/e to e, 1 for the first variant."""
    if variant == 0:
        return np.ones(dimension)
    place = np.modf((variant * dimension + np.arange(1, dimension + 1)) * _GOLDEN)[0]
    return np.asarray(np.exp(2.0 * (place - 0.5)))


def _decompose_once(oracle: LinearOracle, x: Vector, variant: int) -> FinitePolicy:
    d = len(x)
    scale = norm_of_variant(variant, d)
    start = oracle.argmax(x - 0.5 + 0.5 * np.log(scale))
    found = min_norm_point(oracle, x, scale, start=start)
    distance = float(np.linalg.norm(found.point - x))
    if distance > _INSIDE:
        raise InvalidInput(
            "`marginals` must be a point of the convex hull of the actions",
            f"a point at distance {distance:.3g} from it",
            "Project it first, e.g. with kl_project.",
        )
    return FinitePolicy(found.atoms, found.weights)
