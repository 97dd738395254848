r"""Policies made of others: their mixture, and independent ones side by side, :math:`p(M_1, \dots, M_k) = \prod_i p_i(M_i)`.

Of the latter cross moments factor, :math:`\mathbb E[M_i M_j^\top] = x_i x_j^\top` for i ≠ j with :math:`x_i = \mathbb E[M_i]`; the
blocks on the diagonal are those of the parts.
"""

import math
from collections.abc import Iterable, Sequence
from functools import cached_property
from itertools import product
from typing import Any, Self

import numpy as np
import numpy.typing as npt

from swapregret.arrays import Action, Actions, AnyArray, Matrix, Vector, as_vector, frozen, is_iterable
from swapregret.counts import shown
from swapregret.errors import InvalidInput
from swapregret.files.held import Held, held_chances, held_tuple
from swapregret.policy.finite import FinitePolicy, on_grid
from swapregret.policy.policy import Policy, once


class Mixture(Policy):
    """A convex combination of policies; build it with :func:`mix`.

    Parameters
    ----------
    components : sequence of Policy
    weights : array_like
        Their probabilities, rounded to the grid.
    """

    made_of = ("components", "component_weights")

    def __init__(self, components: Sequence[Policy], weights: npt.ArrayLike) -> None:
        self.components: tuple[Policy, ...] = tuple(components) if is_iterable(components) else ()
        if not self.components or not all(isinstance(one, Policy) for one in self.components):
            raise InvalidInput("what is mixed must be policies", shown(components), "Pass a list of them.")
        self.component_weights: Vector = frozen(on_grid(weights))
        if len(self.components) != len(self.component_weights):
            raise InvalidInput(
                "`weights` must have one entry for each component",
                f"{len(self.components)} components and {len(self.component_weights)} weights",
                "Pass the two lists in step.",
            )
        dimensions = {component.dimension for component in self.components}
        if len(dimensions) != 1:
            raise InvalidInput(
                "all components must have the same dimension",
                f"dimensions {sorted(dimensions)}",
                "Mix policies over the same action set.",
            )
        self.dimension = dimensions.pop()
        self.has_atoms = all(component.has_atoms for component in self.components)
        self._cumulative: Vector = frozen(np.cumsum(self.component_weights))

    def sample(self, rng: np.random.Generator) -> Action:
        """Draw a component, then an action from it."""
        index = int(self._cumulative.searchsorted(rng.random(), side="right"))
        return self.components[index].sample(rng)

    def _mean(self, values: Iterable[Vector]) -> Vector:
        """Return Σ_c w_c value_c."""
        return np.asarray(sum(weight * value for weight, value in zip(self.component_weights, values, strict=True)))

    @once
    def marginals(self) -> Vector:
        """E[M] = Σ_c w_c E_c[M], computed once."""
        return self._mean(component.marginals() for component in self.components)

    def second_moment(self, vector: Vector) -> Vector:
        """Return Σ_c w_c E_c[M (M·v)]."""
        return self._mean(component.second_moment(vector) for component in self.components)

    @once
    def cooccurrence(self) -> Matrix:
        """Σ = Σ_c w_c Σ_c, computed once."""
        return self._mean(component.cooccurrence() for component in self.components)

    def probabilities(self, actions: Actions) -> Vector:
        """Return Σ_c w_c p_c(M) of every row."""
        return self.component_weights @ np.stack([component.probabilities(actions) for component in self.components])

    @once
    def finite(self) -> FinitePolicy:
        """Merge the atoms of all components."""
        parts = [component.finite() for component in self.components]
        scaled = [weight * part.weights for part, weight in zip(parts, self.component_weights, strict=True)]
        return FinitePolicy(np.concatenate([part.atoms for part in parts]), np.concatenate(scaled))

    def __repr__(self) -> str:
        return f"Mixture({len(self.components)} policies in dimension {self.dimension})"

    @classmethod
    def of_held(cls, held: Held, most: int) -> Self:
        """Return the policy that a file holds, its numbers checked: in range, and fitting each other."""
        return cls(held_tuple(held, "components", Policy), held_chances(held, "component_weights"))


def mix(policies: Iterable[Policy], weights: Iterable[float]) -> Policy:
    """Mix policies into one: with probability w_c, draw from policy c.

    Mixtures inside are opened up, a policy that comes twice (the same object) is kept once with the sum of its
    weights, and policies of weight 0 are left out; mixing one policy gives it back.

    Parameters
    ----------
    policies : iterable of Policy
    weights : iterable of float
        Non-negative, adding up to 1.

    Examples
    --------
    >>> a, b = FinitePolicy([[1, 0]], [1.0]), FinitePolicy([[0, 1]], [1.0])
    >>> mix([a, b], [.75, .25]).marginals()
    array([0.75, 0.25])
    """
    parts = list(policies) if is_iterable(policies) else []
    shares: Any = list(weights) if is_iterable(weights) and not isinstance(weights, np.ndarray) else weights
    Mixture(parts, shares)  # refuses what is no mixture
    total: dict[int, float] = {}
    kept: dict[int, Policy] = {}
    for part, share in zip(parts, shares, strict=True):
        inner = part if isinstance(part, Mixture) else Mixture([part], [1.0])
        for component, weight in zip(inner.components, (float(share) * inner.component_weights).tolist(), strict=True):
            if weight > 0.0:
                kept[id(component)] = component
                total[id(component)] = total.get(id(component), 0.0) + weight
    if len(kept) == 1:
        return next(iter(kept.values()))
    return Mixture(list(kept.values()), list(total.values()))


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

    def _listed(self) -> FinitePolicy:
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
