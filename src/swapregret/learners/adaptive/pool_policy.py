"""The law the adaptive master plays on m-sets, read from its arrays.

May touch: ``arrays``, ``policy``, ``actions.m_set_laws``, ``kernels``.
"""

from functools import cached_property

import numpy as np
import numpy.typing as npt

from swapregret.actions.m_set_laws import UniformSubsets
from swapregret.arrays import Action, Matrix, Vector, frozen
from swapregret.kernels.ledger import unpack_rows
from swapregret.kernels.pool_arrays import PoolArrays
from swapregret.kernels.pool_run import draw_action
from swapregret.policy import FinitePolicy, Policy

__all__ = ["PoolPolicy"]

Words = npt.NDArray[np.uint64]


class PoolPolicy(Policy):
    """The mixture of filtered laws, floor and exploration that a state of the pool describes.

    Parameters
    ----------
    pool : PoolArrays
        Never changed afterwards.
    size : int
        m.
    """

    def __init__(self, pool: PoolArrays, size: int) -> None:
        self._pool = pool
        self.size = size
        self.dimension = pool.points.shape[1]
        self._explorer = UniformSubsets(self.dimension, size)
        self._explore = float(pool.shares[-1])
        self.has_atoms = self._explorer.has_atoms or self._explore == 0.0

    def sample(self, rng: np.random.Generator) -> Action:
        """Draw a component, then one of its sets."""
        return draw_action(rng, self._pool, self.size)

    def estimating(self, pool: PoolArrays) -> PoolArrays:
        """Return arrays that estimate under this law and write into ``pool``: for rewards that come late."""
        drawn = self._pool
        return pool._replace(
            factor=drawn.factor,
            shares=drawn.shares,
            played_pairs=drawn.played_pairs,
            recommended_pairs=drawn.recommended_pairs,
        )

    @cached_property
    def _cooccurrence(self) -> Matrix:
        pool, n = self._pool, len(self._pool.points)
        n_cold = len(pool.aggregates)
        total = self._explore * self._explorer.cooccurrence()
        for g in range(n):
            if pool.shares[g] > 0.0:
                total = total + pool.shares[g] * pool.played_pairs[g]
        for k in range(n_cold):
            total = total + pool.shares[n + k] * pool.recommended_pairs[k]
        return frozen(total)

    def cooccurrence(self) -> Matrix:
        """Σ, computed once."""
        return self._cooccurrence

    def marginals(self) -> Vector:
        """E[M], the diagonal of Σ."""
        return np.diagonal(self._cooccurrence)

    def second_moment(self, vector: Vector) -> Vector:
        """Σv."""
        return np.asarray(self._cooccurrence @ vector)

    def parts(self) -> list[tuple[float, Words, Vector]]:
        """Return (share, sets as words, chances) of every law but exploration."""
        pool, n = self._pool, len(self._pool.points)
        rows = [(g, pool.played[g], g) for g in range(n)]
        rows += [(n + k, pool.recommended[k], k) for k in range(len(pool.aggregates))]
        return [
            (float(pool.shares[c]), words[: pool.n_atoms[g]], pool.chances[g, : pool.n_atoms[g]])
            for c, words, g in rows
            if pool.shares[c] > 0.0
        ]

    def probability(self, action: Action) -> float:
        """Return p(M)."""
        word = sum(1 << int(i) for i in np.flatnonzero(action))
        listed = sum(share * float(chances[words == word].sum()) for share, words, chances in self.parts())
        return listed + self._explore * self._explorer.probability(action)

    @cached_property
    def _finite(self) -> FinitePolicy:
        atoms, weights = [], []
        for share, words, chances in self.parts():
            atoms.append(unpack_rows(words[:, None].copy(), self.dimension))
            weights.append(share * chances / chances.sum())
        if self._explore > 0.0:
            law = self._explorer.finite()
            atoms.append(law.atoms)
            weights.append(self._explore * law.weights)
        table = np.concatenate(weights)
        return FinitePolicy(np.concatenate(atoms), table / table.sum())

    def finite(self) -> FinitePolicy:
        """List the support, where exploration can be listed."""
        return self._finite if self.has_atoms else super().finite()

    def __repr__(self) -> str:
        return f"PoolPolicy({self.size} of {self.dimension})"
