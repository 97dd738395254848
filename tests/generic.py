"""The generic algorithms of ``geometry`` on sets and tables of any kind, for tests of what they promise."""

from typing import Any

import numpy as np

import swapregret as sr
from swapregret.compiled.address import settle
from swapregret.geometry.caratheodory import list_from, norms_of
from swapregret.geometry.kl import Projection
from swapregret.geometry.kl_from_actions import project_near
from swapregret.geometry.listed_hull import first_weights, improve_weights
from swapregret.geometry.oracle import AskedOracle
from swapregret.geometry.rows import elements_of_rows, mean_of_rows


def by_oracle(actions: Any) -> sr.OracleSet:
    """Return a set that is known by the oracle of another alone."""
    return sr.OracleSet(actions.dimension, actions.argmax)


def rows_from(elements: Any, ends: Any, first: int, dimension: int) -> Any:
    """Return rows as zeros and ones, from a place on."""
    pieces = np.split(elements, ends[1:-1])[first:]
    return np.array([np.isin(np.arange(dimension), piece) for piece in pieces], dtype=np.int64).reshape(-1, dimension)


def project_list(elements: Any, ends: Any, tilted: Any, target: float) -> tuple[Any, Any, float]:
    """Return the projection onto a list by the interior point method, its weights, and its gap."""
    weights, slack, level = first_weights(elements, ends, tilted)
    gap = improve_weights(elements, ends, tilted, target, weights, slack, level, False)
    return mean_of_rows(elements, ends, weights, tilted.size), weights, gap


def project_from_near(actions: Any, log_weights: Any, near: Any, pool: Any, size: int = 0) -> tuple[Projection, Any]:
    """Return the projection that begins with a point and a pool of actions, and the actions that joined it."""
    asked, w = AskedOracle.of(actions, size), np.array(log_weights)
    x, gap, _, elements, ends, _ = project_near(asked, w, np.array(near), *elements_of_rows(pool), len(pool))
    settle([asked.callback])
    log_x = np.log(x, out=np.full(len(x), -np.inf), where=x > 0.0)
    return Projection(x, log_x, gap), rows_from(elements, ends, len(pool), len(w))


def list_with(actions: Any, point: Any, pool: Any, variants: Any) -> tuple[Any, Any, float]:
    """Return the pool with the actions that joined it, the sum of the variants' policies, and the distance left."""
    asked, d = AskedOracle.of(actions), len(point)
    elements, ends, weights, distance = list_from(
        asked, np.array(point), *elements_of_rows(pool), len(pool), norms_of(variants, d)
    )
    settle([asked.callback])
    return rows_from(elements, ends, 0, d).astype(np.float64), weights, distance
