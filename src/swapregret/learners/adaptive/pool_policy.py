"""The law the adaptive master plays on m-sets, read from its arrays.

May touch: ``arrays``, ``policy``, ``actions.m_set_laws``, ``kernels``.
"""

from functools import cached_property

import numpy as np
import numpy.typing as npt

from swapregret.arrays import Action, Matrix, Vector, frozen
from swapregret.kernels.ledger import unpack_rows
from swapregret.kernels.pool_arrays import PoolArrays
from swapregret.kernels.pool_draw import draw_action
from swapregret.policy import FinitePolicy, Mixture, Policy

__all__ = ["PackedLaw", "PoolPolicy"]

Words = npt.NDArray[np.uint64]


class PackedLaw(Policy):
    """A law over sets of at most 63 elements, each a word with element i as bit i.

    Parameters
    ----------
    words : uint64 array, shape (n,)
    chances : Vector, shape (n,)
        Adding up to 1 within rounding.
    pairs : Matrix
        Its Σ.

    Examples
    --------
    >>> law = PackedLaw(np.array([1, 2], dtype=np.uint64), np.array([.5, .5]), np.diag([.5, .5]))
    >>> law.atoms.tolist()
    [[1, 0], [0, 1]]
    """

    has_atoms = True

    def __init__(self, words: Words, chances: Vector, pairs: Matrix) -> None:
        self.dimension = len(pairs)
        self._words = frozen(words)
        self._chances = frozen(chances)
        self._pairs = frozen(pairs)
        self._cumulative = np.cumsum(chances)

    def sample(self, rng: np.random.Generator) -> Action:
        """Draw one set by inversion."""
        index = int(np.searchsorted(self._cumulative, rng.random(), side="right"))
        action: Action = unpack_rows(self._words[min(index, len(self._words) - 1)].reshape(1, 1), self.dimension)[0]
        return action

    def marginals(self) -> Vector:
        """E[M], the diagonal of Σ."""
        return np.diagonal(self._pairs)

    def second_moment(self, vector: Vector) -> Vector:
        """Σv."""
        return np.asarray(self._pairs @ vector)

    def cooccurrence(self) -> Matrix:
        """Σ, as it was handed over."""
        return self._pairs

    def packed_support(self) -> tuple[Words, Vector]:
        """Return the sets as rows of one word, and their chances; a set may come more than once."""
        return self._words[:, None], self._chances

    @cached_property
    def _finite(self) -> FinitePolicy:
        atoms = unpack_rows(self._words[:, None].copy(), self.dimension)
        return FinitePolicy(atoms, self._chances / self._chances.sum())

    def finite(self) -> FinitePolicy:
        """List the sets as vectors."""
        return self._finite

    def __repr__(self) -> str:
        return f"PackedLaw({len(self._words)} sets in dimension {self.dimension})"


class PoolPolicy(Mixture):
    """The mixture of filtered laws, floor and exploration that a state of the pool describes.

    The components are objects that stay as long as the law they stand for, so that who follows a mixture by its parts, as
    the ledger does, pays only for what changes.

    Parameters
    ----------
    pool : PoolArrays
        Never changed afterwards.
    size : int
        m.
    components : sequence of Policy
        Played laws, floor and exploration, in the order of ``pool.shares``, those of share 0 left out.
    """

    def __init__(self, pool: PoolArrays, size: int, components: list[Policy]) -> None:
        super().__init__(components, pool.shares[pool.shares > 0.0])
        self._pool = pool
        self.size = size

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

    def __repr__(self) -> str:
        return f"PoolPolicy({self.size} of {self.dimension}, {len(self.components)} laws)"
