"""Kullback–Leibler projection onto conv(A) (Algorithm 2, line 9): what one is, its certificate, and actions to begin with."""

from dataclasses import dataclass

import numpy as np

from swapregret.arrays import Actions, Vector, as_vector, frozen
from swapregret.errors import InvalidInput
from swapregret.geometry.oracle import LinearOracle

ACCEPTED_GAP = 1e-6
"""The largest certified gap of a projection."""
INSIDE = 1e-8
"""How far outside the hull a point may lie that is written as a list of actions."""


@dataclass(frozen=True, eq=False)
class Projection:
    """The projected point and the proof that it is nearly optimal.

    Attributes
    ----------
    point : array, shape (d,)
        x in conv(A): the paper's m·q.
    log_point : array, shape (d,)
        log x; −∞ at coordinates no action has.
    gap : float
        An upper bound on how far the divergence at x lies above its minimum.
    """

    point: Vector
    log_point: Vector
    gap: float

    def __post_init__(self) -> None:
        frozen(self.point)
        frozen(self.log_point)


def kl_gap(oracle: LinearOracle, log_weights: Vector, log_point: Vector) -> float:
    r"""Certify a projection with one oracle call.

    .. math:: \max_{M \in \mathcal A}\ g\cdot x - g\cdot M, \qquad g = \log x - \log w,

    bounds how far the unnormalised divergence at x lies above its minimum over conv(A). Coordinates that are 0 in x, whose
    logarithm is −∞, and in every action are left out; if some action has a coordinate that x has not, the slope towards it is
    infinite and so is the gap. The one question finds out both, by giving such coordinates more weight than all others together.
    """
    d = oracle.dimension
    w = as_vector(log_weights, d, "log_weights")
    log_x = np.asarray(log_point, dtype=np.float64)
    if log_x.shape != (d,) or np.isnan(log_x).any() or (log_x > 1e-9).any():
        raise InvalidInput(
            f"`log_point` must be {d} logarithms of numbers in [0, 1]",
            f"an array of shape {log_x.shape}, largest {log_x.max(initial=-np.inf)!r}",
            "Pass the log_point of a Projection.",
        )
    inside = np.isfinite(log_x)
    g = np.zeros(d)
    g[inside] = log_x[inside] - w[inside]
    ask = -g
    ask[~inside] = 1.0 + 2.0 * float(np.abs(g).sum())
    action = oracle.argmax(ask)
    if action[~inside].any():
        return float(np.inf)
    return max(float(g @ (np.exp(log_x) - action)), 0.0)


def cover(oracle: LinearOracle) -> Actions:
    """Find actions that together have every coordinate any action has; each brings a new one, so they are independent."""
    d = oracle.dimension
    rows = [oracle.argmax(np.zeros(d))]
    covered = rows[0] > 0
    for i in range(d):
        if covered[i]:
            continue
        action = oracle.argmax((np.arange(d) == i).astype(np.float64))
        if action[i]:
            rows.append(action)
            covered |= action > 0
    if not covered.any():
        raise InvalidInput(
            "the set must contain an action other than the zero vector",
            f"a set of dimension {d} whose only action is zero",
            "Leave out sets in which nothing can be chosen.",
        )
    return np.array(rows, dtype=np.int64)
