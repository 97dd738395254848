r"""How well a law of actions shows every direction of the span.

The variance of the reward estimate is bounded through the smallest non-zero eigenvalue of
:math:`\Sigma = \mathbb E[M M^\top]`. The paper's constant 1/(4d³) is used nowhere (deviation D6): the eigenvalue is
computed.
"""

import numpy as np
import scipy

from swapregret.errors import InvalidInput
from swapregret.geometry.span import Span
from swapregret.policy import Policy


def smallest_eigenvalue(policy: Policy, span: Span) -> float:
    r"""Compute the smallest eigenvalue of a law's second moment on the span of the set.

    .. math:: \lambda_{\min} = \min_{v \in \mathrm{span}(\mathcal A),\ |v| = 1} \mathbb E[(M \cdot v)^2].

    Parameters
    ----------
    policy : Policy
        A law over the actions of the set.
    span : Span
        The span of the set; of rank r.

    Returns
    -------
    float
        Non-negative; 0 exactly when the law does not show every direction (to rounding).

    Notes
    -----
    Dense: O(d² r + r³). An orthonormal basis of the span comes from the QR factors of the lift.

    Examples
    --------
    >>> from swapregret.policy import FinitePolicy
    >>> span = Span(np.array([0, 1]), np.eye(2), np.eye(2, dtype=np.int64))
    >>> smallest_eigenvalue(FinitePolicy([[1, 0], [0, 1]], [.75, .25]), span)
    0.25
    """
    if policy.dimension != len(span.lift):
        raise InvalidInput(
            f"`policy` must have dimension {len(span.lift)}, as the span",
            f"dimension {policy.dimension}",
            "Pass a policy and a span of the same action set.",
        )
    Q, _ = scipy.linalg.qr(span.lift, mode="economic")
    reduced = Q.T @ policy.cooccurrence() @ Q
    smallest = float(scipy.linalg.eigh(reduced, eigvals_only=True, subset_by_index=[0, 0])[0])
    noise = 4.0 * np.finfo(np.float64).eps * span.rank * float(np.trace(reduced))
    return smallest if smallest > noise else 0.0
