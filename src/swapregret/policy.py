r"""A policy: a probability law over actions, as a value.

A law :math:`p` over :math:`\mathcal A \subset \{0,1\}^d` is known through what the learners need of it: a sample
:math:`M \sim p`, its marginals :math:`\mathbb E[M]`, and its second moment applied to a vector,
:math:`v \mapsto \mathbb E[M\,(M\cdot v)] = \Sigma v`. A law whose support can be listed also hands out its atoms.

Weights are kept on the grid of multiples of :math:`2^{-52}` and add up to 1 in integers; every partial sum is then a
float without rounding, so ``weights.sum() == 1.0`` exactly and in any order.

May touch: ``errors``, ``arrays``. Laws that belong to one set (uniform m-sets, Markov paths, ...) live with that set.
"""

from abc import ABC, abstractmethod
from collections.abc import Callable, Iterable, Sequence
from functools import cached_property

import numpy as np
import numpy.typing as npt

from swapregret.arrays import Action, Actions, Matrix, Vector, frozen
from swapregret.errors import InvalidInput, Unsupported

__all__ = ["FinitePolicy", "JointSolver", "Mixture", "Policy", "canonical_order", "mix", "on_grid"]

JointSolver = Callable[[Action, float, int], tuple[Vector, float]]
"""See :meth:`Policy.joint_solver`."""
GRID = 2**52
_SUM_TOLERANCE = 1e-9
_FEW = 12
_FEW_PAIRS = 25  # a pair costs as much as this many entries of a matrix product


def on_grid(weights: npt.ArrayLike) -> Vector:
    """Round a probability vector to multiples of 2⁻⁵² whose sum is exactly 1.

    Each weight moves by less than 2⁻⁵²; what is left over goes to the largest weight, the first of them on a tie.

    Examples
    --------
    >>> on_grid([1/3, 1/3, 1/3]).sum() == 1.0
    np.True_
    """
    try:
        array = np.asarray(weights, dtype=np.float64)
    except (TypeError, ValueError):
        array = np.empty(0)
    if array.ndim == 1 and 0 < array.size < _FEW:
        few = _few_on_grid(array.tolist())
        if few is not None:
            return few
    total = float(array.sum()) if array.size else 0.0
    if array.ndim != 1 or not np.isfinite(array).all() or (array < 0).any() or abs(total - 1.0) > _SUM_TOLERANCE:
        raise InvalidInput(
            "`weights` must be a vector of non-negative numbers that add up to 1",
            f"shape {array.shape}, sum {total!r}, least {array.min(initial=0.0)!r}",
            "Divide the weights by their sum.",
        )
    units = np.floor(array * GRID).astype(np.int64)
    if abs(GRID - int(units.sum())) > 4 * array.size:  # off by more than rounding: the sum is not quite 1
        units = np.floor(array * (GRID / total)).astype(np.int64)
    units[int(np.argmax(units))] += GRID - int(units.sum())
    return units / GRID


def _few_on_grid(weights: list[float]) -> Vector | None:
    """Do what ``on_grid`` does for some weights, faster; None if they are not a law up to rounding."""
    if not all(0.0 <= weight <= 2.0 for weight in weights):
        return None
    units = [int(weight * GRID) for weight in weights]
    missing = GRID - sum(units)
    if abs(missing) > 4 * len(units):
        return None
    units[units.index(max(units))] += missing
    return np.array([unit / GRID for unit in units])


def canonical_order(rows: Actions) -> npt.NDArray[np.int64]:
    """Return what sorts 0/1 rows canonically: by their packed bits, the last coordinate most significant.

    Examples
    --------
    >>> canonical_order(np.array([[0, 1], [1, 0]])).tolist()
    [1, 0]
    """
    packed = np.packbits(rows.astype(np.uint8), axis=1, bitorder="little")
    keys = np.ascontiguousarray(packed[:, ::-1])
    return np.argsort(keys.view(f"V{keys.shape[1]}").ravel(), kind="stable")


