"""Whole runs of algorithms that play a point of a hull by a list of actions and move it every day, compiled."""

import numpy as np
import numpy.typing as npt

from swapregret.actions.paths.kernels.chain_draws import list_moment_on
from swapregret.compiled.cholesky import cholesky, cholesky_solve
from swapregret.compiled.kernel import kernel
from swapregret.kernels.exploration import places_of
from swapregret.kernels.hulls import ForestHull, Listing, MatchingHull, PathHull, list_actions, project_hull
from swapregret.kernels.hybrid_hulls import hybrid_hull
from swapregret.kernels.vector_log import VectorLog, note_vector, pay

__all__ = ["run_combexp_hull", "run_hybrid_hull"]

Floats = npt.NDArray[np.float64]
Integers = npt.NDArray[np.int64]


@kernel
def draw_listing(rng: np.random.Generator, law: Listing, dimension: int) -> Integers:
    """Draw from a list as ``PathList.sample`` does; weights of a ``MatchingPolicy`` add up to exactly 1."""
    a = np.searchsorted(law.cumulative, rng.random() * law.cumulative[-1], side="right")
    action = np.zeros(dimension, dtype=np.int64)
    for i in range(law.first[a], law.first[a + 1]):
        action[law.chosen[i]] = 1
    return action


@kernel
def run_combexp_hull(
    rng: np.random.Generator,
    rewards: Floats,
    begin: int,
    matchings: MatchingHull | None,
    paths: PathHull | None,
    forests: ForestHull | None,
    coordinates: Integers,
    rate: float,
    exploration: float,
    uniform: Floats,
    is_new: bool,
    log_point: Floats,
    point: Floats,
    log: VectorLog,
) -> tuple[int, bool]:
    """Play CombEXP from row ``begin`` of ``rewards`` on; ``point`` and its logarithm are changed in place.

    Returns how many rows are done, and whether all of them have been learnt from. If not, Σ of the law was singular to working
    precision on the last, or its estimate could not be projected. A point that is no point of the hull ends the run before its day.
    """
    d, r = point.size, coordinates.size
    place, sigma = places_of(coordinates, d), np.empty((r, r))
    right, mixed, tilted = np.empty(r), np.empty(d), np.empty(d)
    law, is_inside = list_actions(matchings, paths, forests, uniform)
    factor, is_definite = sigma, False
    must_make = True
    for index in range(begin, len(rewards)):
        if must_make:
            for i in range(d):
                mixed[i] = (1.0 - exploration) * point[i] + exploration * uniform[i]
            law, is_inside = list_actions(matchings, paths, forests, mixed)
            if not is_inside:
                return index, True
            list_moment_on(law.first, law.chosen, law.weights, place, sigma)
            factor, is_definite = cholesky(sigma)
        if is_new:
            note_vector(log, index, point)
        action = draw_listing(rng, law, d)
        reward = pay(log, index, rewards[index], action)
        must_make = is_new = reward != 0.0  # a day that pays nothing changes nothing
        if is_new:
            if not is_definite:
                return index + 1, False
            for j in range(r):
                right[j] = action[coordinates[j]]
            part = cholesky_solve(factor, right)
            tilted[:] = log_point
            for j in range(r):
                tilted[coordinates[j]] += rate * (reward * part[j])
            new, new_log, is_good = project_hull(matchings, paths, forests, tilted)
            if not is_good:
                return index + 1, False
            point[:] = new
            log_point[:] = new_log
    log.filled[1] = 0 if is_new else 1
    return len(rewards), True


@kernel
def run_hybrid_hull(
    rng: np.random.Generator,
    rewards: Floats,
    begin: int,
    matchings: MatchingHull | None,
    paths: PathHull | None,
    forests: ForestHull | None,
    is_free: npt.NDArray[np.bool_],
    size: int,
    scale: float,
    mix: float,
    acceptable: float,
    day: int,
    losses: Floats,
    point: Floats,
    log: VectorLog,
) -> tuple[int, bool]:
    """Play hybrid mirror descent from row ``begin`` of ``rewards`` on; ``losses`` and ``point`` are changed in place.

    Row 0 is day ``day``. Returns as :func:`run_combexp_hull` does; if not all rows have been learnt from, the losses have, but
    no point with an acceptable gap was found.
    """
    d = point.size
    for index in range(begin, len(rewards)):
        law, is_inside = list_actions(matchings, paths, forests, point)
        if not is_inside:
            return index, True
        note_vector(log, index, point)
        action, row = draw_listing(rng, law, d), rewards[index]
        pay(log, index, row, action)
        for i in range(d):
            losses[i] -= 1.0
            if action[i]:
                losses[i] += (2.0 - 2.0 * size * row[i]) / point[i]
        rate = scale / np.sqrt(day + index + 2)
        new, gap = hybrid_hull(matchings, paths, forests, rate * losses, mix, is_free, point)
        if not gap <= acceptable:
            return index + 1, False
        point[:] = new
    return len(rewards), True
