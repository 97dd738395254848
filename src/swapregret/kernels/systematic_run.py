"""Whole runs on m-sets of algorithms that play a point by systematic sampling and move it every day, compiled."""

from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from swapregret.actions.hybrid_capped import hybrid_capped
from swapregret.actions.m_sets.kernels.capped_simplex import project_capped
from swapregret.actions.m_sets.kernels.subsets import (
    UNIT,
    round_to_units,
    systematic_cooccurrence,
    systematic_draw,
    systematic_starts,
)
from swapregret.compiled.cholesky import cholesky, cholesky_solve
from swapregret.compiled.kernel import kernel
from swapregret.compiled.vectors import action_total

__all__ = ["SystematicLog", "run_combexp", "run_hybrid"]

Floats = npt.NDArray[np.float64]
Integers = npt.NDArray[np.int64]


class SystematicLog(NamedTuple):
    """What a run leaves behind.

    Attributes
    ----------
    received : float64 array, shape (n_days,)
    plays : int64 array, shape (n_days, d)
    starts : int64 array, shape (n_days,)
        The first day of each law.
    units : int64 array, shape (n_days, d) or (0, d)
        The marginals of the laws in units of 2⁻⁴⁴; without rows where nobody asks.
    filled : int64 array, shape (2,)
        How many laws there were, and 1 if the last of them is also that of the day after.
    """

    received: Floats
    plays: Integers
    starts: Integers
    units: Integers
    filled: Integers


@kernel
def play_systematic(
    rng: np.random.Generator,
    rewards: Floats,
    orders: Integers,
    units: Integers,
    starts: Integers,
    log: SystematicLog,
    day: int,
    is_new: bool,
) -> float:
    """Draw as ``SystematicPolicy.sample`` does, write down the day, and return its reward."""
    if is_new:
        log.starts[log.filled[0]] = day
        if len(log.units):
            log.units[log.filled[0]] = units
        log.filled[0] += 1
    order = int(rng.random() * orders.shape[0])
    action = systematic_draw(units, starts[order], int(rng.random() * UNIT))
    log.plays[day] = action
    reward = min(max(action_total(rewards, action), 0.0), 1.0)
    log.received[day] = reward
    return reward


@kernel
def run_combexp(
    rng: np.random.Generator,
    rewards: Floats,
    begin: int,
    orders: Integers,
    size: int,
    rate: float,
    exploration: float,
    uniform: Floats,
    is_new: bool,
    log_point: Floats,
    point: Floats,
    log: SystematicLog,
) -> tuple[int, bool]:
    """Play CombEXP from row ``begin`` of ``rewards`` on; ``point`` and its logarithm are changed in place.

    Returns how many rows are done, and whether all of them have been learnt from: if not, Σ of the law was singular to
    working precision on the last.
    """
    d = point.size
    must_make = True
    units, starts = np.empty(0, dtype=np.int64), np.empty((0, 0), dtype=np.int64)
    factor, is_definite = np.empty((0, 0)), False
    for index in range(begin, len(rewards)):
        if must_make:
            mixed = np.empty(d)
            for i in range(d):
                mixed[i] = (1.0 - exploration) * point[i] + exploration * uniform[i]
            units = round_to_units(mixed, size)
            starts = systematic_starts(units, orders)
            factor, is_definite = cholesky(systematic_cooccurrence(units, starts))
        reward = play_systematic(rng, rewards[index], orders, units, starts, log, index, is_new)
        must_make = is_new = reward != 0.0  # a day that pays nothing changes nothing
        if is_new:
            if not is_definite:
                return index + 1, False
            solution = cholesky_solve(factor, log.plays[index].astype(np.float64))
            tilted = np.empty(d)
            for i in range(d):
                tilted[i] = log_point[i] + rate * (reward * solution[i])
            new, new_log, _ = project_capped(tilted, size)
            point[:] = new
            log_point[:] = new_log
    log.filled[1] = 0 if is_new else 1
    return len(rewards), True


@kernel
def run_hybrid(
    rng: np.random.Generator,
    rewards: Floats,
    orders: Integers,
    size: int,
    scale: float,
    mix: float,
    day: int,
    losses: Floats,
    point: Floats,
    log: SystematicLog,
) -> None:
    """Play hybrid mirror descent, one day a row of ``rewards``; ``losses`` and ``point`` are changed in place."""
    d = point.size
    for index in range(len(rewards)):
        units = round_to_units(point, size)
        starts = systematic_starts(units, orders)
        play_systematic(rng, rewards[index], orders, units, starts, log, index, True)
        action, row = log.plays[index], rewards[index]
        for i in range(d):
            losses[i] -= 1.0
            if action[i]:
                losses[i] += (2.0 - 2.0 * size * row[i]) / point[i]
        rate = scale / np.sqrt(day + index + 2)
        new, _ = hybrid_capped(rate * losses, size, mix)
        point[:] = new