class Policy(ABC):
    """A law over actions. Immutable: a learner that changes its mind makes a new one."""

    dimension: int
    has_atoms: bool = False

    @abstractmethod
    def sample(self, rng: np.random.Generator) -> Action:
        """Draw one action."""

    def sample_many(self, rng: np.random.Generator, count: int) -> Actions:
        """Draw actions, one a row: those that as many calls of ``sample`` would draw, and leave ``rng`` where they would."""
        rows = np.empty((count, self.dimension), dtype=np.int64)
        for index in range(count):
            rows[index] = self.sample(rng)
        return rows

    @abstractmethod
    def marginals(self) -> Vector:
        """E[M]: how likely each element is to be chosen."""

    @abstractmethod
    def second_moment(self, vector: Vector) -> Vector:
        """E[M (M·v)], without building the matrix."""

    def probability(self, action: Action) -> float:
        """Return p(M); laws that know it in closed form need no list."""
        law = self.finite()
        rows = np.flatnonzero((law.atoms == action).all(axis=1))
        return float(law.weights[rows].sum())

    def variance(self, vector: Vector) -> float:
        """Return Var(M·v), sums taken from the first element to the last."""
        mean = float(np.cumsum(self.marginals() * vector)[-1])
        return max(0.0, float(np.cumsum(vector * self.second_moment(vector))[-1]) - mean * mean)

    def joint_solver(self, parts: "Sequence[Policy]", weights: Vector) -> JointSolver | None:
        """Return what solves Σ y = M for a mixture that begins with this law, without a matrix, or None.

        ``solve(action, tolerance, limit)`` gives y and the relative residual it reached. Laws of one kind whose products
        can be taken together in compiled code override this.
        """
        return None

    def cooccurrence(self) -> Matrix:
        """Σ = E[M Mᵀ] as a dense ``(dimension, dimension)`` matrix."""
        identity = np.eye(self.dimension)
        columns = np.stack([self.second_moment(row) for row in identity])
        return frozen((columns + columns.T) / 2.0)

    def cooccurrence_on(self, coordinates: npt.NDArray[np.int64]) -> Matrix:
        """Σ on some coordinates: ``cooccurrence()[coordinates][:, coordinates]``, which some laws make without the rest."""
        if len(coordinates) == self.dimension:
            return self.cooccurrence()
        held: tuple[npt.NDArray[np.int64], Matrix] | None = self.__dict__.get("_on_coordinates")
        if held is None or held[0] is not coordinates:
            held = coordinates, frozen(self._make_cooccurrence_on(coordinates))
            self.__dict__["_on_coordinates"] = held  # laws are asked again and again for the same coordinates
        return held[1]

    def _make_cooccurrence_on(self, coordinates: npt.NDArray[np.int64]) -> Matrix:
        return np.asarray(self.cooccurrence()[np.ix_(coordinates, coordinates)])

    def finite(self) -> "FinitePolicy":
        """List the support: the same law as atoms and weights in canonical order."""
        raise Unsupported(
            "the support of the policy must be small enough to be listed",
            f"{type(self).__name__}, whose support is not listed",
            "Use sample, marginals and second_moment, which need no list.",
        )

    @property
    def atoms(self) -> Actions:
        """Return the support, one action a row, in canonical order."""
        return self.finite().atoms

    @property
    def weights(self) -> Vector:
        """Return the probability of each atom; they add up to exactly 1."""
        return self.finite().weights


