r"""A mixture of policies, which may be of different kinds."""

from collections.abc import Iterable, Sequence
from typing import Any, Self

import numpy as np
import numpy.typing as npt

from swapregret.arrays import Action, Actions, Matrix, Vector, frozen, is_iterable
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
