r"""Whom to follow: Blum and Mansour's reduction over the members of the pool.

With the master's unbiased estimates every member's gain :math:`z_g = x_g\cdot X` is known after each base window, as if with
full information, so the swap regret among G ≈ 12 members is cheap to keep small.

May touch: ``arrays``, ``kernels.pool_weights``.
"""

from dataclasses import dataclass

import numpy as np

from swapregret.arrays import Matrix, Vector, frozen
from swapregret.kernels.pool_weights import pool_weights, variance

__all__ = ["PoolWeights"]

_FORGET = 0.01


@dataclass(frozen=True, eq=False)
class PoolWeights:
    """The state of the weights, a value.

    Attributes
    ----------
    scores : Matrix
        S_ag = Σ π_a z_g.
    variances : Vector
        Σ π_a² Var_{Q_a} z.
    transition : Matrix
        Q.
    law : Vector
        π, the stationary law of Q: the weights.
    typical : float
        Running mean of the variance of z over the members.
    noise : float
        Running mean of the variance of the entries of X: σ² of the filter.
    n_windows : int
    """

    scores: Matrix
    variances: Vector
    transition: Matrix
    law: Vector
    typical: float = 0.0
    noise: float = 0.0
    n_windows: int = 0

    @classmethod
    def start(cls, n_members: int) -> "PoolWeights":
        """Return equal weights.

        Examples
        --------
        >>> PoolWeights.start(4).law
        array([0.25, 0.25, 0.25, 0.25])
        """
        n = n_members
        transition = frozen(np.full((n, n), 0.5 / n) + 0.5 * np.eye(n))
        return cls(frozen(np.zeros((n, n))), frozen(np.zeros(n)), transition, frozen(np.full(n, 1.0 / n)))

    def absorb(
        self, gains: Vector, aggregate: Vector, *, step: float = 0.5, spread: float = 0.0, is_learning: bool = True
    ) -> "PoolWeights":
        """Return the weights after a base window with gains z and aggregate X.

        ``step`` scales how fast they move, ``spread`` is the share that is dealt out evenly.
        """
        count = self.n_windows + 1
        forget = max(_FORGET, 1.0 / count)
        typical = self.typical + forget * (variance(gains) - self.typical)
        noise = self.noise + forget * (variance(aggregate) - self.noise)
        if not is_learning:
            return PoolWeights(self.scores, self.variances, self.transition, self.law, typical, noise, count)
        made = pool_weights(
            self.scores,
            self.variances,
            self.transition,
            self.law,
            np.ascontiguousarray(gains),
            typical,
            step,
            spread,
        )
        scores, variances, transition, law = (frozen(array) for array in made)
        return PoolWeights(scores, variances, transition, law, typical, noise, count)