class FinitePolicy(Policy):
    """A law given by its atoms and their weights.

    Parameters
    ----------
    atoms : array_like, shape (n, dimension)
        Actions; duplicates are merged, the order does not matter.
    weights : array_like, shape (n,)
        Their probabilities. Atoms of weight below 2⁻⁵² are dropped.

    Notes
    -----
    Canonical order is lexicographic with the last coordinate most significant, i.e. the order of the packed bits
    read as a little-endian integer.

    Examples
    --------
    >>> law = FinitePolicy([[1, 0], [0, 1], [1, 0]], [.25, .5, .25])
    >>> law.atoms.tolist(), law.weights.tolist()
    ([[1, 0], [0, 1]], [0.5, 0.5])
    >>> law.second_moment([1., 0.]).tolist()
    [0.5, 0.0]
    """

    has_atoms = True

    def __init__(self, atoms: npt.ArrayLike, weights: npt.ArrayLike) -> None:
        try:
            rows, mass = np.asarray(atoms), np.asarray(weights, dtype=np.float64)
        except (TypeError, ValueError):
            rows, mass = np.empty(0), np.empty(0)
        if rows.ndim != 2 or len(rows) == 0 or mass.shape != (len(rows),):
            raise InvalidInput(
                "`atoms` must be a non-empty list of actions with one weight each",
                f"atoms of shape {rows.shape}, weights of shape {mass.shape}",
                "Pass one row and one weight an action.",
            )
        if rows.dtype.kind not in "biuf" or not ((rows == 0) | (rows == 1)).all():
            raise InvalidInput(
                "`atoms` must contain only 0 and 1", "other values", "An atom is the indicator vector of an action."
            )
        if (mass < 0.0).any():
            raise InvalidInput("`weights` must not be negative", f"{float(mass.min())!r}", "A weight is a probability.")
        rows = rows.astype(np.int64)
        order = canonical_order(rows)
        rows, mass = rows[order], mass[order]
        is_new = np.ones(len(rows), dtype=bool)
        is_new[1:] = (rows[1:] != rows[:-1]).any(axis=1)
        if not is_new.all():
            mass = np.add.reduceat(mass, np.flatnonzero(is_new))
            rows = rows[is_new]
        mass = on_grid(mass)
        keep = mass > 0.0
        self._atoms: Actions = frozen(np.ascontiguousarray(rows[keep]))
        self._weights: Vector = frozen(mass[keep])
        self._cumulative: Vector = frozen(np.cumsum(self._weights))
        self.dimension = rows.shape[1]

    def reweighted(self, weights: npt.ArrayLike) -> "FinitePolicy":
        """Return the law with other weights on the same atoms, without sorting or copying them.

        A learner that lists all actions makes one such law a day, and all of them share one table; only where a weight
        is below 2⁻⁵² is the list shortened.

        Examples
        --------
        >>> law = FinitePolicy([[1, 0], [0, 1]], [.5, .5])
        >>> law.reweighted([.25, .75]).atoms is law.atoms, law.reweighted([1., 0.]).atoms.tolist()
        (True, [[1, 0]])
        """
        mass = on_grid(weights)
        if mass.shape != self._weights.shape:
            raise InvalidInput(
                f"`weights` must have shape {self._weights.shape}, one for each atom",
                f"shape {mass.shape}",
                "Pass a weight for every atom, 0 where it is not played.",
            )
        law = object.__new__(FinitePolicy)
        law.dimension = self.dimension
        if mass.min() > 0.0:
            law._atoms, law._weights = self._atoms, frozen(mass)
            law.__dict__["_float_atoms"] = self._float_atoms
        else:
            law._atoms, law._weights = frozen(self._atoms[mass > 0.0]), frozen(mass[mass > 0.0])
        law._cumulative = frozen(np.cumsum(law._weights))
        return law

    @property
    def atoms(self) -> Actions:
        """Return the support, one action a row, in canonical order."""
        return self._atoms

    @property
    def weights(self) -> Vector:
        """Return the probability of each atom; they add up to exactly 1."""
        return self._weights

    def finite(self) -> "FinitePolicy":
        """Return the law itself."""
        return self

    def sample(self, rng: np.random.Generator) -> Action:
        """Draw one action by inversion: one uniform number a draw."""
        row: Action = self._atoms[int(self._cumulative.searchsorted(rng.random(), side="right"))]
        return row

    def sample_many(self, rng: np.random.Generator, count: int) -> Actions:
        """Draw actions, one a row, all at once."""
        rows: Actions = self._atoms[np.searchsorted(self._cumulative, rng.random(count), side="right")]
        return rows

    @cached_property
    def _float_atoms(self) -> Matrix:
        return frozen(self._atoms.astype(np.float64))

    @cached_property
    def _marginals(self) -> Vector:
        return frozen(self._weights @ self._float_atoms)

    def marginals(self) -> Vector:
        """E[M], exact: each entry is a sum of grid weights."""
        return self._marginals

    def second_moment(self, vector: Vector) -> Vector:
        """E[M (M·v)] in O(support · dimension)."""
        rows = self._float_atoms
        return np.asarray((self._weights * (rows @ vector)) @ rows)

    @cached_property
    def _cooccurrence(self) -> Matrix:
        """Sums of grid weights are exact, so the two ways, pair by pair and as a product, give the same bits."""
        d, (where, chosen) = self.dimension, self._atoms.nonzero()
        sizes = np.bincount(where, minlength=len(self._atoms))
        size = int(sizes[0])
        if 0 < _FEW_PAIRS * size * size < d * d and bool((sizes == size).all()):
            elements = chosen.reshape(-1, size)
            pairs = d * elements[:, :, None] + elements[:, None, :]
            weights = np.repeat(self._weights, size * size)
            counted: Vector = np.bincount(pairs.ravel(), weights=weights, minlength=d * d).astype(np.float64)
            return frozen(counted.reshape(d, d))
        rows = self._float_atoms
        return frozen((rows.T * self._weights) @ rows)

    def cooccurrence(self) -> Matrix:
        """Σ = E[M Mᵀ], computed once."""
        return self._cooccurrence

    def __eq__(self, other: object) -> bool:
        return (
            isinstance(other, FinitePolicy)
            and np.array_equal(self._atoms, other._atoms)
            and np.array_equal(self._weights, other._weights)
        )

    def __hash__(self) -> int:
        return hash((self._atoms.tobytes(), self._weights.tobytes()))

    def __repr__(self) -> str:
        return f"FinitePolicy({len(self._weights)} atoms in dimension {self.dimension})"


