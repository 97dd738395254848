"""The constant 1 as a linear function of actions: what turns payoffs, rewards and costs of any range into rewards in [0, 1]."""

import numpy as np

from swapregret.actions.base import ActionSet
from swapregret.actions.paths.dag_paths import DagPaths
from swapregret.arrays import Vector
from swapregret.errors import InvalidInput

__all__ = ["constant_vector"]

_TOLERANCE = 1e-9


def constant_vector(actions: ActionSet) -> Vector:
    """Return u with u·M = 1 for every action M, checked by two calls of the oracle.

    Where all actions have m elements, each counts 1/m; on paths the edges that leave the source count 1; elsewhere u solves
    a linear system over a spanner.

    Raises
    ------
    InvalidInput
        If there is none, as where the zero vector is an action.

    Examples
    --------
    >>> from swapregret.actions.m_sets.m_sets import MSets
    >>> constant_vector(MSets(3, 2))
    array([0.5, 0.5, 0.5])
    >>> constant_vector(DagPaths([("s", "a"), ("a", "t"), ("s", "t")], source="s", sink="t"))
    array([1., 0., 1.])
    """
    if actions.is_uniform:
        return np.full(actions.dimension, 1.0 / actions.size)
    if isinstance(actions, DagPaths):
        source = actions.arguments[1]["source"]
        edges = [(edge[0], edge[1]) for edge in actions.edges]
        ones = np.array([1.0 if tail == source else 0.0 for tail, _ in edges])
    else:
        rows = actions.spanner().actions.astype(np.float64)
        ones = np.linalg.lstsq(rows, np.ones(len(rows)), rcond=None)[0]
    high, low = float(ones @ actions.argmax(ones)), float(ones @ actions.argmax(-ones))
    if max(abs(high - 1.0), abs(low - 1.0)) > _TOLERANCE:
        raise InvalidInput(
            "a set whose rewards do not begin at 0 must have a linear function that is 1 on every action",
            f"{actions!r}, which has none",
            "Add an element that every action contains.",
        )
    return np.asarray(ones)
