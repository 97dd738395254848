r"""Independent policies side by side: :math:`p(M_1, \dots, M_k) = \prod_i p_i(M_i)`.

Cross moments factor, :math:`\mathbb E[M_i M_j^\top] = x_i x_j^\top` for i ≠ j with :math:`x_i = \mathbb E[M_i]`; the blocks on
the diagonal are those of the parts.
"""

import math
from collections.abc import Sequence
from functools import cached_property
from itertools import product
from typing import Self

import numpy as np

from swapregret.arrays import Action, Actions, AnyArray, Matrix, Vector, as_vector
from swapregret.files.held import Held, held_tuple
from swapregret.policy.finite import FinitePolicy
from swapregret.policy.policy import Policy, once

_LISTED = 10_000


class ProductPolicy(Policy):
    """The policy of independent draws from several policies, one after the other.

    Examples
    --------
    >>> coin = FinitePolicy([[1, 0], [0, 1]], [.25, .75])
    >>> policy = ProductPolicy([coin, coin])
    >>> policy.marginals().tolist(), policy.probability(np.array([1, 0, 0, 1]))
    ([0.25, 0.75, 0.25, 0.75], 0.1875)
    >>> policy.cooccurrence()[0].tolist()
    [0.25, 0.0, 0.0625, 0.1875]
    """

    made_of = ("parts",)

    def __init__(self, parts: Sequence[Policy]) -> None:
        self.parts = tuple(parts)
        self.bounds = tuple(np.cumsum([0, *(part.dimension for part in self.parts)]).tolist())
        self.dimension = self.bounds[-1]

    def _split(self, vector: AnyArray) -> list[AnyArray]:
        return [vector[low:high] for low, high in zip(self.bounds, self.bounds[1:], strict=False)]

    def sample(self, rng: np.random.Generator) -> Action:
        """Draw from each part in order."""
        return np.concatenate([part.sample(rng) for part in self.parts])

    @once
    def marginals(self) -> Vector:
        """E[M], those of the parts one after the other."""
        return np.concatenate([part.marginals() for part in self.parts])

    def second_moment(self, vector: Vector) -> Vector:
        """E[M (M·v)]: in block i, Σ_i v_i + x_i Σ_{j≠i} x_j·v_j."""
        pieces = self._split(np.asarray(vector, dtype=np.float64))
        means = [float(part.marginals() @ piece) for part, piece in zip(self.parts, pieces, strict=True)]
        return np.concatenate(
            [
                part.second_moment(piece) + sum(means[:i] + means[i + 1 :]) * part.marginals()
                for i, (part, piece) in enumerate(zip(self.parts, pieces, strict=True))
            ]
        )

    @once
    def cooccurrence(self) -> Matrix:
        """Σ = E[M Mᵀ]: blocks of the parts, and x_i x_jᵀ between them."""
        x = self.marginals()
        table = np.outer(x, x)
        for part, low, high in zip(self.parts, self.bounds, self.bounds[1:], strict=False):
            table[low:high, low:high] = part.cooccurrence()
        return table

    def variance(self, vector: Vector) -> float:
        """Return Var(M·v), the sum over the parts."""
        pieces = self._split(as_vector(vector, self.dimension, "vector"))
        return float(sum(part.variance(piece) for part, piece in zip(self.parts, pieces, strict=True)))

    def probabilities(self, actions: Actions) -> Vector:
        """Return p(M) of every row, the product over the parts."""
        pieces = self._split(np.asarray(actions).T)
        chances = [part.probabilities(piece.T) for part, piece in zip(self.parts, pieces, strict=True)]
        return np.asarray(np.prod(chances, axis=0))

    @cached_property
    def has_atoms(self) -> bool:  # type: ignore[override]
        """Whether there are few enough actions to be listed."""
        return all(part.has_atoms for part in self.parts) and (
            math.prod(len(part.finite().weights) for part in self.parts) <= _LISTED
        )

    @once
    def finite(self) -> FinitePolicy:
        """List the support, where there are at most 10,000 actions in it."""
        if not self.has_atoms:
            return super().finite()
        policies = [part.finite() for part in self.parts]
        rows = [np.concatenate(choice) for choice in product(*(policy.atoms for policy in policies))]
        weights = np.ones(1)
        for policy in policies:
            weights = np.outer(weights, policy.weights).ravel()
        return FinitePolicy(np.array(rows), weights)

    def __repr__(self) -> str:
        return f"ProductPolicy({', '.join(map(repr, self.parts))})"

    @classmethod
    def of_held(cls, held: Held, most: int) -> Self:
        """Return the policy that a file holds, its numbers checked: in range, and fitting each other."""
        return cls(held_tuple(held, "parts", Policy))
