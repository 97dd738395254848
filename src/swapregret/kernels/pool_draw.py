"""The law the adaptive master plays on m-sets: its shares, its Σ, and draws from it.

May touch: the kernels it is made of.
"""

import numpy as np
import numpy.typing as npt

from swapregret.kernels.cholesky import cholesky
from swapregret.compiled.kernel import kernel
from swapregret.kernels.m_set_master import draw_uniform
from swapregret.kernels.pool_arrays import PoolArrays, PoolConfig, has_bit

__all__ = ["draw_action", "draw_into", "mix_laws"]

Floats = npt.NDArray[np.float64]
Integers = npt.NDArray[np.int64]
Words = npt.NDArray[np.uint64]


@kernel
def mix_laws(pool: PoolArrays, config: PoolConfig) -> bool:
    """Set the shares of the played laws, the floor and exploration, and factor Σ; False if it is singular."""
    n, d = pool.points.shape
    n_cold = config.windows.size - 1
    is_calm = pool.clock[4] == 1
    floor = 1.0 if pool.clock[3] else config.floor
    mass = 0.0
    for g in range(n):
        if pool.n_atoms[g]:
            mass += pool.law[g]
    for g in range(n):
        share = 0.0
        if pool.n_atoms[g] and mass > 0.0 and not is_calm:
            share = (1.0 - config.exploration) * (1.0 - floor) * pool.law[g] / mass
        pool.shares[g] = share
    for k in range(n_cold):
        pool.shares[n + k] = 0.0 if is_calm else (1.0 - config.exploration) * floor / n_cold
    pool.shares[n + n_cold] = 1.0 if is_calm else config.exploration
    total = 0.0
    for c in range(pool.shares.size):
        total += pool.shares[c]
    running = 0.0
    for c in range(pool.shares.size):
        pool.shares[c] /= total
        running += pool.shares[c]
        pool.cumulative[c] = running
    single = config.size / d
    pair = config.size * (config.size - 1) / (d * (d - 1))
    explore = pool.shares[n + n_cold]
    sigma = np.empty((d, d))
    for i in range(d):
        for j in range(d):
            sigma[i, j] = explore * (single if i == j else pair)
    for g in range(n):
        weight = pool.shares[g]
        if weight > 0.0:
            pairs = pool.played_pairs[g]
            for i in range(d):
                for j in range(d):
                    sigma[i, j] += weight * pairs[i, j]
    for k in range(n_cold):
        weight = pool.shares[n + k]
        pairs = pool.recommended_pairs[k]
        for i in range(d):
            for j in range(d):
                sigma[i, j] += weight * pairs[i, j]
    factor, is_definite = cholesky(sigma)
    pool.factor[:] = factor
    return is_definite


@kernel
def draw_action(rng: np.random.Generator, pool: PoolArrays, size: int) -> Integers:
    """Draw an action: a component, then one of its sets."""
    action = np.zeros(pool.prediction.size, dtype=np.int64)
    draw_into(rng, pool.cumulative, pool.n_atoms, pool.chances, pool.played, pool.recommended, size, action)
    return action


@kernel
def draw_into(
    rng: np.random.Generator,
    cumulative: Floats,
    n_atoms: Integers,
    chances: Floats,
    played: Words,
    recommended: Words,
    size: int,
    action: Integers,
) -> None:
    """Write a draw into ``action``."""
    n, d = n_atoms.size, action.size
    component = np.searchsorted(cumulative, rng.random(), side="right")
    if component >= cumulative.size - 1:
        action[:] = draw_uniform(rng, d, size)
        return
    g = component if component < n else component - n
    needle = rng.random()
    reached = 0.0
    atom = 0
    line = chances[g]
    for a in range(n_atoms[g]):
        atom = a
        reached += line[a]
        if needle < reached:
            break
    word = played[g, atom] if component < n else recommended[g, atom]
    for i in range(d):
        action[i] = 1 if has_bit(word, i) else 0