class Mixture(Policy):
    """A convex combination of policies; build it with :func:`mix`.

    Parameters
    ----------
    components : sequence of Policy
    weights : array_like
        Their probabilities, rounded to the grid.
    """

    def __init__(self, components: Sequence[Policy], weights: npt.ArrayLike) -> None:
        self.components = tuple(components)
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

    @classmethod
    def trusted(cls, components: Sequence[Policy], weights: Vector) -> "Mixture":
        """Return the mixture of policies of one dimension with weights that are on the grid already: nothing is checked."""
        made = object.__new__(cls)
        made.components = tuple(components)
        made.component_weights = frozen(weights)
        made.dimension = made.components[0].dimension
        made.has_atoms = all(component.has_atoms for component in made.components)
        made._cumulative = frozen(weights.cumsum())
        return made

    def sample(self, rng: np.random.Generator) -> Action:
        """Draw a component, then an action from it."""
        index = int(self._cumulative.searchsorted(rng.random(), side="right"))
        return self.components[index].sample(rng)

    @cached_property
    def _marginals(self) -> Vector:
        total = np.zeros(self.dimension)
        for component, weight in zip(self.components, self.component_weights, strict=True):
            total += weight * component.marginals()
        return frozen(total)

    def marginals(self) -> Vector:
        """E[M] = Σ_c w_c E_c[M], computed once."""
        return self._marginals

    def second_moment(self, vector: Vector) -> Vector:
        """Return Σ_c w_c E_c[M (M·v)]."""
        total = np.zeros(self.dimension)
        for component, weight in zip(self.components, self.component_weights, strict=True):
            total += weight * component.second_moment(vector)
        return total

    @cached_property
    def _cooccurrence(self) -> Matrix:
        total = np.zeros((self.dimension, self.dimension))
        for component, weight in zip(self.components, self.component_weights, strict=True):
            total += weight * component.cooccurrence()
        return frozen(total)

    def cooccurrence(self) -> Matrix:
        """Σ = Σ_c w_c Σ_c, computed once."""
        return self._cooccurrence

    def probability(self, action: Action) -> float:
        """Return Σ_c w_c p_c(M)."""
        weighted = zip(self.components, self.component_weights.tolist(), strict=True)
        return float(sum(weight * component.probability(action) for component, weight in weighted))

    @cached_property
    def _finite(self) -> FinitePolicy:
        parts = [component.finite() for component in self.components]
        scaled = [weight * part.weights for part, weight in zip(parts, self.component_weights, strict=True)]
        return FinitePolicy(np.concatenate([part.atoms for part in parts]), np.concatenate(scaled))

    def finite(self) -> FinitePolicy:
        """Merge the atoms of all components."""
        return self._finite

    def __repr__(self) -> str:
        return f"Mixture({len(self.components)} policies in dimension {self.dimension})"


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
    parts, shares = list(policies), [float(weight) for weight in weights]
    if len(parts) != len(shares) or not parts:
        raise InvalidInput(
            "`policies` and `weights` must be non-empty and of the same length",
            f"{len(parts)} policies and {len(shares)} weights",
            "Pass one weight a policy.",
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
