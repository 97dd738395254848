r"""D-optimal exploration: the policy over listed actions that shows every direction of the span best.

.. math:: \max_{\mu}\ \log\det \Sigma_\mu, \qquad \Sigma_\mu = \mathbb E_\mu[M_J M_J^\top]

in r independent coordinates J. By Kiefer and Wolfowitz the maximum is where the largest leverage :math:`\max_M
M_J^\top \Sigma_\mu^{-1} M_J` equals r; John's exploration (Bubeck, Cesa-Bianchi and Kakade 2012) has the same
property.
"""

import numpy as np

from swapregret.arrays import Actions, Matrix, Vector
from swapregret.errors import NotConverged
from swapregret.geometry.solve import invert
from swapregret.geometry.span import Span
from swapregret.policy import Policy

_LIMIT = 200_000
_LARGEST = 1.001


def leverages(rows: Actions, span: Span, policy: Policy) -> Vector:
    """Return M_Jᵀ Σ⁻¹ M_J of every row, with Σ of a policy."""
    return _leverages(rows[:, span.coordinates].astype(np.float64), invert(policy, span)[0])


def d_optimal(rows: Actions, span: Span) -> Vector:
    """Return weights of a D-optimal policy, with largest leverage at most 1.001·r.

    Fedorov's exchange with steps away (Todd 2016): the action of largest leverage gains weight, or the one of least
    leverage in the support loses it, by the exact amount that maximises the determinant; Σ⁻¹ follows by rank-one
    updates. Starts from the uniform policy, which on sets as symmetric as m-sets is the answer.

    Parameters
    ----------
    rows : array, shape (N, dimension)
    span : Span
    """
    V = rows[:, span.coordinates].astype(np.float64)
    n, r = V.shape
    w = np.full(n, 1.0 / n)
    inverse, g = _solved(V, w)
    for step in range(_LIMIT):
        most = int(np.argmax(g))
        support = np.flatnonzero(w > 0.0)
        least = int(support[np.argmin(g[support])])
        if g[most] <= r * _LARGEST:
            return np.asarray(w / w.sum())
        k = most if g[most] - r >= r - g[least] else least
        alpha = (g[k] - r) / (r * (g[k] - 1.0)) if g[k] > 1.0 else -w[k] / (1.0 - w[k])
        alpha = max(alpha, -w[k] / (1.0 - w[k]))  # w ← (1 − α) w + α e_k
        w *= 1.0 - alpha
        w[k] = max(0.0, w[k] + alpha)
        if step % 100 == 99:
            inverse, g = _solved(V, w)
            continue
        ratio = alpha / (1.0 - alpha)
        column = inverse @ V[k]
        inverse = (inverse - np.outer(column, column) * (ratio / (1.0 + ratio * g[k]))) / (1.0 - alpha)
        g = (g - (V @ column) ** 2 * (ratio / (1.0 + ratio * g[k]))) / (1.0 - alpha)
    raise NotConverged(
        f"the D-optimal policy must be found within {_LIMIT} steps",
        f"a largest leverage of {g.max():.6g} at rank {r}",
        "Explore with the spanner: exploration_policy='spanner'.",
    )


def _solved(V: Matrix, weights: Vector) -> tuple[Matrix, Vector]:
    """Return Σ⁻¹, and the leverage of every row."""
    inverse: Matrix = np.asarray(np.linalg.inv((V.T * weights) @ V), dtype=np.float64)
    return inverse, _leverages(V, inverse)


def _leverages(V: Matrix, inverse: Matrix) -> Vector:
    return np.asarray(np.einsum("ij,ij->i", V @ inverse, V))
