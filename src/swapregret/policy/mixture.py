r"""A mixture of laws, which may be of different kinds."""

from collections.abc import Iterable, Sequence
from typing import Self

import numpy as np
import numpy.typing as npt

from swapregret.arrays import Action, Actions, Matrix, Vector, frozen, is_iterable, real_numbers
from swapregret.counts import shown
from swapregret.errors import InvalidInput
from swapregret.policy.finite import FinitePolicy, on_grid
from swapregret.policy.held import Held, held_chances, held_tuple
from swapregret.policy.policy import Policy, once


class Mixture(Policy):
    """A convex combination of policies; build it with :func:`mix`.

    Parameters
    ----------
    components : sequence of Policy
    weights : array_like
        Their probabilities, rounded to the grid.
    """

    def __init__(self, components: Sequence[Policy], weights: npt.ArrayLike) -> None:
        self.components: tuple[Policy, ...] = tuple(components) if is_iterable(components) else ()
        if not self.components or not all(isinstance(one, Policy) for one in self.components):
            raise InvalidInput("`components` must be policies", shown(components), "Pass a list of them.")
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

    @once
    def marginals(self) -> Vector:
        """E[M] = Σ_c w_c E_c[M], computed once."""
        total = np.zeros(self.dimension)
        for component, weight in zip(self.components, self.component_weights, strict=True):
            total += weight * component.marginals()
        return total

    def second_moment(self, vector: Vector) -> Vector:
        """Return Σ_c w_c E_c[M (M·v)]."""
        total = np.zeros(self.dimension)
        for component, weight in zip(self.components, self.component_weights, strict=True):
            total += weight * component.second_moment(vector)
        return total

    @once
    def cooccurrence(self) -> Matrix:
        """Σ = Σ_c w_c Σ_c, computed once."""
        total = np.zeros((self.dimension, self.dimension))
        for component, weight in zip(self.components, self.component_weights, strict=True):
            total += weight * component.cooccurrence()
        return total

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
    try:
        parts = list(policies)
        given = real_numbers(weights if isinstance(weights, np.ndarray) else list(weights))
    except (TypeError, ValueError, OverflowError):
        parts, given = [], np.empty(0)
    if given.ndim != 1 or not all(isinstance(part, Policy) for part in parts):
        parts, given = [], np.empty(0)
    shares: list[float] = given.tolist()
    if len(parts) != len(shares) or not parts:
        raise InvalidInput(
            "`policies` and `weights` must be non-empty and of the same length",
            f"{len(parts)} policies and {len(shares)} weights",
            "Pass one weight per policy.",
        )
    on_grid(shares)
    total: dict[int, float] = {}
    kept: dict[int, Policy] = {}
    for part, share in zip(parts, shares, strict=True):
        if isinstance(part, Mixture):
            inner = zip(part.components, (share * part.component_weights).tolist(), strict=True)
        else:
            inner = zip((part,), (share,), strict=True)
        for component, weight in inner:
            if weight > 0.0:
                kept[id(component)] = component
                total[id(component)] = total.get(id(component), 0.0) + weight
    if len(kept) == 1:
        return next(iter(kept.values()))
    return Mixture(list(kept.values()), list(total.values()))
